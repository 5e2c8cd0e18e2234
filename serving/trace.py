"""Where one turn's time went."""

from __future__ import annotations

import time
from collections.abc import Iterable

from serving.events import Stage, Trace
from serving.stages.base import StageTime


class TurnClock:
    """Collects a turn's stages. Times in ms since the turn began."""

    def __init__(self, request_id: str) -> None:
        self._request_id = request_id
        self._began = time.perf_counter()
        self._stages: list[Stage] = []
        self._first_text: float | None = None

    def now(self) -> float:
        return (time.perf_counter() - self._began) * 1000

    def add(self, name: str, start: float, where: str = "") -> None:
        """A stage that began at `start` (ms) and ends now."""
        self._stages.append(Stage(name=name, start=round(start, 2), ms=round(self.now() - start, 2), where=where))

    def add_pass(self, times: Iterable[StageTime], start: float, where: str) -> None:
        """The steps of a pass that ran elsewhere; `start` is when it was asked for."""
        for step in times:
            self._stages.append(
                Stage(
                    name=step.name,
                    start=round(start + step.start, 2),
                    ms=round(step.ms, 2),
                    bytes_handed_over=step.bytes_handed_over,
                    where=where,
                )
            )

    def text_began(self) -> None:
        if self._first_text is None:
            self._first_text = round(self.now(), 2)

    def event(self) -> Trace:
        return Trace(
            request_id=self._request_id,
            stages=tuple(self._stages),
            first_text_ms=self._first_text,
            total_ms=round(self.now(), 2),
        )
