"""The store's interface. No engine's type leaves its own file."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from retrieval.encoding import EncoderId, Vectors
from retrieval.product import Product

KeywordField = Literal["id", "brand", "category", "currency"]
NumberField = Literal["price", "rating", "stock"]


class StoreError(RuntimeError):
    """The store cannot do what was asked; the message says what and how to mend it."""


@dataclass(frozen=True)
class Range:
    """A number within bounds; both ends optional, at least one given. Records without the number do not match.

    `price` is in the record's own currency: where a catalogue has several, put an `AnyOf("currency", …)` beside it.
    """

    field: NumberField
    gte: float | None = None
    lte: float | None = None

    def __post_init__(self) -> None:
        if self.gte is None and self.lte is None:
            raise ValueError(f"Range on {self.field!r} needs gte or lte")
        if any(bound is not None and math.isnan(bound) for bound in (self.gte, self.lte)):
            raise ValueError(f"Range on {self.field!r} has a bound that is not a number")


@dataclass(frozen=True)
class AnyOf:
    """A keyword equal to one of `values` (case as stored). `category` matches in any of its languages.

    An empty string is no value: it matches nothing, and a record with an empty brand has no brand.
    """

    field: KeywordField
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.values or not all(isinstance(v, str) for v in self.values):
            raise ValueError(f"AnyOf on {self.field!r} needs at least one string, got {self.values!r}")


@dataclass(frozen=True)
class InStock:
    """Available to buy (stock unknown counts as available), or not available when `value` is False."""

    value: bool = True


Condition = Range | AnyOf | InStock


@dataclass(frozen=True)
class Filter:
    """All of `must` hold and none of `must_not` does. An empty filter matches everything."""

    must: tuple[Condition, ...] = ()
    must_not: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Hit:
    product: Product
    score: float  # higher is better; cosine similarity, or BM25 where words were looked for


@dataclass(frozen=True)
class StoreInfo:
    """What an index holds. `complete` is False while a load that builds it has not finished."""

    encoder: EncoderId
    count: int
    complete: bool
    source: str = ""  # what was loaded, for people
    source_digest: str = ""  # its content, to know when nothing changed
    extra: dict[str, str] = field(default_factory=dict)


class ProductStore(Protocol):
    """Products with their vectors, for one `EncoderId`.

    Results are ordered by (-score, id), so equal scores have one order on every engine. Scores have six decimals, those
    of words four: what lies below is the engine's arithmetic and decides nothing. Methods raise `StoreError`, never an
    engine's own exception.
    """

    @property
    def encoder(self) -> EncoderId: ...

    async def upsert(self, products: Sequence[Product], vectors: Vectors) -> None:
        """Insert or replace whole records with their words; of several with one id the last stays.

        `vectors` has shape (len(products), dimension).

        Raises StoreError, with nothing written, on a wrong shape or a value that is not finite.
        """
        ...

    async def replace(self, products: Sequence[Product]) -> None:
        """Replace records that are there; their vectors and words stay. For what no model reads: price, stock.

        Raises StoreError where one of them is not there; then others may have been replaced.
        """
        ...

    async def delete(self, ids: Sequence[str]) -> None:
        """Remove by product id; ids that are not there are passed over."""
        ...

    async def query(self, vectors: Vectors, limit: int, filter: Filter | None = None) -> list[list[Hit]]:
        """Nearest products for each row of `vectors`, at most `limit` each, exact search."""
        ...

    async def query_text(self, texts: Sequence[str], limit: int, filter: Filter | None = None) -> list[list[Hit]]:
        """Products that share words with each text, at most `limit` each; none where they share no word."""
        ...

    async def get(self, ids: Sequence[str]) -> list[Product]:
        """The records that exist among `ids`, in the order asked."""
        ...

    async def count(self, filter: Filter | None = None) -> int: ...

    async def facet(self, field: KeywordField, limit: int = 50) -> dict[str, int]:
        """Values of a keyword field with their number of products, most frequent first, then by name."""
        ...

    def scan(self, batch: int = 200) -> AsyncIterator[list[Product]]:
        """Every record once, in batches, in a stable order."""
        ...

    async def info(self) -> StoreInfo: ...

    async def mark(self, *, complete: bool, source: str = "", source_digest: str = "") -> None:
        """Record what the index holds, durably (flushes what was written before)."""
        ...

    async def copy(self, name: str) -> None:
        """Make the index `name` beside this one out of what it holds, marked as not complete.

        Nothing may be written to this one meanwhile. Raises StoreError where there is such an index already.
        """
        ...

    async def close(self) -> None: ...
