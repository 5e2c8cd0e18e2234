"""Tables that are no text: XLSX and Parquet. Cells are values, never formulas."""

from __future__ import annotations

import zipfile
from contextlib import closing
from typing import Any

import pyarrow.lib
import pyarrow.parquet
from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from retrieval.feeds.base import FeedError, Source
from retrieval.feeds.records import Objects, as_text
from retrieval.feeds.table import Lines, short

_MOST_COLUMNS = 5_000
_LARGEST_PART = 2**27  # bytes of a part of the workbook that is read as a whole
_MOST_EMPTY = 10_000  # rows one after another: then the sheet is taken to be at its end
_BATCH = 500  # rows
_LARGEST_GROUP = 2**30  # bytes of a row group when unpacked


def read_xlsx(source: Source) -> Lines:
    """The rows of the first sheet that has any, as they would be numbered on the screen. Raises FeedError."""
    try:
        _check(source)
        with (
            source.path.open("rb") as file,  # by its name it would refuse what is not called .xlsx
            closing(load_workbook(file, read_only=True, data_only=True, keep_links=False)) as book,
        ):
            for sheet in book.worksheets:
                lines = _lines(sheet)
                first = next(lines, None)
                if first is not None:
                    yield first
                    yield from lines
                    return
    except (
        InvalidFileException,
        zipfile.BadZipFile,
        KeyError,
        ValueError,
        TypeError,
        SyntaxError,
        AttributeError,
    ) as error:
        raise FeedError(f"{source.path} cannot be read as XLSX: {error}. Save it again, or as CSV in UTF-8.") from error


def read_parquet(source: Source) -> Objects:
    """Rows as objects, numbered from 1. Raises FeedError."""
    try:
        with pyarrow.parquet.ParquetFile(source.path) as file:
            groups = [file.metadata.row_group(place) for place in range(file.num_row_groups)]
            if any(group.total_byte_size > _LARGEST_GROUP for group in groups):
                raise FeedError(
                    f"{source.path} has row groups of more than {_LARGEST_GROUP >> 20} MB. Write smaller ones."
                )
            number = 0
            for batch in file.iter_batches(_BATCH):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except (pyarrow.lib.ArrowException, UnicodeDecodeError) as error:
        raise FeedError(f"{source.path} cannot be read as Parquet: {error}. Export it again, or as CSV.") from error


def _check(source: Source) -> None:
    """Raises FeedError where a workbook would fill the memory: all but the sheets' rows is read as a whole."""
    with zipfile.ZipFile(source.path) as archive:
        whole = [part for part in archive.infolist() if not part.filename.startswith(("xl/worksheets/", "xl/media/"))]
    if sum(part.file_size for part in whole) > _LARGEST_PART:
        raise FeedError(f"{source.path} holds more than {_LARGEST_PART >> 20} MB of texts. Save it as CSV in UTF-8.")


def _lines(sheet: Any) -> Lines:
    empty = 0
    for number, row in enumerate(sheet.iter_rows(max_col=_MOST_COLUMNS, values_only=True), 1):
        cells = [as_text(value) if value is not None else "" for value in row]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            empty = 0
            yield number, short(cells)
        elif (empty := empty + 1) > _MOST_EMPTY:
            return
