"""Keeps a cell's catalogue loaded: opens its index, fills or re-indexes it in the background, tells how far."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import structlog

from retrieval.encoding import Encoder, EncoderId, RemoteIndexEncoder
from retrieval.examples import example_questions
from retrieval.feeds.detect import Feed, FeedError, read
from retrieval.ingest import ingest, reindex
from retrieval.product import Lang, Product
from retrieval.store.base import ProductStore, StoreError, StoreInfo
from retrieval.store.catalogue import Catalogue
from retrieval.text import product_text
from serving.settings import Settings
from serving.stages.base import Part, StageError
from ui_assets.demo import CATALOGUE as DEMO

_READ_AHEAD = 2_000  # products; as many as the late-interaction scorer remembers
_AT_A_TIME = 4
_REST = 0.5  # times as long as the work before it
_SHOWN_PROBLEMS = 10
_FOLLOW_SECONDS = 5.0
_QUIET_SECONDS = 2.0  # after a question: its answer is being written

Remember = Callable[[Sequence[str]], None]

_LANGUAGES: tuple[Lang, ...] = ("en", "zh")

log = structlog.get_logger()


class CatalogueKeeper:
    """The store of this cell, and its state as a `Part` (facts: count, currency, source, index)."""

    def __init__(
        self, settings: Settings, encoder: Encoder | RemoteIndexEncoder, remember: Remember | None = None
    ) -> None:
        """`remember`: what a scorer does with texts ahead of the first question about them."""
        self._settings = settings
        self._encoder = encoder
        self._catalogue = Catalogue(settings.home, settings.qdrant_url, settings.qdrant_key)
        self._remember = remember
        self._work: asyncio.Task[None] | None = None
        self._ahead: asyncio.Task[None] | None = None
        self._following: asyncio.Task[None] | None = None
        self._known: StoreInfo | None = None  # what `part` tells of
        self._reading = False
        self._asked = -_QUIET_SECONDS  # time.monotonic() of the last question
        self._examples: dict[Lang, list[str]] = {}
        self._problems: list[str] = []  # of the feed loaded last
        self.store: ProductStore | None = None
        self.part = Part("catalogue", "loading", "opening the index")

    async def open(self) -> None:
        """Open the index and, where it is not complete, begin to fill it. Raises StoreError."""
        self.store = await self._catalogue.open(self._encoder.id)
        self._begin(self._first_load(self.store))
        if self._settings.qdrant_url is not None:
            self._following = asyncio.create_task(self._follow(self.store))

    def asked(self) -> None:
        """A question is being answered: what may wait, waits."""
        self._asked = time.monotonic()

    async def load(self, path: Path) -> None:
        """Begin to load a feed. Raises StageError where it cannot be read or another load is running."""
        if self.store is None or self._reading or (self._work is not None and not self._work.done()):
            raise StageError("catalogue", "another load is running; wait until /readyz says that it is done")
        self._reading = True
        try:
            feed = await self._read(path)
            self._progress(f"reading {path}")(0, len(feed.products))
            self._begin(self._fill(self.store, feed, str(path)))
        except FeedError as error:
            raise StageError("catalogue", str(error)) from error
        finally:
            self._reading = False

    def examples(self, lang: Lang) -> list[str]:
        return self._examples.get(lang, [])

    async def _read(self, path: Path) -> Feed:
        """In a thread, for questions are answered meanwhile."""
        with ThreadPoolExecutor(1, "feed") as thread:
            return await asyncio.get_running_loop().run_in_executor(thread, read, path)

    async def close(self) -> None:
        tasks = [task for task in (self._work, self._ahead, self._following) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self.store is not None:
            await self.store.close()

    async def _follow(self, store: ProductStore) -> None:
        """Other cells load into the index of a server too. Questions are asked of it as it is; what we tell of it
        follows here."""
        while True:
            await asyncio.sleep(_FOLLOW_SECONDS)
            if self._work is not None and not self._work.done():
                continue
            try:
                info = await store.info()
            except StoreError as error:
                log.warning("the index does not tell what it holds", error=str(error))
                continue
            if info.complete and info != self._known:
                self._problems = []  # of a feed that this cell did not read
                self._begin(asyncio.sleep(0))

    def _begin(self, work: Awaitable[None]) -> None:
        if self._ahead is not None:
            self._ahead.cancel()  # it reads what may be gone soon
        self._work = asyncio.create_task(self._told(work))

    async def _told(self, work: Awaitable[None]) -> None:
        """Does the work; how it ended is in `part`."""
        try:
            await work
            await self._loaded()
        except (StoreError, FeedError, OSError) as error:
            log.error("catalogue not loaded", error=str(error))
            await self._not_loaded(str(error))
        except Exception as error:  # whatever an encoder raises: told, or everybody would wait for ever
            log.exception("catalogue not loaded")
            await self._not_loaded(f"{type(error).__name__}: {error}")

    async def _not_loaded(self, reason: str) -> None:
        """What was there before goes on answering."""
        try:
            facts, _ = await self._look()
        except StoreError as error:
            log.error("the index cannot be read", error=str(error))
            facts = {"count": 0}
        count = facts["count"]
        self.part = Part("catalogue", "ready" if count else "failed", f"not loaded: {reason}", count, count, facts)

    async def _first_load(self, store: ProductStore) -> None:
        info = await store.info()
        if info.complete:
            return
        for other in await self._catalogue.others(self._encoder.id):
            if other.complete and other.count:
                log.info("re-indexing for another embedder", made_by=other.encoder.model, now=self._encoder.id.model)
                await self._reindex(store, other.encoder)
                return
        count = await store.count()
        path = _first_feed(info.source, count, self._settings)
        facts = (await self._look())[0] if count else {}
        self.part = Part("catalogue", "loading", f"reading {path}", facts=facts)
        try:
            feed = await self._read(path)
        except FeedError as error:
            if not count:
                raise
            raise FeedError(f"a load was broken off and cannot go on; load the catalogue again ({error})") from error
        await self._fill(store, feed, str(path))

    async def _reindex(self, store: ProductStore, made_by: EncoderId) -> None:
        old = await self._catalogue.open(made_by)
        try:
            what = f"re-indexing: the stored vectors were made by {made_by.model}"
            progress = self._progress(what)
            progress(0, (await old.info()).count)
            await reindex(old, store, self._encoder, progress)
        finally:
            await old.close()

    async def _fill(self, store: ProductStore, feed: Feed, source: str) -> None:
        self._problems = [str(problem) for problem in feed.problems]
        for problem in self._problems:
            log.warning("feed problem", source=source, problem=problem)
        await ingest(
            feed.products,
            store,
            self._encoder,
            source=source,
            source_digest=feed.digest,
            progress=self._progress(f"reading {source}"),
        )

    def _progress(self, what: str) -> Callable[[int, int], None]:
        facts = self.part.facts

        def progress(done: int, total: int) -> None:
            self.part = Part("catalogue", "loading", what, done, total, facts)

        return progress

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
        if self._problems:
            facts |= {"problems": len(self._problems), "first_problems": self._problems[:_SHOWN_PROBLEMS]}
        self.part = Part("catalogue", "ready", "", facts["count"], facts["count"], facts)
        log.info("catalogue ready", **facts)
        if self._remember is not None:
            self._ahead = asyncio.create_task(self._read_ahead(products[:_READ_AHEAD], self._remember))

    async def _read_ahead(self, products: list[Product], remember: Remember) -> None:
        """A few texts at a time with rests between, since the engine starts or answers meanwhile."""
        for start in range(0, len(products), _AT_A_TIME):
            while (left := self._asked + _QUIET_SECONDS - time.monotonic()) > 0:  # noqa: ASYNC110 - time, no event
                await asyncio.sleep(left)
            texts = [product_text(product) for product in products[start : start + _AT_A_TIME]]
            began = time.monotonic()
            remember(texts)
            await asyncio.sleep(_REST * (time.monotonic() - began))


def _first_feed(broken_off: str, count: int, settings: Settings) -> Path:
    """The feed of a load that was broken off, so that the demo never takes a shop's place; else what is configured."""
    if broken_off and (count or Path(broken_off).is_file()):
        return Path(broken_off)
    return settings.catalogue or DEMO
