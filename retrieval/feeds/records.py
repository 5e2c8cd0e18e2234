"""JSON as shops' APIs dump it: objects with fields of any name, in an array, under a key, or one on each line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from retrieval.feeds.base import Column, Problem, Row, Source
from retrieval.feeds.draft import Draft
from retrieval.feeds.mapping import ATTRIBUTE, propose, readable
from retrieval.feeds.plain import assemble
from retrieval.feeds.spill import Cells

Objects = Iterator[tuple[int, Any]]  # numbered: elements from 1, or lines of a file
Opener = Callable[[Source], Objects]

_DEEPEST = 4  # levels of objects in objects whose fields are taken
_MOST_FIELDS = 2_000
_ADDRESSES = ("src", "url", "href", "link", "contentUrl")


def columns_of(objects: Iterable[Any], confirmed: Mapping[str, str], file: str) -> tuple[list[Column], list[Problem]]:
    """What the fields of some objects mean. Raises FeedError as `propose` does."""
    rows = [flat(value) for value in objects if isinstance(value, dict)]
    header = list(dict.fromkeys(key for row in rows for key in row))
    return propose(header, [[row.get(key, "") for key in header] for row in rows], confirmed, file)


def read_records(
    source: Source, objects: Objects, columns: Sequence[Column], problems: Iterable[Problem] = ()
) -> Iterator[Row]:
    known = {column.header: column for column in columns}
    nameless = all(column.role != "id" for column in columns)
    once: set[str] = set()
    first = list(problems)
    for number, value in objects:
        if not isinstance(value, dict):
            yield Row(number, None, (Problem(number, "", "", "not an object with fields", "row skipped"),))
            continue
        draft = Draft(number, source, once, first)
        first = []
        named = [
            (known.get(key) or Column(key, ATTRIBUTE, readable(key), 0.5), cell) for key, cell in flat(value).items()
        ]
        yield Row(number, assemble(draft, named, nameless), tuple(draft.problems))


def flat(value: Mapping[str, Any]) -> Cells:
    """Fields as cells: nested ones as `outer.inner`, money in parts as one amount, reviews as their average."""
    cells: Cells = {}
    _flatten(value, "", cells, 1)
    reviews = [review for review in _list(value.get("reviews")) if isinstance(review, dict)]
    ratings = [rating for review in reviews if (rating := _number(review.get("rating"))) is not None]
    if ratings:
        cells.setdefault("rating", as_text(round(sum(ratings) / len(ratings), 2)))
        cells.setdefault("rating_count", str(len(ratings)))
    return cells


def as_text(value: Any) -> str:
    """A number, a truth, a text, or a list of those, as a cell; "" for anything else."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value) if abs(value) < 10**30 else f"{Decimal(value):.6E}"
    if isinstance(value, float):  # 15 digits are what a double keeps: 33.61 and not 33.609999999999999
        value = Decimal(f"{value:.15g}")
    if isinstance(value, Decimal):
        plain = value.is_finite() and -30 < value.adjusted() < 30
        return f"{value.normalize() if value == value.to_integral() else value:f}" if plain else f"{value:.6E}"
    if isinstance(value, (list, tuple)):
        return ", ".join(text for text in map(as_text, value[:100]) if text)
    return str(value) if hasattr(value, "isoformat") else ""


def _flatten(value: Mapping[str, Any], prefix: str, cells: Cells, depth: int) -> None:
    for key, field in value.items():
        if len(cells) >= _MOST_FIELDS:
            return
        name = f"{prefix}{key}"
        if isinstance(field, dict):
            if amount := _amount(field):
                cells[name] = amount
            elif depth < _DEEPEST:
                _flatten(field, f"{name}.", cells, depth + 1)
        elif isinstance(field, list) and field and isinstance(field[0], dict):
            if text := next((as_text(field[0][part]) for part in _ADDRESSES if part in field[0]), ""):
                cells[name] = text
        elif isinstance(field, list) and field and str(field[0]).startswith(("http://", "https://")):
            cells[name] = as_text(field[0])  # of several pictures the first
        elif text := as_text(field):
            cells[name] = text


def _amount(field: Mapping[str, Any]) -> str:
    """`{"currencyCode": "USD", "units": 19, "nanos": 990000000}` as "USD 19.99"; "" where it is no money."""
    code = field.get("currencyCode") or field.get("currency") or field.get("currency_code")
    amount = _number(next((field[key] for key in ("amount", "value") if key in field), None))
    if amount is None and ("units" in field or "nanos" in field):
        units, nanos = _number(field.get("units", 0)), _number(field.get("nanos", 0))
        amount = None if units is None or nanos is None else (units + nanos.scaleb(-9)).normalize()
    if not isinstance(code, str) or amount is None:
        return ""
    return f"{code} {as_text(amount)}"


def _number(value: Any) -> Decimal | None:
    text = as_text(value) if not isinstance(value, (bool, list, tuple)) else ""
    try:
        number = Decimal(text)
    except ArithmeticError:
        return None
    return number if number.is_finite() and -30 < number.adjusted() < 30 else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
