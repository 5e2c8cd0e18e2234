# Every target makes .venv where it is missing, reuses it where it is there, and installs nothing twice.
#   ACCEL=gpu   the GPU packages instead of the CPU ones        ARGS="…"   passed on to the command
ACCEL ?= cpu
# Byte code is kept, whatever the shell says: without it each process compiles vLLM and torch anew at every start.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: up test check bench bench-check soak lock

up: .venv/.$(ACCEL)
	@exec .venv/bin/daogou up $(ARGS)

test: check
	@tests/ensure_browser.sh
	.venv/bin/python -m pytest -m "not soak" $(ARGS)

check: .venv/.dev
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy

bench: .venv/.dev
	.venv/bin/python -m benchmarks $(ARGS)

bench-check: .venv/.dev
	.venv/bin/python -m benchmarks --check $(ARGS)

soak: .venv/.dev
	@tests/ensure_browser.sh
	.venv/bin/python -m pytest -m soak $(ARGS)

lock: .venv/.dev
	requirements/lock.sh

.venv/.%: requirements/%.txt requirements/install.sh requirements/torch-cpu.txt requirements/uv.txt pyproject.toml
	@requirements/install.sh $*
	@.venv/bin/uv pip install --quiet --no-deps --python .venv/bin/python -e .
	@touch $@
