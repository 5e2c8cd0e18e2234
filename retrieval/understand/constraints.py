"""What a message demands and wishes, in English and Chinese."""

from __future__ import annotations

from dataclasses import dataclass, field

import regex

from retrieval.understand.lexicon import NO_MATERIAL, NOT_COLOURED
from retrieval.understand.negation import read_refusals
from retrieval.understand.price import read_price
from retrieval.understand.reading import Reading, Span
from retrieval.understand.sizes import Scope, read_sizes
from retrieval.understand.vocabulary import Name, Vocabulary, general
from retrieval.understand.wishes import Sort, read_rating, read_soft, read_sort, read_stock

_SAID = frozenset({"price", "stock", "rating", "sort", "exclude"})  # says how, not what to look for
_NO_COLOUR_AFTER = regex.compile(rf"\s+(?:{NOT_COLOURED.replace(' ', '|')})\b", regex.IGNORECASE)
_NO_MATERIAL_AFTER = regex.compile(rf"(?:\s+(?:{NO_MATERIAL})\b|(?:\s+\w+)?\s+scent)", regex.IGNORECASE)
_CREAM = regex.compile(
    r"\b(?!(?:in|or|and|an?|the|not|no|any|my|light|of)\b)\w+ cream\b(?=\s*(?:$|[^\w\s]|(?:for|with|without|under"
    r"|that)\b))",
    regex.IGNORECASE,
)
_NO_COLOUR_BEFORE = regex.compile(
    r"(?:face|hand|eye|night|day|sun|body|foot|shaving|ice|moisturi[sz]ing) $", regex.IGNORECASE
)


@dataclass(frozen=True)
class Constraints:
    """What is said of the products, as values; None and () where nothing is said.

    Prices are in `currency` (ISO 4217), or in the catalogue's where it is "". `price_about` stands alone. `color`,
    `material`, `size`, `recipient` and `occasion` are wishes, the rest limits. `exclude_terms` are neither brands nor
    categories. `spans` say where; they are of the message's own characters.
    """

    price_min: float | None = None
    price_max: float | None = None
    in_stock: bool = False
    price_about: float | None = None
    currency: str = ""
    brand: tuple[str, ...] = ()
    brand_not: tuple[str, ...] = ()
    category: tuple[str, ...] = ()
    category_not: tuple[str, ...] = ()
    color: tuple[str, ...] = ()
    material: tuple[str, ...] = ()
    size: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ()
    rating_min: float | None = None
    sort: Sort | None = None
    exclude_terms: tuple[str, ...] = ()
    quantity: int | None = None
    recipient: tuple[str, ...] = ()
    occasion: tuple[str, ...] = ()
    spans: tuple[Span, ...] = field(default=(), compare=False, repr=False)


def constraints(text: str, vocabulary: Vocabulary | None = None) -> Constraints:
    """What the message says. Never raises; a message that states nothing gives empty constraints.

    Names are matched against the catalogue's `vocabulary`, or general words where there is none.
    """
    words = vocabulary or general()
    reading = Reading.of(text)
    brands = [(name.start, name.end) for name in words.find(reading.left) if name.kind == "brand"]
    for start, end in brands:  # "Under Armour" is no limit
        reading.blot(start, end)
    rating = read_rating(reading)
    stock = read_stock(reading)
    sizes, scopes = read_sizes(reading)
    price = read_price(reading)
    sort = read_sort(reading)
    for start, end in brands:
        reading.show(start, end)
    refused = read_refusals(reading, words)
    quantity, recipient, occasion = read_soft(reading)
    named = [name for name in words.find(reading.left) if _is_meant(name, reading.left)]
    for name in named:
        reading.spans.append(Span(name.kind, name.start, name.end))
    return Constraints(
        price_min=price.low,
        price_max=price.high,
        in_stock=stock,
        price_about=price.about,
        currency=price.currency,
        brand=_of(named, "brand"),
        brand_not=tuple(refused.brands),
        category=_of(named, "category"),
        category_not=tuple(refused.categories),
        color=_of(named, "color"),
        material=_of(named, "material"),
        size=sizes,
        scopes=scopes,
        rating_min=rating,
        sort=sort,
        exclude_terms=tuple(refused.terms),
        quantity=quantity,
        recipient=recipient,
        occasion=occasion,
        spans=tuple(sorted(reading.spans, key=lambda span: (span.start, span.end))),
    )


def _of(named: list[Name], kind: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.name for name in named if name.kind == kind))


def _is_meant(name: Name, text: str) -> bool:
    """Neither the colour of "green tea" or "face cream" nor the material of "cotton candy"."""
    if name.kind == "material":
        return not _NO_MATERIAL_AFTER.match(text, name.end)
    if name.kind != "color":
        return True
    if any(match.end() == name.end for match in _CREAM.finditer(text)):
        return False
    return not (_NO_COLOUR_AFTER.match(text, name.end) or _NO_COLOUR_BEFORE.search(text[: name.start]))


def without_limits(text: str) -> str:
    """The message less its limits, its order and what is not wanted: what is left says what to look for."""
    return less_limits(text, constraints(text))


def less_limits(text: str, said: Constraints) -> str:
    """As `without_limits`, of a text that was read already."""
    left = text
    for span in reversed(said.spans):
        if span.kind in _SAID:
            left = f"{left[: span.start]} {left[span.end :]}"
    return left.strip()
