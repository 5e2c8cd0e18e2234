"""The life of a run on this machine: started, used, watched, and gone without a trace. Each has its own home, ports and
temporary folder."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from serving import supervise
from serving.lock import NOTE, Holder

pytestmark = pytest.mark.timeout(900)
START_SECONDS = 400
STOP_SECONDS = 120


def eventually(what: str, seconds: float, happened: Callable[[], bool]) -> None:
    """A limit for what must happen, not a measurement: the machine may be busy."""
    until = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > until:
            pytest.fail(f"not within {seconds:.0f} s: {what}")
        time.sleep(0.2)


def free_ports() -> tuple[int, int]:
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
        return one.getsockname()[1], two.getsockname()[1]


class Started:
    """A `daogou` that runs, and what there is of it on the machine."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        # A socket's path holds 107 bytes, and pytest's folders are long.
        self.temp = Path(tempfile.mkdtemp(prefix="dg", dir="/tmp"))
        self.home, self.log = folder / "home", folder / "log.txt"
        api, page = free_ports()
        self.api, self.page = f"http://127.0.0.1:{api}", f"http://127.0.0.1:{page}"
        (folder / "shop.csv").write_text("id,title,price\nb1,Leather walking boots,89.00\nl1,Reading lamp,24.50\n")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("DAOGOU_", "LC_", "LANG"))}
        self.env = kept | {
            "TMPDIR": str(self.temp),
            "DAOGOU_HOME": str(self.home),
            "DAOGOU_CACHE": os.environ.get("DAOGOU_CACHE", str(folder / "weights")),
            "DAOGOU_CATALOGUE": str(folder / "shop.csv"),
            "DAOGOU_API_PORT": str(api),
            "DAOGOU_UI_PORT": str(page),
        }
        self.folder = folder
        command = [sys.executable, "-m", "serving.cli", *arguments]
        with self.log.open("wb") as out:
            self.process = subprocess.Popen(command, env=self.env, cwd=folder, stdout=out, stderr=subprocess.STDOUT)
        self.run = ""
        self.pids: set[int] = set()

    def see(self) -> None:
        """Remember the processes that there are now."""
        if not self.run and (self.home / NOTE).exists():
            self.run = Holder.model_validate_json((self.home / NOTE).read_text()).run
        if self.process.poll() is None:
            self.pids |= {child.pid for child in psutil.Process(self.process.pid).children(recursive=True)}

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "serving.cli", *arguments]
        return subprocess.run(
            command, env=self.env, cwd=self.folder, capture_output=True, text=True, timeout=180, check=False
        )

    def wait_for(self, what: str, happened: Callable[[], bool], seconds: float = START_SECONDS) -> None:
        def check() -> bool:
            if self.process.poll() is not None:
                pytest.fail(f"it ended with {self.process.returncode} before: {what}\n{self.said()[-3000:]}")
            self.see()
            return happened()

        eventually(f"{what}\n{self.said()[-3000:]}", seconds, check)

    def stop(self, number: signal.Signals) -> int:
        self.see()
        self.process.send_signal(number)
        return self.process.wait(STOP_SECONDS)

    def traces(self) -> list[str]:
        """What is left of it anywhere."""
        left = [f"process {pid}" for pid in self.pids if _alive(pid)]
        if self.run:
            left += [f"member {member}" for member in supervise.members(self.run)]
        left += [f"{path}" for path in self.temp.iterdir()]
        left += [f"{path}" for path in Path("/dev/shm").iterdir() if {*map(int, _numbers(path.name))} & self.pids]
        sessions = Path("/tmp/ray").iterdir() if Path("/tmp/ray").is_dir() else ()
        left += [f"{path}" for path in sessions if {*map(int, _numbers(path.name))} & self.pids]
        return left + [str(path) for path in (self.home / NOTE,) if path.exists()]

    def clean(self) -> None:
        """Whatever a failed test left."""
        if self.process.poll() is None:
            self.process.kill()
        for pid in filter(_alive, self.pids):
            psutil.Process(pid).kill()
        shutil.rmtree(self.temp, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _numbers(name: str) -> list[str]:
    return re.findall(r"\d+", name)


def answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5, trust_env=False).is_success
    except httpx.TransportError:
        return False


def all_ready(url: str) -> bool:
    """The engine too: `/readyz` does not wait for it."""
    try:
        parts = httpx.get(f"{url}/readyz", timeout=5, trust_env=False).json()["parts"]
    except (httpx.TransportError, ValueError, KeyError):
        return False
    return all(part["state"] == "ready" for part in parts)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Started]]:
    started: list[Started] = []

    def begin(*arguments: str) -> Started:
        started.append(Started(tmp_path, *arguments))
        return started[-1]

    yield begin
    for each in started:
        each.clean()


def page_process(started: Started) -> psutil.Process | None:
    children = psutil.Process(started.process.pid).children()
    return next((child for child in children if child.cmdline()[-1:] == ["app"]), None)


def test_a_page_that_dies_is_started_again_and_ends_with_its_supervisor(start: Callable[..., Started]) -> None:
    ui = start("ui")
    ui.wait_for("it says that it is ready", lambda: "Ready in" in ui.said())
    first = page_process(ui)
    assert first is not None
    first.kill()
    ui.wait_for("the death is told", lambda: "The page ended" in ui.said())
    ui.wait_for("the page answers again", lambda: answers(ui.page))
    second = page_process(ui)
    assert second is not None
    assert second.pid != first.pid
    assert ui.stop(signal.SIGTERM) == 0
    assert ui.traces() == []


def test_a_page_does_not_outlive_a_supervisor_that_is_killed(start: Callable[..., Started]) -> None:
    ui = start("ui")
    ui.wait_for("the page's process runs", lambda: page_process(ui) is not None)
    ui.stop(signal.SIGKILL)
    eventually("the page ends", STOP_SECONDS, lambda: not any(map(_alive, ui.pids)))


@pytest.mark.graph
def test_up_serves_and_leaves_nothing_behind_after_sigterm(start: Callable[..., Started]) -> None:
    up = start("up")
    up.wait_for("everything is ready", lambda: all_ready(up.api) and answers(up.page) and "Ready in" in up.said())
    assert up.page in up.said()

    second = up.command("up")
    assert second.returncode == 1
    assert f"process {up.process.pid}" in second.stderr
    assert up.page in second.stderr

    asked = up.command("ask", "leather boots under $100")
    assert asked.returncode == 0, asked.stderr
    shelf, _, text = asked.stdout.partition("\n\n")
    assert "Leather walking boots" in shelf
    assert "$89.00" in shelf
    assert text.strip()

    whole = json.loads(up.command("ask", "leather boots under $100", "--json").stdout)
    assert whole["daogou"]["shelf"][0]["product"]["id"] == "b1"

    (up.folder / "new.csv").write_text("id,title,price\nt1,Camping tent,149.00\n")
    loaded = up.command("ingest", "new.csv", "--json")
    assert loaded.returncode == 0, loaded.stderr
    report = json.loads(loaded.stdout)
    told = {"by": "service", "source": str(up.folder / "new.csv"), "products": 1, "written": 1, "problems": 1}
    assert report.items() >= told.items()
    assert "USD" in loaded.stderr, "no currency was given: one is taken and said"
    found = json.loads(up.command("search", "tent", "--json").stdout)
    assert [item["product"]["id"] for item in found["data"]] == ["t1"]
    refused = up.command("ingest", "nowhere.csv")
    assert refused.returncode == 1
    assert "nowhere.csv" in refused.stderr

    doctor = json.loads(up.command("doctor", "--json").stdout)
    states = {check["name"]: check["state"] for check in doctor["checks"]}
    assert (states["ui-port"], states["api-port"], states["memory"]) == ("ok", "ok", "ok")

    assert up.stop(signal.SIGTERM) == 0, up.said()
    assert up.traces() == []


@pytest.mark.graph
def test_ctrl_c_while_it_starts_leaves_nothing_behind(start: Callable[..., Started]) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever ignores it passes that on: a job started by `&`
    serve = start("serve")
    serve.wait_for(
        "Ray starts", lambda: any(psutil.Process(pid).name() == "raylet" for pid in serve.pids if _alive(pid))
    )
    assert serve.stop(signal.SIGINT) == 130, serve.said()
    assert serve.traces() == []


@pytest.mark.soak
def test_a_supervisor_that_is_killed_leaves_nothing_running(start: Callable[..., Started]) -> None:
    up = start("up")
    up.wait_for("everything is ready", lambda: all_ready(up.api))
    up.stop(signal.SIGKILL)
    eventually("all of it ends", 2 * STOP_SECONDS, lambda: not any(map(_alive, up.pids)))
    assert not supervise.members(up.run)
