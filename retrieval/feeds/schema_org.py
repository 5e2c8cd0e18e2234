"""Products as schema.org describes them, from the pages of a shop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from retrieval.feeds.base import Problem, Row, Source
from retrieval.feeds.draft import Draft
from retrieval.feeds.pages import kinds, whole_address
from retrieval.feeds.records import Objects, as_text
from retrieval.product import Money, Product, Variant

_IDS = (
    "productGroupID",
    "sku",
    "productID",
    "mpn",
    "gtin13",
    "gtin14",
    "gtin12",
    "gtin8",
    "gtin",
    "isbn",
    "url",
    "@id",
)
_OPTIONS = ("color", "size", "material", "pattern")
_ATTRIBUTES = (*_OPTIONS, "mpn", "gtin13", "gtin", "model", "weight", "width", "height", "depth", "isbn")
_SOLD_OUT = ("OutOfStock", "SoldOut", "Discontinued")

Node = Mapping[str, Any]


def read_schema_org(source: Source, objects: Objects) -> Iterator[Row]:
    once: set[str] = set()
    for number, value in objects:
        if isinstance(value, Problem):
            yield Row(number, None, (value,))
            continue
        draft = Draft(number, source, once)
        yield Row(number, _product(draft, value), tuple(draft.problems))


def _product(draft: Draft, value: Node) -> Product | None:
    base = str(value.get("@base", ""))
    offers = _offers(value)
    variants = [_variant(draft, part, _offers(part)) for part in _nodes(value.get("hasVariant"))]
    if not variants and len([offer for offer in offers if offer.get("sku")]) > 1:
        variants = [_variant(draft, offer, [offer]) for offer in offers if offer.get("sku")]
    first = next((part for part in _nodes(value.get("hasVariant"))), {})
    name = _text(value.get("name")) or _text(first.get("name"))
    address = _text(value.get("url")) or next((_text(offer.get("url")) for offer in offers if offer.get("url")), "")
    image = _text(value.get("image")) or _text(first.get("image"))
    rating, count = _rating(draft, value)
    return draft.build(
        id=next((text for key in _IDS if (text := _text(value.get(key)))), "") or name[:200],
        title=draft.localized("name", name),
        description=draft.localized("description", _text(value.get("description"))),
        category=draft.localized("category", _text(value.get("category"))),
        brand=draft.text("brand", _text(value.get("brand")) or _text(value.get("manufacturer")), 200),
        price=_price(draft, offers),
        stock=_stock(draft, offers),
        rating=rating,
        rating_count=count,
        attributes=draft.attributes(_attributes(value)),
        variants=[variant for variant in variants if variant],
        image=draft.image("image", whole_address(base, image)),
        url=draft.url("url", whole_address(base, address)) if address else draft.url("url", base),
    )


def _variant(draft: Draft, value: Node, offers: list[Node]) -> Variant | None:
    options = draft.options({key: _text(value[key]) for key in _OPTIONS if key in value})
    sku = next(
        (text for key in ("sku", "productID", "gtin13", "gtin", "@id", "name") if (text := _text(value.get(key)))), ""
    )
    if not options and value.get("name"):
        options = draft.options({"variant": _text(value["name"])})
    price, stock = _price(draft, offers), _stock(draft, offers)
    return draft.variant(draft.text("sku", sku), options=options, price=price, stock=stock)


def _offers(value: Node) -> list[Node]:
    """The offers, those inside an aggregate too."""
    found = []
    for offer in _nodes(value.get("offers")):
        inner = _nodes(offer.get("offers"))
        found.extend(inner or [offer])
    return found


def _price(draft: Draft, offers: list[Node]) -> Money | None:
    """The lowest of the prices in the first currency."""
    prices = []
    for offer in offers:
        for part in (offer, *_nodes(offer.get("priceSpecification"))):
            cell = _text(part.get("price")) or _text(part.get("lowPrice"))
            code = _text(part.get("priceCurrency")) or _text(offer.get("priceCurrency"))
            if cell:
                price = draft.price("price", f"{code} {cell}" if code and cell[:1].isdigit() else cell)
                prices += [price] if price else []
                break
    same = [price for price in prices if price.currency == prices[0].currency]
    return min(same, key=lambda price: price.amount, default=None)


def _stock(draft: Draft, offers: list[Node]) -> int | None:
    """The level where an offer states it, 0 where all are sold out."""
    for offer in offers:
        for level in _nodes(offer.get("inventoryLevel")):
            return draft.stock("inventoryLevel", _text(level.get("value")))
    gone = [_text(offer.get("availability")).rsplit("/", 1)[-1] in _SOLD_OUT for offer in offers]
    return 0 if gone and all(gone) else None


def _rating(draft: Draft, value: Node) -> tuple[float | None, int]:
    """Of five, whatever the best is on the page."""
    for found in _nodes(value.get("aggregateRating")):
        try:
            best = Decimal(_text(found.get("bestRating")) or 5)
            stars = Decimal(_text(found.get("ratingValue")).replace(",", ".")) / best * 5
            count = int(_text(found.get("ratingCount")) or _text(found.get("reviewCount")) or 0)
        except (InvalidOperation, ZeroDivisionError, ValueError):
            draft.note("aggregateRating", _text(found.get("ratingValue")), "not a rating", "value left out")
            continue
        if stars.is_finite() and 0 <= stars <= 5 and count >= 0:
            return round(float(stars), 2), count
        draft.note("aggregateRating", _text(found.get("ratingValue")), "not between 0 and the best", "value left out")
    return None, 0


def _attributes(value: Node) -> Iterator[tuple[str, str]]:
    for key in _ATTRIBUTES:
        yield key, _text(value.get(key))
    for part in _nodes(value.get("additionalProperty")):
        yield _text(part.get("name")), _text(part.get("value"))


def _nodes(value: Any) -> list[Node]:
    return [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, dict)]


def _text(value: Any) -> str:
    """A text, the name or address of a node, or the first of several."""
    while isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, dict):
        if kinds(value) == {"QuantitativeValue"}:
            return f"{as_text(value.get('value'))} {as_text(value.get('unitText') or value.get('unitCode'))}".strip()
        return next(
            (as_text(value[key]) for key in ("name", "@value", "contentUrl", "url", "@id") if value.get(key)), ""
        )
    return as_text(value)
