"""Icecat's open catalogue as JSON: prices in cents, attributes named after their type (`attr_t_product_colour`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from retrieval.feeds import cells
from retrieval.feeds.base import Problem, Row, Source
from retrieval.feeds.draft import Draft
from retrieval.feeds.records import Objects, as_text
from retrieval.product import Money, Product

_ATTRIBUTE = re.compile(r"attr_[tnb]_(?P<name>.+)")
_CATEGORY = "attr_t_product_type"  # Icecat's own categories are not in this dump


def is_icecat(value: Mapping[str, Any]) -> bool:
    return {"id", "title", "supplier", "img_high"} <= value.keys()


def read_icecat(source: Source, objects: Objects) -> Iterator[Row]:
    once: set[str] = set()
    for number, value in objects:
        if not isinstance(value, dict):
            yield Row(number, None, (Problem(number, "", "", "not an object with fields", "row skipped"),))
            continue
        draft = Draft(number, source, once)
        yield Row(number, _product(draft, value, source.currency), tuple(draft.problems))


def _product(draft: Draft, value: Mapping[str, Any], currency: str) -> Product | None:
    attributes = [
        (_name(found["name"]), as_text(field).replace("\\n", "\n"))
        for key, field in value.items()
        if len(key) < 200 and (found := _ATTRIBUTE.fullmatch(key))
    ]
    return draft.build(
        id=as_text(value.get("id")),
        title=draft.localized("title", as_text(value.get("title"))),
        description=draft.localized("short_description", as_text(value.get("short_description")).replace("\\n", "\n")),
        category=draft.localized(_CATEGORY, as_text(value.get(_CATEGORY))),
        brand=draft.text("supplier", as_text(value.get("supplier")), 200),
        price=_price(draft, value.get("price"), currency),
        attributes=draft.attributes([*attributes, ("EAN", as_text(value.get("ean"))[:500])]),
        image=draft.image("img_500x500", as_text(value.get("img_500x500") or value.get("img_high"))),
    )


def _price(draft: Draft, field: Any, currency: str) -> Money | None:
    if field is None:
        return None
    try:
        price = cells.cents(cells.whole(as_text(field)), currency)
    except (ValueError, ValidationError):
        draft.note("price", field, "not a whole number of cents", "value left out")
        return None
    draft.note_currency("price")
    return price


@lru_cache(10_000)
def _name(name: str) -> str:
    """`contrast_ratio__typical_` is "contrast ratio (typical)"."""
    return re.sub(r"__(.+?)_(?=_|$)", r" (\1)", name).replace("_", " ").strip()
