"""`daogou eval`: what the parts of the assistant score on labelled sets."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import typer
from pydantic import BaseModel, ConfigDict, ValidationError

from retrieval.feeds.detect import FeedError, read
from retrieval.understand.constraints import constraints
from retrieval.understand.vocabulary import Vocabulary
from serving.messages import UserError, both
from ui_assets.demo import CATALOGUE as DEMO

Key = Literal[
    "price_min", "price_max", "price_about", "currency", "brand", "brand_not", "color", "material", "size",
    "rating_min", "in_stock", "sort", "exclude_terms", "category_not", "scopes",
]  # fmt: skip


class Row(BaseModel):
    """A message and what is in it. A key given as null must be absent; keys that are not named are not judged."""

    model_config = ConfigDict(extra="forbid")

    q: str
    want: dict[Key, Any]


@dataclass
class Score:
    """By key: how many answers were judged, and how many were exact. `misses`: message, key, wanted, found."""

    judged: dict[str, int] = field(default_factory=dict)
    exact: dict[str, int] = field(default_factory=dict)
    misses: list[dict[str, Any]] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return sum(self.exact.values()) / max(1, sum(self.judged.values()))


def score(rows: Iterable[Row], vocabulary: Vocabulary) -> Score:
    """Every key of every row, exact or not; lists as sets without regard to case."""
    result = Score()
    for row in rows:
        found = constraints(row.q, vocabulary)
        for key, wanted in row.want.items():
            got = getattr(found, key)
            result.judged[key] = result.judged.get(key, 0) + 1
            result.exact.setdefault(key, 0)
            if _comparable(wanted) == _comparable(got):
                result.exact[key] += 1
            else:
                result.misses.append({"q": row.q, "key": key, "want": wanted, "found": _plain(got)})
    return result


def read_rows(path: Path) -> list[Row]:
    """Raises UserError where the file cannot be read or a line has another form."""
    rows = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        mend = both("give a JSONL file in UTF-8", "请给出 UTF-8 编码的 JSONL 文件")
        raise UserError(str(error), where=str(path), mend=mend) from error
    for number, line in enumerate(lines, start=1):
        try:
            rows += [Row.model_validate_json(line)] if line.strip() else []
        except ValidationError as error:
            first = error.errors()[0]
            raise UserError(
                f"{'.'.join(map(str, first['loc']))}: {first['msg']}",
                where=f"{path}:{number}",
                mend=both('each line is {"q": "…", "want": {…}}', '每行为 {"q": "…", "want": {…}}'),
            ) from error
    return rows


def print_understanding(path: Path, catalogue: Path | None, *, as_json: bool) -> None:
    """The exact-match rate by key, then the misses. Raises UserError."""
    try:
        vocabulary = Vocabulary.of(read(catalogue or DEMO).products)
    except FeedError as error:
        mend = both("give a feed that `daogou ingest` takes", "请给出 `daogou ingest` 可载入的文件")
        raise UserError(str(error), where=str(catalogue or DEMO), mend=mend) from error
    result = score(read_rows(path), vocabulary)
    if as_json:
        keys = {key: {"judged": n, "exact": result.exact[key]} for key, n in result.judged.items()}
        report = {"rate": result.rate, "keys": keys, "misses": result.misses}
        typer.echo(json.dumps(report, ensure_ascii=False, indent=2))
        return
    for key, judged in sorted(result.judged.items()):
        typer.echo(f"{key:<14}{result.exact[key]:>5} / {judged:<5}{result.exact[key] / judged:>8.1%}")
    total = sum(result.judged.values())
    typer.echo(f"{both('all', '合计'):<14}{sum(result.exact.values()):>5} / {total:<5}{result.rate:>8.1%}")
    for miss in result.misses:
        typer.echo(f"\n{miss['q']}\n  {miss['key']}: {both('want', '应为')} {_json(miss['want'])}, ", nl=False)
        typer.echo(f"{both('found', '得到')} {_json(miss['found'])}")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """A constraint as a row would state it; absent is null."""
    if isinstance(value, tuple):
        return [item._asdict() if hasattr(item, "_asdict") else item for item in value] or None
    return value or None


def _comparable(value: Any) -> Any:
    value = _plain(value)
    if isinstance(value, list):
        return {json.dumps(item, sort_keys=True, ensure_ascii=False).casefold() for item in value}
    return value
