"""Makefile, locks, image and compose file: what an operator uses as it is. No Docker engine is needed; none is used."""

from __future__ import annotations

import json
import os
import re
import shutil
import socketserver
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
import yaml

from serving.profiles import PROFILES
from serving.settings import Settings

ROOT = Path(__file__).parents[1]
COMPOSE = Path(sys.executable).with_name("docker-compose")


def locked(name: str) -> dict[str, str]:
    """Package → version of one lock."""
    lines = (ROOT / "requirements" / f"{name}.txt").read_text().splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith(("#", "-")))


def normal(requirement: str) -> str:
    """The name of a requirement as locks write it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!~; ]", requirement)[0]).lower()


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    loaded: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return loaded


# --- locks


@pytest.mark.parametrize(("lock", "extras"), [("cpu", ["cpu"]), ("dev", ["cpu", "dev"]), ("gpu", ["gpu"])])
def test_lock_holds_every_dependency_as_declared(lock: str, extras: list[str], project: dict[str, Any]) -> None:
    packages = locked(lock)
    wanted = project["dependencies"] + [r for extra in extras for r in project["optional-dependencies"][extra]]
    assert [r for r in wanted if normal(r) not in packages] == []
    pinned = [r for r in wanted if "==" in r]
    assert [r for r in pinned if packages[normal(r)] != r.split("==")[1]] == []


def test_dev_lock_is_the_cpu_lock_and_more() -> None:
    assert locked("cpu").items() < locked("dev").items()


def test_cpu_lock_has_no_dead_weight() -> None:
    dead = {
        "torchvision",
        "torchaudio",
        "torchcodec",
        "triton",
        "scikit-learn",
        "llama-cpp-python",
        "fastapi-cloud-cli",
    }
    assert not dead & locked("cpu").keys()
    assert not [name for name in locked("cpu") if name.startswith("nvidia-")]


def test_torch_is_the_same_build_everywhere() -> None:
    assert f"torch=={locked('cpu')['torch']}" in (ROOT / "requirements/torch-cpu.txt").read_text().splitlines()


def test_weights_packages_of_the_profile_are_the_locked_ones() -> None:
    profile = PROFILES["embedded"]
    packages = [m for m in (profile.embedder, profile.reranker, profile.guard, profile.llm) if m.source == "package"]
    assert packages
    assert {m.name: m.revision for m in packages}.items() <= locked("cpu").items()


def test_installer_says_what_is_missing(tmp_path: Path) -> None:
    run = subprocess.run(
        [ROOT / "requirements/install.sh", "cpu"],
        env={"PATH": "/usr/bin:/bin", "PYTHON": "python-of-nowhere", "VENV": str(tmp_path / "venv")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode != 0
    assert "Python 3.11 is needed" in run.stderr
    assert "python-of-nowhere" in run.stderr
    assert not (tmp_path / "venv").exists()


def test_installer_does_not_mix_cpu_and_gpu(tmp_path: Path) -> None:
    (tmp_path / "kind").write_text("cpu\n")
    run = subprocess.run(
        [ROOT / "requirements/install.sh", "gpu"],
        env={"PATH": "/usr/bin:/bin", "VENV": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode != 0
    assert f"rm -r {tmp_path}" in run.stderr


@pytest.mark.parametrize(
    "script", ["requirements/install.sh", "requirements/lock.sh", "tests/ensure_browser.sh", ".ci/run"]
)
def test_script_is_executable_and_parses(script: str) -> None:
    path = ROOT / script
    assert path.stat().st_mode & 0o111
    assert "set -euo pipefail" in path.read_text()
    subprocess.run(["bash", "-n", path], check=True)


# --- Makefile


def recipes() -> dict[str, list[str]]:
    """Target → recipe lines."""
    found: dict[str, list[str]] = {}
    target = ""
    for line in (ROOT / "Makefile").read_text().splitlines():
        if line.startswith("\t"):
            found[target].append(line.strip())
        elif match := re.match(r"([\w./%$()-]+):(?!=)", line):
            target = match[1]
            found[target] = []
    return found


def test_targets_exist_and_are_short() -> None:
    lines = recipes()
    assert {"up", "test", "check", "bench", "bench-check", "soak", "lock"} <= lines.keys()
    assert {target: len(recipe) for target, recipe in lines.items() if len(recipe) > 3} == {}


@pytest.mark.parametrize("target", ["up", "test", "bench", "soak", "lock"])
def test_make_can_plan_the_target(target: str) -> None:
    make = shutil.which("make")
    if make is None:
        pytest.skip("make is not installed")
    plan = subprocess.run([make, "-n", target], cwd=ROOT, capture_output=True, text=True, check=True)
    assert plan.stdout


_BACKEND = """
from zipfile import ZipFile

def build_editable(folder, config_settings=None, metadata_directory=None):
    with ZipFile(f"{folder}/daogou-0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("daogou-0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: daogou\\nVersion: 0\\n")
        wheel.writestr("daogou-0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("daogou-0.dist-info/RECORD", "")
    return "daogou-0-py3-none-any.whl"
"""


def test_make_fills_its_own_environment_in_a_shell_where_another_is_active(tmp_path: Path) -> None:
    make = shutil.which("make")
    if make is None:
        pytest.skip("make is not installed")
    for name in (".venv", "other"):
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / name], check=True)
    (tmp_path / ".venv/bin/uv").symlink_to(Path(sys.executable).with_name("uv"))
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "backend.py").write_text(_BACKEND)
    build = 'requires = []\nbuild-backend = "backend"\nbackend-path = ["."]'
    (tmp_path / "pyproject.toml").write_text(f'[build-system]\n{build}\n[project]\nname = "daogou"\nversion = "0"\n')
    (tmp_path / "requirements").mkdir()
    for name in ("cpu.txt", "torch-cpu.txt", "uv.txt"):
        (tmp_path / "requirements" / name).touch()
    (tmp_path / "requirements/install.sh").write_text("#!/bin/sh\n")
    (tmp_path / "requirements/install.sh").chmod(0o755)
    env = os.environ | {"VIRTUAL_ENV": str(tmp_path / "other"), "UV_OFFLINE": "1"}
    subprocess.run([make, ".venv/.cpu"], cwd=tmp_path, env=env, check=True)
    installed = {name: list((tmp_path / name).rglob("daogou-0.dist-info")) for name in (".venv", "other")}
    assert len(installed[".venv"]) == 1
    assert installed["other"] == []


# --- image


def test_image_copies_what_exists_and_the_ignore_file_lets_through() -> None:
    sources = re.findall(r"^COPY (?!--from)(.+) \S+$", (ROOT / "Dockerfile").read_text(), re.M)
    names = [name.rstrip("/") for line in sources for name in line.split()]
    assert len(names) > 5
    let_through = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert [name for name in names if not (ROOT / name).exists()] == []
    assert set(names) == let_through


def test_image_holds_every_package_of_the_wheel() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert [name for name in wheel["packages"] if f"COPY {name}/ {name}/" not in dockerfile] == []


def test_image_has_the_python_that_the_project_asks_for(project: dict[str, Any]) -> None:
    (version,) = set(re.findall(r"^FROM python:(\d+\.\d+)-slim", (ROOT / "Dockerfile").read_text(), re.M))
    assert project["requires-python"].startswith(f">={version},")


def test_image_runs_as_nobody_special() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    assert lines.index("USER daogou") < lines.index('ENTRYPOINT ["daogou"]')
    assert not [line for line in lines if line.startswith("USER") and line != "USER daogou"]


# --- compose


def compose(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Docker's own reader of compose files: it checks the schema and resolves variables, without an engine."""
    return subprocess.run(
        [COMPOSE, "--project-directory", ROOT, "-f", path, *arguments],
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    """All services as Docker understands them, the GPU profile included, whatever .env says here."""
    run = compose(
        ROOT / "docker-compose.yml", "--env-file", "/dev/null", "--profile", "gpu", "config", "--format", "json"
    )
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)["services"]
    return found


def test_compose_file_keeps_to_the_schema_and_a_broken_one_is_seen(tmp_path: Path) -> None:
    good = compose(ROOT / "docker-compose.yml", "config", "--quiet")
    assert (good.returncode, good.stderr) == (0, "")
    content = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    content["services"]["service"]["helthcheck"] = {}
    broken = tmp_path / "docker-compose.yml"
    broken.write_text(yaml.safe_dump(content))
    assert "helthcheck" in compose(broken, "config", "--quiet").stderr


def test_default_needs_no_gpu(services: dict[str, Any]) -> None:
    default = {name for name, service in services.items() if not service.get("profiles")}
    assert default == {"qdrant", "service", "page"}
    with_gpu = {name for name, service in services.items() if "devices" in json.dumps(service)}
    assert with_gpu == {"service-gpu"}


def test_every_service_heals_and_waits_for_what_it_needs(services: dict[str, Any]) -> None:
    for name, service in services.items():
        assert service["restart"] == "unless-stopped", name
        assert service["healthcheck"]["test"][0] == "CMD", name
        for needed in service.get("depends_on", {}):
            assert set(services[needed].get("profiles", [])) <= set(service.get("profiles", [])), name
    assert services["service"]["depends_on"]["qdrant"]["condition"] == "service_healthy"


def test_only_the_page_is_reachable_and_only_from_here(services: dict[str, Any]) -> None:
    published = {name: service["ports"] for name, service in services.items() if service.get("ports")}
    assert set(published) == {"page", "page-gpu"}
    assert {port["host_ip"] for ports in published.values() for port in ports} == {"127.0.0.1"}


def test_data_outlives_the_containers(services: dict[str, Any]) -> None:
    kept = {
        name: [v["target"] for v in s["volumes"] if v["type"] == "volume"]
        for name, s in services.items()
        if s.get("volumes")
    }
    assert kept == {"qdrant": ["/qdrant/storage"], "service": ["/data"], "service-gpu": ["/data"]}
    assert services["service"]["environment"]["DAOGOU_HOME"] == "/data"


def test_shared_memory_is_enough_for_ray(services: dict[str, Any]) -> None:
    assert int(services["service"]["shm_size"]) >= 2 << 30


def test_variables_are_settings(services: dict[str, Any]) -> None:
    used = {key for service in services.values() for key in service.get("environment", {}) if key.startswith("DAOGOU_")}
    known = {f"DAOGOU_{name.upper()}" for name in Settings.model_fields}
    assert used <= known


def test_qdrant_server_speaks_the_clients_version(services: dict[str, Any]) -> None:
    image, version = services["qdrant"]["image"].split(":v")
    assert image == "qdrant/qdrant"
    assert version.split(".")[:2] == locked("cpu")["qdrant-client"].split(".")[:2]


@contextmanager
def answering(status: int) -> Iterator[int]:
    """A server on loopback that answers every GET with `status`; gives its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            return

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(("name", "port"), [("qdrant", 6333), ("service", 8000), ("page", 7860)])
def test_health_check_tells_well_from_ill(services: dict[str, Any], name: str, port: int) -> None:
    command = services[name]["healthcheck"]["test"][1:]
    assert str(port) in command[-1]
    if command[0] == "python":
        command[0] = sys.executable

    def healthy(at: int) -> bool:
        here = [part.replace(str(port), str(at)) for part in command]
        return subprocess.run(here, capture_output=True, check=False, timeout=20).returncode == 0

    with answering(200) as well:
        assert healthy(well)
    with answering(503) as ill:
        assert not healthy(ill)
    assert not healthy(ill)  # nobody there any more
