"""How products lie in a Qdrant engine: the same point ids, the same payload and the same order of results on each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal, TypeVar
from uuid import NAMESPACE_URL, uuid5

import numpy as np

from retrieval.encoding import Vectors
from retrieval.product import Product
from retrieval.store.base import AnyOf, Filter, Hit, StoreError

VECTOR = "text"  # the vector's name
WORDS = "bm25"  # the sparse vector's name
BATCH = 200  # points in one update: Edge holds the interpreter while it writes
RECORD = "record"  # the whole product as JSON text, amounts as the decimal strings they are
KEYS: dict[str, Literal["keyword", "float", "integer"]] = {
    "id": "keyword",
    "brand": "keyword",
    "category": "keyword",  # the values of every language
    "currency": "keyword",
    "price": "float",  # for filters only; money is read from the record
    "rating": "float",
    "stock": "integer",
    "in_stock": "integer",  # 0 or 1: a filter on a boolean matches nothing in Edge
}

EVERYTHING = Filter(must_not=(AnyOf("id", ("",)),))  # no product has an empty id

_NAMESPACE = uuid5(NAMESPACE_URL, "daogou/product")
_STOCK_MAX = 2**53  # larger whole numbers are not exact on every engine; for filters only
_DIGITS = {VECTOR: 6, WORDS: 4}  # of a score that count; cosines are at most 1, sums over words reach 100
_SPARE = 8  # asked for beyond the limit, so that ties at the cut seldom need a second question

T = TypeVar("T")


def point_id(product_id: str) -> str:
    """Engines take UUIDs, shops have SKUs."""
    return str(uuid5(_NAMESPACE, product_id))


def to_payload(product: Product) -> dict[str, Any]:
    """The record and its filterable values; empty values have no key."""
    flat = {
        "id": product.id,
        "brand": product.brand or None,
        "category": [name for name in dict.fromkeys(product.category.values()) if name] or None,
        "currency": product.price.currency if product.price else None,
        "price": float(product.price.amount) if product.price else None,
        "rating": product.rating,
        "stock": None if product.stock is None else max(-_STOCK_MAX, min(product.stock, _STOCK_MAX)),
        "in_stock": int(product.in_stock),
        RECORD: product.model_dump_json(exclude_defaults=True),
    }
    return {key: value for key, value in flat.items() if value is not None}


def to_product(payload: Mapping[str, Any] | None) -> Product:
    """Raises StoreError if the payload does not hold a record."""
    try:
        return Product.model_validate_json((payload or {})[RECORD])
    except (KeyError, ValueError) as error:
        name = (payload or {}).get("id", "without an id")
        raise StoreError(f"The stored record {name} is damaged. Load the catalogue again.") from error


def check_present(wanted: Iterable[Product], found: Iterable[Product]) -> None:
    """Raises StoreError where a wanted product was not found."""
    if missing := {product.id for product in wanted} - {product.id for product in found}:
        raise StoreError(f"{len(missing)} products are not in the index, among them {min(missing)!r}.")


def checked(vectors: Vectors, rows: int, dimension: int) -> list[list[float]]:
    """The rows as lists, which engines take fastest. Raises StoreError on another shape or a value not finite."""
    if vectors.shape != (rows, dimension):
        raise StoreError(f"Expected vectors of shape ({rows}, {dimension}), got {vectors.shape}.")
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        raise StoreError(f"The vector in row {int(np.argmin(finite))} is not finite.")
    rows_of_floats: list[list[float]] = vectors.astype(np.float32, copy=False).tolist()
    return rows_of_floats


def batches(items: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


# Engines leave the order of equal scores open, and cut a list anywhere among them. So: scores count to a few digits,
# equal ones go by id, and the engine is asked for more until the last one it gives is worse than the last one wanted.
# The result is then the first `limit` of the whole catalogue by (-score, id), whatever the engine.


def ask_for(limit: int) -> int:
    """How many to ask an engine for, to have `limit` of them."""
    return limit + _SPARE


def is_settled(scores: Sequence[float], limit: int, asked: int, using: str = VECTOR) -> bool:
    """Whether nothing that the engine did not give can belong among the first `limit`; `scores` descend."""
    digits = _DIGITS[using]
    return len(scores) < asked or round(scores[limit - 1], digits) > round(scores[-1], digits)


def ranked(found: Iterable[tuple[float, Mapping[str, Any] | None]], limit: int, using: str = VECTOR) -> list[Hit]:
    """The first `limit` by (-score, id) of the scores and payloads (`id` and record) an engine gave."""
    keyed = [(-round(score, _DIGITS[using]), (payload or {}).get("id", ""), payload) for score, payload in found]
    keyed.sort(key=lambda item: item[:2])
    return [Hit(to_product(payload), -negative + 0.0) for negative, _, payload in keyed[:limit]]


def ranked_values(found: Iterable[tuple[object, int]], limit: int) -> dict[str, int]:
    """The first `limit` values of a facet, most frequent first, then by name.

    Edge also lists values that no product has any more, with a count of 0.
    """
    used = ((str(value), count) for value, count in found if count)
    return dict(sorted(used, key=lambda vc: (-vc[1], vc[0]))[:limit])
