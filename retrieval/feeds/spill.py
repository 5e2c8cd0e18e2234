"""Rows that belong to one product and lie apart in a file, brought together without holding the file in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from itertools import groupby, islice
from types import TracebackType

from retrieval.feeds.base import Problem, scratch

Cells = dict[str, str]  # column → cell, empty ones left out

_MOST = 5_000  # rows of one product; shops allow some 2,000 variants
_LARGEST = 2**26  # characters of those rows
_GROUPS = """
    SELECT number, coalesce(alias.target, row.name) AS key, cells
    FROM row LEFT JOIN alias ON alias.name = row.name
    ORDER BY min(number) OVER (PARTITION BY coalesce(alias.target, row.name)), number
"""


class Spill:
    """A temporary file of rows. A row has a name; rows whose name leads to the same one are a group."""

    def __init__(self) -> None:
        self._database = scratch()
        self._database.execute("CREATE TABLE row (number INTEGER, name BLOB, cells TEXT)")
        self._database.execute("CREATE TABLE alias (name BLOB PRIMARY KEY, target BLOB) WITHOUT ROWID")

    def __enter__(self) -> Spill:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._database.close()

    def add(self, number: int, name: str, cells: Cells) -> None:
        self._database.execute("INSERT INTO row VALUES (?, ?, ?)", (number, _bytes(name), json.dumps(cells)))

    def alias(self, name: str, target: str) -> None:
        """Rows called `name` belong to `target`. The first target of a name counts."""
        if name != target:
            self._database.execute("INSERT OR IGNORE INTO alias VALUES (?, ?)", (_bytes(name), _bytes(target)))

    def groups(self) -> Iterator[tuple[str, list[tuple[int, Cells]], list[Problem]]]:
        """The name of each group, its rows in the order of the file, and what was wrong with the group.

        Groups come in the order of their first rows.
        """
        with closing(self._database.execute(_GROUPS)) as found:
            for key, members in groupby(found, key=lambda row: bytes(row[1])):
                rows, size = [], 0
                for number, _, cells in islice(members, _MOST):
                    rows.append((number, json.loads(cells)))
                    if (size := size + len(cells)) > _LARGEST:
                        break
                more = sum(1 for _ in members)
                many = Problem(rows[0][0], "", "", f"more than {len(rows):,} rows of one product", f"{more:,} left out")
                yield key.decode("utf-8", "surrogatepass"), rows, [many] if more else []


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")
