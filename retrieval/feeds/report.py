"""The catalogue doctor: `examine(feed)` reads a feed through and tells what is in it and what is wrong with it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any, Literal

from retrieval.feeds.base import SKIPPED, Column, Feed, Problem, Row, scratch
from retrieval.feeds.checks import Prices, of_product
from retrieval.feeds.mending import KINDS, Severity, kind_of

_MOST = 10_000  # findings that are listed
_ORDER: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True)
class Finding:
    """One problem and its kind, a key of `mending.KINDS`."""

    kind: str
    problem: Problem

    @property
    def severity(self) -> Severity:
        return KINDS[self.kind].severity


@dataclass(frozen=True)
class Report:
    """What is in a feed. `findings` lists at most 10,000, the gravest first; `counts` counts all, by kind.

    `currencies` says how many products have a price in each, the main one first. `rejected` is a database with the
    rows that cannot be used, table `rejected (file, number, reason)`.
    """

    form: str  # "Shopify", "table"
    encoding: str
    rows: int
    products: int
    variants: int
    categories: int
    currencies: dict[str, int]
    columns: tuple[Column, ...]
    findings: tuple[Finding, ...]
    counts: dict[str, int]
    left_out: int  # rows that cannot be used
    rejected: sqlite3.Connection

    @property
    def state(self) -> Literal["clean", "warnings", "unusable"]:
        if not self.products:
            return "unusable"
        return "warnings" if any(KINDS[kind].severity != "note" for kind in self.counts) else "clean"

    def as_json(self) -> dict[str, Any]:
        """The report for programs; `mend` in both languages."""
        names = ("form", "encoding", "rows", "products", "variants", "categories", "currencies", "left_out", "counts")
        return {
            "state": self.state,
            **{name: getattr(self, name) for name in names},
            "columns": [asdict(column) for column in self.columns],
            "findings": [
                {
                    "kind": finding.kind,
                    "severity": finding.severity,
                    **asdict(finding.problem),
                    "mend": {"en": KINDS[finding.kind].mend_en, "zh": KINDS[finding.kind].mend_zh},
                }
                for finding in self.findings
            ],
        }


def examine(feed: Feed, *, currency_given: bool = False) -> Report:
    """Read the feed through and check each product and all together, in bounded memory.

    `currency_given`: somebody said which currency counts where prices name none. Raises FeedError where the file
    cannot be read any more.
    """
    found, database = _Findings(currency_given), scratch()
    database.execute("CREATE TABLE rejected (file TEXT, number INTEGER, reason TEXT, PRIMARY KEY (file, number))")
    prices = Prices(database)
    rows = products = variants = 0
    for problem in feed.about:
        found.add(kind_of(problem), problem)
    for row in feed.products.rows():
        rows += len(row.numbers) or 1
        for problem in row.problems:
            found.add(kind_of(problem), problem)
        _reject(database, row)
        if row.product is not None:
            products += 1
            variants += len(row.product.variants)
            prices.add(row, row.product)
            for kind, problem in of_product(row, row.product):
                found.add(kind, problem)
    for kind, problem in prices.findings():
        found.add(kind, problem)
    return Report(
        form=feed.kind,
        encoding=feed.source.encoding,
        rows=rows,
        products=products,
        variants=variants,
        categories=prices.categories(),
        currencies=prices.currencies(),
        columns=feed.columns,
        findings=found.listed(),
        counts=found.counts(),
        left_out=int(database.execute("SELECT count(*) FROM rejected").fetchone()[0]),
        rejected=database,
    )


def _reject(database: sqlite3.Connection, row: Row) -> None:
    """Note the rows that cannot be used: all of a product that was skipped, or single ones of a product."""
    skipped = [problem for problem in row.problems if problem.done == SKIPPED]
    reasons: dict[int, list[str]] = {}
    for problem in skipped:
        numbers = (row.numbers or (row.number,)) if row.product is None else (problem.row,)
        for number in numbers:
            reasons.setdefault(number, []).append(f"{problem.column or 'row'}: {problem.what}")
    for number, why in reasons.items():
        text = "; ".join(dict.fromkeys(why)).encode("utf-8", "replace").decode()
        database.execute("INSERT OR IGNORE INTO rejected VALUES (?, ?, ?)", (row.file, number, text))


class _Findings:
    """Findings as they come: of each severity the first 10,000, and how many of each kind."""

    def __init__(self, currency_given: bool) -> None:
        self._currency_given = currency_given
        self._counts: Counter[str] = Counter()
        self._first: dict[Severity, list[Finding]] = {severity: [] for severity in _ORDER}

    def add(self, kind: str, problem: Problem) -> None:
        if kind == "currency_assumed" and self._currency_given:
            kind = "currency_given"
        self._counts[kind] += 1
        listed = self._first[KINDS[kind].severity]
        if len(listed) < _MOST:
            listed.append(Finding(kind, problem))

    def listed(self) -> tuple[Finding, ...]:
        """The gravest first, those of one severity by file and row."""
        for listed in self._first.values():
            listed.sort(key=lambda finding: (finding.problem.file, finding.problem.row))
        return tuple(finding for severity in _ORDER for finding in self._first[severity])[:_MOST]

    def counts(self) -> dict[str, int]:
        return {kind: self._counts[kind] for kind in KINDS if kind in self._counts}
