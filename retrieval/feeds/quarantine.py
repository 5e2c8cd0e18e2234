"""The rows of a feed that cannot be used, written as they were with the reason beside them: mended, they load."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterator
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any, TextIO

from retrieval.feeds.base import REASON, Feed, RawFile
from retrieval.feeds.report import Report

Rejected = Iterator[tuple[Any, str]]  # rows as they were, and why they are left out


def write_quarantine(feed: Feed, report: Report, path: Path) -> list[Path]:
    """Write the rows that `report` says are left out, and name the files written: none where there are no such rows.

    Tables give CSV with their own header, JSON gives JSON lines, `.jsonl` in place of `.csv`. Of a feed of several
    files each that has such rows gives one: `quarantine.csv`, `quarantine-2.csv`. No file of the feed is overwritten.
    Raises OSError where nothing can be written, FeedError where the feed is gone.
    """
    written: list[Path] = []
    feed_files = {raw.source.path.resolve() for raw in feed.raw}
    for raw in feed.raw:
        many = report.rejected.execute("SELECT count(*) FROM rejected WHERE file = ?", (raw.name,)).fetchone()[0]
        if not many:
            continue
        target = _target(path, {*feed_files, *written}, json_lines=raw.form == "objects")
        fresh = target.with_name(f".{target.name}.new")
        with fresh.open(
            "w", encoding="utf-8" if raw.form == "objects" else "utf-8-sig", newline="", errors="replace"
        ) as file:
            _FORMS[raw.form](raw, report.rejected, file)
        fresh.replace(target)
        written.append(target)
    return written


def _target(path: Path, taken: set[Path], *, json_lines: bool) -> Path:
    """The first of quarantine.csv, quarantine-2.csv and so on that is not taken."""
    suffix = ".jsonl" if json_lines and path.suffix == ".csv" else path.suffix
    folder = path.parent.resolve()
    names = (f"{path.stem}{f'-{number}' if number > 1 else ''}{suffix}" for number in count(1))
    return next(target for name in names if (target := folder / name) not in taken)


def _rejected(raw: RawFile, database: sqlite3.Connection) -> Rejected:
    for number, row in raw.rows():
        if why := database.execute(
            "SELECT reason FROM rejected WHERE file = ? AND number = ?", (raw.name, number)
        ).fetchone():
            yield row, why[0]


def _table(raw: RawFile, database: sqlite3.Connection, file: TextIO) -> None:
    _, header = next(raw.rows())
    table = csv.writer(file)
    table.writerow([*header, REASON])
    for cells, why in _rejected(raw, database):
        padded = [*cells[: len(header)], *[""] * (len(header) - len(cells))]
        table.writerow([*padded, why])


def _items(raw: RawFile, database: sqlite3.Connection, file: TextIO) -> None:
    header = dict.fromkeys(name for item, _ in _rejected(raw, database) for name in item)
    table = csv.DictWriter(file, [*header, REASON])
    table.writeheader()
    for item, why in _rejected(raw, database):
        table.writerow({**item, REASON: why})


def _objects(raw: RawFile, database: sqlite3.Connection, file: TextIO) -> None:
    for value, why in _rejected(raw, database):
        fields = value if isinstance(value, dict) else {"value": value}
        file.write(json.dumps({**fields, REASON: why}, default=_plain) + "\n")


def _plain(value: object) -> float | str:
    return float(value) if isinstance(value, Decimal) else str(value)


_FORMS = {"table": _table, "items": _items, "objects": _objects}
