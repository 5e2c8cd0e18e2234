"""The encoders of a cell: the retrieval graph as one pass over a batch, and the catalogue that it searches.

Runs in a process of its own; knows nothing of how it is reached.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from retrieval.search import SearchQuery, search_many
from retrieval.store.base import StoreError
from retrieval.understand.language import language
from serving.batching import Batcher
from serving.events import Verdict
from serving.models.weights import Progress, WeightsError
from serving.settings import Settings
from serving.stages.base import Part, Retrieved, StageError, StageTime, TurnQuery

_MOST_IN_A_PASS = 32

if TYPE_CHECKING:  # torch comes with these: whoever starts the process must not import it too
    from serving.catalogue import CatalogueKeeper
    from serving.models.bundle import Models

log = structlog.get_logger()


class Encoders:
    """Embedder, guard, reranker and catalogue. Loads in the background; `parts` tells how far."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._models: Models | None = None
        self._catalogue: CatalogueKeeper | None = None
        self._part = Part("encoders", "loading", "starting")
        self._batcher = Batcher(self._pass, _MOST_IN_A_PASS)
        loop = asyncio.get_event_loop()
        # One model at a time: they share the cores, and the embedder serves one thread.
        loop.set_default_executor(ThreadPoolExecutor(1, "models"))
        self._loading = loop.create_task(self._load())

    async def _load(self) -> None:
        def progress(what: str, done: int, total: int) -> None:
            self._part = Part("encoders", "loading", what, done, total)

        try:
            models = await asyncio.to_thread(_load_models, self._settings, progress)
            from serving.catalogue import CatalogueKeeper

            keeper = CatalogueKeeper(self._settings, models.embedder, models.remember)
            self._catalogue = keeper
            await keeper.open()
        except (WeightsError, StoreError, OSError) as error:
            log.error("encoders not loaded", error=str(error))
            self._part = Part("encoders", "failed", str(error))
            return
        except Exception as error:  # whatever a model's loader raises: told to operators by `parts`
            log.exception("encoders not loaded")
            self._part = Part("encoders", "failed", f"{type(error).__name__}: {error}")
            return
        self._models = models
        facts = {"pid": os.getpid(), "embedder": models.embedder.id.model, "device": models.embedder.device}
        self._part = Part("encoders", "ready", facts=facts)

    async def parts(self) -> list[Part]:
        catalogue = Part("catalogue", "loading") if self._catalogue is None else self._catalogue.part
        return [self._part, catalogue]

    async def retrieve(self, queries: Sequence[TurnQuery]) -> list[Retrieved]:
        """Screen, embed, search and rerank. Raises StageError("encoders", …)."""
        return list(await asyncio.gather(*(self._batcher.submit(query) for query in queries)))

    async def screen(self, texts: Sequence[str]) -> list[Verdict]:
        models = self._ready()
        return await asyncio.to_thread(models.guard.screen, list(texts))

    async def examples(self, lang: str) -> list[str]:
        return [] if self._catalogue is None else self._catalogue.examples(lang)

    async def load_catalogue(self, path: Path) -> None:
        """Begin to load a feed. Raises StageError where it cannot be read."""
        self._ready()
        assert self._catalogue is not None
        await self._catalogue.load(path)

    def _ready(self) -> Models:
        if self._models is None:
            raise StageError("encoders", f"{self._part.state}: {self._part.detail}")
        return self._models

    async def _pass(self, queries: list[TurnQuery]) -> list[Retrieved]:
        """The whole graph for one batch: the guard beside embed → retrieve → rerank, and its word is last."""
        models = self._ready()
        assert self._catalogue is not None
        assert self._catalogue.store is not None
        self._catalogue.asked()
        began = time.perf_counter()
        screening = asyncio.create_task(self._screened([query.text for query in queries], models, began))
        try:
            results = await search_many(
                self._catalogue.store,
                models.embedder,
                models.scorer,
                [self._search(query) for query in queries],
            )
        except StoreError as error:
            raise StageError("encoders", str(error)) from error
        finally:
            verdicts, screen_time = await screening
        where = f"encoders, process {os.getpid()}, {models.embedder.device}"
        return [
            Retrieved(
                verdict=verdict,
                hits=tuple(result.hits) if verdict.allowed else (),
                times=(*(StageTime(step.name, step.start, step.ms) for step in result.times), screen_time),
                where=where,
            )
            for verdict, result in zip(verdicts, results, strict=True)
        ]

    def _search(self, query: TurnQuery) -> SearchQuery:
        """The language of the question decides how it is searched, whatever the answer is to be written in."""
        lang = language(query.text)
        by_words = lang not in self._settings.models.embedder.languages
        return SearchQuery(query.text, lang, query.filter, query.candidates, query.limit, by_words)

    async def _screened(self, texts: list[str], models: Models, began: float) -> tuple[list[Verdict], StageTime]:
        start = time.perf_counter()
        verdicts = await asyncio.to_thread(models.guard.screen, texts)
        end = time.perf_counter()
        return verdicts, StageTime("screen", (start - began) * 1000, (end - start) * 1000)


def _load_models(settings: Settings, progress: Progress) -> Models:
    from serving.models.bundle import load_models

    return load_models(settings, progress)
