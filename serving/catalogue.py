"""Keeps a cell's catalogue loaded: opens its index, fills or re-indexes it in the background, tells how far."""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter
from collections.abc import Awaitable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import structlog

from retrieval.encoding import Encoder, RemoteIndexEncoder
from retrieval.examples import example_questions
from retrieval.feeds.base import FeedError
from retrieval.ingest import Ingested
from retrieval.product import Lang, Product
from retrieval.store.base import ProductStore, StoreError, StoreInfo
from retrieval.store.catalogue import Catalogue
from serving import updates
from serving.change import Applied, Change
from serving.job import Job, forget, note, noted
from serving.loading import BRIEF_BATCH, Lent, Told, carry_out, carry_out_apart
from serving.models.weights import WeightsError
from serving.picture_keeper import PictureKeeper
from serving.settings import Settings
from serving.stages.base import Part, StageError
from serving.tasks import end
from serving.updates import Writing
from ui_assets.demo import CATALOGUE as DEMO

_FOLLOW_SECONDS = 5.0
_READ_SECONDS = 20.0  # that whoever asks for a load waits to hear that its feed is of use
_RETIRE_SECONDS = 30.0  # longer than any pass over the index that was replaced

_LANGUAGES: tuple[Lang, ...] = ("en", "zh")

log = structlog.get_logger()


class CatalogueKeeper:
    """The store of this cell, and its state as a `Part` (facts: count, currency, source, index)."""

    def __init__(
        self,
        settings: Settings,
        encoder: Encoder | RemoteIndexEncoder,
        lent: Lent | None = None,
    ) -> None:
        """`lent`: the encoder, for a loading process that must not have one of its own."""
        self._lent = lent
        self._settings = settings
        self._encoder = encoder
        self._catalogue = Catalogue(settings.home, settings.qdrant_url, settings.qdrant_key)
        self._pictures = PictureKeeper(settings)
        self._work: asyncio.Task[None] | None = None
        self._following: asyncio.Task[None] | None = None
        self._retiring: tuple[ProductStore, asyncio.Task[None]] | None = None  # the index before, and its end
        self._known: StoreInfo | None = None  # what `part` tells of
        self._generation = 1  # of `store`
        self._job: Job | None = None  # the one that runs
        self._understood = asyncio.Event()  # its feed was read
        self._refused = ""  # why its feed cannot be used
        self._examples: dict[Lang, list[str]] = {}
        self._problems: list[str] = []  # of the feed loaded last, the first ones
        self._problem_count = 0
        self._done: Ingested | None = None  # by that load
        self._writing = asyncio.Lock()  # into the index that answers
        self._meanwhile: list[Writing] | None = None  # changes since the running load took its copy
        self.store: ProductStore | None = None
        self.part = Part("catalogue", "loading", "opening the index")

    async def open(self) -> None:
        """Open the index and, where it is not complete, begin to fill it. Raises StoreError."""
        self._generation = await self._catalogue.current(self._encoder.id)
        self.store = await self._catalogue.open(self._encoder.id)
        self._begin(self._first_load(self.store))
        if self._settings.qdrant_url is not None:
            self._following = asyncio.create_task(self._follow())

    async def load(self, job: Job) -> bool:
        """Begin to load a feed; returns once it was read, or after a while, or at once where this load runs already.

        True where it is over by then.

        Raises StageError where it cannot be used or another load is running.
        """
        if self._work is not None and not self._work.done():
            if job == self._job:
                return False
            raise StageError("catalogue", "another load is running; wait until /readyz says that it is done")
        if self.store is None:
            raise StageError("catalogue", "the index is not open yet; wait until /readyz says that it is")
        before = self.part
        work = self._begin(self._make(job))
        read = asyncio.create_task(self._understood.wait())
        await asyncio.wait({work, read}, timeout=_READ_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        read.cancel()
        if self._refused and not self._understood.is_set():
            self.part = before
            raise StageError("catalogue", self._refused)
        return work.done()

    async def update(self, change: Change) -> Applied:
        """Change single products; the next question sees it. Raises StageError, StoreError."""
        if self.store is None:
            raise StageError("catalogue", "the index is not open yet; wait until /readyz says that it is")
        async with self._writing:
            applied, writing = await updates.understand(change, self.store)
            await updates.write(writing, self.store, self._encoder)
            if self._meanwhile is not None:
                self._meanwhile.append(writing)
            else:
                await self._write_staged(writing)
            self._known = await self.store.info()
        count = self._known.count
        self.part = replace(self.part, facts=self.part.facts | {"count": count})
        if self.part.state == "ready":
            self.part = replace(self.part, done=count, total=count)
        return applied

    async def _write_staged(self, writing: Writing) -> None:
        """Also into what a broken-off load left: it will be gone on with."""
        if await self._catalogue.staged(self._encoder.id) is not None:
            staged = await self._catalogue.open_staged(self._encoder.id)
            try:
                await updates.write(writing, staged, self._encoder)
            finally:
                await staged.close()

    async def products(self, ids: Sequence[str]) -> list[Product]:
        """The records that exist among `ids`. Raises StoreError."""
        return [] if self.store is None else await self.store.get(ids)

    def examples(self, lang: Lang) -> list[str]:
        return self._examples.get(lang, [])

    async def close(self) -> None:
        tasks = [task for task in (self._work, self._following) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._pictures.end()
        await self._retire()
        if self.store is not None:
            await self.store.close()

    def _begin(self, work: Awaitable[None]) -> asyncio.Task[None]:
        self._work = asyncio.create_task(self._told(work))
        return self._work

    async def _told(self, work: Awaitable[None]) -> None:
        """Does the work; how it ended is in `part`."""
        try:
            await work
            await self._loaded()
        except (StoreError, FeedError, WeightsError, OSError) as error:
            log.error("catalogue not loaded", error=str(error))
            self._refused = str(error)
            await self._not_loaded(str(error))
        except Exception as error:  # whatever an encoder raises: told, or everybody would wait for ever
            log.exception("catalogue not loaded")
            await self._not_loaded(f"{type(error).__name__}: {error}")

    async def _not_loaded(self, reason: str) -> None:
        """What was there before goes on answering."""
        self._meanwhile = None
        try:
            facts, _ = await self._look()
        except StoreError as error:
            log.error("the index cannot be read", error=str(error))
            facts = {"count": 0}
        count = facts["count"]
        self.part = Part("catalogue", "ready" if count else "failed", f"not loaded: {reason}", count, count, facts)

    async def _first_load(self, store: ProductStore) -> None:
        """Go on with a load that was broken off; make a first catalogue where there is none."""
        info, broken_off = await store.info(), noted(self._settings.home)
        if info.complete and self._settings.qdrant_url is not None:
            broken_off = None  # another cell may be at it
        facts = (await self._look())[0] if info.complete else {}
        self.part = Part("catalogue", "loading", "", facts=facts)
        if broken_off is not None:
            if await asyncio.to_thread(broken_off.path.exists):
                await self._make(broken_off)
                return
            raise FeedError(
                f"a load was broken off and cannot go on; load the catalogue again ({broken_off.path} does not exist)"
            )
        if info.complete:
            return
        for other in await self._catalogue.others(self._encoder.id):
            if other.complete and other.count:
                log.info("re-indexing for another embedder", made_by=other.encoder.model, now=self._encoder.id.model)
                await self._make(Job(reindex=other.encoder, products=other.count))
                return
        await self._make(Job(path=self._settings.catalogue or DEMO))

    async def _make(self, job: Job) -> None:
        """Make a catalogue beside the one that answers, and switch to it."""
        assert self.store is not None
        self._job, self._refused = job, ""
        self._understood.clear()
        facts = self.part.facts

        def tell(told: Told) -> None:
            if told.kind == "understood":
                self._problems, self._problem_count = told.problems, len(told.problems) + told.more_problems
                for problem in told.problems:
                    log.warning("feed problem", source=str(job.path), problem=problem)
                self._understood.set()
            self.part = Part("catalogue", "loading", told.what or job.what, told.done, told.total, facts)

        tell(Told(kind="progress"))
        if job.reindex is None:
            note(self._settings.home, job)
        await self._retire()
        async with self._writing:
            self._meanwhile = []
            await self._catalogue.stage(self.store)
        try:
            if inspect.iscoroutinefunction(self._encoder.encode) or job.small():
                self._done = await carry_out(job, self._catalogue, lambda: self._encoder, tell, BRIEF_BATCH)
            else:
                self._done = await carry_out_apart(job, self._settings, tell, self._lent)
        except FeedError:
            await self._catalogue.discard(self._encoder.id)
            forget(self._settings.home)
            raise
        async with self._writing:
            await self._switch()
        forget(self._settings.home)

    async def _switch(self) -> None:
        """Passes that begin from now on search the newest index; the one before stays for those that have begun."""
        newest = await self._catalogue.open(self._encoder.id)
        for writing in self._meanwhile or ():
            await updates.write(writing, newest, self._encoder)
        self._meanwhile = None
        self._generation = await self._catalogue.current(self._encoder.id)
        before, self.store = self.store, newest
        assert before is not None
        await self._retire()
        self._retiring = before, asyncio.create_task(self._retire_later())

    async def _retire_later(self) -> None:
        await asyncio.sleep(_RETIRE_SECONDS)
        self._retiring, retiring = None, self._retiring
        if retiring is not None:
            await retiring[0].close()
        if self._settings.qdrant_url is None:  # on a server other cells may search it for a while longer
            await self._catalogue.tidy(self._encoder.id)

    async def _retire(self) -> None:
        """End the index before now."""
        self._retiring, retiring = None, self._retiring
        if retiring is not None:
            await end(retiring[1])
            await retiring[0].close()

    async def _look(self) -> tuple[dict[str, Any], list[Product]]:
        """The part's facts, which the shelf needs to know, and the whole catalogue. Raises StoreError."""
        assert self.store is not None
        products: list[Product] = [product async for batch in self.store.scan() for product in batch]
        self._examples = {lang: example_questions(products, lang) for lang in _LANGUAGES}
        currencies = Counter(product.price.currency for product in products if product.price is not None)
        info = self._known = await self.store.info()
        facts = {
            "count": len(products),
            "currency": next((currency for currency, _ in currencies.most_common(1)), ""),
            "source": info.source,
            "index": info.encoder.key,
            **info.extra,
        }
        return facts, products

    async def _loaded(self) -> None:
        """Be ready."""
        facts, products = await self._look()
        if self._done is not None:
            facts |= asdict(self._done)
        if self._problem_count:
            facts |= {"problems": self._problem_count, "first_problems": self._problems}
        self.part = Part("catalogue", "ready", "", facts["count"], facts["count"], facts)
        log.info("catalogue ready", **facts)
        await self._pictures.begin(products, Path(facts["source"]), self._tell_pictures)

    def _tell_pictures(self, report: dict[str, Any]) -> None:
        self.part = replace(self.part, facts=self.part.facts | {"pictures": report})

    async def _follow(self) -> None:
        """Other cells load into the index of a server too, and what answers here follows."""
        while True:
            await asyncio.sleep(_FOLLOW_SECONDS)
            if self._work is not None and not self._work.done():
                continue
            try:
                assert self.store is not None
                if await self._catalogue.current(self._encoder.id) != self._generation:
                    await self._switch()
                info = await self.store.info()
            except StoreError as error:
                log.warning("the index does not tell what it holds", error=str(error))
                continue
            if info.complete and info != self._known:
                self._problems, self._problem_count, self._done = [], 0, None  # of a feed that this cell did not read
                self._begin(asyncio.sleep(0))
