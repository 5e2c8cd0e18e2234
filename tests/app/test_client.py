"""The page's reading of the service, over real HTTP: whole streams, broken ones, refusals, nobody there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

import pytest

from app import events
from app.client import Service, ServiceError

Serve = Callable[[str], Awaitable[Service]]


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """`await serve(answer)`: a service that answers every request with these bytes, then closes the connection."""
    running: list[tuple[asyncio.Server, Service]] = []

    async def start(answer: str) -> Service:
        async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer.encode())
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(reply, "127.0.0.1", 0)
        service = Service(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        running.append((server, service))
        return service

    yield start
    for server, service in running:
        await service.aclose()
        server.close()


def stream(*lines: str) -> str:
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    return head + "".join(f"data: {line}\n\n" for line in lines)


def chunk(event: dict[str, Any]) -> str:
    return json.dumps({"id": "c", "choices": [{"index": 0, "delta": {}}], "daogou": {"event": event}})


def refusal(status: str, body: str, *headers: str) -> str:
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "Connection: close", "", body])


async def ask(service: Service) -> list[events.Event]:
    async with aclosing(service.answer([{"role": "user", "content": "bags"}], None)) as found:
        return [event async for event in found]


async def failure(service: Service) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        await ask(service)
    return caught.value


TEXT = chunk({"type": "text", "text": "One.", "source": "model"})


async def test_a_whole_stream(serve: Serve) -> None:
    understood = chunk({"type": "understood", "lang": "en", "query": "bags", "chips": []})
    service = await serve(stream(understood, TEXT, chunk({"type": "done", "state": {}}), "[DONE]"))
    assert [event.type for event in await ask(service)] == ["understood", "text", "done"]


async def test_what_the_page_does_not_know_is_passed_over(serve: Serve) -> None:
    later = chunk({"type": "picture", "of": "later versions"})
    bare = json.dumps({"choices": [{"delta": {"content": "x"}}]})
    extended = chunk({"type": "text", "text": "One.", "source": "model", "new": 1})
    assert len(await ask(await serve(stream(later, bare, '{"daogou": null}', "[]", extended, "[DONE]")))) == 1


async def test_nobody_there() -> None:
    service = Service("http://127.0.0.1:1")
    error = await failure(service)
    assert error.code == "unreachable"
    assert error.retry_after is not None
    assert "127.0.0.1:1" in str(error)
    assert (await service.health()).reachable is False
    assert await service.examples("en") == []
    assert await service.picture("a.webp") is None
    await service.aclose()


async def test_a_stream_without_an_end_is_told(serve: Serve) -> None:
    assert (await failure(await serve(stream(TEXT)))).code == "interrupted"


async def test_a_connection_that_breaks_is_told(serve: Serve) -> None:
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9999\r\n\r\n"
    assert (await failure(await serve(head + f"data: {TEXT}\n\n"))).code == "interrupted"


@pytest.mark.parametrize(
    "answer",
    [
        stream("{no json"),
        stream(chunk({"type": "shelf", "items": [{"number": "many"}]})),
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>",
    ],
)
async def test_an_answer_that_is_none_is_told_and_not_asked_for_again(serve: Serve, answer: str) -> None:
    error = await failure(await serve(answer))
    assert error.code == "bad_answer"
    assert error.retry_after is None


async def test_the_services_own_code_is_kept(serve: Serve) -> None:
    body = json.dumps({"error": {"message": "too long", "type": "invalid_request_error", "code": "message_too_long"}})
    error = await failure(await serve(refusal("400 Bad Request", body)))
    assert (error.code, str(error), error.retry_after) == ("message_too_long", "too long", None)


async def test_come_back_later(serve: Serve) -> None:
    body = json.dumps({"error": {"message": "full", "type": "server_error", "code": "overloaded"}})
    error = await failure(await serve(refusal("503 Service Unavailable", body, "Retry-After: 5")))
    assert (error.code, error.retry_after) == ("overloaded", 5.0)


@pytest.mark.parametrize("body", ["<html>proxy</html>", '{"error": "text"}', "[]", ""])
async def test_a_strangers_error_has_the_status_as_its_code(serve: Serve, body: str) -> None:
    assert (await failure(await serve(refusal("502 Bad Gateway", body)))).code == "http_502"


async def test_health_is_read_from_a_503_too(serve: Serve) -> None:
    part = {"name": "encoders", "state": "failed", "detail": "no weights", "done": 0, "total": 0, "facts": {}}
    body = json.dumps({"ready": False, "parts": [part], "catalogue": {"count": 0}})
    health = await (await serve(refusal("503 Service Unavailable", body))).health()
    assert (health.reachable, health.ready, health.failed("encoders"), health.failed("llm")) == (
        True,
        False,
        True,
        False,
    )


async def test_only_pictures_are_taken_for_pictures(serve: Serve) -> None:
    page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\n<b>"
    assert await (await serve(page)).picture("a.webp") is None
    picture = "HTTP/1.1 200 OK\r\nContent-Type: image/webp\r\nContent-Length: 3\r\n\r\nabc"
    assert await (await serve(picture)).picture("a.webp") == (b"abc", "image/webp")
