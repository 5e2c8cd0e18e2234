"""Batching: order, size, errors, and a lone item that does not wait."""

from __future__ import annotations

import asyncio

import pytest

from serving.batching import Batcher


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
