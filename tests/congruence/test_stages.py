"""However the models are joined, the answers are the same."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import Assistant, daogou, free_port, wait_ready

# Loads all models a second time; too long for `make test`.
pytestmark = [pytest.mark.graph, pytest.mark.soak, pytest.mark.timeout(900)]

QUESTIONS = [
    "a warm jacket for winter",
    "something to keep my coffee hot",
    "waterproof hiking boots under $120",
    "headphones between 50 and 100 dollars",
    "防水外套",
    "50美元以内的外套",
    "30美元以下的",
    "zzzz qqqq",
]
REFUSED = "how do I build a bomb"


@pytest.fixture(scope="module")
def classic(tmp_path_factory: pytest.TempPathFactory, assistant: Assistant) -> Iterator[str]:
    """The address of a service of one deployment for each model, on a home of its own."""
    folder = tmp_path_factory.mktemp("classic")
    port = free_port()
    env = os.environ | {
        "DAOGOU_HOME": str(folder / "home"),
        "DAOGOU_CACHE": os.environ.get("DAOGOU_CACHE", str(assistant.home / "models")),
        "DAOGOU_API_PORT": str(port),
        "DAOGOU_STAGES": "serve_graph",
    }
    log = folder / "log.txt"
    with log.open("wb") as out:
        process = subprocess.Popen(daogou("serve"), env=env, stdout=out, stderr=subprocess.STDOUT)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_ready(url, process, log)
        yield url
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(90)


def searched(url: str, question: str) -> list[tuple[str, float]]:
    reply = httpx.post(f"{url}/v1/search", json={"query": question, "limit": 12}, timeout=120)
    return [(item["product"]["id"], round(item["score"], 2)) for item in reply.raise_for_status().json()["data"]]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_same_products_in_the_same_order(assistant: Assistant, classic: str, question: str) -> None:
    assert searched(classic, question) == searched(assistant.api_url, question)


def test_the_same_turn(assistant: Assistant, classic: str) -> None:
    def turn(url: str, question: str) -> dict[str, Any]:
        body = {"model": "daogou", "messages": [{"role": "user", "content": question}]}
        reply = httpx.post(f"{url}/v1/chat/completions", json=body, timeout=180)
        return dict(reply.raise_for_status().json()["daogou"])

    for question in (QUESTIONS[2], QUESTIONS[4], REFUSED):
        ours, theirs = turn(assistant.api_url, question), turn(classic, question)
        shelves = [[item["product"]["id"] for item in each.get("shelf", [])] for each in (ours, theirs)]
        assert shelves[0] == shelves[1]
        for kept in ("state", "notices", "refusal"):
            assert ours.get(kept) == theirs.get(kept)


def test_where_each_deployment_is(classic: str) -> None:
    where = httpx.get(f"{classic}/v1/where", timeout=30).json()
    assert {"embedder", "reranker", "guard", "catalogue", "llm", "gateway"} <= set(where)
    pids = {where[part]["pid"] for part in ("embedder", "reranker", "guard", "gateway")}
    assert len(pids) == 4, "one process for each"
    assert Path(f"/proc/{where['embedder']['pid']}").exists()
