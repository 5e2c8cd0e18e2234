"""Judgements of products for queries: TREC qrels, or a CSV with the columns query, docid and rating."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

Judgements = dict[str, dict[str, int]]  # query → product id → grade, 0 for not relevant

_CSV = ("query", "docid", "rating")


class JudgementsError(RuntimeError):
    """The file holds no judgements; the message says what is wrong, where, and how to mend it."""


def read_judgements(path: Path) -> Judgements:
    """Grades by query. TREC's second column (iteration) is not used; its first is the query's own text or number.

    Raises JudgementsError.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise JudgementsError(f"{path} cannot be read: {error}.") from error
    header = next(csv.reader(lines[:1]), [])
    rows = _of_csv(lines, header) if set(_CSV) <= set(header) else _of_trec(lines)
    judged: Judgements = {}
    for number, query, product, grade in rows:
        try:
            judged.setdefault(query, {})[product] = int(grade)
        except ValueError:
            raise JudgementsError(f"{path}, line {number}: {grade!r} is no grade. Use whole numbers from 0.") from None
    if not judged:
        raise JudgementsError(
            f"{path} holds no judgements. Use TREC qrels (query 0 product grade) or a CSV with {', '.join(_CSV)}."
        )
    return judged


def _of_csv(lines: list[str], header: list[str]) -> Iterator[tuple[int, str, str, str]]:
    places = [header.index(name) for name in _CSV]
    reader = csv.reader(lines[1:])
    for row in reader:
        if len(row) > max(places):
            query, product, grade = (row[place].strip() for place in places)
            yield reader.line_num + 1, query, product, grade


def _of_trec(lines: list[str]) -> Iterator[tuple[int, str, str, str]]:
    for number, line in enumerate(lines, start=1):
        parts = line.rsplit(maxsplit=3)
        if len(parts) == 4:
            query, _, product, grade = parts
            yield number, query, product, grade
