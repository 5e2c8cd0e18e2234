"""Process care: the environment of a run, its child processes, and leaving nothing behind.

Every process of a run carries the run's id in `DAOGOU_RUN`. What the orderly shutdown does not reach (an engine core
whose parent was killed, a worker that hangs) is found by it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

import psutil

from serving.child import PARENT_VARIABLE
from serving.lock import Holder, HomeLock, prepare_home
from serving.messages import UserError, both
from serving.settings import RUN_DIR_VARIABLE, Settings

Relay = Callable[[str], None]

RUN_VARIABLE = "DAOGOU_RUN"
_QUICK_SECONDS = 60.0  # a page that lives shorter than this did not start (imports alone take 3 to 25 s)
_MOST_QUICK_DEATHS = 5
_LONGEST_PAUSE = 30.0
_TEMPORARY = "tmp"
_WORD = "ended.json"
_SHARED_MEMORY = Path("/dev/shm")
_SHARED_NAME = re.compile(r"(?:__KMP_REGISTERED_LIB_|sem\.loky-)(\d+)[_-]")  # OpenMP and loky put their pid in the name


def environment(settings: Settings, run: str, run_dir: Path) -> dict[str, str]:
    """What every process of a run gets on top of what the user set. Telemetry is off whatever the user set."""
    profile = settings.models
    local = all(m.source != "hub" for m in (profile.embedder, profile.reranker, profile.guard, profile.llm))
    forced = {
        RUN_VARIABLE: run,
        RUN_DIR_VARIABLE: str(run_dir),
        "TMPDIR": str(run_dir / _TEMPORARY),  # vLLM and torch never remove what they put there
        PARENT_VARIABLE: str(os.getpid()),
        "SPT_NOENV": "1",  # without it, processes that set a title overwrite their environment and we lose the id
        "PYTHONUNBUFFERED": "1",
        "DO_NOT_TRACK": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "VLLM_NO_USAGE_STATS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "GRADIO_ANALYTICS_ENABLED": "False",
    }
    if local:
        forced |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    defaults = {
        "RAY_SERVE_LOG_TO_STDERR": "0",
        "RAY_worker_niceness": "0",  # 15 otherwise, and the page would win every core from the models
        "RAY_DEDUP_LOGS_SKIP_REGEX": "Task ServeController",
        # Ten times a second each, if nobody says otherwise: a sixteenth of a core, on a machine where nothing happens.
        "RAY_SERVE_CONTROL_LOOP_INTERVAL_S": "0.5",
        "RAY_SERVE_METRICS_EXPORT_INTERVAL_MS": "5000",
        "RAY_raylet_report_resources_period_milliseconds": "1000",
    }
    given = dict(os.environ)
    given.pop("PYTHONDONTWRITEBYTECODE", None)  # every process would compile vLLM and torch anew at every start
    return defaults | given | forced | {"NO_PROXY": _no_proxy(), "no_proxy": _no_proxy()}


def _no_proxy() -> str:
    """Calls between our own processes never go through a proxy."""
    given = os.environ.get("NO_PROXY") or os.environ.get("no_proxy") or ""
    return ",".join(dict.fromkeys([*filter(None, given.split(",")), "127.0.0.1", "localhost"]))


class Child:
    """A module of ours in its own process, which ends with this one.

    It gets its own session, so that Ctrl-C reaches the supervisor only. `log` takes its output; None: ours. `relay`
    is called, from a thread, with each line of its standard output instead.
    """

    def __init__(self, module: str, env: dict[str, str], log: Path | None, relay: Relay | None = None) -> None:
        self.module, self.env, self.log, self.relay = module, env, log, relay
        self.process: subprocess.Popen[bytes] | None = None
        self.started = 0.0  # time.monotonic()

    def start(self) -> None:
        command = [sys.executable, "-m", "serving.child", self.module]
        output: IO[bytes] | None = None
        if self.log is not None:
            self.log.parent.mkdir(parents=True, exist_ok=True)
            output = self.log.open("ab")
        try:
            self.process = subprocess.Popen(
                command,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if self.relay else output,
                stderr=output,
                start_new_session=True,
            )
        finally:
            if output is not None:
                output.close()
        self.started = time.monotonic()
        if self.relay:
            threading.Thread(target=_relay_lines, args=(self.process.stdout, self.relay), daemon=True).start()

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def terminate(self) -> None:
        if self.process is not None and self.running:
            self.process.terminate()

    def failure(self, what: str) -> UserError:
        """The error that tells of its end."""
        return UserError(
            f"{what} {self.last_words()}".strip(),
            where=str(self.log) if self.log else both("its messages above", "见上方输出"),
            mend=both(
                "`daogou doctor` looks for the cause; DAOGOU_LOG_LEVEL=debug says more.",
                "`daogou doctor` 可查找原因；DAOGOU_LOG_LEVEL=debug 输出更多信息。",
            ),
        )

    def last_words(self) -> str:
        """The last line it wrote, "" where that is not known."""
        if self.log is None or not self.log.exists():
            return ""
        with self.log.open("rb") as file:
            file.seek(max(0, self.log.stat().st_size - 4096))
            lines = file.read().decode(errors="replace").splitlines()
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _relay_lines(output: IO[bytes], relay: Relay) -> None:
    with output:
        for line in output:
            relay(line.decode(errors="replace").rstrip())


class Page(Child):
    """The page, started again when it dies, a little later each time it dies young."""

    def __init__(self, env: dict[str, str], log: Path | None, relay: Relay | None = None) -> None:
        super().__init__("app", env, log, relay)
        self._deaths = 0  # in a row, each soon after its start
        self._again = 0.0  # when to start it again, time.monotonic(); 0: it runs

    def see_to(self) -> str:
        """Call often. Returns what to tell the user, mostly nothing. Raises UserError where it never comes up."""
        now = time.monotonic()
        if self.running:
            return ""
        if self._again:
            if now >= self._again:
                self._again = 0.0
                self.start()
            return ""
        self._deaths = self._deaths + 1 if now - self.started < _QUICK_SECONDS else 1
        if self._deaths >= _MOST_QUICK_DEATHS:
            raise self.failure(both("The page does not start.", "页面无法启动。"))
        pause = min(_LONGEST_PAUSE, 0.5 * 2**self._deaths)
        self._again = now + pause
        told = both(f"The page ended; starting it again in {pause:.0f} s.", f"页面已退出，{pause:.0f} 秒后重启。")
        return f"{told} {self.last_words()}".strip()


def leave_word(run_dir: Path, problem: UserError) -> None:
    """Tell the supervisor why this process of its run ends."""
    words = {"what": problem.what, "where": problem.where, "mend": problem.mend, "code": problem.code}
    (run_dir / _WORD).write_text(json.dumps(words))


def left_word(run_dir: Path) -> UserError | None:
    """What `leave_word` left in this run."""
    path = run_dir / _WORD
    return UserError(**json.loads(path.read_text())) if path.exists() else None


def descendants(own: Iterable[int] = ()) -> set[int]:
    """Pids below this process. Reaps the adopted ones that have ended, not `own`: whoever started those reaps them."""
    keep, pids = set(own), set()
    for process in psutil.Process().children(recursive=True):
        pids.add(process.pid)
        try:
            if process.pid not in keep and process.status() == psutil.STATUS_ZOMBIE:
                process.wait(timeout=0)
        except (psutil.NoSuchProcess, psutil.TimeoutExpired):
            continue
    return pids


def members(run: str) -> list[psutil.Process]:
    """The processes of a run, without the caller."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get(RUN_VARIABLE) == run:
                found.append(process)
        except psutil.Error:  # gone, a zombie, or somebody else's
            continue
    return found


def end(processes: Iterable[psutil.Process], grace: float) -> None:
    """SIGTERM to all, after `grace` seconds SIGKILL to those that are left."""
    alive = list(processes)
    for stop in (psutil.Process.terminate, psutil.Process.kill):
        for process in alive:
            with contextlib.suppress(psutil.Error):
                stop(process)
        until = time.monotonic() + grace
        while (alive := [process for process in alive if not _dead(process)]) and time.monotonic() < until:
            time.sleep(0.05)


def _dead(process: psutil.Process) -> bool:
    """Reaps it if it is ours; somebody else's zombie is as dead as can be."""
    try:
        process.wait(timeout=0)
    except psutil.TimeoutExpired:
        with contextlib.suppress(psutil.NoSuchProcess):
            return bool(process.status() == psutil.STATUS_ZOMBIE)
    return True


def sweep(run: str, run_dir: Path, pids: Iterable[int] = (), grace: float = 3.0) -> list[str]:
    """End what is left of a run and remove its traces. `pids` were seen in it earlier. Returns what was ended."""
    ended: dict[int, str] = {}
    while left := [process for process in members(run) if process.pid not in ended]:  # new ones may appear meanwhile
        ended |= {process.pid: _title(process) for process in left}
        end(left, grace)
    shutil.rmtree(run_dir, ignore_errors=True)
    for path in _shared_memory_of({*pids, *ended}):
        path.unlink(missing_ok=True)
    return [f"{title} ({pid})" for pid, title in ended.items()]


def own_home(settings: Settings, holder: Holder) -> tuple[HomeLock, list[str]]:
    """Own the home and end what an owner that was killed left behind. Returns the lock, and what was ended.

    Raises UserError where another process owns the home, or it cannot be written.
    """
    prepare_home(settings.home)
    lock = HomeLock(settings.home)
    left = lock.take(holder)
    return lock, sweep(left.run, settings.run_dir) if left is not None else []


def fresh_run_dir(path: Path) -> None:
    """An empty folder of ours, readable by nobody else. Raises UserError where another user's stands in its place."""
    shutil.rmtree(path, ignore_errors=True)
    try:
        path.mkdir(mode=0o700)
        (path / _TEMPORARY).mkdir()
    except OSError as error:
        raise UserError(
            both(
                f"The folder for sockets cannot be made: {error.strerror}.", f"无法创建套接字目录：{error.strerror}。"
            ),
            where=str(path),
            mend=both("remove it, or set TMPDIR to another folder.", "请删除它，或把 TMPDIR 设为另一个目录。"),
        ) from error


def share_run_dir(path: Path) -> None:
    """The run's folder on this host of a cluster, made where it is not the one that started the run.

    Raises PermissionError where it is another user's, or open to others.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = path.stat()
    if found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise PermissionError(f"{path} is not a private folder of user {os.getuid()}")
    (path / _TEMPORARY).mkdir(exist_ok=True)


def _shared_memory_of(pids: set[int]) -> list[Path]:
    """Files of `pids` that are dead."""
    if not _SHARED_MEMORY.is_dir():
        return []
    named = ((path, _SHARED_NAME.match(path.name)) for path in _SHARED_MEMORY.iterdir())
    files = [(path, int(match[1])) for path, match in named if match and int(match[1]) in pids]
    return [path for path, pid in files if not psutil.pid_exists(pid) or _dead(psutil.Process(pid))]


def _title(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.Error:
        return "?"
