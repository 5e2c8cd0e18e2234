"""Google Merchant: RSS or Atom with `g:` elements, or the same as a table.

Items of one `item_group_id` are the variants of one product, which has that id. "Out of stock" is 0; other words say no
number. Entities that the file declares itself are never resolved, nor is anything fetched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from retrieval.feeds.base import FeedError, Problem, Row, Source
from retrieval.feeds.draft import Draft
from retrieval.feeds.spill import Cells, Spill
from retrieval.feeds.table import Lines, named_rows
from retrieval.feeds.xml_items import XmlItems, without_prologue
from retrieval.product import Money, Product, Variant

_CHUNK = 1 << 16
_LARGEST_PIECE = 2**26  # characters without an element or a text in them
_OPTIONS = ("color", "size", "material", "pattern")
_ATTRIBUTES = (
    *_OPTIONS,
    "gender",
    "age_group",
    "condition",
    "gtin",
    "mpn",
    "size_type",
    "size_system",
    "product_highlight",
)

Items = Iterator[tuple[int, Cells]]


def is_google(header: set[str]) -> bool:
    """`header`: column names in lower case."""
    names = {_name(cell) for cell in header}
    more = {"availability", "condition", "gtin", "item_group_id", "google_product_category"}
    return {"id", "title", "price", "image_link"} <= names and bool(more & names)


def read_google(source: Source, lines: Lines) -> Iterator[Row]:
    return _rows(source, named_rows(lines, _name))


def read_google_xml(source: Source) -> Iterator[Row]:
    """A row for each item, numbered from 1. Raises FeedError where the file is no XML to its end."""
    return _rows(source, read_items(source))


def _name(header: str) -> str:
    return header.strip().lower().removeprefix("g:").replace(" ", "_")


def _rows(source: Source, items: Items) -> Iterator[Row]:
    once: set[str] = set()
    with Spill() as spill:
        for number, item in items:
            if name := item.get("item_group_id") or item.get("id"):
                spill.add(number, name, item)
            elif item:
                yield Row(number, None, (Problem(number, "id", "", "empty", "row skipped"),))
        for name, rows, problems in spill.groups():
            draft = Draft(rows[0][0], source, once, problems)
            yield Row(draft.number, _product(draft, name, [item for _, item in rows]), tuple(draft.problems))


def _product(draft: Draft, name: str, items: Sequence[Cells]) -> Product | None:
    first = items[0]
    grouped = len(items) > 1 or "item_group_id" in first
    variants = [_variant(draft, item) for item in items] if grouped else []
    category = first.get("product_type") or first.get("google_product_category", "")
    attributes = [
        (key.replace("_", " "), first.get(key, "")) for key in _ATTRIBUTES if not (grouped and key in _OPTIONS)
    ]
    attributes += [(key.removeprefix("detail:"), cell) for key, cell in first.items() if key.startswith("detail:")]
    return draft.build(
        id=name,
        title=draft.localized("title", first.get("title", "")),
        description=draft.localized("description", first.get("description") or first.get("summary", "")),
        category=draft.localized("product_type", "" if category.isdigit() else category),
        brand=draft.text("brand", first.get("brand", ""), 200),
        price=None if grouped else _price(draft, first),
        stock=None if grouped else _stock(draft, first),
        attributes=draft.attributes((key, "" if cell == "new" else cell) for key, cell in attributes),
        variants=[variant for variant in variants if variant],
        image=draft.image("image_link", first.get("image_link", "")),
        url=draft.url("link", first.get("link", "")),
    )


def _variant(draft: Draft, item: Cells) -> Variant | None:
    options = draft.options({name: item[name] for name in _OPTIONS if name in item})
    return draft.variant(
        draft.text("id", item.get("id", "")), options=options, price=_price(draft, item), stock=_stock(draft, item)
    )


def _price(draft: Draft, item: Cells) -> Money | None:
    begins, _, ends = item.get("sale_price_effective_date", "").partition("/")
    return draft.current_price("price", item.get("price", ""), item.get("sale_price", ""), begins, ends)


def _stock(draft: Draft, item: Cells) -> int | None:
    return (
        draft.stock("availability", item.get("availability", ""))
        if "quantity" not in item
        else draft.stock("quantity", item["quantity"])
    )


def read_items(source: Source) -> Items:
    """The items as cells, numbered from 1. Raises FeedError where the file is no XML to its end."""
    found = XmlItems()
    number, waiting, size = 0, 0, 0
    try:
        with source.path.open(encoding=source.encoding, errors="replace", newline="") as file:
            text = file.read(_CHUNK)
            head = text[text.find("<") :] if "<" in text else text
            found.feed(without_prologue(head))
            while text:
                for item in found.taken():
                    number += 1
                    yield number, item
                waiting, size = (waiting + len(text), size) if size == found.size else (0, found.size)
                if waiting > _LARGEST_PIECE:
                    raise ValueError(f"one piece of it has more than {_LARGEST_PIECE >> 20} MB")
                if text := file.read(_CHUNK):
                    found.feed(text)
            found.finish()
    except ValueError as error:
        raise FeedError(
            f"{source.path} is no XML to its end: {error}, after item {number}. Was the file cut off? Export it again."
        ) from error
