"""A plain table: CSV with a header, separated by comma, semicolon, tab or bar.

Columns by name, in any order and case: `id` or `sku`, `title` or `name`, `description`, `category`, `brand`, `price`,
`currency`, `stock`, `rating`, `rating_count`, `image`, `url`. Any other column is an attribute. `title_zh`, `colour_en`
and so on give the language of a text; without it the text tells whether it is Chinese.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from retrieval.feeds.base import FeedError, Problem, Row, Source, invalid, shown
from retrieval.feeds.cells import currency, language, money, rating, whole
from retrieval.product import Lang, Localized, Product

_SEPARATORS = ",;\t|"
_TEXTS = frozenset({"title", "description", "category"})
_PLAIN = frozenset({"id", "brand", "price", "currency", "stock", "rating", "rating_count", "image", "url"})
_ALIASES = {"sku": "id", "name": "title"}
_SUFFIX = re.compile(r"^(?P<name>.+)[_-](?P<lang>en|zh)$", re.IGNORECASE)
_LARGEST_CELL = 2**24  # characters; the module's own limit cuts long descriptions off


@dataclass(frozen=True)
class _Column:
    name: str  # one of _TEXTS or _PLAIN, else an attribute's key; "" is left out
    lang: Lang | None = None


def read_table(source: Source) -> Iterator[Row]:
    """A row for each line of the table, numbered as a spreadsheet does: the header is row 1.

    Raises FeedError if the header lacks an id or a title.
    """
    csv.field_size_limit(_LARGEST_CELL)
    with source.path.open(encoding=source.encoding, newline="") as file:
        separator = _separator(file.readline())
        file.seek(0)
        table = _rows(file, separator, source)
        _, header = next(table)
        columns, problems = _columns(header, source)
        assumed = False  # told once that prices name no currency
        for number, cells in table:
            if not any(cell.strip() for cell in cells):
                continue
            row = _Row(number, source, columns, problems)
            product = row.product(cells)
            if row.assumed_currency and not assumed:
                assumed = True
                row.note("price", "", "names no currency", f"{source.currency} taken, in other rows too")
            yield Row(number, product, tuple(row.problems))
            problems = []


def _separator(header: str) -> str:
    """The one the header has most of. (csv.Sniffer guesses from descriptions, which are full of commas.)"""
    return max(_SEPARATORS, key=header.count)


def _rows(file: Iterable[str], separator: str, source: Source) -> Iterator[tuple[int, list[str]]]:
    """Numbered rows. Raises FeedError where a cell never ends: all rows after it would be taken for its text."""
    ended = False

    def lines() -> Iterator[str]:
        nonlocal ended
        yield from file
        ended = True

    table = csv.reader(lines(), delimiter=separator)
    number = 1
    try:
        for number, cells in enumerate(table, 1):
            if ended:  # a row is whole before the reader asks for more, unless a quotation mark is still open
                raise csv.Error("the file ends inside a cell")
            yield number, cells
    except csv.Error as error:
        raise FeedError(
            f"{source.path} cannot be read as a table: {error}, about row {number}. Either the file was cut off, or a "
            "quotation mark is opened there and never closed. Export it again with every cell quoted."
        ) from error


def _columns(header: list[str], source: Source) -> tuple[list[_Column], list[Problem]]:
    columns: list[_Column] = []
    problems = []
    spelling: dict[str, str] = {}  # an attribute is spelt as its first column spells it
    for cell in (cell.strip() for cell in header):
        suffix = _SUFFIX.match(cell)
        base, lang = (suffix["name"], suffix["lang"].lower()) if suffix else (cell, None)
        known = re.sub(r"[\s-]+", "_", base.lower())
        known = _ALIASES.get(known, known)
        is_known = known in _TEXTS or (known in _PLAIN and not suffix)
        name = known if is_known else spelling.setdefault(base.lower(), base)
        if cell and any((column.name, column.lang) == (name, lang) for column in columns):
            problems.append(Problem(1, shown(cell), "", "another column has this meaning", "column left out"))
            name = ""
        columns.append(_Column(name, lang))
    names = {column.name for column in columns}
    if missing := [wanted for wanted in ("id", "title") if wanted not in names]:
        raise FeedError(
            f"{source.path} has no column {' and no column '.join(missing)}. Its first row reads: "
            f"{shown(', '.join(header))}. Name the columns id (or sku), title, description, price and so on."
        )
    return columns, problems


class _Row:
    """One row on its way to a product; gathers its problems."""

    def __init__(self, number: int, source: Source, columns: list[_Column], problems: list[Problem]) -> None:
        self.number = number
        self.columns = columns
        self.problems = list(problems)
        self.assumed_currency = False
        self._currency = source.currency

    def product(self, cells: list[str]) -> Product | None:
        if len(cells) > len(self.columns):
            extra = shown(" | ".join(cells[len(self.columns) :]))
            self.note("", extra, "more cells than the header has", "the rest left out")
        plain, texts, attributes = self._sorted(cells)
        if missing := [name for name in ("id", "title") if not (plain.get(name) or texts.get(name))]:
            for name in missing:
                self.note(name, "", "empty", "row skipped")
            return None
        values: dict[str, Any] = {name: plain[name] for name in ("id", "brand", "image", "url") if name in plain}
        values["stock"] = self._read(plain, "stock", whole)
        values["rating"] = self._read(plain, "rating", rating)
        values["rating_count"] = self._read(plain, "rating_count", whole) or 0
        values["price"] = self._price(plain)
        try:
            return Product(**values, **texts, attributes=attributes)
        except ValidationError as error:
            self.problems.extend(invalid(self.number, error).problems)
            return None

    def note(self, column: str, value: str, what: str, done: str) -> None:
        self.problems.append(Problem(self.number, column, shown(value), what, done))

    def _sorted(self, cells: list[str]) -> tuple[dict[str, str], dict[str, Localized], dict[str, Localized]]:
        plain: dict[str, str] = {}
        texts: dict[str, Localized] = {}
        attributes: dict[str, Localized] = {}
        for column, cell in zip(self.columns, (cell.strip() for cell in cells), strict=False):
            if not cell or not column.name:
                continue
            if column.name in _PLAIN:
                plain[column.name] = cell
                continue
            localized = (texts if column.name in _TEXTS else attributes).setdefault(column.name, {})
            if column.lang:
                localized[column.lang] = cell
            else:
                localized.setdefault(language(cell), cell)
        return plain, texts, attributes

    def _price(self, plain: dict[str, str]) -> Any:
        stated = self._read(plain, "currency", currency)
        if "currency" in plain and stated is None:
            return None  # an amount in nobody knows what is no price
        found = self._read(plain, "price", lambda cell: money(cell, stated, self._currency))
        if found is None:
            return None
        price, self.assumed_currency = found
        return price

    def _read(self, plain: dict[str, str], column: str, parse: Callable[[str], Any]) -> Any:
        """The cell's value, None where it is empty or, with a problem, where it cannot be read."""
        if column not in plain:
            return None
        try:
            return parse(plain[column])
        except ValueError as error:
            self.note(column, plain[column], str(error), "value left out")
            return None
