"""A product in the making: cells in, `Product` out, with a problem for each cell that could not be taken."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import urlsplit

from pydantic import ValidationError

from retrieval.feeds import cells, markup
from retrieval.feeds.base import Problem, Source, invalid, shown
from retrieval.product import Localized, Money, Product, Variant

_LONGEST = 20_000  # characters of a description
_LARGEST = 100_000  # characters of a cell that are looked at
_LONGEST_ATTRIBUTE = 1_000
_MOST_ATTRIBUTES = 300
_FORMULA = re.compile(r"=|[+\-@][A-Za-z_][\w.]*[(|!]")
_QUOTED = re.compile(r'="([^"]*)"')  # how spreadsheets keep the zeros of 00123
_LINE = re.compile(r"\s*\n\s*")
_FILE = re.compile(r"[\w .()+,@=~%&/-]+")

T = TypeVar("T")
Parse = Callable[[str], T]


class Draft:
    """One product on its way, of row `number`. `once` holds what needs telling only once in a feed."""

    def __init__(self, number: int, source: Source, once: set[str], problems: Iterable[Problem] = ()) -> None:
        self.number = number
        self.problems = list(problems)
        self._source = source
        self._once = once

    def note(self, column: str, value: object, what: str, done: str, row: int | None = None) -> None:
        self.problems.append(Problem(self.number if row is None else row, column, shown(value), what, done))

    def text(self, column: str, cell: str, longest: int = _LONGEST) -> str:
        """The cell's text without markup, hidden characters and formulas; "" where nothing is left."""
        if len(cell) <= longest and markup.is_plain(cell):
            return cell.strip()
        if len(cell) > _LARGEST:
            self.note(column, cell, f"longer than {_LARGEST:,} characters", "cut")
            cell = cell[:_LARGEST]
        seen = markup.visible(cell).strip()
        if len(seen) != len(cell.strip()):
            self.note(column, cell, "hidden characters", "left out")
        if quoted := _QUOTED.fullmatch(seen):
            seen = quoted[1]
        if _FORMULA.match(seen):
            self.note(column, seen, "looks like a formula", "value left out")
            return ""
        if markup.is_active(seen):
            self.note(column, seen, "holds what a browser would run", "only its text taken")
        # Entities may hide what `visible` looks for.
        text = markup.visible(markup.to_text(seen)).strip()
        if len(text) > longest:
            self.note(column, text, f"longer than {longest:,} characters", "cut")
            text = text[:longest].rstrip()
        return text

    def localized(self, column: str, cell: str, lang: str | None = None) -> Localized:
        text = self.text(column, cell)
        return {lang or cells.language(text): text} if text else {}

    def read(self, column: str, cell: str, parse: Parse[T]) -> T | None:
        """The cell's value, None where it is empty or, with a problem, where it cannot be read."""
        if not cell.strip():
            return None
        try:
            return parse(cell.strip())
        except ValueError as error:
            self.note(column, cell, str(error), "value left out")
            return None

    def price(self, column: str, cell: str, stated: str | None = None) -> Money | None:
        """`stated`: the currency of another cell."""
        found = self.read(column, cell, lambda text: cells.money(text, stated, self._source.currency))
        if found is None:
            return None
        price, assumed = found
        if assumed:
            self.note_currency(column)
        return price

    def note_currency(self, column: str) -> None:
        """Tell, once in a feed, that its prices name no currency."""
        if "currency" not in self._once:
            self._once.add("currency")
            self.note(column, "", "names no currency", f"{self._source.currency} taken, in other rows too")

    def current_price(self, column: str, regular: str, sale: str, begins: str = "", ends: str = "") -> Money | None:
        """The sale's price while the sale lasts, where it is lower, else the regular one."""
        price = self.price(column, regular)
        lower = self.price(f"sale {column}", sale)
        if lower is None or (price and (lower.currency != price.currency or lower.amount >= price.amount)):
            return price
        days = [self.read(f"dates of sale {column}", cell, cells.day) for cell in (begins, ends)]
        if any(day is None and cell for day, cell in zip(days, (begins, ends), strict=True)):
            return price  # nobody knows whether it lasts
        today = datetime.now(UTC).date()
        return lower if (days[0] or today) <= today <= (days[1] or today) else price

    def stock(self, column: str, cell: str) -> int | None:
        """Pieces; words for "sold out" count 0, words for "in stock" say no number."""
        found = self.read(column, cell, cells.stock)
        if found is not None and found < 0:
            self.note(column, cell, "negative stock", "0 taken")
            return 0
        return found

    def url(self, column: str, cell: str) -> str | None:
        return self.read(column, cell, _web)

    def image(self, column: str, cell: str) -> str | None:
        """A web address, or a path inside the picture folder without a leading slash."""
        return self.read(column, cell, lambda text: _web(text) if ":" in text or text[:2] == "//" else _inside(text))

    def attributes(self, given: Iterable[tuple[str, str] | tuple[str, str, str | None]]) -> dict[str, Localized]:
        """Keys, values and their languages where they are known; of one key and language the first counts."""
        found: dict[str, Localized] = {}
        for entry in given:
            key, cell = self.text("", entry[0], 100), entry[1]
            if not key or not cell.strip():
                continue
            if key not in found and len(found) == _MOST_ATTRIBUTES:
                self.note("", "", f"more than {_MOST_ATTRIBUTES} attributes", "the rest left out")
                break
            if text := self.text(key, cell, _LONGEST_ATTRIBUTE):
                lang = entry[2] if len(entry) == 3 else None
                text = _LINE.sub(", ", text) if "\n" in text else text
                found.setdefault(key, {}).setdefault(lang or cells.language(text), text)
        return found

    def variant(self, sku: str, **values: Any) -> Variant | None:
        """A variant, None with a problem where it is none."""
        try:
            return Variant(sku=self.text("sku", sku), **values)
        except ValidationError as error:
            self.problems.extend(_left_out(invalid(self.number, error).problems, "variant left out"))
            return None

    def options(self, given: Mapping[str, str]) -> dict[str, str]:
        texts = {self.text("option", key, 100): self.text(key, value, 200) for key, value in given.items()}
        return {key: value for key, value in texts.items() if key and value}

    def build(self, **values: Any) -> Product | None:
        """The product, or None with the reasons. With variants, price and stock follow from theirs."""
        values["id"] = self.text("id", values.get("id") or "")
        if missing := [name for name in ("id", "title") if not values.get(name)]:
            for name in missing:
                self.note(name, "", "empty", "row skipped")
            return None
        variants = values["variants"] = _apart(values.get("variants", ()), self)
        prices = [variant.price for variant in variants if variant.price is not None]
        if prices and len({price.currency for price in prices}) == 1:
            values["price"] = min(prices, key=lambda price: price.amount)
        for name, options in _choices(variants).items():
            values.setdefault("attributes", {}).setdefault(name, {cells.language(options): options})
        stocks = [variant.stock for variant in variants if variant.stock is not None]
        if stocks:  # some sold out and others of which nobody knows: not sold out
            values["stock"] = sum(stocks) or (0 if len(stocks) == len(variants) else None)
        try:
            return Product(**values)
        except ValidationError as error:
            self.problems.extend(invalid(self.number, error).problems)
            return None


def _apart(variants: Iterable[Variant], draft: Draft) -> tuple[Variant, ...]:
    """The variants; of several with one SKU the first."""
    found: dict[str, Variant] = {}
    for variant in variants:
        if variant.sku in found:
            draft.note("sku", variant.sku, "two variants have this SKU", "the second left out")
        found.setdefault(variant.sku, variant)
    return tuple(found.values())


def _choices(variants: Iterable[Variant]) -> dict[str, str]:
    """What there is to choose from, for who looks for a colour: {"Color": "Blue, Red"}."""
    found: dict[str, dict[str, None]] = {}
    for variant in variants:
        for name, value in variant.options.items():
            found.setdefault(name, {})[value] = None
    return {name: ", ".join(values)[:_LONGEST_ATTRIBUTE] for name, values in found.items()}


def _left_out(problems: Iterable[Problem], done: str) -> list[Problem]:
    return [Problem(problem.row, problem.column, problem.value, problem.what, done) for problem in problems]


def _web(text: str) -> str:
    text = (f"https:{text}" if text.startswith("//") else text).replace(" ", "%20")
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or len(text) > 2_000:
        raise ValueError("not an http or https address")
    if markup.visible(text) != text or any(character.isspace() or character in '<>"' for character in text):
        raise ValueError("not an address")
    return text


def _inside(text: str) -> str:
    path = text.lstrip("/")
    if not _FILE.fullmatch(path) or any(part.strip() in ("", ".", "..") for part in path.split("/")) or len(path) > 500:
        raise ValueError("not a file name inside the picture folder")
    return path
