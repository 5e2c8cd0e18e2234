"""The owner's page at /owner: a feed is sent, looked at and loaded. What it asks for goes on to the service.

The owner's key is typed there, stays in that browser tab and comes with each request; the service checks it. So files
go through here in pieces, to the service's own door, and not through Gradio's upload, which asks nobody for a key.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from urllib.parse import quote

import gradio as gr
import httpx
from fastapi import FastAPI, Request
from starlette.background import BackgroundTask
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from app.client import Service
from app.panels.base import scripted
from app.panels.header import Header
from app.panels.strip import Strip

_MOST_ORDER_BYTES = 1_000_000  # of JSON; a mapping of many columns
_SENT_ON = ("authorization", "content-type", "content-length")
_SENT_BACK = ("content-type", "content-length", "content-disposition", "cache-control", "retry-after")


def owner_page() -> gr.Blocks:
    """The Gradio page. Its script talks to the routes below: nothing of it runs in Gradio's queue."""
    with gr.Blocks(title="Daogou · 导购", analytics_enabled=False, fill_width=True) as blocks:
        Header(chat=False).declare()
        Strip().declare()
        scripted("owner")
    blocks._queue.sleep_when_free = 1
    blocks._queue.progress_update_sleep_when_free = 1
    return blocks


def add_routes(app: FastAPI, service: Service) -> None:
    """What the owner may ask of the service, by way of the page's port."""

    @app.get("/owner")
    async def without_slash() -> Response:
        return RedirectResponse("/owner/", 307)

    @app.get("/owner/feeds")
    async def feeds(request: Request) -> Response:
        return await _passed_on(service, request, "/v1/catalogue/feeds")

    @app.api_route("/owner/feeds/{name}", methods=["GET", "PUT"])
    async def feed(name: str, request: Request) -> Response:
        return await _passed_on(service, request, f"/v1/catalogue/feeds/{quote(name, safe='')}")

    @app.post("/owner/report")
    async def report(request: Request) -> Response:
        return await _passed_on(service, request, "/v1/catalogue/report")

    @app.post("/owner/load")
    async def load(request: Request) -> Response:
        return await _passed_on(service, request, "/v1/catalogue")


async def _passed_on(service: Service, request: Request, path: str) -> Response:
    """The service's answer, whatever it is; 502 where there is none."""
    headers = {name: request.headers[name] for name in _SENT_ON if name in request.headers}
    body: bytes | AsyncIterator[bytes] | None = None
    if request.method == "PUT":
        body = request.stream()
    elif request.method == "POST":
        length = request.headers.get("content-length", "")
        if not length.isdigit() or int(length) > _MOST_ORDER_BYTES:
            return _error(413, "body_too_large")
        body = await request.body()
    asking = asyncio.create_task(service.pass_on(request.method, path, headers, body))
    if request.method == "POST" and not await _waited(request, asking):
        return _error(499, "left")
    try:
        answer = await asking
    except httpx.TransportError:
        return _error(502, "unreachable")
    kept = {name: answer.headers[name] for name in _SENT_BACK if name in answer.headers}
    return StreamingResponse(answer.aiter_raw(), answer.status_code, kept, background=BackgroundTask(answer.aclose))


async def _waited(request: Request, asking: asyncio.Task[httpx.Response]) -> bool:
    """Whether there is an answer; who has gone away needs none, and the service hears of it."""
    gone = asyncio.create_task(_gone(request))
    try:
        await asyncio.wait([asking, gone], return_when=asyncio.FIRST_COMPLETED)
        return asking.done()
    finally:
        gone.cancel()
        if not asking.done():
            asking.cancel()


async def _gone(request: Request) -> None:
    await request.receive()


def _error(status: int, code: str) -> JSONResponse:
    return JSONResponse({"error": {"code": code, "message": code}}, status)
