"""The real assistant as a child process, for a measurement."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil

_READY_SECONDS = 400
_STOP_SECONDS = 60


@dataclass(frozen=True)
class Running:
    """`ready_seconds`: from the command to `/readyz` with the engine up."""

    api_url: str
    ui_url: str
    pid: int
    ready_seconds: float

    def processes(self) -> list[psutil.Process]:
        """Everything that carries this run's id, and the supervisor itself."""
        supervisor = psutil.Process(self.pid)
        children = supervisor.children(recursive=True)
        runs = {child.environ().get("DAOGOU_RUN") for child in children} - {None}
        found = {process.pid: process for process in [supervisor, *children]}
        for process in psutil.process_iter():
            try:
                if process.environ().get("DAOGOU_RUN") in runs:
                    found[process.pid] = process
            except psutil.Error:  # ended meanwhile, or somebody else's
                continue
        return list(found.values())


@contextmanager
def assistant(home: Path, log: Path) -> Iterator[Running]:
    """`daogou up` on `home`, ready. Raises RuntimeError with the end of its log where it does not come up."""
    api_port, ui_port = _free_port(), _free_port()
    ports = {"DAOGOU_HOME": str(home), "DAOGOU_API_PORT": str(api_port), "DAOGOU_UI_PORT": str(ui_port)}
    began = time.monotonic()
    with log.open("ab") as out:
        command = [str(Path(sys.executable).with_name("daogou")), "up"]
        process = subprocess.Popen(command, env=os.environ | ports, stdout=out, stderr=subprocess.STDOUT)
    try:
        api_url = f"http://127.0.0.1:{api_port}"
        _wait_ready(api_url, process, log)
        ready = time.monotonic() - began
        yield Running(api_url, f"http://127.0.0.1:{ui_port}", process.pid, ready)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(_STOP_SECONDS)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_ready(api_url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + _READY_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            reply: dict[str, Any] = httpx.get(f"{api_url}/readyz", timeout=5).json()
            states = {part["name"]: part["state"] for part in reply["parts"]}
            if reply["ready"] and states["llm"] == "ready":
                return
        except (httpx.TransportError, ValueError):
            pass
        time.sleep(0.25)
    raise RuntimeError(f"the assistant is not ready:\n{log.read_text()[-3000:]}")
