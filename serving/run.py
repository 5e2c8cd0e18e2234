"""A run of the assistant: its page and its service as child processes, started, watched and ended together."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import NoReturn

import httpx
from rich.console import Console

from serving import supervise
from serving.child import adopt_orphans
from serving.doctor import preflight
from serving.door import Door
from serving.lock import Holder, HomeLock
from serving.messages import UserError, both
from serving.progress import Progress, describe, name_of
from serving.settings import Settings, address
from serving.stages.base import Part
from serving.supervise import Child, Page

_STOP_SECONDS = 25.0  # orderly: Ray takes 5, the engine up to 5, more on a busy machine
_LEAVE_SECONDS = 60.0
_SILENT_SECONDS = 120.0  # no answer for so long: Serve restarts a replica in a fraction of it
_MODELS_AND_DATA = ("encoders", "catalogue", "llm")  # parts that the service tells of once it answers
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _StopError(Exception):
    """The user asked to stop."""


class Run:
    """One `up`, `serve` or `ui`. `go` returns the exit code once everything it started is gone."""

    def __init__(self, settings: Settings, command: str, *, page: bool, service: bool, share: bool = False) -> None:
        self.settings, self.command = settings, command
        self.id = uuid.uuid4().hex
        self.console = Console(highlight=False)
        self.page_url = address(settings.ui_host, settings.ui_port) if page else None
        self.door = Door(settings.service_url)
        self.lock: HomeLock | None = None
        # A page alone shares the home's folder with nobody, least of all with a service that runs on the home.
        self.run_dir = settings.run_dir if service else Path(tempfile.gettempdir()) / f"daogou-page-{self.id[:10]}"
        self._with_page, self._with_service, self._share = page, service, share
        self._page: Page | None = None
        self._service: Child | None = None
        self._page_up = False
        self._inner = [Part("gateway", "loading"), *(Part(name, "waiting") for name in _MODELS_AND_DATA)]
        self._seen: set[int] = set()  # every pid that was below us
        self._asked = 0  # signals so far
        self._began = time.monotonic()

    def go(self) -> int:
        """Raises UserError where it cannot start or does not recover; everything is cleaned up then too."""
        ready = False
        with self._signals():
            try:
                self._own()
                self._start()
                self._wait_until_ready()
                ready = True
                self._watch()
            except _StopError:
                return 0 if ready else 130
            finally:
                self._end()

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        def note(signum: int, frame: FrameType | None) -> None:
            self._asked += 1

        before = {number: signal.getsignal(number) for number in _SIGNALS}
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:  # nohup means it
                signal.signal(number, note)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _pause(self, seconds: float) -> None:
        """Sleep; raises _StopError as soon as a signal has come."""
        until = time.monotonic() + seconds
        while True:
            if self._asked:
                raise _StopError
            left = until - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(0.1, left))

    def _say(self, text: str, style: str | None = None) -> None:
        with contextlib.suppress(OSError):  # a terminal that is gone must not keep us from cleaning up
            self.console.print(text, style=style, markup=False, soft_wrap=True)

    def _relay(self, line: str) -> None:
        if not line.startswith("Page:"):  # the address is ours to say, once everything is ready
            self._say(line)

    # --- start ----------------------------------------------------------------------------------------------------

    def _own(self) -> None:
        """Own the home, end what an earlier owner left, check the machine."""
        if self._with_service:
            holder = Holder.me(self.id, self.command, self.page_url, self.settings.service_url)
            self.lock, ended = supervise.own_home(self.settings, holder)
            if ended:
                many = len(ended)
                self._say(
                    both(f"Ended {many} processes that an earlier run left.", f"已清理上次运行遗留的 {many} 个进程。")
                )
        for finding in preflight(self.settings, page=self._with_page, service=self._with_service):
            self._say(f"{finding.name}: {finding.found}. {finding.mend}", "yellow")

    def _start(self) -> None:
        adopt_orphans()
        supervise.fresh_run_dir(self.run_dir)
        env = supervise.environment(self.settings, self.id, self.run_dir)
        # On a terminal their output would tear the progress display; elsewhere (a container) it belongs to ours.
        logs = self.settings.home / "logs" if self._with_service and self.console.is_terminal else None
        where = f"{self.settings.profile}, {self.settings.home}"
        if self._with_service:
            self._say(
                both(f"Daogou starts (profile and home: {where}).", f"Daogou 正在启动（配置与数据目录：{where}）。")
            )
            self._service = Child("serving.service", env, logs and logs / "service.log")
        if self._with_page:
            env = env | {"DAOGOU_API_URL": self.settings.service_url} | ({"DAOGOU_SHARE": "1"} if self._share else {})
            # The page makes the password and the public link, and says them.
            self._page = Page(env, logs and logs / "page.log", self._relay if self._share and logs else None)
        for child in filter(None, (self._page, self._service)):
            child.start()

    def _wait_until_ready(self) -> None:
        with Progress(self.console) as progress:
            while True:
                self._see_to_page()
                self._see_to_service()
                parts = self._parts()
                progress.show(parts)
                if all(part.state in ("ready", "failed") for part in parts):
                    break
                self._pause(0.3)
        failed = {part.name: part for part in parts if part.state == "failed"}
        if "encoders" in failed:
            raise UserError(
                both("The search models could not be started.", "搜索模型无法启动。"),
                where=failed["encoders"].detail,
                mend=both("`daogou doctor` looks for the cause.", "请运行 `daogou doctor` 查找原因。"),
            )
        for part in failed.values():
            self._say(_without(part.name), "yellow")
        self._announce()

    def _parts(self) -> list[Part]:
        """The state of everything, ours and the service's own."""
        parts = []
        if self._with_page:
            self._page_up = self._page_up or _answers(f"{self.page_url}/")
            parts.append(Part("page", "ready" if self._page_up else "loading"))
        if self._with_service:
            self._inner = self.door.parts() or self._inner  # one answer that comes late is no news
            parts += self._inner
        return parts

    def _announce(self) -> None:
        took = time.monotonic() - self._began
        lines = [both(f"Ready in {took:.0f} s.", f"就绪，用时 {took:.0f} 秒。")]
        if self._with_page:
            lines.append(both(f"  Page  {self.page_url}", f"  页面  {self.page_url}"))
        if self._with_service:
            url = self.settings.service_url
            lines.append(both(f"  API   {url}/v1  (described at {url}/docs)", f"  接口  {url}/v1（说明：{url}/docs）"))
        lines.append(both("  Stop  Ctrl-C", "  停止  Ctrl-C"))
        self._say("\n".join(lines))

    # --- watch ----------------------------------------------------------------------------------------------------

    def _watch(self) -> NoReturn:
        states: dict[str, str] = {}
        heard = time.monotonic()
        while True:
            self._pause(2.0)
            self._seen |= supervise.descendants(self._own_pids())
            self._see_to_page()
            self._see_to_service()
            if not self._with_service:
                continue
            parts = self.door.parts()
            if parts is not None:
                heard = time.monotonic()
                self._tell_changes(states, parts)
            elif self._service is not None and time.monotonic() - heard > _SILENT_SECONDS:
                what = both(
                    f"The service has not answered for {_SILENT_SECONDS:.0f} s.",
                    f"服务已 {_SILENT_SECONDS:.0f} 秒没有响应。",
                )
                raise self._service.failure(what)

    def _tell_changes(self, states: dict[str, str], parts: list[Part]) -> None:
        """Say what got better or worse. A part that tries again and fails again is told of once."""
        for part in parts:
            if part.state == "loading":
                continue
            if states.setdefault(part.name, part.state) != part.state:
                self._say(f"{name_of(part.name)}: {describe(part)}", None if part.state == "ready" else "yellow")
            states[part.name] = part.state

    def _see_to_service(self) -> None:
        if self._service is not None and not self._service.running:
            failure = self._service.failure(both("The service ended.", "服务已退出。"))
            raise supervise.left_word(self.run_dir) or failure

    def _see_to_page(self) -> None:
        if self._page is not None and (said := self._page.see_to()):
            self._say(said, "yellow")

    def _own_pids(self) -> list[int]:
        return [child.process.pid for child in (self._page, self._service) if child and child.process]

    # --- end ------------------------------------------------------------------------------------------------------

    def _end(self) -> None:
        """End everything, free the home. A further signal makes it quick."""
        children = [child for child in (self._page, self._service) if child is not None]
        if children:
            self._say(both("Stopping … (Ctrl-C again to stop at once)", "正在停止……（再按一次 Ctrl-C 立即停止）"))
            asked = self._asked
            self._seen |= supervise.descendants(self._own_pids())
            for child in children:
                child.terminate()
            until = time.monotonic() + _STOP_SECONDS
            while any(c.running for c in children) and time.monotonic() < until and self._asked == asked:
                time.sleep(0.1)
            self._leave_cluster()
            self._seen |= {process.pid for process in supervise.members(self.id)}
            supervise.sweep(self.id, self.run_dir, self._seen, grace=3.0 if self._asked == asked else 0.0)
            self._say(both("Stopped; nothing is left running.", "已停止，没有遗留进程。"))
        if self.lock is not None:
            self.lock.free()

    def _leave_cluster(self) -> None:
        """Where the service could not do so itself. Else the cluster would start our processes again."""
        service = self._service
        if self.settings.ray_address is None or service is None or service.process is None:
            return
        code = service.process.poll()
        if code is not None and code >= 0:
            return
        service.process.kill()
        command = [sys.executable, "-m", "serving.cluster"]
        try:
            subprocess.run(command, env=service.env, timeout=_LEAVE_SECONDS, check=True, capture_output=True)
        except (OSError, subprocess.SubprocessError):
            told = both("The Ray cluster does not answer", "Ray 集群没有应答")
            self._say(f"{told}: RAY_ADDRESS={self.settings.ray_address}", "yellow")


def _answers(url: str) -> bool:
    try:
        httpx.get(url, timeout=1.0, trust_env=False)
    except httpx.HTTPError:
        return False
    return True


def _without(part: str) -> str:
    """What still works when a part failed."""
    if part == "llm":
        return both(
            "Search works; answers are put together from the product records, without the model's words.",
            "搜索可用；回答由商品记录直接整理而成，没有模型的文字。",
        )
    return both(
        "The service runs; load a catalogue with `daogou ingest FILE`.",
        "服务已运行；请用 `daogou ingest 文件` 载入商品目录。",
    )
