"""The start of a service on the terminal: one line for each part, redrawn in place, or plain lines where there is no
terminal."""

from __future__ import annotations

import time
from collections.abc import Sequence
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


class Progress:
    """Shows parts as they change; use as a context manager and call `show` as often as you like."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, refresh_per_second=8, transient=False) if console.is_terminal else None
        self._shown: dict[str, tuple[str, int]] = {}
        self._spinner = Spinner("dots")
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
            tenth = 10 * part.done // part.total if part.total else 0  # a long load is worth ten lines, not thousands
            state = (f"{part.state} {part.detail}", tenth)
            if self._shown.get(part.name) != state:
                self._shown[part.name] = state
                seconds = time.monotonic() - self._start
                line = f"[{seconds:5.1f} s] {name_of(part.name)}: {describe(part)}"
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
            )
        return table
