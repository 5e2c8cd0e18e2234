"""`python -m app` as its owner starts it: what it says where it cannot start or cannot share."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def start(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DAOGOU_", "LC_"))}
    return subprocess.Popen(
        [sys.executable, "-m", "app", *arguments],
        env=kept | {"LANG": "en_US.UTF-8"} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_taken_port_is_named_with_the_way_out(taken: int) -> None:
    page = start(DAOGOU_UI_PORT=str(taken))
    _, said = page.communicate(timeout=60)
    assert page.returncode == 1
    assert f"Port {taken} on 127.0.0.1 is taken" in said
    assert f"DAOGOU_UI_PORT={taken + 1}" in said
    assert "Traceback" not in said


def test_a_taken_port_is_named_in_chinese(taken: int) -> None:
    _, said = start(DAOGOU_UI_PORT=str(taken), LANG="zh_CN.UTF-8").communicate(timeout=60)
    assert f"端口 {taken} 已被其他程序占用" in said


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("DAOGOU_UI_PORT", "70000", "less than or equal to 65535"),
        ("DAOGOU_UI_PORT", "web", "valid integer"),
        ("DAOGOU_API_URL", "localhost:8000", "begins with http://"),
        ("DAOGOU_UI_PICTURE_HOSTS", "https://cdn.example", "host name"),
    ],
)
def test_a_wrong_setting_is_named(name: str, value: str, wanted: str) -> None:
    page = start(**{name: value})
    _, said = page.communicate(timeout=60)
    assert page.returncode == 1
    assert f"{name}={value!r}" in said
    assert wanted in said


def test_a_link_that_cannot_be_made_is_told_and_the_page_goes_on(tmp_path: Path) -> None:
    """The tunnel's program is one that says what Gradio's says when the server cannot be reached."""
    from gradio.tunneling import BINARY_FILENAME

    program = tmp_path / "gradio" / "frpc" / BINARY_FILENAME
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho 'login to server failed: connection refused'\n")
    program.chmod(0o755)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    page = start("--share", DAOGOU_UI_PORT=str(port), HF_HOME=str(tmp_path), GRADIO_SHARE_SERVER_ADDRESS="127.0.0.1:1")
    assert page.stdout is not None
    try:
        said = [page.stdout.readline() for _ in range(3)]
        assert said[0] == f"Page:     http://127.0.0.1:{port}\n"
        password = said[1].removeprefix("Password: ").strip()
        assert len(password) >= 12
        assert "the link could not be made" in said[2]
        url = f"http://127.0.0.1:{port}"
        assert httpx.get(f"{url}/state", timeout=60).status_code == 401
        assert httpx.post(f"{url}/enter", data={"password": password}, timeout=60).status_code == 303
    finally:
        page.send_signal(signal.SIGTERM)
        page.communicate(timeout=30)
    assert page.returncode in (0, -signal.SIGTERM)
