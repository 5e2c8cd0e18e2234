"""Two ends of one socket, as two processes hold them."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from retrieval.product import Money, Product, Variant
from retrieval.store.base import AnyOf, Condition, Filter, Hit, InStock, Range
from serving import ipc
from serving.events import Verdict
from serving.ipc import PROTOCOL, Connection, ConnectionLost
from serving.profiles import PROFILES, LlmSpec
from serving.stages.base import ChatPrompt, Retrieved, StageError, TurnQuery

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(60)]


MUG = Product(
    id="MG-1",
    title={"en": "Mug", "zh": "马克杯"},
    price=Money(amount=Decimal("12.50"), currency="USD"),
    variants=(Variant(sku="MG-1-S", options={"size": "S"}, stock=3),),
)


class Kitchen:
    """What the other process offers."""

    def __init__(self) -> None:
        self.made = 0
        self.left: list[str] = []
        self.waiting = asyncio.Event()

    async def greet(self, spec: LlmSpec, folder: Path, prompt: ChatPrompt) -> tuple[str, bool, str]:
        return spec.name, isinstance(folder, Path), prompt.messages[0][1]

    async def echo(self, queries: Sequence[TurnQuery]) -> list[Retrieved]:
        return [Retrieved(Verdict(allowed=True), (Hit(MUG, 0.5),), where=repr(query)) for query in queries]

    async def nothing(self) -> str | None:
        return None

    async def count(self, until: int) -> AsyncGenerator[int]:
        try:
            for number in range(until):
                self.made += 1
                yield number
        finally:
            self.left.append(f"count to {until}")

    async def big(self, pieces: int) -> AsyncGenerator[str]:
        for _ in range(pieces):
            self.made += 1
            yield "x" * 100_000

    async def wait(self) -> None:
        self.waiting.set()
        try:
            await asyncio.sleep(600)
        finally:
            self.left.append("wait")

    async def refuse(self) -> None:
        raise StageError("catalogue", "shop.csv does not exist")

    async def stumble(self) -> AsyncGenerator[int]:
        yield 1
        raise KeyError("no such product")

    def methods(self) -> list[ipc.Method]:
        return [self.greet, self.echo, self.nothing, self.count, self.big, self.wait, self.refuse, self.stumble]


@pytest.fixture
def kitchen() -> Kitchen:
    return Kitchen()


@asynccontextmanager
async def connected(kitchen: Kitchen) -> AsyncIterator[tuple[Connection, asyncio.Task[None]]]:
    ours, theirs = socket.socketpair()
    serving = asyncio.create_task(ipc.serve(theirs, kitchen.methods(), "kitchen"))
    connection = await Connection.open(ours, 5)
    yield connection, serving
    await connection.close(5)
    if not serving.cancelled():
        await serving


async def test_a_call_carries_records_and_brings_its_result(kitchen: Kitchen) -> None:
    async with connected(kitchen) as (connection, _):
        assert connection.pid == os.getpid()
        spec, prompt = PROFILES["embedded"].llm, ChatPrompt((("user", "山地靴 ☂ boots"),))
        result = await connection.call("greet", spec, Path("/w"), prompt, returns=tuple[str, bool, str])
        assert result == (spec.name, True, "山地靴 ☂ boots")
        assert await connection.call("nothing", returns=Any) is None


async def test_streams_run_beside_each_other_and_keep_their_order(kitchen: Kitchen) -> None:
    async def numbers(until: int) -> list[int]:
        async with aclosing(connection.stream("count", until, returns=int)) as items:
            return [item async for item in items]

    async with connected(kitchen) as (connection, _):
        assert list(await asyncio.gather(numbers(300), numbers(0))) == [list(range(300)), []]


async def test_closing_a_stream_ends_it_on_the_other_side(kitchen: Kitchen) -> None:
    async with connected(kitchen) as (connection, _):
        async with aclosing(connection.stream("count", 10_000_000, returns=int)) as items:
            assert await anext(items) == 0
        while not kitchen.left:
            await asyncio.sleep(0.01)
        assert kitchen.left == ["count to 10000000"]
        assert await connection.call("nothing", returns=Any) is None


async def test_cancelling_a_call_cancels_it_on_the_other_side(kitchen: Kitchen) -> None:
    async with connected(kitchen) as (connection, _):
        call = asyncio.create_task(connection.call("wait", returns=type(None)))
        await kitchen.waiting.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        while not kitchen.left:
            await asyncio.sleep(0.01)
        assert kitchen.left == ["wait"]


async def test_a_call_has_an_end_on_both_sides(kitchen: Kitchen) -> None:
    async with connected(kitchen) as (connection, _):
        with pytest.raises((TimeoutError, StageError)):
            await connection.call("wait", returns=type(None), seconds=0.05)
        while not kitchen.left:
            await asyncio.sleep(0.01)
        assert await connection.call("nothing", returns=Any, seconds=60) is None


async def test_work_ends_in_time_although_the_caller_says_nothing_more(kitchen: Kitchen) -> None:
    ours, theirs = socket.socketpair()
    serving = asyncio.create_task(ipc.serve(theirs, kitchen.methods(), "kitchen"))
    ours.setblocking(False)
    call = msgspec.msgpack.encode(["call", 1, "wait", b"[]", 0.05])
    ours.sendall(len(call).to_bytes(4, "little") + call)
    received = b""
    while b"took longer than 0.05 s" not in received:
        received += await asyncio.get_running_loop().sock_recv(ours, 4096)
    assert kitchen.left == ["wait"]
    ours.close()
    await serving


async def test_nobody_produces_ahead_of_a_peer_that_does_not_read(kitchen: Kitchen) -> None:
    ours, theirs = socket.socketpair()
    serving = asyncio.create_task(ipc.serve(theirs, kitchen.methods(), "kitchen"))
    ours.setblocking(False)
    call = msgspec.msgpack.encode(["call", 1, "big", b"[1000]"])
    ours.sendall(len(call).to_bytes(4, "little") + call)
    before = -1
    while kitchen.made != before:
        before = kitchen.made
        await asyncio.sleep(0.3)
    assert 0 < kitchen.made < 50
    ours.close()
    await serving


async def test_a_stage_error_arrives_as_it_was_raised(kitchen: Kitchen) -> None:
    async with connected(kitchen) as (connection, _):
        with pytest.raises(StageError, match=r"shop\.csv does not exist") as error:
            await connection.call("refuse", returns=type(None))
        assert error.value.stage == "catalogue"


async def test_a_fault_is_told_with_its_kind_and_the_connection_lives(kitchen: Kitchen) -> None:
    async with connected(kitchen) as (connection, _):
        items = connection.stream("stumble", returns=int)
        assert await anext(items) == 1
        with pytest.raises(StageError, match=r"KeyError.*no such product") as error:
            await anext(items)
        assert error.value.stage == "kitchen"
        for name, arguments in (("count", ("many",)), ("count", ()), ("count", (1, 2)), ("pour", ())):
            with pytest.raises(StageError, match=r"not what was agreed upon|no method 'pour'"):
                await connection.call(name, *arguments, returns=type(None))
        assert await connection.call("nothing", returns=Any) is None


async def test_what_runs_for_a_caller_that_leaves_is_cancelled(kitchen: Kitchen) -> None:
    async with connected(kitchen) as (connection, serving):
        call = asyncio.create_task(connection.call("wait", returns=type(None)))
        await kitchen.waiting.wait()
        assert await connection.close(5)
        await serving
        assert kitchen.left == ["wait"]
        with pytest.raises(ConnectionLost):
            await call


async def test_the_end_of_the_other_process_is_told_to_all_who_wait(kitchen: Kitchen) -> None:
    async with connected(kitchen) as (connection, serving):
        call = asyncio.create_task(connection.call("wait", returns=type(None)))
        await kitchen.waiting.wait()
        serving.cancel()
        with pytest.raises(ConnectionLost):
            await call
        assert connection.lost.is_set()
        with pytest.raises(ConnectionLost):
            await connection.call("nothing", returns=type(None))
        with pytest.raises(asyncio.CancelledError):
            await serving


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (b"", "ended while it started"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "does not greet: a frame of"),
        ((3).to_bytes(4, "little") + b"\xff\xff\xff", "does not greet: not a frame"),
        (b"another hello", f"speaks protocol {PROTOCOL + 1}, this one {PROTOCOL}"),
    ],
)
async def test_a_stranger_at_the_other_end_is_told(sent: bytes, told: str) -> None:
    if sent == b"another hello":
        hello = msgspec.msgpack.encode(["hello", 0, "", b'{"protocol": %d, "pid": 1}' % (PROTOCOL + 1)])
        sent = len(hello).to_bytes(4, "little") + hello
    ours, theirs = socket.socketpair()
    with theirs:
        theirs.sendall(sent)
        theirs.shutdown(socket.SHUT_WR)
        with pytest.raises(ConnectionLost, match=told):
            await Connection.open(ours, 5)


async def test_silence_at_the_other_end_is_told() -> None:
    ours, theirs = socket.socketpair()
    with theirs, pytest.raises(ConnectionLost, match="does not greet"):
        await Connection.open(ours, 0.2)


async def test_a_peer_that_stops_reading_holds_nobody_beyond_his_own_limit() -> None:
    ours, theirs = socket.socketpair()
    hello = msgspec.msgpack.encode(["hello", 0, "", b'{"protocol": %d, "pid": %d}' % (PROTOCOL, os.getpid())])
    theirs.sendall(len(hello).to_bytes(4, "little") + hello)
    with theirs:
        connection = await Connection.open(ours, 5)

        async def limited() -> None:
            async with asyncio.timeout(0.2):
                await connection.call("anything", "x" * 100_000, returns=type(None))

        for _ in range(3):
            calls = [asyncio.create_task(limited()) for _ in range(20)]
            done, left = await asyncio.wait(calls, timeout=20)
            assert not left
            assert {type(call.exception()) for call in done} == {TimeoutError}
        assert not await connection.close(0.1)


@pytest.mark.parametrize(
    "condition",
    [
        Range("price", lte=1e12),
        Range("price", lte=float("inf")),
        Range("rating", gte=4.5),
        AnyOf("brand", ("Northpine", "")),
        AnyOf("category", ("鞋",)),
        InStock(),
        InStock(False),
    ],
)
async def test_questions_and_products_arrive_as_they_were_sent(kitchen: Kitchen, condition: Condition) -> None:
    query = TurnQuery("warm boots 靴子", "zh", Filter((condition,), (InStock(), condition)), limit=3)
    async with connected(kitchen) as (connection, _):
        (answer,) = await connection.call("echo", [query], returns=list[Retrieved])
    assert answer == Retrieved(Verdict(allowed=True), (Hit(MUG, 0.5),), where=repr(query))


async def test_several_callers_at_one_address(kitchen: Kitchen, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("a") / "kitchen.sock"
    with pytest.raises(FileNotFoundError):
        await Connection.to(path, 5)
    server = await ipc.listen(path, kitchen.methods(), "kitchen")
    first, second = await Connection.to(path, 5), await Connection.to(path, 5)
    for connection in (first, second):
        assert [number async for number in connection.stream("count", 3, returns=int)] == [0, 1, 2]
    assert await first.close(5)
    assert [number async for number in second.stream("count", 2, returns=int)] == [0, 1]
    assert await second.close(5)
    server.close()
    await server.wait_closed()
