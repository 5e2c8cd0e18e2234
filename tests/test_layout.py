"""The arrows between the rooms, the size of files, and what the project must not mention."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.test_packaging import normal

ROOT = Path(__file__).parents[1]
PACKAGES = ("app", "serving", "retrieval", "ui_assets", "benchmarks")
LONGEST = 400  # lines

# part of the project → what it must not import
FORBIDDEN = {
    "app": {"serving", "retrieval", "benchmarks", "ray", "vllm", "torch"},
    "retrieval": {"serving", "app", "ui_assets", "benchmarks", "ray", "vllm", "torch", "gradio", "fastapi"},
    "ui_assets": {"serving", "app", "benchmarks", "ray", "vllm", "torch"},
    "serving": {"app", "benchmarks"},
    "serving/models": {"ray", "fastapi", "gradio"},
    "serving/pipeline.py": {"ray", "fastapi", "vllm", "torch"},
}
# library → the only files that may know it
OWNED = {
    "qdrant_edge": {"retrieval/store/edge.py", "retrieval/keywords.py"},  # the second: its BM25, which is no engine
    "qdrant_client": {"retrieval/store/server.py"},
}


def python_files(part: str) -> list[Path]:
    path = ROOT / part
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


@cache
def imports(path: Path) -> frozenset[str]:
    """Every module that a file imports, wherever in the file: "ray", "serving.events"."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            found |= {str(a.value) for a in node.args if isinstance(a, ast.Constant)}
    return frozenset(found)


@pytest.mark.parametrize("part", FORBIDDEN)
def test_arrows_go_one_way(part: str) -> None:
    files = python_files(part)
    assert files
    wrong = {
        f"{file.relative_to(ROOT)} imports {module}"
        for file in files
        for module in imports(file)
        if module.split(".")[0] in FORBIDDEN[part]
    }
    assert not wrong


@pytest.mark.parametrize("library", OWNED)
def test_engine_stays_in_its_own_file(library: str) -> None:
    users = {
        str(file.relative_to(ROOT))
        for package in PACKAGES
        for file in python_files(package)
        if any(module.split(".")[0] == library for module in imports(file))
    }
    assert users == OWNED[library]


def test_what_is_imported_is_asked_for() -> None:
    """A package that merely comes along with another may leave with it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    always = {normal(r) for r in (*project["dependencies"], *extras["cpu"], *extras["gpu"])}
    owners = {"pynvml": ["nvidia-ml-py"], **packages_distributions()}  # this one is of the GPU environment only
    users: dict[str, set[str]] = {}
    for package in PACKAGES:
        asked = always | {normal(r) for r in extras["dev"]} if package == "benchmarks" else always
        for file in python_files(package):
            for top in {module.split(".")[0] for module in imports(file)} - set(PACKAGES) - sys.stdlib_module_names:
                if not asked & {normal(owner) for owner in owners.get(top, [top])}:
                    users.setdefault(top, set()).add(str(file.relative_to(ROOT)))
    assert users == {}


def test_no_import_is_relative() -> None:
    relative = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for package in PACKAGES
        for file in python_files(package)
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


def test_files_are_short() -> None:
    sources = [f for p in PACKAGES for f in (ROOT / p).rglob("*") if f.suffix in {".py", ".js", ".css", ".html"}]
    assert len(sources) > 20
    long = {str(f.relative_to(ROOT)): n for f in sources if (n := len(f.read_text().splitlines())) > LONGEST}
    assert long == {}


@cache
def texts() -> dict[str, str]:
    """Every text file of the project that git knows or would add."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: what belongs to the project cannot be told")
    listed = subprocess.run(
        [git, "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    found = {}
    for name in filter(None, listed.stdout.split("\0")):
        content = (ROOT / name).read_bytes() if (ROOT / name).is_file() else b"\0"
        if b"\0" not in content:
            found[name] = content.decode()
    return found


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param(r"(?<![\w.~$}>/-])/(?:home|root|Users|work|mnt)/\w", id="a path of somebody's machine"),
        pytest.param(r"\b(?:issue|ticket) #?\d", id="a tracker's number"),
        pytest.param(r"<<<<<<< |>>>>>>> ", id="a merge left open"),
        pytest.param(r"(?i)\b(?:lorem ipsum|fixme|xxx+:)", id="unfinished text"),
    ],
)
def test_nobody_finds(pattern: str) -> None:
    here = str(Path(__file__).relative_to(ROOT))
    found = {
        f"{name}: {match[0]}" for name, text in texts().items() if name != here for match in re.finditer(pattern, text)
    }
    assert not found


def test_only_continuous_integration_knows_where_the_test_data_lies() -> None:
    match = re.search(r"DAOGOU_TESTDATA:-([^}]+)}", (ROOT / ".ci/run").read_text())
    assert match
    folder = match[1].removesuffix("/data")
    assert {name for name, text in texts().items() if folder in text} == {".ci/run"}
