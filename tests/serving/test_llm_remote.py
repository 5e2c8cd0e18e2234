"""A main model elsewhere, against a small OpenAI-compatible server on this machine."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from serving.models.llm_remote import RemoteLlm
from serving.stages.base import ChatPrompt, SamplingParams, StageError

PROMPT = ChatPrompt((("system", "Be brief."), ("user", "hello")))


class Server:
    """What it was asked, and what it will do."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.closed = asyncio.Event()
        self.mode = "answer"
        self.url = ""

    async def models(self, request: Request) -> Response:
        if request.headers.get("authorization") == "Bearer wrong":
            return JSONResponse({"error": {"message": "invalid key"}}, 401)
        return JSONResponse({"data": [{"id": "small"}, {"id": "large"}]})

    async def chat(self, request: Request) -> Response:
        self.asked.append(await request.json())
        self.keys.append(request.headers.get("authorization"))
        if self.mode == "refuse":
            return JSONResponse({"error": {"message": "context too long"}}, 400)
        return StreamingResponse(self.pieces(), media_type="text/event-stream")

    async def pieces(self) -> AsyncIterator[bytes]:
        try:
            for number in range(3 if self.mode != "endless" else 10_000):
                yield b"data: " + json.dumps({"choices": [{"delta": {"content": f"w{number} "}}]}).encode() + b"\n\n"
                await asyncio.sleep(0.01)
            if self.mode == "broken":
                yield b"data: {oops\n\n"
            if self.mode != "cut":
                yield b'data: {"choices": []}\n\ndata: [DONE]\n\n'
        finally:
            self.closed.set()


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    state = Server()
    app = Starlette(
        routes=[Route("/v1/models", state.models), Route("/v1/chat/completions", state.chat, methods=["POST"])]
    )
    listener = socket.create_server(("127.0.0.1", 0))
    state.url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    running = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    task = asyncio.create_task(running.serve([listener]))
    yield state
    running.should_exit = True
    await task


async def started(server: Server, model: str | None = None, key: str | None = None) -> RemoteLlm:
    remote = RemoteLlm(server.url, key, model)
    await remote.start()
    return remote


async def test_streams_with_key_model_and_parameters(server: Server) -> None:
    remote = await started(server, "large", "secret")
    params = SamplingParams(max_tokens=9, temperature=0.5, stop=("\n",), seed=3)
    assert [piece async for piece in remote.generate(PROMPT, params, "r1")] == ["w0 ", "w1 ", "w2 "]
    assert server.asked == [
        {
            "model": "large",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hello"}],
            "stream": True,
            "max_tokens": 9,
            "temperature": 0.5,
            "stop": ["\n"],
            "seed": 3,
        }
    ]
    assert server.keys == ["Bearer secret"]
    assert (remote.alive, await remote.unfinished()) == (True, 0)
    await remote.stop()
    assert not remote.alive


async def test_without_a_name_the_first_model_is_used(server: Server) -> None:
    remote = await started(server)
    assert [piece async for piece in remote.generate(PROMPT, SamplingParams(), "r")]
    assert server.asked[0]["model"] == "small"
    await remote.stop()


async def test_closing_the_generator_closes_the_stream(server: Server) -> None:
    server.mode = "endless"
    remote = await started(server)
    async with aclosing(remote.generate(PROMPT, SamplingParams(), "r")) as pieces:
        assert await anext(pieces) == "w0 "
        assert await remote.unfinished() == 1
    await asyncio.wait_for(server.closed.wait(), 10)
    assert await remote.unfinished() == 0
    await remote.stop()


@pytest.mark.parametrize(
    ("mode", "told"), [("refuse", "HTTP 400: context too long"), ("broken", "127.0.0.1"), ("cut", "without")]
)
async def test_faults_are_told_as_the_stages_error(server: Server, mode: str, told: str) -> None:
    server.mode = mode
    remote = await started(server)
    with pytest.raises(StageError, match=told) as caught:
        async for _ in remote.generate(PROMPT, SamplingParams(), "r"):
            pass
    assert caught.value.stage == "llm"
    await remote.stop()


async def test_start_says_what_is_wrong(server: Server) -> None:
    with pytest.raises(StageError, match=r"401: invalid key.*DAOGOU_LLM_KEY"):
        await started(server, key="wrong")
    with pytest.raises(StageError, match="no model 'huge', only small, large"):
        await started(server, model="huge")
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with pytest.raises(StageError, match=rf"127\.0\.0\.1:{port}.*cannot be reached.*DAOGOU_LLM_URL"):
        await RemoteLlm(f"http://127.0.0.1:{port}/v1", None, None).start()
