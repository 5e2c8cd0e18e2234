"""Who runs, who waits, who is refused."""

from __future__ import annotations

import asyncio

import pytest

from serving.admission import Admission, OverloadedError


async def test_beyond_the_queue_a_turn_is_refused_and_places_come_back() -> None:
    admission = Admission(running=2, queued=1)
    leave = asyncio.Event()
    inside = 0

    async def turn() -> None:
        nonlocal inside
        async with admission.turn():
            inside += 1
            await leave.wait()

    tasks = [asyncio.create_task(turn()) for _ in range(3)]
    for _ in range(5):
        await asyncio.sleep(0)
    assert inside == 2
    with pytest.raises(OverloadedError, match="1 turns are waiting"):
        async with admission.turn():
            pass
    leave.set()
    await asyncio.gather(*tasks)
    assert inside == 3
    async with admission.turn():
        pass


async def test_a_waiter_that_leaves_frees_its_place_in_the_queue() -> None:
    admission = Admission(running=1, queued=1)
    async with admission.turn():
        waiting = asyncio.create_task(admission.turn().__aenter__())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        second = asyncio.create_task(admission.turn().__aenter__())
        await asyncio.sleep(0)
        assert not second.done(), "waits instead of being refused"
    await second
