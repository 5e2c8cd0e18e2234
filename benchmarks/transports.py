"""The cell's own frames over a Unix socket beside ZeroMQ, which vLLM uses: the same bodies, the same encoding, paired.

A call carries a vector of 16 kB as text and is answered with 24 documents of 400 characters.
"""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial

import msgspec
import uvloop
import zmq
import zmq.asyncio

from benchmarks.figures import Figure, middle
from benchmarks.handover import at, closed, paced, process_of
from serving import ipc
from serving.wire import Frame, dump, read_as

_QUESTION = "0.015625 " * (16_384 // 9)
_DOCUMENTS = ["The quick brown fox carries a tent. " * 11 for _ in range(24)]
_IDLE_PACE = 33  # calls a second

Ask = Callable[[], Awaitable[object]]


def measure(rounds: int) -> list[Figure]:
    """p50 busy and at idle pace, calls a second at 64 at once."""
    return uvloop.run(_measure(rounds))


async def _measure(rounds: int) -> list[Figure]:
    async with process_of(_host, "echo") as connection:
        with tempfile.TemporaryDirectory(prefix="dg-") as folder:
            address = f"ipc://{folder}/z"
            process = multiprocessing.get_context("spawn").Process(target=_be_zmq, args=(address,), daemon=True)
            process.start()
            peer = _ZmqCalls(address)
            try:
                ways: dict[str, Ask] = {
                    "our frames": partial(connection.call, "documents", _QUESTION, returns=list[str]),
                    "ZeroMQ": partial(peer.call, _QUESTION),
                }
                return await _side_by_side(ways, rounds)
            finally:
                await peer.close()
                process.kill()
                process.join()


async def _side_by_side(ways: dict[str, Ask], rounds: int) -> list[Figure]:
    busy: dict[str, list[float]] = {name: [] for name in ways}
    idle: dict[str, list[float]] = {name: [] for name in ways}
    rates: dict[str, list[float]] = {name: [] for name in ways}
    for ask in ways.values():
        await closed(ask, 300, 8)
    for number in range(rounds * 2):
        for name, ask in list(ways.items())[:: 1 if number % 2 else -1]:
            busy[name] += (await closed(ask, 500, 1))[0]
            idle[name] += await paced(ask, 40, _IDLE_PACE)
            rates[name].append((await closed(ask, 3000, 64))[1])
    return [
        Figure(
            f"a call with 16 kB out and 24 documents back, {name}, p50 busy",
            at(busy[name], 50),
            "ms",
            detail=f"{at(idle[name], 50):.2f} at idle pace; {middle(rates[name]):.0f} calls/s at 64 at once",
        )
        for name in ways
    ]


def _host() -> list[ipc.Method]:
    async def documents(question: str) -> list[str]:
        return _DOCUMENTS

    return [documents]


class _ZmqCalls:
    """As `ipc.Connection`, over a DEALER socket."""

    def __init__(self, address: str) -> None:
        self._context = zmq.asyncio.Context()
        self._socket = self._context.socket(zmq.DEALER)
        self._socket.connect(address)
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Frame]] = {}
        self._reader = asyncio.create_task(self._read())

    async def call(self, question: str) -> list[str]:
        number = next(self._numbers)
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        await self._socket.send(msgspec.msgpack.encode(Frame("call", number, "documents", dump((question,)))))
        documents: list[str] = read_as(list[str], (await answer).body)
        return documents

    async def _read(self) -> None:
        decoder = msgspec.msgpack.Decoder(Frame)
        while True:
            frame = decoder.decode(await self._socket.recv())
            self._waiting.pop(frame.call).set_result(frame)

    async def close(self) -> None:
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)
        self._context.destroy(linger=0)


def _be_zmq(address: str) -> None:
    uvloop.run(_serve_zmq(address))


async def _serve_zmq(address: str) -> None:
    socket = zmq.asyncio.Context().socket(zmq.ROUTER)
    socket.bind(address)
    decoder = msgspec.msgpack.Decoder(Frame)

    async def answer(peer: bytes, frame: Frame) -> None:
        read_as(tuple[str], frame.body)
        await socket.send_multipart([peer, msgspec.msgpack.encode(Frame("end", frame.call, "", dump(_DOCUMENTS)))])

    running = set()
    while True:
        peer, data = await socket.recv_multipart()
        task = asyncio.create_task(answer(peer, decoder.decode(data)))
        running.add(task)
        task.add_done_callback(running.discard)
