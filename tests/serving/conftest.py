"""The command line as users run it, in a folder and with a home of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

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
