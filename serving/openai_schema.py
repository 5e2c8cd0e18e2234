"""Requests and answers in OpenAI's chat form, with our own fields under the one key `daogou`."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from serving.events import (
    Done,
    Event,
    Message,
    Notice,
    Refusal,
    Shelf,
    Text,
    Trace,
    Turn,
    TurnState,
    Understood,
)

MODEL = "daogou"
_MOST_MESSAGES = 1_000
_MOST_PARTS = 100


def _whole(text: str) -> str:
    """Halves of a UTF-16 pair, which JSON can carry and no encoding can, become the sign for what is unreadable."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


Words = Annotated[str, AfterValidator(_whole)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="ignore")  # clients send many fields of OpenAI's that do not concern us


class Extra(_Request):
    """Our own fields of a request."""

    state: TurnState | None = None  # from the answer before
    lang: Literal["en", "zh"] | None = None
    limit: int | None = Field(default=None, ge=1, le=24, description="products on the shelf")


class ContentPart(_Request):
    type: Literal["text"]
    text: Words


class ChatMessage(_Request):
    role: Literal["system", "developer", "user", "assistant"]
    content: Words | Annotated[list[ContentPart], Field(max_length=_MOST_PARTS, fail_fast=True)]

    def plain(self) -> Message:
        text = self.content if isinstance(self.content, str) else "\n".join(part.text for part in self.content)
        return Message(role="system" if self.role == "developer" else self.role, content=text)


class ChatRequest(_Request):
    model: str
    # One fault is enough to know: a megabyte of them would take the gateway seconds to list.
    messages: list[ChatMessage] = Field(min_length=1, max_length=_MOST_MESSAGES, fail_fast=True)
    stream: bool | None = False
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    n: Literal[1] | None = 1
    daogou: Extra | None = None

    def turn(self, request_id: str, most_messages: int) -> Turn:
        """The newest `most_messages` messages as a turn."""
        extra = self.daogou or Extra()
        return Turn(
            messages=tuple(message.plain() for message in self.messages[-most_messages:]),
            state=extra.state or TurnState(),
            lang=extra.lang,
            limit=extra.limit,
            max_tokens=self.max_completion_tokens or self.max_tokens,
            temperature=self.temperature,
            request_id=request_id,
        )


def visible_text(event: Event) -> str:
    """What of an event belongs into the answer's text."""
    match event:
        case Text():
            return event.text
        case Refusal():
            return event.message
        case _:
            return ""


def chunk(request_id: str, event: Event, *, first: bool) -> dict[str, Any]:
    """One streamed piece: the event under `daogou.event`, its text as OpenAI's delta."""
    delta: dict[str, str] = {"role": "assistant"} if first else {}
    if text := visible_text(event):
        delta["content"] = text
    finish = "stop" if isinstance(event, Done) else None
    return {
        "id": request_id,
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": MODEL,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        "daogou": {"event": event.model_dump(mode="json")},
    }


def completion(request_id: str, events: Iterable[Event]) -> dict[str, Any]:
    """A whole answer. `daogou` holds understanding, shelf, notices, refusal, trace, state and follow-ups."""
    content = ""
    extra: dict[str, Any] = {"notices": []}
    for event in events:
        content += visible_text(event)
        match event:
            case Understood():
                extra["understanding"] = event.model_dump(mode="json", exclude={"type"})
            case Shelf():
                extra["shelf"] = event.model_dump(mode="json")["items"]
            case Notice():
                extra["notices"].append(event.model_dump(mode="json", exclude={"type"}))
            case Refusal():
                extra["refusal"] = event.model_dump(mode="json", exclude={"type"})
            case Trace():
                extra["trace"] = event.model_dump(mode="json", exclude={"type"})
            case Done():
                extra["state"] = event.state.model_dump(mode="json")
                extra["follow_ups"] = list(event.follow_ups)
            case _:
                pass
    return {
        "id": request_id,
        "object": "chat.completion",
        "created": int(time.time()),
        "model": MODEL,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, "refusal": None},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "daogou": extra,
    }
