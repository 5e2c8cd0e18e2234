"""The engine's process dies under the running assistant: answers still come, from the records, and it comes back."""

from __future__ import annotations

import os
import signal
import time

import httpx
import pytest

from tests.conftest import Assistant

pytestmark = [pytest.mark.graph, pytest.mark.timeout(240)]


def _llm(assistant: Assistant) -> dict[str, object]:
    state: dict[str, object] = httpx.get(f"{assistant.api_url}/v1/where", timeout=30).json()["llm"]
    return state


def test_answers_come_from_the_records_until_the_engine_is_back(assistant: Assistant) -> None:
    pids = _llm(assistant)["pids"]
    assert isinstance(pids, list)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    body = {"model": "daogou", "messages": [{"role": "user", "content": "a warm jacket for winter"}]}
    reply = httpx.post(f"{assistant.api_url}/v1/chat/completions", json=body, timeout=60)
    assert reply.status_code == 200
    answer = reply.json()
    assert [notice["code"] for notice in answer["daogou"]["notices"]] == ["llm_down"]
    assert "not available right now" in answer["daogou"]["notices"][0]["message"]
    text = answer["choices"][0]["message"]["content"]
    for item in answer["daogou"]["shelf"][:3]:
        assert item["product"]["title"]["en"] in text
    assert httpx.get(f"{assistant.api_url}/readyz").status_code == 200, "the shop stays open"

    for _ in range(180):
        if _llm(assistant)["state"] == "ready":
            break
        time.sleep(1)
    assert _llm(assistant)["state"] == "ready"
    answer = httpx.post(f"{assistant.api_url}/v1/chat/completions", json=body, timeout=60).json()
    assert answer["daogou"]["notices"] == []
