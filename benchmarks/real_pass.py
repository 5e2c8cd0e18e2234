"""A retrieval pass with the real models and the demo catalogue: asked as the gateway asks, and its functions here."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import uvloop

from benchmarks.figures import Figure, middle
from benchmarks.handover import process_of
from benchmarks.questions import QUESTIONS
from retrieval.feeds.detect import read
from retrieval.ingest import ingest
from retrieval.search import SearchQuery, search_many
from retrieval.store.edge import EdgeStore
from serving import ipc
from serving.models.bundle import Models, load_models
from serving.profiles import PROFILES
from serving.retrieval_pass import PassModels, RetrievalPass
from serving.settings import Settings
from serving.stages.base import Retrieved, TurnQuery
from ui_assets.demo import CATALOGUE

_PROFILE = PROFILES["embedded"]


def measure(weights: Path, folder: Path, rounds: int) -> list[Figure]:
    """`folder` gets two indexes, for each process one."""
    return uvloop.run(_measure(weights, folder, rounds))


async def _measure(weights: Path, folder: Path, rounds: int) -> list[Figure]:
    models, store = _parts(weights, folder / "here")
    feed = read(CATALOGUE)
    for index in (store, EdgeStore.open(folder / "away", models.embedder.id)):
        await ingest(
            feed.products,
            index,
            models.embedder,
            source=str(CATALOGUE),
            source_digest=feed.digest,
            progress=lambda *_: None,
        )
        if index is not store:
            await index.close()  # the other process opens it

    async def here(question: str) -> tuple[str, ...]:
        query = SearchQuery(question, candidates=_PROFILE.candidates, limit=_PROFILE.shelf)
        models.guard.screen([question])
        (found,) = await search_many(store, models.encoder, models.scorer, [query])
        return tuple(hit.product.id for hit in found.hits)

    async def away(question: str) -> tuple[str, ...]:
        query = TurnQuery(question, candidates=_PROFILE.candidates, limit=_PROFILE.shelf)
        (retrieved,) = await connection.call("retrieve", [query], returns=list[Retrieved])
        return tuple(hit.product.id for hit in retrieved.hits)

    times: dict[str, list[float]] = {"here": [], "away": []}
    async with process_of(partial(_encoders, weights, folder / "away"), "encoders") as connection:
        for number in range(-1, rounds * 3):
            for question in QUESTIONS:
                answers = []
                for ask in (here, away) if number % 2 else (away, here):
                    began = time.perf_counter()
                    answers.append(await ask(question))
                    if number >= 0:  # in the first round the reranker reads products for the first time
                        times[ask.__name__].append((time.perf_counter() - began) * 1000)
                assert answers[0] == answers[1], "the same products, or the times mean nothing"
    await store.close()
    ratios = [away / here for here, away in zip(times["here"], times["away"], strict=True)]
    detail = f"{middle(times['away']):.2f} against {middle(times['here']):.2f} ms (medians, n {len(ratios)})"
    name = "a retrieval pass with real models: through the cell over its functions in one process"
    return [Figure(name, middle(ratios), "", at_most=1.1, ratio=True, detail=detail)]


def _parts(weights: Path, index: Path) -> tuple[Models, EdgeStore]:
    models = load_models(Settings(cache=weights, _env_file=None), lambda *_: None)
    return models, EdgeStore.open(index, models.embedder.id)


def _encoders(weights: Path, index: Path) -> list[ipc.Method]:
    models, store = _parts(weights, index)
    own = PassModels(models.encoder, models.scorer, models.guard, models.embedder.device)
    return [RetrievalPass(own, lambda: store, _PROFILE).retrieve]
