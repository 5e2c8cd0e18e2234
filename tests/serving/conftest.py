"""The command line as users run it, in a folder and with a home of its own, and a server of pictures and a feed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.picture_server import Server, Shop

Daogou = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def clean_env(home: Path) -> dict[str, str]:
    """Nobody's settings but `DAOGOU_HOME`; the language is English; the ports are ones that nothing listens on."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DAOGOU_", "LC_", "LANG"))}
    return kept | {"DAOGOU_HOME": str(home), "LANG": "en_US.UTF-8", "DAOGOU_API_PORT": "8591", "DAOGOU_UI_PORT": "8592"}


@pytest.fixture
def daogou(tmp_path: Path, clean_env: dict[str, str]) -> Daogou:
    """`daogou("ask", "…", DAOGOU_PROFILE="gpu")`: runs it to its end."""

    def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "serving.cli", *arguments]
        return subprocess.run(
            command, env=clean_env | env, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
        )

    return run


@pytest.fixture
def running() -> Iterator[type[Shop]]:
    handler = type("Shop", (Shop,), {"visits": [], "headers_seen": [], "connections": []})
    with Server(("127.0.0.1", 0), handler) as server:
        handler.port = server.server_port
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield handler
        server.shutdown()


@pytest.fixture
def shop(running: type[Shop]) -> tuple[str, list[str]]:
    """Its address, and the paths it was asked for."""
    return f"http://127.0.0.1:{running.port}", running.visits
