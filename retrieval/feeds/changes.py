"""A table of new prices and stocks: ids without titles, as stock systems write them."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from retrieval.feeds import cells
from retrieval.feeds.base import Problem, Source
from retrieval.feeds.draft import Draft
from retrieval.feeds.mapping import guess
from retrieval.feeds.plain import Named
from retrieval.feeds.sheets import read_xlsx
from retrieval.feeds.survey import survey
from retrieval.feeds.table import read_csv

_SAMPLE = 100  # rows
_CHANGING = ("price", "sale_price", "stock")


@dataclass(frozen=True)
class Changes:
    """`fields`: for each row an id and what changes, as `serving.change.Change.patch` wants it."""

    fields: list[dict[str, Any]]
    problems: list[Problem]


def read_changes(path: Path, currency: str | None = None) -> Changes | None:
    """The changes, None where the file is no such table: it may be a catalogue then.

    Prices that name no currency are amounts in the product's own, or in `currency`. Raises FeedError as `read` does.
    """
    looked = survey(path)
    if looked.kind not in ("text", "xlsx"):
        return None
    source = Source(path, looked.encoding, currency or "USD")
    lines = read_xlsx(source) if looked.kind == "xlsx" else read_csv(source)
    with closing(lines):  # type: ignore[type-var]
        rows = [*islice(lines, _SAMPLE + 1)]
        if not rows:
            return None
        header, sample = rows[0][1], [row for _, row in rows[1:]]
        columns = guess(header, sample)
        roles = {column.role for column in columns}
        if "id" not in roles or "title" in roles or not roles & set(_CHANGING):
            return None
        changes = Changes([], [])
        once: set[str] = set()
        for number, row in chain(rows[1:], lines):
            draft = Draft(number, source, once)
            named = {column.role: (column, cell.strip()) for column, cell in zip(columns, row, strict=False)}
            if (fields := _fields(draft, named, currency)) is not None:
                changes.fields.append(fields)
            changes.problems.extend(draft.problems)
    return changes


def _fields(draft: Draft, named: dict[str, Named], currency: str | None) -> dict[str, Any] | None:
    if not any(cell for _, cell in named.values()):
        return None

    def cell_of(role: str) -> str:
        return named[role][1] if role in named else ""

    identity = draft.text("id", cell_of("id"))
    if not identity:
        draft.note("id", "", "empty", "row skipped")
        return None
    fields: dict[str, Any] = {"id": identity}
    stated = (
        cell_of("currency").upper() or next((c.currency for c, _ in named.values() if c.currency), None) or currency
    )
    prices = [
        draft.read(role, cell_of(role), lambda text: cells.money(text, stated, "USD"))
        for role in ("price", "sale_price")
    ]
    if found := [price for price in prices if price is not None]:
        money, assumed = min(found, key=lambda each: each[0].amount)
        fields["price"] = str(money.amount) if assumed else money.model_dump(mode="json")
    if (stock := draft.stock("stock", cell_of("stock"))) is not None:
        fields["stock"] = stock
    return fields if len(fields) > 1 else None
