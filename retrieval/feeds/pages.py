"""HTML pages: the data about products that they carry, in JSON-LD or microdata, as objects of schema.org."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from retrieval.feeds.base import FeedError, Problem, Source, shown
from retrieval.feeds.records import Objects

_LARGEST = 8_000_000  # bytes of a page
_DEEPEST = 30
_MOST_PRODUCTS = 5_000  # of a page
_MOST_VALUES = 1_000  # of an item
_LONGEST = 100_000  # characters of a value
_PRODUCTS = frozenset({"Product", "ProductGroup", "IndividualProduct", "ProductModel", "Book", "Vehicle"})
_ADDRESSES = {
    "a": "href",
    "area": "href",
    "link": "href",
    "img": "src",
    "audio": "src",
    "video": "src",
    "object": "data",
}
_INNER = frozenset({"hasVariant", "isVariantOf", "isRelatedTo", "isSimilarTo", "isAccessoryOrSparePartFor", "review"})


def is_page(head: str) -> bool:
    start = head[:5_000].lower()
    return "<html" in start or "<!doctype html" in start or "application/ld+json" in start or "itemscope" in start


def read_page(source: Source) -> Objects:
    """The products of a page, numbered from 1; addresses in them are whole where the page tells its own.

    What could not be read is a `Problem` instead, with the number 0.
    """
    if source.path.stat().st_size > _LARGEST:
        raise FeedError(f"{source.path} is too large for a page: at most {_LARGEST // 1_000_000} MB are read.")
    text = source.path.read_text(source.encoding, errors="replace").replace("\0", "")
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True)
    tree = etree.fromstring(text.encode("utf-8", "replace"), parser) if text.strip() else None
    if tree is None:
        return
    for fault in parser.error_log.filter_from_fatals():
        yield 0, Problem(0, "", "", f"line {fault.line}: {fault.message.strip()}", "the rest of the page left out")
    base = _address(tree)
    found = (product for value in (*_json_ld(tree), *_microdata(tree)) for product in _products(value))
    number = 0
    for product in found:
        if isinstance(product, Problem):
            yield 0, product
            continue
        number += 1
        if number > _MOST_PRODUCTS:
            yield 0, Problem(0, "", "", f"more than {_MOST_PRODUCTS:,} products on a page", "the rest left out")
            return
        yield number, {"@base": base, **product}


def kinds(value: Any) -> set[str]:
    """The types of an object, without `https://schema.org/`."""
    given = value.get("@type") if isinstance(value, dict) else None
    names = given if isinstance(given, list) else [given]
    return {str(name).rsplit("/", 1)[-1].rsplit(":", 1)[-1] for name in names if name}


def _address(tree: Any) -> str:
    """The page's own address, from its head; "" where it does not say."""
    for path in ("//link[@rel='canonical']/@href", "//meta[@property='og:url']/@content", "//base/@href"):
        if found := tree.xpath(path):
            return str(found[0]).strip()
    return ""


def _json_ld(tree: Any) -> Iterator[Any]:
    for script in tree.iter("script"):
        if "ld+json" not in (script.get("type") or "").lower():
            continue
        text = (script.text or "").strip().removeprefix("<!--").removesuffix("-->").strip().rstrip(";")
        try:
            yield json.loads(text, strict=False, parse_float=Decimal)
        except (ValueError, RecursionError) as error:
            why = "nested too deep" if isinstance(error, RecursionError) else str(error)
            yield Problem(0, "ld+json", shown(" ".join(text[:200].split())), f"no JSON: {why}", "script left out")


def _products(value: Any, depth: int = 0) -> Iterator[dict[str, Any] | Problem]:
    """The outermost products in a value; variants are left inside their group."""
    if depth > _DEEPEST:
        return
    if isinstance(value, Problem):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _products(part, depth + 1)
    elif isinstance(value, dict):
        if kinds(value) & _PRODUCTS:
            yield value
            return
        for key, part in value.items():
            if key not in _INNER:
                yield from _products(part, depth + 1)


def _microdata(tree: Any) -> list[dict[str, Any]]:
    """The items that are no property of another, as objects."""
    return [_item(element, 0) for element in tree.xpath("//*[@itemscope][not(@itemprop)]")][:_MOST_PRODUCTS]


def _item(element: Any, depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {"@type": (element.get("itemtype") or "").split()}
    open_elements = list(reversed(element)) if depth < _DEEPEST else []
    while open_elements:
        child = open_elements.pop()
        if not isinstance(child.tag, str):
            continue
        inner = child.get("itemscope") is not None
        names = (child.get("itemprop") or "").split()
        value = (_item(child, depth + 1) if inner else _value(child)) if names else None
        for name in names[:_MOST_VALUES]:
            _add(found, name, value)
        if not inner:
            open_elements.extend(reversed(child))
    return found


def _add(found: dict[str, Any], name: str, value: Any) -> None:
    """A second value of one name makes a list of it."""
    if name not in found:
        if len(found) < _MOST_VALUES:
            found[name] = value
    elif not isinstance(found[name], list):
        found[name] = [found[name], value]
    elif len(found[name]) < _MOST_VALUES:
        found[name].append(value)


def _value(element: Any) -> str:
    if (content := element.get("content")) is not None:
        return str(content).strip()
    if element.tag in _ADDRESSES:
        return str(element.get(_ADDRESSES[element.tag]) or "").strip()
    if element.tag in ("data", "meter"):
        return str(element.get("value") or "").strip()
    texts, size = [], 0
    for text in element.itertext():
        texts.append(text[:_LONGEST])
        if (size := size + len(text)) > _LONGEST:
            break
    return " ".join("".join(texts).split())


def whole_address(base: str, address: str) -> str:
    """`address` as seen from the page at `base`."""
    try:
        return urljoin(base, address) if base.startswith(("http://", "https://")) else address
    except ValueError:
        return address
