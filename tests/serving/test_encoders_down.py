"""The encoders' process dies under the running assistant: questions on their way wait for it, later ones are told."""

from __future__ import annotations

import asyncio
import os
import signal

import httpx
import pytest

from tests.conftest import Assistant

pytestmark = [pytest.mark.graph, pytest.mark.timeout(240)]

BODY = {"model": "daogou", "messages": [{"role": "user", "content": "a warm jacket for winter under $100"}]}


async def test_questions_on_their_way_are_answered_after_it_is_back(assistant: Assistant) -> None:
    async with httpx.AsyncClient(base_url=assistant.api_url, timeout=120, trust_env=False) as http:
        pid = (await http.get("/v1/where")).json()["encoders"]["pid"]
        os.kill(pid, signal.SIGSTOP)  # so that no question is done before the kill
        asked = [asyncio.create_task(http.post("/v1/chat/completions", json=BODY)) for _ in range(4)]
        await asyncio.sleep(1)
        os.kill(pid, signal.SIGKILL)

        while (state := (await http.get("/readyz")).json()["parts"][0]["state"]) == "ready":
            await asyncio.sleep(0.02)
        assert state == "restarting"
        late = await http.post("/v1/chat/completions", json=BODY)
        assert (late.status_code, late.json()["error"]["code"]) == (503, "not_ready")
        assert int(late.headers["retry-after"]) > 0

        for reply in await asyncio.gather(*asked):
            assert reply.status_code == 200
            shelf = reply.json()["daogou"]["shelf"]
            assert shelf
            assert all(float(item["product"]["price"]["amount"]) <= 100 for item in shelf)
        where = (await http.get("/v1/where")).json()["encoders"]
        assert where["state"] == "ready"
        assert where["pid"] != pid
    if assistant.log is not None:
        assert "Traceback" not in assistant.log.read_text()
