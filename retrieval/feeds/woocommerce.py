"""WooCommerce's product CSV: `variation` rows name their parent by SKU or `id:ID`, before or after it.

What is not published or hidden from the shop's catalogue is left out, as the shop's own search does. Grouped products
have no price of their own. Where backorders are allowed, nothing left is not sold out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from retrieval.feeds.base import Problem, Row, Source
from retrieval.feeds.draft import Draft
from retrieval.feeds.spill import Cells, Spill
from retrieval.feeds.table import Lines, named_rows
from retrieval.product import Money, Product, Variant

_COMMA = re.compile(r"(?<!\\),")
_NAME = re.compile(r"attribute (\d{1,3}) name")
_AS_ATTRIBUTES = ("tags", "weight (kg)", "length (cm)", "width (cm)", "height (cm)", "gtin, upc, ean, or isbn")
_YES = ("1", "yes", "true", "notify")


def is_woocommerce(header: set[str]) -> bool:
    """`header`: column names in lower case."""
    return {"type", "name", "regular price"} <= header and bool({"published", "parent", "sku"} & header)


def read_woocommerce(source: Source, lines: Lines) -> Iterator[Row]:
    once: set[str] = set()
    with Spill() as spill:
        for number, row in named_rows(lines):
            if row:
                _add(spill, number, row)
        for name, rows, problems in spill.groups():
            parent = next(((number, row) for number, row in rows if not _is_variation(row)), None)
            if parent is None:
                for number, _ in rows:
                    yield Row(number, None, (Problem(number, "Parent", name, "no such product", "row skipped"),))
                continue
            draft = Draft(parent[0], source, once, problems)
            for number, row in rows:
                if row is not parent[1] and not _is_variation(row):
                    draft.note("SKU", name, f"row {parent[0]} has the same", "row skipped", number)
            variations = [row for _, row in rows if _is_variation(row)]
            numbers = tuple(number for number, _ in rows)
            product = _product(draft, name, parent[1], variations)
            yield Row(draft.number, product, tuple(draft.problems), numbers=numbers)


def _is_variation(row: Cells) -> bool:
    return "variation" in _parts(row.get("type", "").lower())


def _parts(cell: str) -> list[str]:
    return [part.strip() for part in _COMMA.split(cell)]


def _add(spill: Spill, number: int, row: Cells) -> None:
    if _is_variation(row):
        spill.add(number, row.get("parent", ""), row)
        return
    name = row.get("sku") or row.get("id") or row.get("name", "")
    spill.add(number, name, row)
    if "id" in row:
        spill.alias(f"id:{row['id']}", name)


def _product(draft: Draft, name: str, row: Cells, variations: list[Cells]) -> Product | None:
    if row.get("published", "1") != "1":
        draft.note("Published", row["published"], "not published", "product left out")
        return None
    if row.get("visibility in catalog", "visible").lower() == "hidden":
        draft.note("Visibility in catalog", "hidden", "not shown in the shop", "product left out")
        return None
    if sum(row.get("published", "1") == "1" for row in variations) < len(variations):
        draft.note("Published", "", "variations that are not published", "left out")
    variants = [_variant(draft, name, variation) for variation in variations if variation.get("published", "1") == "1"]
    attributes = [*_pairs(row), *((key.capitalize(), row.get(key, "")) for key in _AS_ATTRIBUTES)]
    categories, images = _parts(row.get("categories", "")), _parts(row.get("images", ""))
    return draft.build(
        id=name,
        title=draft.localized("Name", row.get("name", "")),
        description=draft.localized("Description", row.get("description") or row.get("short description", "")),
        category=draft.localized("Categories", max(categories, key=lambda path: path.count(">"))),
        brand=draft.text("Brands", row.get("brands", ""), 200),
        price=_price(draft, row),
        stock=_stock(draft, row),
        attributes=draft.attributes(attributes),
        variants=[variant for variant in variants if variant],
        image=draft.image("Images", images[0]),
        url=draft.url("External URL", row.get("external url", "")),
    )


def _variant(draft: Draft, parent: str, row: Cells) -> Variant | None:
    options = draft.options(dict(_pairs(row)))
    sku = draft.text("SKU", row.get("sku", "")) or "/".join([parent, *options.values()])
    return draft.variant(sku, options=options, price=_price(draft, row), stock=_stock(draft, row))


def _pairs(row: Cells) -> Iterator[tuple[str, str]]:
    for column, name in row.items():
        if found := _NAME.fullmatch(column):
            yield name, row.get(f"attribute {found[1]} value(s)", "").replace("\\,", ",")


def _price(draft: Draft, row: Cells) -> Money | None:
    dates = row.get("date sale price starts", ""), row.get("date sale price ends", "")
    return draft.current_price("price", row.get("regular price", ""), row.get("sale price", ""), *dates)


def _stock(draft: Draft, row: Cells) -> int | None:
    if row.get("in stock?", "1").lower() in ("0", "no", "false"):
        return 0
    stock = draft.stock("Stock", row.get("stock", ""))
    return None if not stock and row.get("backorders allowed?", "").lower() in _YES else stock
