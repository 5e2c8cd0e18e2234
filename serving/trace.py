"""Where one turn's time went."""

from __future__ import annotations

import time

from serving.events import Stage, Trace
from serving.stages.base import Retrieved


class TurnClock:
    """Collects a turn's stages. Times in ms since the turn began."""

    def __init__(self, request_id: str) -> None:
        self._request_id = request_id
        self._began = time.perf_counter()
        self._stages: list[Stage] = []
        self._first_text: float | None = None
        self._together = 1

    def now(self) -> float:
        return (time.perf_counter() - self._began) * 1000

    def add(self, name: str, start: float, copied: int = 0) -> None:
        """A stage that began at `start` (ms) and ends now; `copied` bytes came and went for it."""
        ms = round(self.now() - start, 2)
        self._stages.append(Stage(name=name, start=round(start, 2), ms=ms, bytes_copied=copied))

    def add_pass(self, retrieved: Retrieved, start: float) -> None:
        """The steps of a pass that ran elsewhere; `start` is when it was asked for."""
        self._together = retrieved.together
        began = start + retrieved.waited
        self._stages.append(Stage(name="wait", start=round(start, 2), ms=round(retrieved.waited, 2)))
        for step in retrieved.times:
            self._stages.append(
                Stage(
                    name=step.name,
                    start=round(began + step.start, 2),
                    ms=round(step.ms, 2),
                    bytes_handed_over=step.bytes_handed_over,
                    bytes_copied=step.bytes_copied,
                    where=retrieved.where,
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
            together=self._together,
        )
