"""The gateway's own HTTP door: turns that run end, nobody new comes in, and the port is free again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from serving.http_server import HttpServer
from tests.conftest import free_port

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(60)]


class Shop:
    """An app with one turn, which goes on until `go` is set."""

    def __init__(self) -> None:
        self.go, self.closed = asyncio.Event(), asyncio.Event()

    async def _turn(self, request: Request) -> StreamingResponse:
        async def words() -> AsyncGenerator[bytes]:
            yield b"one "
            await self.go.wait()
            yield b"two"

        return StreamingResponse(words())

    @asynccontextmanager
    async def _life(self, app: Starlette) -> AsyncGenerator[None]:
        yield
        self.closed.set()

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/turn", self._turn)], lifespan=self._life)


async def test_a_turn_that_runs_ends_while_nobody_new_comes_in() -> None:
    shop, port = Shop(), free_port()
    server = HttpServer(shop.app(), "127.0.0.1", port)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as http:
        async with http.stream("GET", "/turn") as reply:
            words = reply.aiter_bytes()
            assert await anext(words) == b"one "
            stopping = asyncio.create_task(server.stop())
            refused = False
            while not refused:
                try:
                    async with httpx.AsyncClient(trust_env=False) as other:
                        await other.get(f"http://127.0.0.1:{port}/none")
                except httpx.TransportError:
                    refused = True
                await asyncio.sleep(0.05)
            assert not shop.closed.is_set(), "the stages stay while a turn runs"
            shop.go.set()
            assert [piece async for piece in words] == [b"two"]
        await stopping
    assert shop.closed.is_set()
    assert not server.alive
    again = HttpServer(Shop().app(), "127.0.0.1", port)
    assert again.alive
    await again.stop()


async def test_a_port_that_is_taken_is_an_error_at_once() -> None:
    port = free_port()
    server = HttpServer(Shop().app(), "127.0.0.1", port)
    with pytest.raises(OSError, match="in use"):
        HttpServer(Shop().app(), "127.0.0.1", port)
    await server.stop()
