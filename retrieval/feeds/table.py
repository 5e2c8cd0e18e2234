"""CSV: rows of cells with a header, separated by comma, semicolon, tab or bar."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO

from retrieval.feeds.base import FeedError, Source
from retrieval.feeds.spill import Cells

Lines = Iterator[tuple[int, list[str]]]  # numbered as a spreadsheet does; the first is the header

_SEPARATORS = ",;\t|"
_LARGEST_CELL = 2**24  # characters; the module's own limit cuts long descriptions off
_LONGEST_CELL = 100_001  # characters that are kept, one more than are looked at
_LONGEST_NAME = 200  # characters of a column's name
_LARGEST_ROW = 2**26  # characters
_MOST_COLUMNS = 5_000


def read_csv(source: Source) -> Lines:
    """Raises FeedError where a cell never ends."""
    csv.field_size_limit(_LARGEST_CELL)
    with source.path.open(encoding=source.encoding, errors=source.errors, newline="") as file:
        separator = _separator(file.readline(_LARGEST_CELL))
        file.seek(0)
        for number, cells in _rows(file, separator, source):
            yield number, short(cells, _LONGEST_NAME if number == 1 else _LONGEST_CELL)


def short(cells: Sequence[str], longest: int = _LONGEST_CELL) -> list[str]:
    """As much of the cells as any product may hold."""
    return [cell[:longest] for cell in cells[:_MOST_COLUMNS]]


def named_rows(lines: Lines, name: Callable[[str], str] = lambda cell: cell) -> Iterator[tuple[int, Cells]]:
    """The rows after the header as `_named`; a column is called what `name` makes of its header in lower case."""
    _, header = next(lines)
    names = [name(cell.strip().lower()) for cell in header]
    for number, cells in lines:
        yield number, _named(names, cells)


def _named(names: Sequence[str], cells: Sequence[str]) -> Cells:
    """The cells that are not empty by the names of their columns; of several with one name the first counts."""
    row: Cells = {}
    for name, cell in zip(names, cells, strict=False):
        if name and (text := cell.strip()):
            row.setdefault(name, text)
    return row


def _separator(header: str) -> str:
    """The one the header has most of. (csv.Sniffer guesses from descriptions, which are full of commas.)"""
    return max(_SEPARATORS, key=header.count)


def _rows(file: TextIO, separator: str, source: Source) -> Lines:
    """Numbered rows. Raises FeedError where a cell never ends: all rows after it would be taken for its text."""
    ended, size = False, 0

    def lines() -> Iterator[str]:
        nonlocal ended, size
        while line := file.readline(_LARGEST_ROW):
            size += len(line)
            if size >= _LARGEST_ROW:
                raise csv.Error(f"a row of more than {_LARGEST_ROW >> 20} MB")
            yield line
        ended = True

    table = csv.reader(lines(), delimiter=separator)
    number = 1
    try:
        for number, cells in enumerate(table, 1):
            if ended:  # a row is whole before the reader asks for more, unless a quotation mark is still open
                raise csv.Error("the file ends inside a cell")
            size = 0
            yield number, cells
    except csv.Error as error:
        raise FeedError(
            f"{source.path} cannot be read as a table: {error}, about row {number}. Either the file was cut off, or a "
            "quotation mark is opened there and never closed. Export it again with every cell quoted."
        ) from error
