"""Batching: order, size, errors, and a lone item that does not wait."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from serving.batching import Batcher, Handled
from serving.stages.base import StageError

Handle = Callable[[list[int]], Awaitable[list[int]]]


def by_count(handle: Handle, most: int) -> Batcher[int, int]:
    return Batcher(handle, lambda _: 1, most)


async def result(batcher: Batcher[int, int], item: int) -> int:
    return (await batcher.submit(item)).result


class Echo:
    """Answers each item with itself, once `gate` is open; `batches` are those it was handed."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.batches: list[list[int]] = []

    async def __call__(self, items: list[int]) -> list[int]:
        self.batches.append(items)
        await self.gate.wait()
        return items

    async def busy(self, batcher: Batcher[int, int]) -> asyncio.Task[int]:
        """A first item is being handled."""
        task = asyncio.create_task(result(batcher, 0))
        while not self.batches:
            await asyncio.sleep(0)
        return task


async def test_what_waits_while_a_batch_runs_goes_together_and_in_order() -> None:
    echo = Echo()
    batcher = by_count(echo, 3)
    first = await echo.busy(batcher)
    rest = [asyncio.create_task(result(batcher, item)) for item in range(1, 6)]
    await asyncio.sleep(0)
    echo.gate.set()
    assert await asyncio.gather(first, *rest) == [0, 1, 2, 3, 4, 5]
    assert echo.batches == [[0], [1, 2, 3], [4, 5]]


async def test_a_batch_is_full_by_what_its_items_cost() -> None:
    echo = Echo()
    batcher = Batcher(echo, lambda cost: cost, 100)
    first = await echo.busy(batcher)
    rest = [asyncio.create_task(result(batcher, cost)) for cost in (40, 41, 42, 500, 18)]
    await asyncio.sleep(0)
    echo.gate.set()
    await asyncio.gather(first, *rest)
    assert [sorted(batch) for batch in echo.batches] == [[0], [18, 40, 41], [42], [500]]


async def test_small_items_pass_a_large_one_that_is_not_left_waiting_for_ever() -> None:
    """Small ones keep coming; the large one is handled while they do."""
    batches: list[list[int]] = []

    async def handle(items: list[int]) -> list[int]:
        batches.append(items)
        await asyncio.sleep(0.02)
        return items

    batcher = Batcher(handle, lambda cost: cost, 100)
    running = asyncio.create_task(result(batcher, 1))
    await asyncio.sleep(0)
    large = asyncio.create_task(result(batcher, 100))
    await asyncio.sleep(0)
    small = []
    while not large.done():
        small.append(asyncio.create_task(result(batcher, 2)))
        await asyncio.sleep(0.001)
    await asyncio.gather(running, large, *small)
    place = batches.index([100])
    assert place > 1, "it lets small ones pass"
    assert any(2 in batch for batch in batches[place + 1 :]), "but not all of them"


async def test_how_long_it_waited_and_with_how_many_is_told() -> None:
    echo = Echo()
    batcher = by_count(echo, 8)
    first = await echo.busy(batcher)
    rest = [batcher.submit(item) for item in (1, 2, 3)]
    await asyncio.sleep(0.05)
    echo.gate.set()
    await first
    for each in await asyncio.gather(*rest):
        assert each.together == 3
        assert each.waited >= 0.04
    alone = await batcher.submit(4)
    assert alone.together == 1


async def test_an_error_reaches_its_batch_and_the_next_batch_runs() -> None:
    async def halve(items: list[int]) -> list[int]:
        if 0 in items:
            raise ValueError("zero")
        return items

    batcher = by_count(halve, 1)
    results = await asyncio.gather(*(batcher.submit(item) for item in (1, 0, 2)), return_exceptions=True)
    assert isinstance(results[0], Handled)
    assert results[0].result == 1
    assert isinstance(results[1], ValueError)
    assert isinstance(results[2], Handled)
    assert results[2].result == 2


async def test_who_left_is_not_worked_for() -> None:
    echo = Echo()
    batcher = by_count(echo, 8)
    running = await echo.busy(batcher)
    left, stays = (asyncio.create_task(result(batcher, item)) for item in (1, 2))
    await asyncio.sleep(0)
    left.cancel()
    echo.gate.set()
    assert await asyncio.gather(running, stays) == [0, 2]
    with pytest.raises(asyncio.CancelledError):
        await left
    assert echo.batches == [[0], [2]]


async def test_an_item_that_spoils_its_batch_fails_alone() -> None:
    gate = asyncio.Event()

    async def handle(items: list[int]) -> list[int]:
        await gate.wait()
        if 3 in items:
            raise TypeError("not a number")
        return [item * 10 for item in items]

    batcher = by_count(handle, 8)
    waiting = [asyncio.create_task(result(batcher, item)) for item in range(6)]
    await asyncio.sleep(0)
    gate.set()
    ends = await asyncio.gather(*waiting, return_exceptions=True)
    assert [end if isinstance(end, int) else type(end) for end in ends] == [0, 10, 20, TypeError, 40, 50]


async def test_a_stage_that_is_down_is_asked_once_for_a_batch() -> None:
    asked: list[list[int]] = []

    async def handle(items: list[int]) -> list[int]:
        await asyncio.sleep(0)
        asked.append(items)
        raise StageError("encoders", "gone")

    batcher = by_count(handle, 8)
    ends = await asyncio.gather(*(batcher.submit(item) for item in range(5)), return_exceptions=True)
    assert {type(end) for end in ends} == {StageError}
    assert len(asked) <= 2


async def test_after_a_batch_of_several_who_comes_a_little_later_is_in_the_next() -> None:
    """The last batch took 50 ms, so a millisecond is not too long to wait for who was in it; a lone one never waits."""
    batches: list[list[int]] = []

    async def handle(items: list[int]) -> list[int]:
        batches.append(items)
        await asyncio.sleep(0.05)
        return items

    batcher = by_count(handle, 8)
    for again in (0, 10):
        first = [asyncio.create_task(result(batcher, again + item)) for item in range(2)]
        for _ in range(4):
            await asyncio.sleep(0)
        later = asyncio.create_task(result(batcher, again + 2))
        await asyncio.gather(*first, later)
    assert batches == [[0, 1], [2], [10, 11], [12]], "as many as before are enough"
    await asyncio.gather(*(result(batcher, item) for item in (20, 21, 22)))
    waiting = [batcher.submit(item) for item in (30, 31)]
    await asyncio.sleep(0)
    await asyncio.gather(*waiting, batcher.submit(32))
    assert batches[-1] == [30, 31, 32]
