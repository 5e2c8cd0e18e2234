"""Waiting items are handled together: while one batch runs, the next one gathers. A lone item does not wait."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from serving.stages.base import StageError

Item = TypeVar("Item")
Result = TypeVar("Result")


class Batcher(Generic[Item, Result]):
    """Hands at most `size` items at a time to `handle`, which answers one result for each, in order."""

    def __init__(self, handle: Callable[[list[Item]], Awaitable[list[Result]]], size: int) -> None:
        self._handle = handle
        self._size = size
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._worker: asyncio.Task[None] | None = None

    async def submit(self, item: Item) -> Result:
        """The item's result. Raises what `handle` raised for it, or StageError for its batch."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())
        return await future

    async def _work(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[: self._size], self._waiting[self._size :]
            batch = [(item, future) for item, future in batch if not future.cancelled()]
            if not batch:
                continue
            await self._settle(batch)

    async def _settle(self, batch: list[tuple[Item, asyncio.Future[Result]]]) -> None:
        try:
            results = await self._handle([item for item, _ in batch])
        except Exception as error:  # noqa: BLE001 - told to everyone who waits for this batch
            if len(batch) > 1 and not isinstance(error, StageError):  # a stage is down for all; else one spoils it
                for each in batch:
                    await self._settle([each])
                return
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
            return
        for (_, future), result in zip(batch, results, strict=True):
            if not future.done():
                future.set_result(result)
