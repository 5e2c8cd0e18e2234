"""The start of a service on the terminal: one line for each part, redrawn in place, or plain lines where there is no
terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from serving.messages import both
from serving.stages.base import Part

_MARKS = {"ready": ("✓", "green"), "failed": ("✗", "red")}
_STATES = {"loading": "加载中", "ready": "就绪", "failed": "失败", "restarting": "正在重启", "waiting": "等待中"}
_NAMES = {
    "gateway": ("service", "服务"),
    "page": ("page", "页面"),
    "encoders": ("search models", "搜索模型"),
    "catalogue": ("catalogue", "商品目录"),
    "llm": ("language model", "语言模型"),
}
_TELLING_SECONDS = 2.0  # of work, before its pace says anything
_SHORT_SECONDS = 90.0  # left, that are told in seconds


def name_of(part: str) -> str:
    """A part's name for people."""
    return both(*_NAMES.get(part, (part, part)))


def describe(part: Part) -> str:
    """A part's state in words, e.g. "loading, reading products (120 of 400)"."""
    words = both(part.state, _STATES.get(part.state, part.state))
    if part.detail:
        words += both(", ", "，") + part.detail
    if part.total and part.state not in ("ready", "failed"):
        words += both(f" ({part.done} of {part.total})", f"（{part.done}/{part.total}）")
    return words


class Pace:
    """How fast a part goes, over what it did since it was first seen to do this."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began: dict[str, tuple[str, int, float]] = {}  # by part: what, done by then, when

    def told(self, part: Part) -> str:
        """In words, e.g. "31 a second, 5 min left"; empty where it cannot be told yet."""
        now = self._clock()
        what, before, since = self._began.get(part.name, ("", 0, 0.0))
        if what != part.detail or part.done < before or not before:
            self._began[part.name] = part.detail, part.done, now
            return ""
        if part.done == before or part.total <= part.done or now - since < _TELLING_SECONDS:
            return ""
        rate = (part.done - before) / (now - since)
        left = (part.total - part.done) / rate
        minutes, seconds = max(1, round(left / 60)), max(1, round(left))
        en, zh = (f"{minutes} min", f"{minutes} 分钟") if left > _SHORT_SECONDS else (f"{seconds} s", f"{seconds} 秒")
        return both(f"{rate:.3g} a second, {en} left", f"每秒 {rate:.3g} 件，还需约 {zh}")


class Progress:
    """Shows parts as they change; use as a context manager and call `show` as often as you like."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, refresh_per_second=8, transient=False) if console.is_terminal else None
        self._shown: dict[str, tuple[str, int]] = {}
        self._spinner = Spinner("dots")
        self._pace = Pace()
        self._start = time.monotonic()

    def __enter__(self) -> Progress:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, parts: Sequence[Part]) -> None:
        if self._live is not None:
            self._live.update(self._table(parts))
            return
        for part in parts:
            pace = self._pace.told(part)
            pace = both(", ", "，") + pace if pace else ""
            tenth = 10 * part.done // part.total if part.total else 0  # a long load is worth ten lines, not thousands
            state = (f"{part.state} {part.detail}", tenth)
            if self._shown.get(part.name) != state:
                self._shown[part.name] = state
                seconds = time.monotonic() - self._start
                line = f"[{seconds:5.1f} s] {name_of(part.name)}: {describe(part)}{pace}"
                self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _table(self, parts: Sequence[Part]) -> Table:
        table = Table.grid(padding=(0, 1))
        for part in parts:
            mark, style = _MARKS.get(part.state, ("", ""))
            moving = part.total > 0 and part.state not in _MARKS
            table.add_row(
                Text(mark, style) if mark else self._spinner,
                Text(name_of(part.name)),
                ProgressBar(total=part.total, completed=part.done, width=24) if moving else Text(""),
                Text(describe(part), "red" if part.state == "failed" else "dim"),
                Text(self._pace.told(part), "dim"),
            )
        return table
