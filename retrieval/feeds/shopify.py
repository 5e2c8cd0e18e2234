"""Shopify's product CSV, before and since its columns were renamed in 2024.

Rows of one handle are one product: the first has its texts, each with option values is a variant, the rest are
pictures. Drafts, archived and unpublished products are left out: the shop does not show them either. Gift cards are
products; they never run out. A variant without a tracker is always on sale, so its 0 is no stock; one that sells on
when it has run out has no stock either. Variants without a SKU are called `handle/option values`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from retrieval.feeds.base import Problem, Row, Source
from retrieval.feeds.draft import Draft
from retrieval.feeds.spill import Cells, Spill
from retrieval.feeds.table import Lines, named_rows
from retrieval.product import Product, Variant

_NEW = {  # since 2024 → before
    "url handle": "handle",
    "description": "body (html)",
    "published on online store": "published",
    "sku": "variant sku",
    "price": "variant price",
    "inventory tracker": "variant inventory tracker",
    "inventory quantity": "variant inventory qty",
    "continue selling when out of stock": "variant inventory policy",
    "barcode": "variant barcode",
    "product image url": "image src",
}
_ATTRIBUTES = ("tags", "variant barcode", "google shopping / gender", "google shopping / age group")
_METAFIELD = re.compile(r"(?P<name>.+?) \((?:product|variant)\.metafields\..+\)")
_POSITIONS = ("1", "2", "3")


def is_shopify(header: set[str]) -> bool:
    """`header`: column names in lower case."""
    old = {"handle", "title"} <= header and bool({"variant price", "option1 name", "body (html)"} & header)
    return old or {"url handle", "title", "price"} <= header


def read_shopify(source: Source, lines: Lines) -> Iterator[Row]:
    once: set[str] = set()
    with Spill() as spill:
        for number, row in named_rows(lines, lambda name: _NEW.get(name, name)):
            if handle := row.get("handle"):
                spill.add(number, handle, row)
            elif row:
                yield Row(number, None, (Problem(number, "Handle", "", "empty", "row skipped"),))
        for handle, rows, problems in spill.groups():
            first = next(((number, row) for number, row in rows if row.get("title")), rows[0])
            draft = Draft(first[0], source, once, problems)
            numbers = tuple(number for number, _ in rows)
            yield Row(draft.number, _product(draft, handle, first[1], rows), tuple(draft.problems), numbers=numbers)


def _product(draft: Draft, handle: str, first: Cells, rows: list[tuple[int, Cells]]) -> Product | None:
    status = first.get("status", "active").lower()
    if status not in ("active", "true"):
        draft.note("Status", status, "not on sale", "product left out")
        return None
    if first.get("published", "true").lower() in ("false", "no", "0"):
        draft.note("Published", first["published"], "not shown in the shop", "product left out")
        return None
    gift = first.get("gift card", "").lower() in ("true", "yes", "1")
    options = {place: first.get(f"option{place} name", "") for place in _POSITIONS}
    sold = [row for _, row in rows if row.get("variant price") or row.get("option1 value") or row.get("variant sku")]
    found = [_variant(draft, handle, row, options, gift=gift) for row in sold]
    variants = [variant for variant in found if variant]
    attributes = [(_title(name), first.get(name, "")) for name in _ATTRIBUTES]
    attributes += [(field["name"], cell) for name, cell in first.items() if (field := _METAFIELD.fullmatch(name))]
    single = variants[0] if len(variants) == 1 and not variants[0].options else None
    if single and sold[0].get("variant sku"):
        attributes.append(("SKU", single.sku))
    return draft.build(
        id=handle,
        title=draft.localized("Title", first.get("title", "")),
        description=draft.localized("Body (HTML)", first.get("body (html)", "")),
        category=draft.localized(
            "Type", first.get("type") or first.get("product category") or ("Gift card" if gift else "")
        ),
        brand=draft.text("Vendor", first.get("vendor", ""), 200),
        price=single.price if single else None,
        stock=single.stock if single else None,
        attributes=draft.attributes(attributes),
        variants=[] if single else variants,
        image=_image(draft, rows),
    )


def _variant(draft: Draft, handle: str, row: Cells, names: dict[str, str], *, gift: bool) -> Variant | None:
    given = {names[place]: row.get(f"option{place} value", "") for place in _POSITIONS if names[place]}
    options = draft.options({name: value for name, value in given.items() if value != "Default Title"})
    sku = draft.text("Variant SKU", row.get("variant sku", "")) or "/".join([handle, *options.values()])
    cell = row.get("variant inventory qty", "")
    sells_on = row.get("variant inventory policy", "").lower() in ("continue", "true")
    empty = cell == "0" or cell.startswith("-")
    endless = gift or (empty and sells_on) or (cell == "0" and not row.get("variant inventory tracker"))
    return draft.variant(
        sku,
        options=options,
        price=draft.price("Variant Price", row.get("variant price", "")),
        stock=None if endless else draft.stock("Variant Inventory Qty", cell),
    )


def _image(draft: Draft, rows: list[tuple[int, Cells]]) -> str | None:
    """The picture at position 1, else the first."""
    given = [row for _, row in rows if row.get("image src")]
    given.sort(key=lambda row: row.get("image position") != "1")
    return draft.image("Image Src", given[0]["image src"]) if given else None


def _title(name: str) -> str:
    return name.removeprefix("google shopping / ").removeprefix("variant ").capitalize()
