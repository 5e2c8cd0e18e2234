"""What every feed reader gives: products one by one, and what was wrong with the rest."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from retrieval.product import Lang, Product

REASON = "daogou_reason"  # a column or field that we add to what we leave out; readers pass over it
SKIPPED = "row skipped"  # what was done with a row that cannot be used

Form = Literal["table", "items", "objects"]

_MOST_PROBLEMS = 10_000  # that are kept
_SHOWN = 60  # characters of a wrong value in a message


class FeedError(RuntimeError):
    """The file cannot be used as a catalogue; the message says what is wrong, where, and how to mend it."""


@dataclass(frozen=True)
class Problem:
    """One thing in a feed that could not be taken as it is. `row` counts from 1, 0 means the file as a whole."""

    row: int
    column: str
    value: str
    what: str  # "not a price"
    done: str  # "value left out", "row skipped"
    file: str = ""  # of several, the one it is in

    def __str__(self) -> str:
        place = f"row {self.row}" if self.row else "" if self.file else "file"
        where = ", ".join(part for part in (self.file, place, self.column) if part)
        value = f" {self.value!r}" if self.value else ""
        return f"{where}{value}: {self.what}; {self.done}"


@dataclass(frozen=True)
class Row:
    """A row of a feed: its product, unless it had to be skipped, and its problems."""

    number: int
    product: Product | None
    problems: tuple[Problem, ...] = ()
    file: str = ""  # of several, the one it is in
    numbers: tuple[int, ...] = ()  # of all rows of the product, where they are several


@dataclass(frozen=True)
class Column:
    """A column of a plain table, and what it means. `confidence` is 1 where the shop said so."""

    header: str
    role: str  # one of mapping.ROLES, "attribute" or "ignored"
    name: str  # the attribute's key, else the role
    confidence: float  # from 0 to 1
    lang: Lang | None = None
    currency: str | None = None  # that the header names: price (EUR)


@dataclass(frozen=True)
class Source:
    """A file to read and how: its encoding, and the currency of prices that name none."""

    path: Path
    encoding: str
    currency: str
    errors: str = "strict"  # "replace": a few bytes are damaged


Reader = Callable[[Source], Iterator[Row]]
Raw = Callable[[Source], Iterator[tuple[int, Any]]]


@dataclass(frozen=True)
class RawFile:
    """A file of a feed as it was before anything was made of it: its rows with their numbers.

    A row is a list of cells in a "table", whose first row is the header, a dict of texts in "items", which is a table
    without a header, and any JSON in "objects".
    """

    name: str
    source: Source
    form: Form
    opener: Raw

    def rows(self) -> Iterator[tuple[int, Any]]:
        return self.opener(self.source)


class Products:
    """The products of a file, read anew by each iteration, so that a large file never is in memory as a whole."""

    def __init__(self, source: Source, reader: Reader, count: int) -> None:
        self._source = source
        self._reader = reader
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Product]:
        return (row.product for row in self.rows() if row.product)

    def rows(self) -> Iterator[Row]:
        """The rows that they come from, and those that were skipped, with their problems."""
        return unique(self._reader(self._source))


@dataclass(frozen=True)
class Feed:
    """A catalogue file that was read through once. The first of several products with one id counts."""

    source: Source
    kind: str  # "table", "JSON lines", "JSON array"
    digest: str  # of the content and of how it was read
    products: Products
    problems: tuple[Problem, ...]  # the first 10,000, and a last one that counts the others
    columns: tuple[Column, ...] = ()  # what those of a plain table were taken for
    raw: tuple[RawFile, ...] = ()
    about: tuple[Problem, ...] = ()  # those of the files as a whole, which are among `problems` too

    def understood(self) -> dict[str, Any]:
        """What was made of the file, as JSON: its form, its encoding, and the meaning of each column."""
        return {
            "kind": self.kind,
            "encoding": self.source.encoding,
            "currency": self.source.currency,
            "products": len(self.products),
            "columns": [asdict(column) for column in self.columns],
        }


class NoProductError(FeedError):
    """No row of a feed can be used; `feed` tells of each."""

    def __init__(self, message: str, feed: Feed) -> None:
        super().__init__(message)
        self.feed = feed


class Listed:
    """Problems as they come; of very many the first."""

    def __init__(self) -> None:
        self._first: list[Problem] = []
        self._more = 0

    def add(self, *problems: Problem) -> None:
        room = _MOST_PROBLEMS - len(self._first)
        self._first.extend(problems[:room])
        self._more += max(0, len(problems) - room)

    def all(self) -> tuple[Problem, ...]:
        more = Problem(0, "", "", f"{self._more:,} more problems", "not listed")
        return (*self._first, more) if self._more else tuple(self._first)


def unique(rows: Iterator[Row]) -> Iterator[Row]:
    """The rows, those that repeat an id without their product. The ids lie in a temporary file."""
    with closing(scratch()) as ids:
        ids.execute("CREATE TABLE first (id TEXT PRIMARY KEY, number INTEGER, file TEXT) WITHOUT ROWID")
        for row in rows:
            if row.product is None:
                yield row
                continue
            name = row.product.id.encode("utf-8", "surrogatepass")
            if ids.execute("INSERT OR IGNORE INTO first VALUES (?, ?, ?)", (name, row.number, row.file)).rowcount:
                yield row
                continue
            first, file = ids.execute("SELECT number, file FROM first WHERE id = ?", (name,)).fetchone()
            what = f"row {first}{f' of {file}' if file != row.file else ''} has the same id"
            again = Problem(row.number, "id", shown(row.product.id), what, SKIPPED, row.file)
            yield Row(row.number, None, (*row.problems, again), row.file, row.numbers)


def scratch() -> sqlite3.Connection:
    """A database that spills into a temporary file, which is gone when it is closed."""
    database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("PRAGMA synchronous = OFF")
    return database


def shown(value: object) -> str:
    """A value as a message can show it: short, and printable everywhere."""
    text = (value[: 2 * _SHOWN] if isinstance(value, str) else str(value)).encode("utf-8", "replace").decode()
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def invalid(number: int, error: ValidationError) -> Row:
    """A row that is not a valid product, with a problem for each field that is wrong."""
    problems = []
    for detail in error.errors(include_url=False):
        column = ".".join(str(part) for part in detail["loc"])
        missing = detail["type"] == "missing"
        what = "missing" if missing else detail["msg"][:1].lower() + detail["msg"][1:]
        problems.append(Problem(number, column, "" if missing else shown(detail["input"]), what, "row skipped"))
    return Row(number, None, tuple(problems))
