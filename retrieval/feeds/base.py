"""What every feed reader gives: products one by one, and what was wrong with the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from retrieval.product import Product

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

    def __str__(self) -> str:
        place = f"row {self.row}, {self.column}" if self.column else f"row {self.row}"
        value = f" {self.value!r}" if self.value else ""
        return f"{place if self.row else 'file'}{value}: {self.what}; {self.done}"


@dataclass(frozen=True)
class Row:
    """A row of a feed: its product, unless it had to be skipped, and its problems."""

    number: int
    product: Product | None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Source:
    """A file to read and how: its encoding, and the currency of prices that name none."""

    path: Path
    encoding: str
    currency: str


Reader = Callable[[Source], Iterator[Row]]


class Products:
    """The products of a file, read anew by each iteration, so that a large file never is in memory as a whole."""

    def __init__(self, source: Source, reader: Reader, count: int) -> None:
        self._source = source
        self._reader = reader
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Product]:
        return (row.product for row in unique(self._reader(self._source)) if row.product)


@dataclass(frozen=True)
class Feed:
    """A catalogue file that was read through once. The first of several products with one id counts."""

    source: Source
    kind: str  # "table", "JSON lines", "JSON array"
    digest: str  # of the content and of how it was read
    products: Products
    problems: tuple[Problem, ...]


def unique(rows: Iterator[Row]) -> Iterator[Row]:
    """The rows, those that repeat an id without their product."""
    first: dict[str, int] = {}
    for row in rows:
        if row.product and first.setdefault(row.product.id, row.number) != row.number:
            what = f"row {first[row.product.id]} has the same id"
            again = Problem(row.number, "id", shown(row.product.id), what, "row skipped")
            yield Row(row.number, None, (*row.problems, again))
        else:
            yield row


def shown(value: object) -> str:
    """A value as a message can show it: short, and printable everywhere."""
    text = str(value).encode("utf-8", "replace").decode()
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
