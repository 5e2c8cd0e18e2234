"""The main model at an OpenAI-compatible address, for people who already run one; used like `VllmEngine`."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from typing import Any

import httpx
from httpx_sse import EventSource, SSEError
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from serving.stages.base import ChatPrompt, SamplingParams, StageError

_TIMEOUT = httpx.Timeout(60, connect=5)
_CONNECT_ATTEMPTS = 3


class RemoteLlm:
    """`url` up to and with `/v1`; `model` None: the first one that the server lists."""

    def __init__(self, url: str, key: str | None, model: str | None) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._url = url.rstrip("/")
        self._model = model
        self._client = httpx.AsyncClient(headers=headers, timeout=_TIMEOUT)
        self._running = 0
        self._started = False

    async def start(self) -> None:
        """Ask the server for its models. Raises StageError("llm", …) where it cannot be reached or lacks the model."""
        try:
            reply = await self._client.get(f"{self._url}/models")
        except httpx.HTTPError as error:
            raise StageError("llm", f"{self._url} cannot be reached: {_words(error)}; check DAOGOU_LLM_URL") from error
        if reply.is_error:
            raise StageError("llm", f"{self._url}/models: {_refusal(reply)}; check DAOGOU_LLM_URL and DAOGOU_LLM_KEY")
        names = _model_names(reply)
        if self._model is None and not names:
            raise StageError("llm", f"{self._url}/models lists no model; name one in DAOGOU_LLM_MODEL")
        if names and self._model is not None and self._model not in names:
            raise StageError("llm", f"{self._url} has no model {self._model!r}, only {', '.join(names[:10])}")
        self._model = self._model or names[0]
        self._started = True

    async def stop(self) -> None:
        self._started = False
        await self._client.aclose()

    @property
    def alive(self) -> bool:
        """True from `start` to `stop`: a server that is away shows in `generate`, and may be back for the next turn."""
        return self._started

    async def unfinished(self) -> int:
        """Streams that are open now."""
        return self._running

    async def generate(self, prompt: ChatPrompt, params: SamplingParams, request_id: str) -> AsyncGenerator[str]:
        """Pieces of text as the server sends them; closing the generator closes the stream.

        Raises StageError("llm", …), also in the middle. Only the connection is tried again, never a generation.
        """
        self._running += 1
        try:
            async with AsyncExitStack() as stack:
                reply = await self._open(stack, self._body(prompt, params), request_id)
                async for event in EventSource(reply).aiter_sse():
                    if event.data == "[DONE]":
                        return
                    if text := _delta(event.json()):
                        yield text
                raise StageError("llm", f"{self._url} ended its stream without [DONE]")
        except (httpx.HTTPError, SSEError, ValueError) as error:
            raise StageError("llm", f"{self._url}: {_words(error)}") from error
        finally:
            self._running -= 1

    async def _open(self, stack: AsyncExitStack, body: dict[str, Any], request_id: str) -> httpx.Response:
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(httpx.ConnectError),
            stop=stop_after_attempt(_CONNECT_ATTEMPTS),
            wait=wait_exponential(0.1, max=1),
            reraise=True,
        )
        async for attempt in retrying:
            with attempt:
                stream = self._client.stream(
                    "POST", f"{self._url}/chat/completions", json=body, headers={"X-Request-Id": request_id}
                )
                reply = await stack.enter_async_context(stream)
        if reply.is_error:
            await reply.aread()
            raise StageError("llm", f"{self._url}: {_refusal(reply)}")
        return reply

    def _body(self, prompt: ChatPrompt, params: SamplingParams) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": role, "content": content} for role, content in prompt.messages],
            "stream": True,
            "max_tokens": params.max_tokens,
            "temperature": params.temperature,
        }
        if params.stop:
            body["stop"] = list(params.stop)
        if params.seed is not None:
            body["seed"] = params.seed
        return body


def _model_names(reply: httpx.Response) -> list[str]:
    try:
        return [str(model["id"]) for model in reply.json()["data"]]
    except (ValueError, KeyError, TypeError) as error:
        raise StageError("llm", f"{reply.url} does not answer like an OpenAI-compatible server: {error}") from error


def _delta(chunk: Any) -> str:
    """The new text of one chunk. Raises StageError where the server reports an error in its stream."""
    if isinstance(chunk, dict) and chunk.get("error"):
        raise StageError("llm", f"the server broke off: {chunk['error']}")
    try:
        choices = chunk["choices"]
        return str(choices[0]["delta"].get("content") or "") if choices else ""
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError(f"a chunk of an unknown form ({error})") from error


def _refusal(reply: httpx.Response) -> str:
    """Status and the server's own words."""
    try:
        message = reply.json()["error"]["message"]
    except (ValueError, KeyError, TypeError):
        message = reply.text[:200]
    return f"HTTP {reply.status_code}: {message}"


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__
