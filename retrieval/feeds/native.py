"""Our own records as others may have written them: texts without what nobody sees, addresses that are some."""

from __future__ import annotations

import re

from retrieval.feeds import cells
from retrieval.feeds.base import Row, Source
from retrieval.feeds.draft import Draft
from retrieval.product import Localized, Product

_LANG = re.compile(r"[a-z]{2,3}")
_MOST_PIECES = 10**15  # of stock


def cleaned(number: int, product: Product, source: Source) -> Row:
    """The row of a record: itself where nothing is wrong with it, else without that, or none."""
    draft = Draft(number, source, set())
    title = _texts(draft, "title", product.title)
    identity = draft.text("id", product.id)
    if not title or not identity:
        draft.note("title" if identity else "id", "", "empty", "row skipped")
        return Row(number, None, tuple(draft.problems))
    attributes: dict[str, Localized] = {}
    for key, texts in product.attributes.items():
        if (name := draft.text("", key, 100)) and (kept := _texts(draft, name, texts)):
            attributes.setdefault(name, kept)
    variants = [
        draft.variant(
            variant.sku,
            options=draft.options(variant.options),
            price=variant.price,
            stock=_stock(draft, variant.stock),
        )
        for variant in product.variants
    ]
    changed = product.model_copy(
        update={
            "id": identity,
            "title": title,
            "description": _texts(draft, "description", product.description),
            "category": _texts(draft, "category", product.category),
            "brand": draft.text("brand", product.brand, 200),
            "stock": _stock(draft, product.stock),
            "rating_count": min(product.rating_count, _MOST_PIECES),
            "attributes": attributes,
            "variants": tuple(variant for variant in variants if variant),
            "image": draft.image("image", product.image or ""),
            "url": draft.url("url", product.url or ""),
        }
    )
    return Row(number, changed, tuple(draft.problems))


def _texts(draft: Draft, column: str, texts: Localized) -> Localized:
    kept: Localized = {}
    for lang, cell in texts.items():
        if text := draft.text(column, cell):
            kept.setdefault(lang if _LANG.fullmatch(lang) else cells.language(text), text)
    return kept


def _stock(draft: Draft, stock: int | None) -> int | None:
    """None where nobody can have so much."""
    if stock is None or abs(stock) <= _MOST_PIECES:
        return stock
    draft.note("stock", stock, "not a number of pieces", "value left out")
    return None
