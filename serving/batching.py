"""Waiting items are handled together, as many as a budget of work holds; a lone item does not wait.

Only after a batch of several does the next one wait, for a fiftieth of the time that the last one took, until as many
are there again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

from serving.stages.base import StageError

_LINGER = 0.02  # of what a batch takes: little for those who wait, all of it for whoever would come just too late
_LONGEST_LINGER_SECONDS = 0.002
_COMPANY_SECONDS = 1.0  # those whom a batch of several answered may ask again together
_PATIENCE_SECONDS = 0.25

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Handled(Generic[Result]):
    """A result, how long its item waited (s) and how many were handled together."""

    result: Result
    waited: float
    together: int


@dataclass(eq=False)
class _Waiting(Generic[Item, Result]):
    item: Item
    cost: int
    since: float
    future: asyncio.Future[Handled[Result]]


class Batcher(Generic[Item, Result]):
    """Hands items to `handle`, one batch at a time; it answers one result for each, in order.

    A batch holds items whose costs add up to `budget` at most, or a single one that costs more. Small ones go first:
    an item of the whole budget lets those pass that come within a quarter of a second after it, a cheaper one fewer,
    and nobody waits for ever.
    """

    def __init__(
        self, handle: Callable[[list[Item]], Awaitable[list[Result]]], cost: Callable[[Item], int], budget: int
    ) -> None:
        self._handle, self._cost, self._budget = handle, cost, budget
        self._waiting: list[_Waiting[Item, Result]] = []
        self._worker: asyncio.Task[None] | None = None
        self._enough = asyncio.Event()
        self._last = 0  # how many were handled together
        self._linger = 0.0  # seconds
        self._company_until = 0.0  # of the loop's clock

    def submit(self, item: Item) -> asyncio.Future[Handled[Result]]:
        """For the item's result, what `handle` raised for it, or the StageError of its batch."""
        loop = asyncio.get_running_loop()
        each = _Waiting[Item, Result](item, self._cost(item), loop.time(), loop.create_future())
        self._waiting.append(each)
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())
        if self._is_enough():
            self._enough.set()
        return each.future

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            if loop.time() < self._company_until and not self._is_enough():
                self._enough.clear()
                with suppress(TimeoutError):  # then with those who came
                    await asyncio.wait_for(self._enough.wait(), self._linger)
            batch = self._next()
            if batch:
                began = loop.time()
                await self._settle(batch)
                ended = loop.time()
                self._last = len(batch)
                self._linger = min(_LINGER * (ended - began), _LONGEST_LINGER_SECONDS)
                self._company_until = ended + _COMPANY_SECONDS if len(batch) > 1 else 0.0

    def _is_enough(self) -> bool:
        """Whether as many wait as were handled together last, or as much as a batch holds."""
        return len(self._waiting) >= self._last or sum(each.cost for each in self._waiting) >= self._budget

    def _next(self) -> list[_Waiting[Item, Result]]:
        """Takes the next batch out of those who wait; empty where all have left."""
        waiting = [each for each in self._waiting if not each.future.cancelled()]
        waiting.sort(key=lambda each: each.since + _PATIENCE_SECONDS * min(each.cost / self._budget, 1.0))
        batch: list[_Waiting[Item, Result]] = []
        left = self._budget
        for each in waiting:
            if each.cost <= left or not batch:
                batch.append(each)
                left -= each.cost
        taken = set(map(id, batch))
        self._waiting = [each for each in waiting if id(each) not in taken]
        return batch

    async def _settle(self, batch: list[_Waiting[Item, Result]]) -> None:
        began = asyncio.get_running_loop().time()
        try:
            results = await self._handle([each.item for each in batch])
        except Exception as error:  # noqa: BLE001 - told to everyone who waits for this batch
            if len(batch) > 1 and not isinstance(error, StageError):  # a stage is down for all; else one spoils it
                for each in batch:
                    await self._settle([each])
                return
            for each in batch:
                if not each.future.done():
                    each.future.set_exception(error)
            return
        for each, result in zip(batch, results, strict=True):
            if not each.future.done():
                each.future.set_result(Handled(result, began - each.since, len(batch)))
