"""The service, over HTTP: one turn as a stream of events, its state, example questions, pictures."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from typing import Any

import httpx
from httpx_sse import SSEError, aconnect_sse
from pydantic import ValidationError

from app.events import BadAnswerError, Event, Health, parse

Picture = tuple[bytes, str]  # content and media type

_PICTURE_TYPES = frozenset({"image/webp", "image/png", "image/jpeg"})
_MOST_PICTURE_BYTES = 2_000_000
_HEALTH_SECONDS = 1.0  # one question to the service per second, however many pages ask


class ServiceError(RuntimeError):
    """A turn could not go on. `code` is stable: the service's own, or "unreachable", "interrupted", "bad_answer"."""

    def __init__(self, code: str, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.retry_after = retry_after  # seconds; None: trying again does not help


class Service:
    """The service at `url`. Used from one event loop."""

    def __init__(self, url: str) -> None:
        self.url = url
        # Shoppers wait for models, so reading may take long; the proxy variables of the shell are for other hosts.
        self._http = httpx.AsyncClient(
            base_url=url,
            trust_env=False,
            timeout=httpx.Timeout(10, connect=3, read=180),
            limits=httpx.Limits(max_connections=1024, max_keepalive_connections=32),
        )
        self._health = Health(reachable=False)
        self._health_at = float("-inf")

    async def answer(
        self, messages: Sequence[Mapping[str, str]], state: Mapping[str, Any] | None
    ) -> AsyncGenerator[Event]:
        """One turn. Closing the generator closes the stream, and the service stops writing.

        Raises ServiceError; "unreachable" and the service's refusals come before the first event.
        """
        body = {"model": "daogou", "stream": True, "messages": list(messages), "daogou": {"state": state, "lang": None}}
        began = False
        try:
            async with aconnect_sse(self._http, "POST", "/v1/chat/completions", json=body) as source:
                if source.response.status_code != httpx.codes.OK:
                    await source.response.aread()
                    raise _refused(source.response)
                async for line in source.aiter_sse():
                    if line.data == "[DONE]":
                        return
                    began = True
                    event = parse(line.data)
                    if event is not None:
                        yield event
            raise ServiceError("interrupted", "The stream ended before its end was said.", retry_after=2)
        except (SSEError, BadAnswerError) as error:  # an SSEError is a TransportError too
            raise ServiceError("bad_answer", f"{self.url}: {error}") from error
        except httpx.TransportError as error:
            code = "interrupted" if began else "unreachable"
            raise ServiceError(code, f"{self.url}: {error or type(error).__name__}", retry_after=2) from error

    async def health(self) -> Health:
        """What the service says of itself, at most a second old."""
        if time.monotonic() - self._health_at >= _HEALTH_SECONDS:
            self._health_at = time.monotonic()
            self._health = await self._ask_health()
        return self._health

    async def _ask_health(self) -> Health:
        try:
            response = await self._http.get("/readyz", timeout=5)
            return Health.model_validate_json(response.content)
        except (httpx.TransportError, ValidationError):
            return Health(reachable=False)

    async def examples(self, lang: str) -> list[str]:
        """Questions that the loaded catalogue can answer; empty where the service does not say."""
        try:
            response = await self._http.get("/v1/examples", params={"lang": lang}, timeout=5)
            questions = response.raise_for_status().json()["questions"]
        except (httpx.HTTPError, ValueError, KeyError, TypeError):
            return []
        return [question for question in questions if isinstance(question, str)][:4]

    async def picture(self, name: str) -> Picture | None:
        """Content and media type, or None where there is no such picture."""
        try:
            response = await self._http.get(f"/v1/catalogue/pictures/{name}", timeout=10)
        except httpx.TransportError:
            return None
        kind = response.headers.get("content-type", "").partition(";")[0]
        if response.status_code != httpx.codes.OK or kind not in _PICTURE_TYPES:
            return None
        return (response.content, kind) if len(response.content) <= _MOST_PICTURE_BYTES else None

    async def pass_on(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | AsyncIterator[bytes] | None
    ) -> httpx.Response:
        """The answer to a request of the owner's, still to be read and closed. Raises httpx.TransportError."""
        patient = httpx.Timeout(60, connect=3, read=None)  # a large feed is read through before there is a report
        request = self._http.build_request(method, path, headers=headers, content=body, timeout=patient)
        return await self._http.send(request, stream=True)

    async def aclose(self) -> None:
        await self._http.aclose()


def _refused(response: httpx.Response) -> ServiceError:
    """The error of a response that is no stream: the service's code where it gave one."""
    code, message = f"http_{response.status_code}", response.reason_phrase
    with contextlib.suppress(ValueError, KeyError, TypeError):
        error = response.json()["error"]
        code, message = str(error["code"] or code), str(error["message"])
    retry_after: float | None = None
    if response.status_code in (429, 502, 503, 504):
        stated = response.headers.get("retry-after", "")
        retry_after = min(float(stated), 30.0) if stated.isdigit() else 2.0
    return ServiceError(code, message, retry_after=retry_after)
