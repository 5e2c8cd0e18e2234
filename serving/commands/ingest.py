"""`daogou ingest`: a catalogue into the running service, or into the home itself where none runs."""

from __future__ import annotations

import asyncio
import json
import os
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from serving import supervise
from serving.commands.feed_address import feed_file
from serving.commands.report import Look, Wishes, leave_out, look, nothing_usable
from serving.door import Door
from serving.feed_choices import remember
from serving.job import Job, forget, note
from serving.lock import Holder, prepare_home
from serving.messages import UserError, both
from serving.owner import owner_key
from serving.progress import Progress
from serving.settings import Settings
from serving.stages.base import Part

_BEGIN_SECONDS = 5.0  # until a load that was accepted shows in the service's state

Show = Callable[[Part], None]


def ingest_file(settings: Settings, file: Path | str, wishes: Wishes, *, as_json: bool) -> int:
    """Load `file`, a path or an address, and say what was loaded, or only look at it.

    Returns the exit code: 5 where nothing can be used.
    Raises UserError where it is no feed, or cannot be loaded.
    """
    path = Path(os.path.abspath(feed_file(settings, file).expanduser()))
    choice = wishes.choice(settings.home, path)
    if wishes.dry_run:
        return look(Look.at(path, choice), wishes, as_json=as_json)
    prepare_home(settings.home)
    door = Door.of(settings, owner_key(settings.home))
    with Progress(Console(stderr=True, highlight=False)) as progress:

        def show(part: Part) -> None:
            progress.show([part])

        running = door.alive()
        if running:
            os.nice(19)  # the shoppers come first
        # A service in a container may see files that are not here.
        looked = Look.at(path, choice) if path.exists() or not running else None
        if looked and looked.report.state == "unusable":
            return nothing_usable(looked, settings.home, wishes, as_json=as_json)
        job = Job(path, **choice.reading, keep_missing=wishes.keep_missing)
        report = _by_service(door, job, show) if running else _by_ourselves(settings, job, show)
    if wishes.given:
        remember(settings.home, path, choice)
    report |= {"mapping": choice.mapping, "currency": choice.currency}
    if looked:
        report |= {"left_out": looked.report.left_out, "counts": looked.report.counts}
        report["quarantine"] = leave_out(looked, settings.home, wishes, choice)
    if as_json:
        typer.echo(json.dumps(report, ensure_ascii=False, indent=2))
        return 0
    many = report["products"]
    typer.echo(both(f"{many} product{'s' * (many != 1)} from {path}", f"已载入 {many} 件商品：{path}"))
    return 0


def _by_service(door: Door, job: Job, show: Show) -> dict[str, Any]:
    """Hand the path over and follow the load."""
    path = job.path
    reply = door.post("/v1/catalogue", job.given, holds="progress")
    accepted, began = time.monotonic(), reply.get("status") == "loaded"
    while True:
        part = next((part for part in door.parts() or () if part.name == "catalogue"), None)
        if part is not None:
            show(part)
            began = began or part.state == "loading"
            if part.state != "loading" and (began or time.monotonic() - accepted > _BEGIN_SECONDS):
                break
        elif time.monotonic() - accepted > _BEGIN_SECONDS and not door.alive():
            raise UserError(both("The service ended while it loaded.", "载入过程中服务已退出。"), where=door.url)
        time.sleep(0.2)
    if part.state == "failed" or part.detail:  # where the load failed, the catalogue before it goes on, with the reason
        raise UserError(part.detail or part.state, where=str(path))
    problems = int(part.facts.get("problems", 0))
    _tell_problems(part.facts.get("first_problems", []), problems)
    did: dict[str, Any] = {name: part.facts[name] for name in ("written", "unchanged", "removed") if name in part.facts}
    products = part.facts.get("count", part.total)
    return {"by": "service", "source": str(path), "products": products, **did, "problems": problems}


def _tell_problems(first: Sequence[str], many: int) -> None:
    for problem in first:
        typer.echo(f"  {problem}", err=True)
    if (more := many - len(first)) > 0:
        typer.echo(both(f"  and {more} more", f"  另有 {more} 处"), err=True)


def _by_ourselves(settings: Settings, job: Job, show: Show) -> dict[str, Any]:
    """Own the home for as long as it takes."""
    from retrieval.feeds.base import FeedError
    from retrieval.store.base import StoreError

    run = uuid.uuid4().hex
    lock, _ = supervise.own_home(settings, Holder.me(run, "ingest"))
    try:
        # What the models read of the environment they read when they are imported.
        supervise.fresh_run_dir(settings.run_dir)
        os.environ.update(supervise.environment(settings, run, settings.run_dir))
        report = asyncio.run(_make(settings, job, show))
    except (FeedError, StoreError) as error:
        raise UserError(str(error)) from error
    finally:
        supervise.sweep(run, settings.run_dir)
        lock.free()
    return {"by": "command", "source": str(job.path), **report}


async def _make(settings: Settings, job: Job, show: Show) -> dict[str, int]:
    from retrieval.feeds.base import FeedError
    from retrieval.store.catalogue import Catalogue
    from serving.loading import Told, carry_out
    from serving.models.embedder import Embedder
    from serving.models.weights import WeightsError, prepare

    problems, spec = 0, settings.models.embedder

    def tell(told: Told) -> None:
        nonlocal problems
        if told.kind == "understood":
            problems = len(told.problems) + told.more_problems
            _tell_problems(told.problems, problems)
        show(Part("catalogue", "loading", told.what or job.what, told.done, told.total))

    def preparing(what: str, done: int, total: int) -> None:
        show(Part("catalogue", "loading", what, done, total))

    preparing(both("loading the embedder", "正在加载向量模型"), 0, 0)
    try:
        encoder = Embedder(spec, prepare(spec, settings.weights_dir, preparing))
    except WeightsError as error:
        raise UserError(str(error)) from error
    catalogue = Catalogue(settings.home, settings.qdrant_url, settings.qdrant_key)
    current = await catalogue.open(encoder.id)
    try:
        await catalogue.stage(current)
    finally:
        await current.close()
    note(settings.home, job)
    try:
        done = await carry_out(job, catalogue, lambda: encoder, tell)
    except FeedError:
        await catalogue.discard(encoder.id)
        forget(settings.home)
        raise
    forget(settings.home)
    await catalogue.tidy(encoder.id)
    show(Part("catalogue", "ready", "", done.total, done.total))
    return {
        "products": done.total,
        "written": done.written,
        "unchanged": done.unchanged,
        "removed": done.removed,
        "problems": problems,
    }
