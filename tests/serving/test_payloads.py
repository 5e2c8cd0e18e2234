"""A large array goes to an actor once: seen from outside, in the kernel's tables of both processes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from serving import payloads
from serving.ipc import ConnectionLost
from serving.payloads import LARGE_BYTES, Reads
from serving.stages.base import StageError

pytestmark = [pytest.mark.graph, pytest.mark.timeout(120)]

MIB = 1 << 20


def own_memory() -> int:
    """Bytes of this process that belong to no file and are shared with nobody."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("RssAnon")).split()[1]) * 1024


def mapped(pid: int | str, address: int) -> tuple[str, str]:
    """Device and inode of what is mapped there; "" where nothing is."""
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        span, _, _, device, inode, *_ = line.split()
        first, last = (int(each, 16) for each in span.split("-"))
        if first <= address < last:
            return device, inode
    return "", ""


def shared_with(pid: int | str) -> set[tuple[str, str]]:
    lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    return {(line.split()[3], line.split()[4]) for line in lines if " rw-s " in line or " r--s " in line}


class Looks(Reads):
    """Another process, with what it sees of an array."""

    def __init__(self) -> None:
        super().__init__([self.look, self.refuse, self.stumble, self.wait, self.end])
        self.waiting = ""

    async def look(self, words: str, array: NDArray[np.uint8]) -> dict[str, Any]:
        total = int(array.sum())
        memory = own_memory()  # while the array is here: a copy on the way to this method would be in it
        try:
            array[0] = 1
            refused = ""
        except ValueError as error:
            refused = str(error)
        where = mapped("self", array.__array_interface__["data"][0])
        return {"words": words, "sum": total, "memory": memory, "where": where, "refused": refused, "pid": os.getpid()}

    async def refuse(self, array: NDArray[np.uint8]) -> None:
        raise StageError("catalogue", "there is no such picture")

    async def stumble(self, array: NDArray[np.uint8]) -> None:
        raise KeyError("no such picture")

    async def wait(self, array: NDArray[np.uint8]) -> None:
        self.waiting = "waits"
        try:
            await asyncio.sleep(600)
        finally:
            self.waiting = "left"

    async def end(self, array: NDArray[np.uint8]) -> None:
        os._exit(1)

    async def memory(self) -> int:
        return own_memory()

    async def state(self) -> str:
        return self.waiting


@pytest.fixture(scope="module")
def looks() -> Iterator[Any]:
    import ray

    ray.init(
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=100 * MIB,
        log_to_driver=False,
        configure_logging=False,
        _system_config={"automatic_object_spilling_enabled": False},  # what is not freed must be missed
    )
    yield ray.remote(Looks)
    ray.shutdown()


async def ask(actor: Any, name: str, *arguments: Any) -> Any:
    return await payloads.ask(actor, "encoders", name, arguments)


async def test_both_processes_see_the_same_memory_and_nobody_writes_to_it(looks: Any) -> None:
    actor = looks.remote()
    array = np.ones(40 * MIB, np.uint8)
    await ask(actor, "look", "warm-up", np.ones(LARGE_BYTES + 1, np.uint8))
    before = await actor.memory.remote()
    seen = await ask(actor, "look", "a tent", array)
    assert (seen["words"], seen["sum"]) == ("a tent", array.nbytes)
    assert seen["refused"] == "assignment destination is read-only"
    assert seen["memory"] - before < 8 * MIB, "no copy of 40 MiB"
    assert seen["pid"] != os.getpid()
    assert seen["where"] in shared_with("self"), "the memory into which it was put here"
    assert not mapped("self", array.__array_interface__["data"][0])[1].strip("0"), "the original is ordinary memory"


async def test_the_store_is_free_again_with_the_end_of_each_call(looks: Any) -> None:
    actor = looks.remote()
    for number in range(50):
        seen = await ask(actor, "look", "", np.full(20 * MIB, number % 3, np.uint8))
        assert seen["sum"] == 20 * MIB * (number % 3)


async def test_small_ones_are_no_business_of_the_store() -> None:
    assert not payloads.is_large(np.zeros(LARGE_BYTES, np.uint8))
    assert payloads.is_large(np.zeros(LARGE_BYTES + 1, np.uint8))
    assert not payloads.is_large("x" * (LARGE_BYTES + 1))


async def test_errors_arrive_as_over_a_socket(looks: Any) -> None:
    actor, array = looks.remote(), np.zeros(2 * LARGE_BYTES, np.uint8)
    with pytest.raises(StageError, match="there is no such picture") as refused:
        await ask(actor, "refuse", array)
    assert refused.value.stage == "catalogue"
    with pytest.raises(StageError, match=r"KeyError.*no such picture") as stumbled:
        await ask(actor, "stumble", array)
    assert stumbled.value.stage == "encoders"
    with pytest.raises(ConnectionLost):
        await ask(actor, "end", array)


async def test_who_leaves_ends_the_work(looks: Any) -> None:
    actor = looks.remote()
    call = asyncio.create_task(ask(actor, "wait", np.zeros(2 * LARGE_BYTES, np.uint8)))
    while await actor.state.remote() != "waits":
        await asyncio.sleep(0.05)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    while await actor.state.remote() != "left":
        await asyncio.sleep(0.05)
