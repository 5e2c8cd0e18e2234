"""Long runs against the real assistant: more shoppers than it takes, an engine that keeps dying, hundreds of turns."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
from collections import Counter
from dataclasses import dataclass

import httpx
import psutil
import pytest

from tests.conftest import Assistant

pytestmark = [pytest.mark.graph, pytest.mark.soak, pytest.mark.timeout(1800)]

QUESTION = "a warm jacket for winter"


def client(assistant: Assistant) -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=1000)
    return httpx.AsyncClient(base_url=assistant.api_url, timeout=600, limits=limits, trust_env=False)


async def ask(http: httpx.AsyncClient, question: str = QUESTION) -> str:
    """How a turn ended: "answered", or the code of its error."""
    body = {"model": "daogou", "messages": [{"role": "user", "content": question}]}
    reply = await http.post("/v1/chat/completions", json=body)
    return "answered" if reply.status_code == 200 else str(reply.json()["error"]["code"])


async def running(http: httpx.AsyncClient) -> tuple[int, float]:
    """Requests inside the engine, and turns that the gateway counts as running."""
    llm = (await http.get("/v1/where")).json()["llm"]
    metrics = (await http.get("/metrics")).text
    line = next(line for line in metrics.splitlines() if line.startswith("daogou_turns_running"))
    return llm.get("unfinished", 0), float(line.split()[1])


async def wait_for_engine(http: httpx.AsyncClient) -> list[int]:
    async with asyncio.timeout(300):
        while (llm := (await http.get("/v1/where")).json()["llm"])["state"] != "ready":
            await asyncio.sleep(1)
    pids: list[int] = llm["pids"]
    return pids


async def test_beyond_its_places_shoppers_are_told_at_once_and_the_rest_is_answered(assistant: Assistant) -> None:
    async with client(assistant) as http:
        ends = Counter(await asyncio.gather(*(ask(http) for _ in range(500))))
        assert set(ends) == {"answered", "overloaded"}
        assert ends["answered"] >= 384, "128 run and 256 wait"
        assert await running(http) == (0, 0.0)
        assert await ask(http) == "answered"


async def test_an_engine_that_dies_again_and_again_hangs_nobody(assistant: Assistant) -> None:
    async with client(assistant) as http:
        for _ in range(3):
            pids = await wait_for_engine(http)
            turns = [asyncio.create_task(ask(http)) for _ in range(8)]
            await asyncio.sleep(1)
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
            assert await asyncio.gather(*turns) == ["answered"] * 8
            assert await running(http) == (0, 0.0)
        await wait_for_engine(http)
    if assistant.pid is not None:
        cores = [process for process in assistant.processes() if "EngineCore" in process.name()]
        assert len(cores) <= 1, "no core of an earlier engine is left"


async def test_hundreds_of_turns_leak_nothing(assistant: Assistant) -> None:
    if assistant.pid is None:
        pytest.skip("counts the processes of an assistant that this run has started")
    async with client(assistant) as http:
        await wait_for_engine(http)
        # Another prompt each time: the engine takes the memory for what it has read as that fills.
        questions = (f"a warm jacket for winter under ${price}" for price in itertools.count(60))
        before, still = weigh(assistant), 0
        for _ in range(60):
            await asyncio.gather(*(ask(http, next(questions)) for _ in range(20)))
            filled, before = before, weigh(assistant)
            still = still + 1 if sum(before.mib.values()) <= sum(filled.mib.values()) + 10 else 0
            if still == 4:
                break
        else:
            pytest.fail(f"the memory never stands still: {before.mib}")
        for _ in range(20):
            await asyncio.gather(*(ask(http, next(questions)) for _ in range(20)))
        after = weigh(assistant)
        assert await running(http) == (0, 0.0)
    assert after.files <= before.files + 10
    assert len(after.mib) <= len(before.mib)
    grown = {name: (old, mib) for name, mib in after.mib.items() if mib > (old := before.mib.get(name, 0)) + 10}
    assert sum(after.mib.values()) <= sum(before.mib.values()) * 1.05 + 50, grown


@dataclass(frozen=True)
class Weight:
    """Memory that nobody shares, by process; open files of all."""

    mib: dict[str, float]
    files: int


def weigh(assistant: Assistant) -> Weight:
    mib, files = {}, 0
    for process in assistant.processes():
        try:
            mib[f"{process.name()} {process.pid}"] = round(process.memory_full_info().uss / 2**20, 1)
            files += process.num_fds()
        except psutil.NoSuchProcess:
            continue
    return Weight(mib, files)
