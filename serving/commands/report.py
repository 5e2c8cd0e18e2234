"""`daogou ingest --dry-run`: what is in a feed and what is wrong with it; and where its rows of no use go."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from retrieval.feeds import cells, markup
from retrieval.feeds.base import Feed, FeedError, NoProductError
from retrieval.feeds.detect import read
from retrieval.feeds.mending import KINDS
from retrieval.feeds.quarantine import write_quarantine
from retrieval.feeds.report import Finding, Report, examine
from serving.feed_choices import Choice, recall, remember
from serving.messages import UserError, both

CODES = {"clean": 0, "warnings": 4, "unusable": 5}

_QUARANTINE = "quarantine.csv"
_OF_A_KIND = 5  # findings that are shown; all are in the JSON
_MARKS = {"error": ("✗", "red"), "warning": ("!", "yellow"), "note": ("·", "default")}


@dataclass(frozen=True)
class Wishes:
    """The options of `daogou ingest`, as given."""

    columns: tuple[str, ...] = ()  # "price=售价"
    currency: str | None = None
    quarantine: Path | None = None
    dry_run: bool = False
    keep_missing: bool = False

    @property
    def given(self) -> bool:
        """Whether they say something that is worth remembering."""
        return bool(self.columns or self.currency)

    def choice(self, home: Path, path: Path) -> Choice:
        """What they say of the feed, else what was said before, and tell of that. Raises UserError."""
        before = recall(home, path)
        mapping = dict(self._pair(text) for text in self.columns) or before.mapping
        try:
            currency = cells.currency(self.currency) if self.currency else before.currency
        except ValueError as error:
            raise UserError(f"{self.currency!r}: {error}.", where="--currency", code=2) from error
        old = [f"{role}={header}" for role, header in mapping.items() if not self.columns]
        old += [currency] if currency and not self.currency else []
        if old:
            told = ", ".join(old)
            typer.echo(both(f"As remembered for this feed: {told}", f"按为此文件记住的设置：{told}"), err=True)
        return Choice(mapping=mapping, currency=currency)

    @staticmethod
    def _pair(text: str) -> tuple[str, str]:
        role, equals, header = text.partition("=")
        if not equals:
            mend = both("write role=header, such as price=售价.", "请写成 含义=列名，如 price=售价。")
            raise UserError(
                both(f"{text!r} names no column.", f"{text!r} 没有指明列名。"), where="--map", mend=mend, code=2
            )
        return role.strip(), header.strip()


@dataclass(frozen=True)
class Look:
    """A feed and its report."""

    path: Path
    feed: Feed
    report: Report

    @classmethod
    def at(cls, path: Path, choice: Choice) -> Look:
        """Raises UserError where the file is no feed; a feed without usable rows has a report too."""
        try:
            try:
                feed = read(path, **choice.reading)
            except NoProductError as error:
                feed = error.feed
            return cls(path, feed, examine(feed, currency_given=choice.currency is not None))
        except FeedError as error:
            raise UserError(str(error)) from error


def look(looked: Look, wishes: Wishes, *, as_json: bool) -> int:
    """Print the report. Returns the exit code. Writes nothing, but rows left out where a file for them is named."""
    written = _write(looked, wishes.quarantine) if wishes.quarantine else []
    if as_json:
        report = {"source": str(looked.path), **looked.report.as_json(), "quarantine": written}
        typer.echo(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        _print(looked)
        _tell(looked, written)
    return CODES[looked.report.state]


def nothing_usable(looked: Look, home: Path, wishes: Wishes, *, as_json: bool) -> int:
    """Tell of a feed that is not loaded, for no row of it can be used. Returns the exit code."""
    typer.echo(
        both("Nothing in it can be used; the catalogue stays as it was.", "没有可用的内容，目录保持原样。"), err=True
    )
    named = Wishes(quarantine=wishes.quarantine or home / _QUARANTINE)
    return look(looked, named, as_json=as_json)


def leave_out(looked: Look, home: Path, wishes: Wishes, choice: Choice) -> list[str]:
    """Write the rows that were left out, say where, and name the files. What holds for the feed holds for them."""
    written = _write(looked, wishes.quarantine or home / _QUARANTINE)
    for file in written:
        if recall(home, Path(file)) != choice:
            remember(home, Path(file), choice)
    _tell(looked, written)
    return written


def _write(looked: Look, path: Path) -> list[str]:
    try:
        return [str(file) for file in write_quarantine(looked.feed, looked.report, path.expanduser().absolute())]
    except OSError as error:
        what = both("Rows left out cannot be written", "无法写入被略过的行")
        raise UserError(f"{what}: {error.strerror}.", where=str(path), mend="--quarantine FILE") from error


def _tell(looked: Look, written: list[str]) -> None:
    many = looked.report.left_out
    if written:
        typer.echo(both(f"{many:,} row{'s' * (many != 1)} left out:", f"略过 {many:,} 行："), err=True)
    for file in written:
        command = f"daogou ingest {shlex.quote(file)} --keep-missing"
        typer.echo(f"  {file}\n    {both('mend them there, then:', '在文件里改好后运行：')} {command}", err=True)


def _print(looked: Look) -> None:
    report, console = looked.report, Console(highlight=False)
    money = ", ".join(f"{code} {many:,}" for code, many in report.currencies.items()) or "–"
    for line in (
        f"{looked.path}: {report.form}, {report.encoding}",
        both(
            f"{report.rows:,} rows, {report.products:,} products, {report.variants:,} variants, "
            f"{report.categories:,} categories; prices: {money}",
            f"{report.rows:,} 行，{report.products:,} 件商品，{report.variants:,} 个款式，"
            f"{report.categories:,} 个类目；价格：{money}",
        ),
    ):
        console.print(line, markup=False, soft_wrap=True)
    if report.columns:
        console.print(_columns(report))
    if report.findings:
        console.print(_findings(report))
    console.print(_verdict(report), markup=False, soft_wrap=True)


def _columns(report: Report) -> Table:
    table = Table(both("column", "列"), both("taken for", "理解为"), both("sure", "把握"))
    for column in report.columns:
        role = column.role + (f" ({column.lang})" if column.lang else "")
        table.add_row(_seen(column.header), _seen(role), f"{column.confidence:.0%}")
    return table


def _findings(report: Report) -> Table:
    table = Table("", both("where", "位置"), both("found", "发现"), both("done", "处理"), show_lines=False)
    listed = sorted(report.findings, key=lambda finding: list(KINDS).index(finding.kind))
    listed.sort(key=lambda finding: list(_MARKS).index(finding.severity))
    for name, same in groupby(listed, key=lambda finding: finding.kind):
        kind, many = KINDS[name], report.counts[name]
        mark, style = _MARKS[kind.severity]
        table.add_section()
        title = Text(f"{both(kind.en, kind.zh)}: {many:,}", style=style)
        table.add_row(Text(mark, style=style), "", title, Text(both(kind.mend_en, kind.mend_zh)))
        for row in _rows(list(same)[:_OF_A_KIND]):
            table.add_row(*row)
        if many > _OF_A_KIND:
            table.add_row("", "", both(f"and {many - _OF_A_KIND:,} more", f"另有 {many - _OF_A_KIND:,} 处"), "")
    return table


def _rows(findings: list[Finding]) -> Iterator[tuple[Text, ...]]:
    for problem in (finding.problem for finding in findings):
        row = both(f"row {problem.row}", f"第 {problem.row} 行") if problem.row else ""
        where = ", ".join(part for part in (problem.file, row, problem.column) if part)
        value = f"{problem.value!r}: " if problem.value else ""
        yield Text(), _seen(where), _seen(f"{value}{problem.what}"), _seen(problem.done)


def _seen(text: str) -> Text:
    """Without what would steer the terminal."""
    return Text(markup.visible(text), overflow="fold")


def _verdict(report: Report) -> str:
    if report.state == "clean":
        return both("Nothing to mend.", "没有需要改正的地方。")
    if report.state == "unusable":
        return both("Nothing in it can be used.", "没有可用的内容。")
    return both(
        f"It can be loaded; {report.left_out:,} rows would be left out.",
        f"可以载入，其中 {report.left_out:,} 行会被略过。",
    )
