"""The encoders of a cell: the models of the retrieval pass and the catalogue that it searches, loaded together.

Runs in a process of its own; knows nothing of how it is reached.
"""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import structlog

from retrieval.product import Product
from retrieval.store.base import ProductStore, StoreError
from serving.change import Applied, Change
from serving.events import Verdict
from serving.job import Job
from serving.models.weights import Progress, WeightsError
from serving.settings import Settings
from serving.stages.base import Part, Retrieved, StageError, TurnQuery

if TYPE_CHECKING:  # torch comes with these: whoever starts the process must not import it too
    from serving.catalogue import CatalogueKeeper
    from serving.models.bundle import Models
    from serving.models.embedder import Embedder
    from serving.retrieval_pass import RetrievalPass

T = TypeVar("T")

log = structlog.get_logger()


class Encoders:
    """Embedder, guard, reranker and catalogue. Loads in the background; `parts` tells how far."""

    def __init__(self, settings: Settings, socket: Path) -> None:
        """`socket`: where its methods are answered."""
        self._settings = settings
        self._socket = socket
        self._embedder: Embedder | None = None
        self._pass: RetrievalPass | None = None
        self._catalogue: CatalogueKeeper | None = None
        self._part = Part("encoders", "loading", "starting")
        self._loading = asyncio.get_event_loop().create_task(self._load())

    async def _load(self) -> None:
        def progress(what: str, done: int, total: int) -> None:
            self._part = Part("encoders", "loading", what, done, total)

        try:
            models = await asyncio.to_thread(_load_models, self._settings, progress)
            from serving.catalogue import CatalogueKeeper
            from serving.loading import Lent
            from serving.retrieval_pass import PassModels, RetrievalPass

            self._embedder = models.embedder
            on_card = self._settings.models.embedder.gpu > 0
            lent = Lent(socket=self._socket, encoder=models.embedder.id) if on_card else None
            keeper = CatalogueKeeper(self._settings, models.embedder, lent)
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
        own = PassModels(models.encoder, models.scorer, models.guard, models.embedder.device)
        self._pass = RetrievalPass(own, self._store, self._settings.models)
        facts = {"pid": os.getpid(), "embedder": models.embedder.id.model, "device": models.embedder.device}
        self._part = Part("encoders", "ready", facts=facts)

    async def parts(self) -> list[Part]:
        catalogue = Part("catalogue", "loading") if self._catalogue is None else self._catalogue.part
        return [self._part, catalogue]

    async def retrieve(self, queries: Sequence[TurnQuery]) -> list[Retrieved]:
        """Screen, embed, search and rerank. Raises StageError("encoders", …)."""
        return await self._ready().retrieve(queries)

    async def screen(self, texts: Sequence[str]) -> list[Verdict]:
        return await self._ready().screen(texts)

    async def encode(self, texts: list[str]) -> str:
        """The embedder's vectors, float32, row by row, in base64: for a load in another process. Raises StageError."""
        self._ready()
        assert self._embedder is not None
        return base64.b64encode(self._embedder.encode(texts).tobytes()).decode()

    async def examples(self, lang: str) -> list[str]:
        return [] if self._catalogue is None else self._catalogue.examples(lang)

    async def load_catalogue(self, job: Job) -> bool:
        """Begin to load a feed; True if that is over already. Raises StageError where it cannot be used."""
        self._ready()
        assert self._catalogue is not None
        return await self._catalogue.load(job)

    async def update(self, change: Change) -> Applied:
        """Change single products. Raises StageError."""
        return await self._of_catalogue(lambda keeper: keeper.update(change))

    async def products(self, ids: Sequence[str]) -> list[Product]:
        """The records that exist among `ids`. Raises StageError."""
        return await self._of_catalogue(lambda keeper: keeper.products(ids))

    async def _of_catalogue(self, ask: Callable[[CatalogueKeeper], Awaitable[T]]) -> T:
        self._ready()
        assert self._catalogue is not None
        try:
            return await ask(self._catalogue)
        except StoreError as error:
            raise StageError("catalogue", str(error)) from error

    def _ready(self) -> RetrievalPass:
        if self._pass is None:
            raise StageError("encoders", f"{self._part.state}: {self._part.detail}")
        return self._pass

    def _store(self) -> ProductStore:
        """The index for a pass that begins now."""
        assert self._catalogue is not None
        assert self._catalogue.store is not None
        return self._catalogue.store


def _load_models(settings: Settings, progress: Progress) -> Models:
    from serving.models.bundle import load_models

    return load_models(settings, progress)
