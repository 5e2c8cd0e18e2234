"""What handing over costs: gateway → encoders (embed → retrieve → rerank, guard) → gateway, stages without work.

The processes, the socket, the batching and the pass are the real ones; models and store are stand-ins of true payload:
vectors of 16 kB, 24 documents of 400 characters.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import numpy as np
import uvloop

from benchmarks import standins
from benchmarks.figures import Figure
from serving import ipc
from serving.ipc import Connection
from serving.profiles import PROFILES
from serving.retrieval_pass import RetrievalPass
from serving.stages.base import Retrieved, TurnQuery

_QUERY = TurnQuery("a light tent for two, for the mountains")
_IN_A_PASS = 8
_AT_ONCE = 64
_RATE = 2000  # requests a second that it must carry
_IDLE_PACE_SECONDS = 0.03

Ask = Callable[[], Awaitable[object]]
Host = Callable[[], list[ipc.Method]]


def measure(rounds: int) -> list[Figure]:
    """p50 busy and at idle pace, p99 at half load, requests a second."""
    return uvloop.run(_measure(rounds))


async def _measure(rounds: int) -> list[Figure]:
    async with process_of(partial(encoders, standins.NOTHING), "encoders") as connection:

        async def ask() -> None:
            (retrieved,) = await connection.call("retrieve", [_QUERY], returns=list[Retrieved])
            assert len(retrieved.hits) == _QUERY.limit

        await closed(ask, 500, _AT_ONCE)  # warms both sides up
        rates, busy, idle, half = [], [], [], []
        for _ in range(rounds):
            rates.append((await closed(ask, 4000, _AT_ONCE))[1])
            busy += (await closed(ask, 500, 1))[0]
            idle += await paced(ask, 40, 1 / _IDLE_PACE_SECONDS)
        for _ in range(rounds):
            half += await paced(ask, 1000, _RATE / 2)
    rate = float(np.median(rates))
    name = "hand-over of a retrieval pass, stages of no work"
    return [
        Figure(f"{name}, p50 busy", at(busy, 50), "ms", at_most=1.0, detail=f"p99 {at(busy, 99):.2f}"),
        Figure(f"{name}, p50 at idle pace", at(idle, 50), "ms", at_most=1.5, detail=f"p99 {at(idle, 99):.2f}"),
        Figure(
            f"{name}, p99 at {_RATE // 2} requests/s",
            at(half, 99),
            "ms",
            at_most=4.0,
            detail=f"p50 {at(half, 50):.2f}",
        ),
        Figure(
            f"{name}, {_AT_ONCE} at once",
            rate,
            "requests/s",
            at_least=_RATE,
            detail=f"passes of at most {_IN_A_PASS}; min {min(rates):.0f}, max {max(rates):.0f}",
        ),
    ]


@asynccontextmanager
async def process_of(host: Host, stage: str) -> AsyncIterator[Connection]:
    """A process that answers what `host` makes there, and the line to it."""
    with tempfile.TemporaryDirectory(prefix="dg-") as folder:
        path = Path(folder) / f"{stage}.sock"
        arguments = (path, host, stage)
        process = multiprocessing.get_context("spawn").Process(target=_be, args=arguments, daemon=True)
        process.start()
        while not path.exists():  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.05)
        connection = await Connection.to(path, 30)
        try:
            yield connection
        finally:
            await connection.close(0)
            process.kill()
            process.join()


def _be(path: Path, host: Host, stage: str) -> None:
    async def run() -> None:
        fresh = path.with_suffix(".new")
        server = await ipc.listen(fresh, host(), stage)
        os.rename(fresh, path)
        await server.serve_forever()

    uvloop.run(run())


def encoders(work: standins.Work) -> list[ipc.Method]:
    """The retrieval pass over stand-ins, for `process_of`."""
    tokens = len(_QUERY.text) // 4 + 1
    profile = PROFILES["embedded"].model_copy(update={"pass_tokens": _IN_A_PASS * tokens})
    store = standins.store(work)
    return [RetrievalPass(standins.models(work), lambda: store, profile).retrieve]


async def _timed(ask: Ask) -> float:
    began = time.perf_counter()
    await ask()
    return (time.perf_counter() - began) * 1000


async def closed(ask: Ask, count: int, at_once: int) -> tuple[list[float], float]:
    """Times in ms of `count` calls, `at_once` of them at any time, and calls a second."""

    async def client() -> list[float]:
        return [await _timed(ask) for _ in range(count // at_once)]

    began = time.perf_counter()
    rows = await asyncio.gather(*(client() for _ in range(at_once)))
    return [ms for row in rows for ms in row], count / (time.perf_counter() - began)


async def paced(ask: Ask, count: int, rate: float) -> list[float]:
    """Times in ms of calls that come `rate` a second, whatever becomes of those before."""
    running = []
    began = time.perf_counter()
    for number in range(count):
        rest = began + number / rate - time.perf_counter()
        if rest > 0:
            await asyncio.sleep(rest)
        running.append(asyncio.create_task(_timed(ask)))
    return list(await asyncio.gather(*running))


def at(times: list[float], percentile: float) -> float:
    return float(np.percentile(times, percentile))
