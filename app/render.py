"""What the page's scripts draw, as plain data. Texts stay texts: the scripts set them with textContent only."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from app.events import Product, ShelfItem

if TYPE_CHECKING:
    from app.session import Turn

# Nothing to see: control characters, marks that turn the direction of text around, halves of a character.
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_PICTURE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,150}\.(?:webp|png|jpe?g)")


def clean(text: str) -> str:
    """`text` without characters that are no writing; line ends and tabs stay."""
    return _UNSEEN.sub("", text)


def is_picture_name(name: str) -> bool:
    """Whether `name` is a file name that a picture folder could hold; no paths."""
    return _PICTURE_NAME.fullmatch(name) is not None and ".." not in name


def picture(item: ShelfItem, hosts: frozenset[str]) -> str | None:
    """The address a card may load its picture from: https on one of `hosts`, else our own."""
    image = item.product.image
    if not image:
        return None
    if is_picture_name(image):
        return f"/pictures/{quote(image)}"
    if image.startswith("https://") and _host(image) in hosts:
        return image
    return f"/pictures/{item.picture}" if item.picture and is_picture_name(item.picture) else None


def link(url: str | None) -> str | None:
    """`url` where it is a plain web address, else None: no scripts, no data, no user name in it."""
    if not url or not url.startswith(("http://", "https://")) or clean(url) != url:
        return None
    return url if _host(url) else None


def _host(url: str) -> str | None:
    """The host of a web address; None where it has none, or hides it behind a user name."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return None if "@" in parts.netloc else parts.hostname


def card(item: ShelfItem, hosts: frozenset[str]) -> dict[str, Any]:
    """One product card. `stock` is None where the shop does not say."""
    product: Product = item.product
    price = product.price
    return {
        "number": item.number,
        "title": {lang: clean(text) for lang, text in product.title.items()},
        "brand": clean(product.brand),
        "price": None if price is None else {"amount": str(price.amount), "currency": price.currency},
        "stock": product.stock,
        "rating": product.rating if product.rating_count else None,
        "rating_count": product.rating_count,
        "picture": picture(item, hosts),
        "url": link(product.url),
    }


def cards(items: Sequence[ShelfItem], hosts: frozenset[str]) -> str:
    """The cards of a shelf, as JSON: Gradio walks through every value of each piece it sends, but not into texts."""
    return json.dumps([card(item, hosts) for item in items], ensure_ascii=False)


def turn(turn: Turn, cards: str) -> dict[str, Any]:
    """One turn of the conversation, with the `cards` of its shelf."""
    trace = turn.trace
    return {
        "number": turn.number,
        "status": turn.status,
        "lang": turn.lang,
        "question": turn.question,
        "chips": [clean(chip) for chip in turn.chips],
        "notices": [clean(notice) for notice in turn.notices],
        "text": clean(turn.text),
        "reason": turn.reason,
        "refused": turn.refused,
        "follow_ups": [clean(question) for question in turn.follow_ups],
        "cards": cards,
        "trace": trace
        and {
            "total_ms": trace.total_ms,
            "stages": [{"name": clean(s.name), "start": s.start, "ms": s.ms} for s in trace.stages],
        },
    }
