"""Changes to single products of a catalogue while it answers: new ones, other prices and stocks, removed ones.

As strict as a feed: what a feed's reader would leave out or refuse is left out or refused here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from retrieval.encoding import Encoder, RemoteIndexEncoder, answered
from retrieval.feeds.base import Problem, Source, invalid
from retrieval.feeds.native import cleaned
from retrieval.ingest import same_for_models
from retrieval.product import Product
from retrieval.store.base import ProductStore
from retrieval.text import product_text
from serving.change import Applied, Change

_AT_A_TIME = 4  # that are embedded while nobody else is answered
_FIXED = {"id"}


@dataclass(frozen=True)
class Writing:
    """What a change came to: to be written, and written again into an index that was made meanwhile."""

    products: dict[str, Product]
    deleted: list[str]


async def understand(change: Change, store: ProductStore) -> tuple[Applied, Writing]:
    """What the change is to what the store holds; nothing is written. Raises StoreError."""
    problems: list[Problem] = []
    wanted = [*_ids(change.put), *_ids(change.patch), *change.delete]
    present = {product.id: product for product in await store.get(list(dict.fromkeys(wanted)))}
    whole = _whole(change.put, problems)
    changed: dict[str, Product] = {}
    for number, fields in enumerate(change.patch, start=1):
        before = changed.get(str(fields.get("id"))) or present.get(str(fields.get("id")))
        if before is None:
            what = "there is no such product" if fields.get("id") else "missing"
            problems.append(Problem(number, "id", str(fields.get("id", ""))[:60], what, "left as it is"))
        elif (after := _patched(number, before, fields, problems)) is not None:
            changed[after.id] = after
    deleted = [product for product in dict.fromkeys(change.delete) if product in present]
    missing = [product for product in dict.fromkeys(change.delete) if product not in present]
    problems += [Problem(0, "id", product[:60], "there is no such product", "nothing to remove") for product in missing]
    return Applied(len(whole), len(changed), len(deleted), problems), Writing(whole | changed, deleted)


async def write(writing: Writing, store: ProductStore, encoder: Encoder | RemoteIndexEncoder) -> None:
    """Write it; what models read the same of keeps its vector. Safe to do again. Raises StoreError.

    The index forgets the digest of its feed: loading that feed again undoes the change.
    """
    present = {product.id: product for product in await store.get(list(writing.products))}
    other = [product for product in writing.products.values() if present.get(product.id) != product]
    alike = [each for each in other if each.id in present and same_for_models(each, present[each.id])]
    kept = {product.id for product in alike}
    read = [product for product in other if product.id not in kept]
    for start in range(0, len(read), _AT_A_TIME):
        part = read[start : start + _AT_A_TIME]
        await store.upsert(part, await answered(encoder.encode, [product_text(product) for product in part]))
        await asyncio.sleep(0)  # questions have their turn
    await store.replace(alike)
    await store.delete(writing.deleted)
    info = await store.info()
    await store.mark(complete=info.complete, source=info.source, source_digest="")


def _ids(items: Iterable[Mapping[str, Any]]) -> list[str]:
    return [item["id"] for item in items if isinstance(item.get("id"), str)]


def _whole(items: Sequence[dict[str, Any]], problems: list[Problem]) -> dict[str, Product]:
    found = {}
    for number, item in enumerate(items, start=1):
        if (product := _checked(number, item, problems)) is not None:
            found[product.id] = product
    return found


def _checked(number: int, item: Mapping[str, Any], problems: list[Problem]) -> Product | None:
    try:
        row = cleaned(number, Product.model_validate(item), Source(Path("request"), "utf-8", "USD"))
    except ValidationError as error:
        row = invalid(number, error)
    problems.extend(row.problems)
    return row.product


def _patched(number: int, before: Product, fields: dict[str, Any], problems: list[Problem]) -> Product | None:
    after = before.model_dump() | {name: value for name, value in fields.items() if name not in _FIXED}
    if isinstance(price := fields.get("price"), str | int | float | Decimal) and not isinstance(price, bool):
        if before.price is None:
            what = "the product has no price, so no currency: give amount and currency"
            problems.append(Problem(number, "price", str(price)[:60], what, "left as it is"))
            return None
        try:
            after["price"] = {"amount": Decimal(str(price)), "currency": before.price.currency}
        except InvalidOperation:
            problems.append(Problem(number, "price", str(price)[:60], "not an amount", "left as it is"))
            return None
    return _checked(number, after, problems)
