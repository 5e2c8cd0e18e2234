"""How much of a turn is not spent in its stages: the cell's way against the same functions in one process, and the
classic graph beside it. Stages are stand-ins that wait 172 ms in sum.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, aclosing
from functools import partial
from typing import Any, cast

import uvloop

from benchmarks import handover, standins
from benchmarks.figures import Figure, middle, spread
from benchmarks.handover import process_of
from retrieval.search import SearchQuery, search_many
from serving import ipc
from serving.ipc import Connection
from serving.settings import Settings
from serving.stages.base import ChatPrompt, Retrieved, SamplingParams, TurnQuery

_WORK = standins.TYPICAL
_QUERY = TurnQuery("a light tent for two, for the mountains")
_PROMPT = ChatPrompt((("user", "Tell me about this tent. " * 20),))
_PARAMS = SamplingParams(max_tokens=48)
_TURNS = 24  # of each round

Turn = Callable[[], Awaitable[None]]


def measure(rounds: int) -> list[Figure]:
    """Overhead alone and at 8 at once, as a share of the time in stages."""
    figures = uvloop.run(_cell(rounds))
    return figures + asyncio.run(_classic(rounds))


async def _cell(rounds: int) -> list[Figure]:
    """The encoders in a process of their own, as in the product, and in the gateway's, which is not."""
    async with AsyncExitStack() as stack:
        encoders = await stack.enter_async_context(process_of(partial(handover.encoders, _WORK), "encoders"))
        llm = await stack.enter_async_context(process_of(partial(_engine, _WORK), "llm"))
        (retrieve,) = handover.encoders(_WORK)

        async def ask_away() -> None:
            await encoders.call("retrieve", [_QUERY], returns=list[Retrieved])

        async def ask_here() -> None:
            await cast(Awaitable[list[Retrieved]], retrieve([_QUERY]))

        async def turn(ask: Turn) -> None:
            await ask()
            await told()

        async def told() -> None:
            async with aclosing(llm.stream("generate", _PROMPT, _PARAMS, "r", returns=str)) as pieces:
                async for _ in pieces:
                    pass

        figures = await _against_one_process("the cell", partial(turn, ask_away), rounds, at_most=0.006)
        fused = "encoders in the gateway's process"
        figures += await _against_one_process(fused, partial(turn, ask_here), rounds, at_most=None)
        figures.append(await _gaps("encoders in their own process", ask_away, llm, rounds))
        figures.append(await _gaps(fused, ask_here, llm, rounds))
        return figures


async def _gaps(name: str, ask: Turn, llm: Connection, rounds: int) -> Figure:
    """How long an answer that streams stands still while products are looked for, for others."""
    gaps = []
    for _ in range(rounds * 4):
        last = time.perf_counter()
        others = asyncio.create_task(_times(ask, 4, 2))
        longest = 0.0
        async with aclosing(llm.stream("generate", _PROMPT, _PARAMS, "r", returns=str)) as pieces:
            async for _ in pieces:
                now = time.perf_counter()
                longest, last = max(longest, (now - last) * 1000), now
        gaps.append(longest)
        await others
    label = f"longest gap of a streamed answer while others ask, {name}"
    return Figure(label, middle(gaps), "ms", detail=f"a piece every 6 ms, passes of 52 ms; {spread(gaps)}")


async def _against_one_process(name: str, turn: Turn, rounds: int, at_most: float | None) -> list[Figure]:
    figures = []
    for at_once in (1, 8):
        await _times(turn, at_once, at_once)
        away: list[float] = []
        here: list[float] = []
        for _ in range(rounds):
            here += [await _in_one_process(at_once) for _ in range(_TURNS // at_once)]
            away += await _times(turn, _TURNS, at_once)
        share = (middle(away) - middle(here)) / middle(away)
        detail = f"{middle(away):.2f} ms end to end, {middle(here):.2f} ms in stages (medians, n {len(away)})"
        label = f"time of a turn not in its stages, {name}, {at_once} at once"
        figures.append(Figure(label, share, "", at_most=at_most, ratio=True, detail=detail))
    return figures


async def _in_one_process(at_once: int) -> float:
    """Milliseconds of a batch whose stages are called one after the other, and whose answers then stream beside."""
    models, store, llm = standins.models(_WORK), standins.store(_WORK), standins.StandInLlm(_WORK)
    query = SearchQuery(_QUERY.text, limit=_QUERY.limit, candidates=_QUERY.candidates)

    async def told() -> None:
        async for _ in llm.generate(_PROMPT, _PARAMS, "r"):
            pass

    began = time.perf_counter()
    await search_many(store, models.encoder, models.scorer, [query] * at_once)
    await asyncio.gather(*(told() for _ in range(at_once)))
    return (time.perf_counter() - began) * 1000


async def _times(turn: Turn, count: int, at_once: int) -> list[float]:
    """Milliseconds of each turn, `at_once` shoppers that ask again at once."""

    async def shopper() -> list[float]:
        times = []
        for _ in range(count // at_once):
            began = time.perf_counter()
            await turn()
            times.append((time.perf_counter() - began) * 1000)
        return times

    return [ms for row in await asyncio.gather(*(shopper() for _ in range(at_once))) for ms in row]


def _engine(work: standins.Work) -> list[ipc.Method]:
    return [standins.StandInLlm(work).generate]


async def _classic(rounds: int) -> list[Figure]:
    """The product's own classic graph, with stand-ins for deployments, called from outside as its gateway would."""
    import ray
    from ray import serve

    from serving.stages.serve_graph import ServeGraphStages

    os.environ |= {"RAY_SERVE_LOG_TO_STDERR": "0", "RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        names = []
        for stage in (_Embedder, _Reranker, _Guard, _Retriever, _Llm):
            deployment = serve.deployment(stage, name=stage.__name__, max_ongoing_requests=100)
            deployment = deployment.options(ray_actor_options={"num_cpus": 0.1})
            serve.run(deployment.bind(), name=stage.__name__, route_prefix=None)
            names.append(stage.__name__)
        stages = ServeGraphStages(Settings(), [serve.get_deployment_handle(name, name) for name in names])

        async def turn() -> None:
            await stages.retrieve([_QUERY])
            async with aclosing(stages.generate(_PROMPT, _PARAMS, "r")) as pieces:
                async for _ in pieces:
                    pass

        return await _against_one_process("the classic graph", turn, rounds, None)
    finally:
        serve.shutdown()
        ray.shutdown()


class _Embedder:
    def encode(self, texts: list[str]) -> Any:
        return standins.StandInEncoder(_WORK).encode(texts)


class _Reranker:
    def score(self, asked: list[Any]) -> Any:
        return standins.StandInScorer(_WORK).score(asked)


class _Guard:
    def screen(self, texts: list[str]) -> Any:
        return standins.StandInGuard(_WORK).screen(texts)


class _Retriever:
    def __init__(self) -> None:
        self._store = standins.StandInStore(_WORK)

    async def query(self, vectors: Any, limit: int, filter: Any) -> Any:
        return await self._store.query(vectors, limit, filter)


class _Llm:
    async def generate(self, prompt: ChatPrompt, params: SamplingParams, request_id: str) -> Any:
        async for piece in standins.StandInLlm(_WORK).generate(prompt, params, request_id):
            yield piece
