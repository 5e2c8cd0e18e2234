"""Magento 2's product export: simple products, and configurable ones whose variants are simple products too.

A simple product that a configurable lists is its variant, and no product of its own. What is disabled, or neither
visible by itself nor the variant of anything here, is left out: the shop does not show it. Rows of other store views
add their language. Stock counts where the shop manages it; "out of stock" is 0 in any case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from retrieval.feeds.base import Problem, Row, Source
from retrieval.feeds.draft import Draft
from retrieval.feeds.spill import Cells, Spill
from retrieval.feeds.table import Lines, named_rows
from retrieval.product import Money, Product, Variant

_PAIR = re.compile(r",(?=[A-Za-z_]\w*=)")  # values hold commas
_ROOTS = ("Default Category", "Root Catalog")
_INTERNAL = frozenset({"has_options", "required_options", "manufacturer", "brand"})
_HIDDEN = "not visible individually"


def is_magento(header: set[str]) -> bool:
    """`header`: column names in lower case."""
    return {"sku", "product_type", "name"} <= header and bool({"attribute_set_code", "additional_attributes"} & header)


def read_magento(source: Source, lines: Lines) -> Iterator[Row]:
    once: set[str] = set()
    with Spill() as spill:
        for number, row in named_rows(lines):
            if not (sku := row.get("sku")):
                if row:
                    yield Row(number, None, (Problem(number, "sku", "", "empty", "row skipped"),))
                continue
            spill.add(number, sku, row)
            for variation in _variations(row):
                spill.alias(variation.get("sku", ""), sku)
        for sku, rows, problems in spill.groups():
            own = [(number, row) for number, row in rows if row["sku"] == sku]
            if not own:  # configurables that list each other
                for number, row in rows:
                    what = "listed as a variant of what is no product"
                    yield Row(number, None, (Problem(number, "sku", row["sku"], what, "row skipped"),))
                continue
            number, main = next(((n, row) for n, row in own if not row.get("store_view_code")), own[0])
            draft = Draft(number, source, once, problems)
            views = [row for _, row in own if row is not main]
            children = {row["sku"]: row for _, row in reversed(rows) if row["sku"] != sku}
            numbers = tuple(place for place, _ in rows)
            product = _product(draft, main, views, children)
            yield Row(number, product, tuple(draft.problems), numbers=numbers)


def _variations(row: Cells) -> list[Cells]:
    """`sku=A-S,size=S,color=Red|sku=A-M,size=M,color=Red`."""
    return [_pairs(part) for part in row.get("configurable_variations", "").split("|") if part]


def _pairs(cell: str) -> Cells:
    parts = (part.partition("=") for part in _PAIR.split(cell))
    return {key.strip(): value.strip('"').replace("|", ", ") for key, _, value in parts if key.strip() and value}


def _is_off(row: Cells) -> bool:
    return row.get("product_online", "1") != "1"


def _product(draft: Draft, row: Cells, views: list[Cells], children: dict[str, Cells]) -> Product | None:
    listed = _variations(row)
    if _is_off(row):
        draft.note("product_online", row["product_online"], "disabled", "product left out")
        return None
    if row.get("visibility", "").lower() == _HIDDEN and not listed:
        draft.note("visibility", row["visibility"], "neither visible nor the variant of a product", "product left out")
        return None
    extra = _pairs(row.get("additional_attributes", ""))
    title = draft.localized("name", row.get("name", ""))
    description = draft.localized("description", row.get("description") or row.get("short_description", ""))
    for view in views:
        title = draft.localized("name", view.get("name", "")) | title
        description = draft.localized("description", view.get("description", "")) | description
    variants = [_variant(draft, variation, children) for variation in listed]
    return draft.build(
        id=row["sku"],
        title=title,
        description=description,
        category=draft.localized("categories", _category(row.get("categories", ""))),
        brand=draft.text("brand", extra.get("brand") or extra.get("manufacturer", ""), 200),
        price=_price(draft, row),
        stock=None if listed else _stock(draft, row),
        attributes=draft.attributes(
            (key.replace("_", " "), value) for key, value in extra.items() if key not in _INTERNAL
        ),
        variants=[variant for variant in variants if variant],
        image=draft.image("base_image", row.get("base_image", "").removeprefix("no_selection")),
    )


def _variant(draft: Draft, listed: Cells, children: dict[str, Cells]) -> Variant | None:
    sku = listed.get("sku", "")
    child = children.get(sku)
    if child is None:
        draft.note("configurable_variations", sku, "no row has this SKU", "variant left out")
        return None
    if _is_off(child):
        return None
    options = draft.options({key.replace("_", " "): value for key, value in listed.items() if key != "sku"})
    return draft.variant(sku, options=options, price=_price(draft, child), stock=_stock(draft, child))


def _category(cell: str) -> str:
    """The deepest of several paths, the first of those, without the root."""
    paths = [" > ".join(name for name in path.split("/") if name and name not in _ROOTS) for path in cell.split(",")]
    return max(paths, key=lambda path: path.count(" > "))


def _price(draft: Draft, row: Cells) -> Money | None:
    dates = row.get("special_price_from_date", ""), row.get("special_price_to_date", "")
    return draft.current_price("price", row.get("price", ""), row.get("special_price", ""), *dates)


def _stock(draft: Draft, row: Cells) -> int | None:
    if row.get("is_in_stock") == "0":
        return 0
    managed = row.get("manage_stock") == "1" or row.get("use_config_manage_stock", "1") == "1"
    return draft.stock("qty", row.get("qty", "")) if managed else None
