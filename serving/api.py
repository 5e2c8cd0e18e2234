"""The gateway's HTTP door: OpenAI-compatible chat, search, state of the service. Runs as a Serve replica's ASGI app."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import AsyncGenerator
from dataclasses import asdict
from typing import Any, Literal, Protocol

import msgspec
import structlog
from fastapi import FastAPI
from fastapi.responses import JSONResponse, Response, StreamingResponse
from fastapi_offline import FastAPIOffline
from pydantic import BaseModel, ConfigDict, Field
from starlette.types import ASGIApp, Receive, Scope, Send

from retrieval.understand.turn import understand
from serving import catalogue_api, errors, feeds_api, metrics, openai_schema, wording
from serving.admission import Admission, OverloadedError
from serving.errors import ApiError
from serving.events import Event, ShelfItem, Turn
from serving.openai_schema import MODEL, ChatRequest
from serving.pipeline import answer
from serving.settings import Settings
from serving.stages.base import Part, StageError, Stages, TurnQuery

_MOST_NAME_BYTES = 255  # of a file
_MOST_BODY_BYTES = 1_000_000
_STREAM_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}

log = structlog.get_logger()


class Backend(Stages, catalogue_api.Owner, Protocol):
    """What the gateway needs: the stages of a turn, and the catalogue's owner side."""

    async def examples(self, lang: str) -> list[str]:
        """Questions that the loaded catalogue can answer; empty while it is not loaded."""
        ...


class SearchRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    query: openai_schema.Words = Field(min_length=1, max_length=2000)
    limit: int = Field(default=10, ge=1, le=100)
    lang: Literal["en", "zh"] | None = None


def build_app(backend: Backend, settings: Settings) -> FastAPI:
    """The ASGI application over `backend`."""
    app = FastAPIOffline(
        title="Daogou",
        version="0.1.0",
        summary="A shopping assistant over the shop's own catalogue, OpenAI-compatible.",
    )
    errors.install(app)
    app.add_middleware(BodyLimit)
    _chat_routes(app, backend, settings)
    _search_routes(app, backend, settings)
    catalogue_api.add_routes(app, backend, settings)
    feeds_api.install(app, settings)
    _state_routes(app, backend)
    return app


class BodyLimit:
    """Nobody sends a megabyte to a chat. A plain ASGI class, so that answers stream through it unbuffered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope.get("headers") or [])
        length = headers.get(b"content-length", b"0")
        feed = scope.get("method") == "PUT" and scope["path"].startswith(
            f"{feeds_api.ROUTE}/"
        )  # has a limit of its own
        if scope["type"] == "http" and length.isdigit() and int(length) > _MOST_BODY_BYTES and not feed:
            message = f"The request body has {int(length):,} bytes; at most {_MOST_BODY_BYTES:,} are read. Send less."
            await JSONResponse(errors.body(413, "body_too_large", message), 413)(scope, receive, send)
            return
        if headers.get(b"transfer-encoding"):
            message = "Send the request body with a Content-Length, not in chunks."
            await JSONResponse(errors.body(411, "length_required", message), 411)(scope, receive, send)
            return
        await self._app(scope, receive, send)


class _TurnResponse(StreamingResponse):
    """A stream that holds its turn's place until it ends, however it ends."""

    def __init__(self, content: AsyncGenerator[bytes], place: contextlib.AsyncExitStack) -> None:
        super().__init__(content, media_type="text/event-stream", headers=_STREAM_HEADERS)
        self._place = place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._place:
            await super().__call__(scope, receive, send)


def _chat_routes(app: FastAPI, backend: Backend, settings: Settings) -> None:
    profile = settings.models
    admission = Admission(profile.max_ongoing, profile.max_queued)

    async def events(turn: Turn) -> AsyncGenerator[Event]:
        with metrics.TurnMeter() as meter:
            async with contextlib.aclosing(answer(turn, backend, profile)) as turn_events:
                async for event in turn_events:
                    meter.saw(event)
                    yield event

    async def stream(turn: Turn) -> AsyncGenerator[bytes]:
        async with contextlib.aclosing(events(turn)) as turn_events:
            first = True
            async for event in turn_events:
                piece = openai_schema.chunk(turn.request_id, event, first=first)
                first = False
                yield b"data: " + msgspec.json.encode(piece) + b"\n\n"
            yield b"data: [DONE]\n\n"

    @app.post("/v1/chat/completions", response_model=None)
    async def chat_completions(request: ChatRequest) -> Response | dict[str, Any]:
        """One turn of the conversation. With `stream`, server-sent events; each chunk carries `daogou.event`."""
        if request.model != MODEL:
            raise ApiError(
                404, "model_not_found", f"There is no model {request.model!r} here; use {MODEL!r}.", param="model"
            )
        turn = request.turn(f"chatcmpl-{uuid.uuid4().hex}", profile.max_turns)
        _check_messages(turn, profile.max_message_chars)
        await _check_ready(backend)
        place = contextlib.AsyncExitStack()
        try:
            await place.enter_async_context(admission.turn())
        except OverloadedError as error:
            raise ApiError(503, "overloaded", f"Too many shoppers ask at once: {error}.", retry_after=5) from error
        if request.stream:
            return _TurnResponse(stream(turn), place)
        async with place:
            seen = [event async for event in events(turn)]
        failed = next((event for event in seen if event.type == "error"), None)
        if failed is not None:
            raise ApiError(503, failed.code, failed.message, retry_after=2)
        return openai_schema.completion(turn.request_id, seen)

    @app.get("/v1/models")
    async def models() -> dict[str, Any]:
        """The one model, in OpenAI's form."""
        return {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "daogou"}]}


def _check_messages(turn: Turn, most_chars: int) -> None:
    if turn.messages[-1].role != "user":
        raise ApiError(400, "no_question", "The last message must be the shopper's (role 'user').", param="messages")
    for position, message in enumerate(turn.messages):
        where = f"messages[{position}].content"
        if message.role == "user" and not message.content.strip():
            raise ApiError(400, "empty_message", f"{where} is empty; write what you are looking for.", param=where)
        if len(message.content) > most_chars:
            raise ApiError(
                400,
                "message_too_long",
                f"{where} has {len(message.content):,} characters; at most {most_chars:,} are read. Shorten it.",
                param=where,
            )


async def _check_ready(backend: Backend) -> None:
    """Without encoders there is no answer; the engine may be missing, and the catalogue may still be loading."""
    parts = {part.name: part for part in await backend.status()}
    encoders = parts.get("encoders")
    if encoders is None or encoders.state != "ready":
        state = f"{encoders.state}: {encoders.detail}" if encoders else "not started"
        raise ApiError(503, "not_ready", f"{wording.say('starting', 'en')} (encoders {state})", retry_after=3)


def _search_routes(app: FastAPI, backend: Backend, settings: Settings) -> None:
    @app.post("/v1/search", response_model=None)
    async def search(request: SearchRequest) -> dict[str, Any]:
        """Products for a query, without an answer in words."""
        await _check_ready(backend)
        understood = understand([request.query], request.lang)
        query = TurnQuery(
            text=understood.query,
            lang=understood.lang,
            filter=understood.filter,
            limit=request.limit,
            candidates=max(settings.models.candidates, request.limit),
        )
        try:
            (retrieved,) = await backend.retrieve([query])
        except StageError as error:
            log.error("search failed", error=str(error))
            raise ApiError(503, "retrieval_failed", wording.say("stage_failed", "en"), retry_after=2) from error
        if not retrieved.verdict.allowed:
            raise ApiError(400, "refused", wording.say("refused", understood.lang), param="query")
        items = [
            ShelfItem(number=number, product=hit.product, score=hit.score).model_dump(mode="json")
            for number, hit in enumerate(retrieved.hits, start=1)
        ]
        times = {step.name: round(step.ms, 2) for step in retrieved.times}
        return {"object": "list", "lang": understood.lang, "data": items, "ms": times}

    @app.get("/v1/examples")
    async def examples(lang: Literal["en", "zh"] = "en") -> dict[str, list[str]]:
        """Questions that the loaded catalogue can answer."""
        try:
            return {"questions": await backend.examples(lang)}
        except StageError as error:
            log.warning("no examples", error=str(error))
            return {"questions": []}


def _state_routes(app: FastAPI, backend: Backend) -> None:
    @app.get("/healthz")
    async def healthz() -> dict[str, str]:
        """Alive."""
        return {"status": "ok"}

    @app.get("/readyz", response_model=None)
    async def readyz() -> Response:
        """Ready once encoders are warm and the catalogue is loaded; `parts` tells what is missing and why."""
        parts = await backend.status()
        ready = _is_ready(parts)
        count = next((part.facts.get("count", 0) for part in parts if part.name == "catalogue"), 0)
        content = {"ready": ready, "parts": [asdict(part) for part in parts], "catalogue": {"count": count}}
        return JSONResponse(content, 200 if ready else 503)

    @app.get("/v1/where")
    async def where() -> dict[str, Any]:
        """Where each part runs: host, group, bundle, processes with cores and memory, card."""
        return {part.name: {"state": part.state, **part.facts} for part in await backend.where()}

    @app.get("/metrics", include_in_schema=False)
    async def prometheus() -> Response:
        return Response(metrics.exposition(), media_type="text/plain; version=0.0.4")


def _is_ready(parts: list[Part]) -> bool:
    """Ready to answer: the catalogue before goes on while a new one loads, and without an engine the records answer."""
    by_name = {part.name: part for part in parts}
    encoders, catalogue, llm = (by_name.get(name) for name in ("encoders", "catalogue", "llm"))
    return (
        encoders is not None
        and encoders.state == "ready"
        and catalogue is not None
        and (catalogue.state == "ready" or catalogue.facts.get("count", 0) > 0)
        and llm is not None
        and llm.state in ("ready", "failed", "restarting")
    )
