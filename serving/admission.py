"""How many turns run and wait. Beyond that a turn is refused at once, so that nobody waits for nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class OverloadedError(RuntimeError):
    """Too many turns run and wait already."""


class Admission:
    """At most `running` turns at once and `queued` waiting for a place."""

    def __init__(self, running: int, queued: int) -> None:
        self._places = asyncio.Semaphore(running)
        self._queued = queued
        self._waiting = 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Holds a place for one turn. Raises OverloadedError where the queue is full."""
        if self._places.locked() and self._waiting >= self._queued:
            raise OverloadedError(f"{self._waiting} turns are waiting already")
        self._waiting += 1
        try:
            await self._places.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._places.release()
