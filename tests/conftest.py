"""What the tests share: the running assistant (started once), real data where there is some, a count of skips."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest

_READY_SECONDS = 600


@dataclass(frozen=True)
class Assistant:
    """A running `daogou up`."""

    api_url: str
    ui_url: str
    home: Path
    pid: int | None
    log: Path | None

    def processes(self) -> list[psutil.Process]:
        """Everything that belongs to it."""
        if self.pid is None:
            return []
        run = psutil.Process(self.pid).environ().get("DAOGOU_RUN")
        root = psutil.Process(self.pid)
        found = {root.pid: root, **{child.pid: child for child in root.children(recursive=True)}}
        for process in psutil.process_iter():
            try:
                if run and process.environ().get("DAOGOU_RUN") == run:
                    found[process.pid] = process
            except (psutil.AccessDenied, psutil.NoSuchProcess):
                continue
        return list(found.values())


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def daogou(*arguments: str) -> list[str]:
    """The command line of this environment's `daogou`."""
    return [str(Path(sys.executable).with_name("daogou")), *arguments]


def wait_ready(api_url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Until `/readyz` is 200. Fails the test with the log's end where the process dies or takes too long."""
    until = time.monotonic() + _READY_SECONDS
    while time.monotonic() < until:
        if process.poll() is not None:
            pytest.fail(f"daogou up ended with {process.returncode}:\n{log.read_text()[-4000:]}")
        try:
            if httpx.get(f"{api_url}/readyz", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.5)
    pytest.fail(f"daogou up was not ready after {_READY_SECONDS} s:\n{log.read_text()[-4000:]}")


@pytest.fixture(scope="session")
def assistant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    """The whole assistant on the demo catalogue. `DAOGOU_TEST_API_URL` and `DAOGOU_TEST_UI_URL` name a running one."""
    api_url, ui_url = os.environ.get("DAOGOU_TEST_API_URL"), os.environ.get("DAOGOU_TEST_UI_URL")
    if api_url and ui_url:
        home = Path(os.environ.get("DAOGOU_HOME", "~/.daogou")).expanduser()
        yield Assistant(api_url, ui_url, home, None, None)
        return
    folder = tmp_path_factory.mktemp("assistant")
    api_port, ui_port = free_port(), free_port()
    environment = os.environ | {
        "DAOGOU_HOME": str(folder / "home"),
        "DAOGOU_API_PORT": str(api_port),
        "DAOGOU_UI_PORT": str(ui_port),
    }
    log = folder / "log.txt"
    with log.open("wb") as out:
        process = subprocess.Popen(daogou("up"), env=environment, stdout=out, stderr=subprocess.STDOUT, cwd=folder)
    try:
        api_url = f"http://127.0.0.1:{api_port}"
        wait_ready(api_url, process, log)
        yield Assistant(api_url, f"http://127.0.0.1:{ui_port}", folder / "home", process.pid, log)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


@pytest.fixture(scope="session")
def testdata() -> Path:
    """The folder of real catalogues and prompts."""
    folder = os.environ.get("DAOGOU_TESTDATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("DAOGOU_TESTDATA names no folder: tests on real catalogues and prompts are left out")
    return Path(folder)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    terminalreporter.write_line(f"skipped: {len(skipped)}")
