"""Google Merchant: RSS or Atom with `g:` elements, or the same as a table.

Items of one `item_group_id` are the variants of one product, which has that id. "Out of stock" is 0; other words say no
number. Entities that the file declares itself are never resolved, nor is anything fetched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lxml import etree

from retrieval.feeds.base import FeedError, Problem, Row, Source
from retrieval.feeds.draft import Draft
from retrieval.feeds.spill import Cells, Spill
from retrieval.feeds.table import Lines, named_rows
from retrieval.product import Money, Product, Variant

_CHUNK = 1 << 16
_ITEMS = frozenset({"item", "entry"})
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
_MOST_FIELDS = 200  # of an item

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
            numbers = tuple(number for number, _ in rows)
            product = _product(draft, name, [item for _, item in rows])
            yield Row(draft.number, product, tuple(draft.problems), numbers=numbers)


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
    parser: Any = etree.XMLPullParser(
        events=("end",), resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True
    )
    number = 0
    with source.path.open(encoding=source.encoding, errors="replace", newline="") as file:
        text = file.read(_CHUNK)
        text = text[text.find("<") :] if "<" in text else text
        parser.feed(_undeclared(text).encode("utf-8", "replace"))
        while text:
            for _, element in parser.read_events():
                if _local(element) in _ITEMS:
                    number += 1
                    yield number, _fields(element)
                    _forget(element)
            text = file.read(_CHUNK)
            if text:
                parser.feed(text.encode("utf-8", "replace"))
    _check_end(source, parser, number)


def _undeclared(text: str) -> str:
    """Without the XML declaration: the text is decoded already, and fed as UTF-8."""
    return text.split("?>", 1)[1] if text.startswith("<?xml") and "?>" in text else text


def _check_end(source: Source, parser: Any, number: int) -> None:
    try:
        parser.close()
    except etree.XMLSyntaxError as error:
        raise FeedError(f"{source.path} is no XML: {error}. Export it again.") from error
    for fault in parser.feed_error_log:
        if fault.type_name in ("ERR_TAG_NOT_FINISHED", "ERR_ENTITY_LOOP", "ERR_RESOURCE_LIMIT"):
            raise FeedError(
                f"{source.path} is no XML to its end: line {fault.line}: {fault.message}, after item {number}. "
                "Was the file cut off? Export it again."
            )


def _local(element: Any) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def _fields(item: Any) -> Cells:
    """Elements by their names; of several with one name the first counts."""
    cells: Cells = {}
    for element in item:
        name = _local(element)
        if len(cells) >= _MOST_FIELDS or not name:
            continue
        if name == "product_detail":
            detail = {_local(part): _text(part) for part in element}
            cells.setdefault(f"detail:{detail.get('attribute_name', '')}", detail.get("attribute_value", ""))
        elif text := _text(element) or element.get("href", ""):
            cells.setdefault(name, text)
    return cells


def _text(element: Any) -> str:
    return "".join(element.itertext()).strip()[:100_000]


def _forget(element: Any) -> None:
    """Free what was read, and what stands before it."""
    element.clear()
    while (before := element.getprevious()) is not None:
        before.getparent().remove(before)
