"""What the service sends, as the page reads it: the fields it draws; unknown kinds of event are passed over."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError


class BadAnswerError(ValueError):
    """The service sent something that is no event."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Money(_Part):
    amount: Decimal
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]


class Product(_Part):
    id: str
    title: dict[str, str]
    category: dict[str, str] = {}
    brand: str = ""
    price: Money | None = None
    stock: int | None = None
    rating: float | None = None
    rating_count: int = 0
    image: str | None = None
    url: str | None = None


class ShelfItem(_Part):
    number: int
    product: Product
    picture: str | None = None  # its name, where the service kept it


class Stage(_Part):
    """One step of the turn; `start` and `ms` in milliseconds since the turn began."""

    name: str
    start: float
    ms: float


class Chip(_Part):
    label: str


class Understood(_Part):
    type: Literal["understood"]
    lang: str
    chips: tuple[Chip, ...] = ()


class Shelf(_Part):
    type: Literal["shelf"]
    items: tuple[ShelfItem, ...]


class Text(_Part):
    type: Literal["text"]
    text: str


class Notice(_Part):
    type: Literal["notice"]
    code: str
    message: str


class Refusal(_Part):
    type: Literal["refusal"]
    message: str


class Trace(_Part):
    type: Literal["trace"]
    stages: tuple[Stage, ...]
    total_ms: float
    first_text_ms: float | None = None


class Done(_Part):
    type: Literal["done"]
    state: dict[str, Any]
    follow_ups: tuple[str, ...] = ()


class Error(_Part):
    type: Literal["error"]
    code: str
    message: str


Event = Understood | Shelf | Text | Notice | Refusal | Trace | Done | Error

_KNOWN = frozenset({"understood", "shelf", "text", "notice", "refusal", "trace", "done", "error"})
_ADAPTER: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="type")])


def parse(data: str) -> Event | None:
    """The event of one `data:` line of the stream, or None where it carries none. Raises BadAnswerError."""
    try:
        chunk = json.loads(data)
    except json.JSONDecodeError as error:
        raise BadAnswerError(f"not JSON: {data[:80]!r}") from error
    extra = chunk.get("daogou") if isinstance(chunk, dict) else None
    event = extra.get("event") if isinstance(extra, dict) else None
    if not isinstance(event, dict) or event.get("type") not in _KNOWN:
        return None
    try:
        return _ADAPTER.validate_python(event)
    except ValidationError as error:
        raise BadAnswerError(f"event {event['type']!r}: {error.errors()[0]['loc']}") from error


class Part(_Part):
    """One part of the service. `done` of `total` is progress, 0 of 0 where unknown."""

    name: str
    state: str = "loading"  # "loading", "ready", "failed", "restarting"
    detail: str = ""
    done: int = 0
    total: int = 0


class Health(_Part):
    """What `/readyz` says; `reachable` is False where nobody answered there."""

    ready: bool = False
    parts: tuple[Part, ...] = ()
    reachable: bool = True

    def failed(self, name: str) -> bool:
        return any(part.name == name and part.state == "failed" for part in self.parts)
