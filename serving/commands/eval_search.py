"""`daogou eval search`: each stage of the search against judgements of people."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from retrieval.evaluation.judged import Judgements, JudgementsError, read_judgements
from retrieval.evaluation.measures import MEASURES, Mean, answerable, by_query, mean
from retrieval.evaluation.search import STAGES, rankings
from retrieval.feeds.base import FeedError
from retrieval.store.base import StoreError
from retrieval.store.catalogue import Catalogue
from serving.job import Job
from serving.lock import prepare_home
from serving.messages import UserError, both
from serving.models.weights import WeightsError
from serving.progress import Progress
from serving.settings import Settings
from serving.stages.base import Part

_BASE = "hybrid"  # what the reranked order is compared with
_FOLDER = "evaluation"

Report = dict[str, dict[str, Mean]]  # stage → measure → mean


def evaluate_search(settings: Settings, catalogue: Path, qrels: Path, *, as_json: bool) -> None:
    """Print every measure of every stage. Raises UserError where a file cannot be used."""
    prepare_home(settings.home)
    try:
        judged = read_judgements(qrels)
        with Progress(Console(stderr=True, highlight=False)) as progress:

            def tell(what: str, done: int, total: int) -> None:
                progress.show([Part("catalogue", "loading", what, done, total)])

            found = asyncio.run(_rank(settings, catalogue.absolute(), judged, tell))
    except (JudgementsError, FeedError, StoreError, WeightsError) as error:
        raise UserError(str(error)) from error
    report = _report(judged, found)
    queries = len(answerable(judged))
    if as_json:
        measured = {stage: {name: asdict(value) for name, value in own.items()} for stage, own in report.items()}
        typer.echo(json.dumps({"queries": queries, "stages": measured}, ensure_ascii=False, indent=2))
        return
    Console().print(_table(report))
    typer.echo(
        both(
            f"{queries} of {len(judged)} queries have a relevant product. In brackets: 95 % of resamples.",
            f"{len(judged)} 个查询中有 {queries} 个有相关商品。括号内为对查询重抽样的 95 % 区间。",
        )
    )


async def _rank(settings: Settings, path: Path, judged: Judgements, tell: Any) -> dict[str, dict[str, list[str]]]:
    """The index stays in the home, so that a second evaluation of a catalogue embeds nothing."""
    from serving.loading import Told, carry_out
    from serving.models.bundle import load_models

    models = load_models(settings, tell)
    digest = sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    catalogue = Catalogue(settings.home / _FOLDER / digest)
    store = await catalogue.open(models.embedder.id)
    try:
        await catalogue.stage(store)
    finally:
        await store.close()

    def told(news: Told) -> None:
        tell(news.what or both("reading products", "正在读取商品"), news.done, news.total)

    await carry_out(Job(path), catalogue, lambda: models.embedder, told)
    await catalogue.tidy(models.embedder.id)
    store = await catalogue.open(models.embedder.id)
    try:
        return await rankings(
            store,
            models.encoder,
            models.scorer,
            answerable(judged),
            settings.models.candidates,
            lambda done, total: tell(both("asking", "正在查询"), done, total),
        )
    finally:
        await store.close()


def _report(judged: Judgements, found: dict[str, dict[str, list[str]]]) -> Report:
    values = {stage: by_query(judged, found[stage]) for stage in STAGES}
    report = {stage: {name: mean(own) for name, own in values[stage].items()} for stage in STAGES}
    for stage in STAGES[STAGES.index(_BASE) + 1 :]:
        gained = {name: mean(values[stage][name] - values[_BASE][name]) for name in MEASURES}
        report[f"{stage} - {_BASE}"] = gained
    return report


def _table(report: Report) -> Table:
    table = Table("", *MEASURES)
    for stage, own in report.items():
        cells = [f"{own[name].value:.3f} ({own[name].low:.3f} … {own[name].high:.3f})" for name in MEASURES]
        table.add_row(stage, *cells)
    return table
