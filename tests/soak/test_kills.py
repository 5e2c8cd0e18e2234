"""Every part of a cell is killed, again and again, while shoppers ask: it comes back, and no turn is without an end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.conftest import Assistant

pytestmark = [pytest.mark.graph, pytest.mark.soak, pytest.mark.timeout(7200)]

KILLS = int(os.environ.get("DAOGOU_TEST_KILLS", "20"))
SHOPPERS = 3
LONGEST_SECONDS = 180.0  # of a turn, whatever dies meanwhile
SHARED_MEMORY = Path("/dev/shm")


async def where(http: httpx.AsyncClient) -> dict[str, Any]:
    """As the service says; empty while it does not answer."""
    try:
        reply = await http.get("/v1/where", timeout=5)
        return dict(reply.json()) if reply.status_code == 200 else {}
    except (httpx.HTTPError, ValueError):
        return {}


async def ask(http: httpx.AsyncClient, number: int) -> str:
    """How a turn ended: answered, a code, or a connection that broke off."""
    body = {"model": "daogou", "messages": [{"role": "user", "content": f"a warm jacket under ${60 + number % 90}"}]}
    try:
        async with asyncio.timeout(LONGEST_SECONDS):
            reply = await http.post("/v1/chat/completions", json=body)
    except httpx.TransportError:
        return "broke off"
    except TimeoutError:
        return "hangs"
    return "answered" if reply.status_code == 200 else str(reply.json().get("error", {}).get("code", reply.status_code))


@contextlib.asynccontextmanager
async def load(http: httpx.AsyncClient) -> AsyncIterator[Counter[str]]:
    ends: Counter[str] = Counter()
    stop = asyncio.Event()

    async def shopper(first: int) -> None:
        for number in range(first, 1_000_000, SHOPPERS):
            if stop.is_set():
                return
            ends[end := await ask(http, number)] += 1
            if end != "answered":
                await asyncio.sleep(0.5)

    shoppers = [asyncio.create_task(shopper(number)) for number in range(SHOPPERS)]
    yield ends
    stop.set()
    await asyncio.gather(*shoppers)


def pids_of(part: dict[str, Any]) -> list[int]:
    return list(part.get("pids") or ([part["pid"]] if "pid" in part else []))


async def whole(http: httpx.AsyncClient, part: str, killed: int, limit: float) -> float:
    """Seconds until `part` is ready in another process."""
    began = time.monotonic()
    while time.monotonic() - began < limit:
        state = (await where(http)).get(part, {})
        if state.get("state") == "ready" and pids_of(state) and killed not in pids_of(state):
            return time.monotonic() - began
        await asyncio.sleep(0.2)
    pytest.fail(f"{part} is not back after {limit:.0f} s: {await where(http)}")


def left_of(assistant: Assistant) -> tuple[list[str], set[str]]:
    """Processes by name, and files in shared memory."""
    names = []
    for process in assistant.processes():
        with contextlib.suppress(psutil.Error):
            names.append(process.name().split(".")[0])
    return sorted(names), {path.name for path in SHARED_MEMORY.iterdir()}


@pytest.mark.parametrize(("part", "which", "limit"), [("encoders", 0, 15.0), ("llm", -1, 60.0), ("gateway", 0, 120.0)])
async def test_it_comes_back_every_time(
    assistant: Assistant, capsys: pytest.CaptureFixture[str], part: str, which: int, limit: float
) -> None:
    if assistant.pid is None:
        pytest.skip("kills processes of an assistant that this run has started")
    limits = httpx.Limits(max_connections=100)
    async with httpx.AsyncClient(base_url=assistant.api_url, timeout=300, limits=limits, trust_env=False) as http:
        for name in ("encoders", "llm", "gateway"):
            await whole(http, name, -1, 300)
        before, shared_before = left_of(assistant)
        took = []
        async with load(http) as ends:
            for _ in range(KILLS):
                await asyncio.sleep(1.0)
                pid = pids_of((await where(http))[part])[which]
                os.kill(pid, signal.SIGKILL)
                took.append(await whole(http, part, pid, 3 * limit))
                for name in ("encoders", "llm"):
                    await whole(http, name, -1, 300)
        with capsys.disabled():
            seconds = sorted(round(each, 1) for each in took)
            sys.stdout.write(f"\n{part}: back after {seconds} s; turns: {dict(ends)}\n")
        assert ends["hangs"] == 0, ends
        assert ends["answered"] > 0, ends
        assert max(took) < limit, took
        await asyncio.sleep(5)
        after, shared_after = left_of(assistant)
    assert len(after) <= len(before) + 1, (before, after)
    assert len(shared_after) <= len(shared_before) + 2, shared_after - shared_before
