"""The one vocabulary between pipeline, API and page: typed events, and the state that travels with the client."""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, computed_field

from retrieval.product import Lang, Product


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class Chip(_Part):
    """One piece of understanding, as the shopper sees it. `label` is in the shopper's language."""

    kind: str  # "price_max", "brand_not", "color", …: the keys of `serving/wording.py`
    value: str | Annotated[float, Field(allow_inf_nan=False)] | bool
    label: str
    hard: bool = True


class TurnState(_Part):
    """What a turn must know of the ones before; the server keeps none of it and believes none of it about a product."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    version: Literal[1] = 1
    shelf: tuple[Annotated[str, Field(max_length=200)], ...] = Field(default=(), max_length=24)
    chips: tuple[Chip, ...] = Field(default=(), max_length=24)


def picture_name(image: str) -> str:
    """The file name under which the picture that a product's `image` names is kept."""
    return f"{sha256(image.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.webp"


class ShelfItem(_Part):
    number: int  # 1-based; ① in texts
    product: Product
    score: float

    @computed_field  # type: ignore[prop-decorator]
    @property
    def picture(self) -> str | None:
        """Its name under /v1/catalogue/pictures, where it was kept."""
        return picture_name(self.product.image) if self.product.image else None


class Stage(_Part):
    """One step of the turn. Times in ms since the turn began.

    What it was given, in bytes: handed over as it is, or copied from one process into another.
    """

    name: str
    start: float
    ms: float
    bytes_handed_over: int = 0
    bytes_copied: int = 0
    where: str = ""


class Understood(_Part):
    type: Literal["understood"] = "understood"
    lang: Lang
    query: str
    chips: tuple[Chip, ...] = ()


class Shelf(_Part):
    type: Literal["shelf"] = "shelf"
    items: tuple[ShelfItem, ...]


class Text(_Part):
    """A piece of the answer. `source` says who wrote it: the model, or a template filled from the records."""

    type: Literal["text"] = "text"
    text: str
    source: Literal["model", "records"] = "model"


class Notice(_Part):
    """Something the shopper should know; the answer goes on. `code` is stable, `message` in the shopper's language."""

    type: Literal["notice"] = "notice"
    code: str
    message: str


class Refusal(_Part):
    """The guard's answer instead of a shelf."""

    type: Literal["refusal"] = "refusal"
    category: str
    message: str


class Trace(_Part):
    """Where the time went. `together`: turns whose products were looked for in the same pass as this one's."""

    type: Literal["trace"] = "trace"
    request_id: str
    stages: tuple[Stage, ...]
    first_text_ms: float | None = None
    total_ms: float
    together: int = 1


class Done(_Part):
    type: Literal["done"] = "done"
    state: TurnState
    follow_ups: tuple[str, ...] = ()


class Error(_Part):
    """The turn ends here. `code` is stable."""

    type: Literal["error"] = "error"
    code: str
    message: str


Event = Annotated[
    Understood | Shelf | Text | Notice | Refusal | Trace | Done | Error,
    Field(discriminator="type"),
]


class Message(_Part):
    """One message of the conversation as a client sends it. Assistant and system texts of a client are untrusted."""

    role: Literal["system", "user", "assistant"]
    content: str


class Turn(_Part):
    """What one answer is made from."""

    messages: tuple[Message, ...] = Field(min_length=1)
    state: TurnState = TurnState()
    lang: Lang | None = None  # None: from the message
    limit: int | None = Field(default=None, ge=1, le=24)
    max_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    request_id: str


class Verdict(_Part):
    """What the guard says of a text."""

    allowed: bool
    category: str = ""  # "" when allowed
    reason: str = ""  # the rule or label that decided, for logs
