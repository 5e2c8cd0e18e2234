"""The record: a product as a shop sells it, in the languages the shop wrote it in."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Lang = str  # "en", "zh": the primary subtag of BCP 47
Localized = dict[Lang, str]  # language → text, at least one entry

_FALLBACK = ("en", "zh")


def in_language(text: Localized, lang: Lang) -> str:
    """The text in `lang`, else in English, Chinese or whatever there is; "" if there is none."""
    if found := text.get(lang):
        return found
    return next((text[other] for other in _FALLBACK if text.get(other)), next(iter(text.values()), ""))


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Money(_Record):
    """An exact amount in the currency's main unit, e.g. 24.90 USD."""

    amount: Decimal = Field(ge=0, max_digits=14, decimal_places=4)
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]  # ISO 4217


class Variant(_Record):
    """One buyable form of a product: a size, a colour."""

    sku: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    options: dict[str, str] = Field(default_factory=dict)  # {"size": "42", "colour": "navy"}
    price: Money | None = None  # None: the product's price
    stock: int | None = None  # None: the shop does not say


class Product(_Record):
    """A product of the catalogue.

    `id` is the shop's own (SKU or handle), unique in the catalogue. `stock` sums over the variants where they
    state theirs; None means that the shop does not say, and counts as available. `attributes` maps an attribute's
    English key to its value by language. `image` is a file name inside the catalogue's picture folder or an
    https address.
    """

    id: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    title: Localized = Field(min_length=1)
    description: Localized = Field(default_factory=dict)
    category: Localized = Field(default_factory=dict)
    brand: str = ""
    price: Money | None = None
    stock: int | None = None
    rating: float | None = Field(default=None, ge=0, le=5)
    rating_count: int = Field(default=0, ge=0)
    attributes: dict[str, Localized] = Field(default_factory=dict)
    variants: tuple[Variant, ...] = ()
    image: str | None = None
    url: str | None = None

    @property
    def in_stock(self) -> bool:
        return self.stock is None or self.stock > 0
