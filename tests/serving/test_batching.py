"""Batching: order, size, errors, and a lone item that does not wait."""

from __future__ import annotations

import asyncio

import pytest

from serving.batching import Batcher
from serving.stages.base import StageError


async def test_what_waits_while_a_batch_runs_goes_together_and_in_order() -> None:
    gate = asyncio.Event()
    batches: list[list[int]] = []

    async def double(items: list[int]) -> list[int]:
        batches.append(items)
        await gate.wait()
        return [2 * item for item in items]

    batcher = Batcher(double, 3)
    first = asyncio.create_task(batcher.submit(0))
    while not batches:
        await asyncio.sleep(0)
    rest = [asyncio.create_task(batcher.submit(item)) for item in range(1, 6)]
    await asyncio.sleep(0)
    gate.set()
    assert await asyncio.gather(first, *rest) == [0, 2, 4, 6, 8, 10]
    assert batches == [[0], [1, 2, 3], [4, 5]]


async def test_an_error_reaches_its_batch_and_the_next_batch_runs() -> None:
    async def halve(items: list[int]) -> list[int]:
        if 0 in items:
            raise ValueError("zero")
        return items

    batcher = Batcher(halve, 1)
    results = await asyncio.gather(*(batcher.submit(item) for item in (1, 0, 2)), return_exceptions=True)
    assert results[0] == 1
    assert isinstance(results[1], ValueError)
    assert results[2] == 2


async def test_who_left_is_not_worked_for() -> None:
    gate = asyncio.Event()
    batches: list[list[str]] = []

    async def echo(items: list[str]) -> list[str]:
        batches.append(items)
        await gate.wait()
        return items

    batcher = Batcher(echo, 8)
    running = asyncio.create_task(batcher.submit("running"))
    while not batches:
        await asyncio.sleep(0)
    left, stays = asyncio.create_task(batcher.submit("left")), asyncio.create_task(batcher.submit("stays"))
    await asyncio.sleep(0)
    left.cancel()
    gate.set()
    assert await asyncio.gather(running, stays) == ["running", "stays"]
    with pytest.raises(asyncio.CancelledError):
        await left
    assert batches == [["running"], ["stays"]]


async def test_an_item_that_spoils_its_batch_fails_alone() -> None:
    gate = asyncio.Event()

    async def handle(items: list[int]) -> list[int]:
        await gate.wait()
        if 3 in items:
            raise TypeError("not a number")
        return [item * 10 for item in items]

    batcher = Batcher(handle, 8)
    waiting = [asyncio.create_task(batcher.submit(item)) for item in range(6)]
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

    batcher = Batcher(handle, 8)
    ends = await asyncio.gather(*(batcher.submit(item) for item in range(5)), return_exceptions=True)
    assert {type(end) for end in ends} == {StageError}
    assert len(asked) <= 2
