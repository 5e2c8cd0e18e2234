"""A feed into a store: records, their texts, their vectors; and the same from an index that another encoder made."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sized
from dataclasses import dataclass
from itertools import islice

from retrieval.encoding import Encoder, RemoteIndexEncoder, answered
from retrieval.product import Product
from retrieval.store.base import ProductStore, StoreError
from retrieval.text import product_text

Progress = Callable[[int, int], None]  # products done, of how many; 0 when nobody knows

_CHECKPOINT = 2_000  # products between two points at which what was written is made durable


@dataclass(frozen=True)
class Ingested:
    """What a load did to the store. `written` counts new and changed products."""

    total: int
    written: int
    unchanged: int
    removed: int


async def ingest(
    products: Iterable[Product] | AsyncIterator[Product],
    store: ProductStore,
    encoder: Encoder | RemoteIndexEncoder,
    *,
    source: str,
    source_digest: str,
    progress: Progress,
    batch: int = 32,
    keep_missing: bool = False,
) -> Ingested:
    """Make the store hold exactly `products`, and mark it complete.

    Records that are there and unchanged are left as they are, so a load that was killed goes on where it was, and one
    of a complete index by the same digest ends at once. Of several products with one id the first counts. Texts are
    encoded `batch` at a time, and others have their turn in between.

    Raises StoreError, also when there are no products: that empties no shop.
    """
    if store.encoder != encoder.id:
        raise StoreError(f"The store is for vectors of {store.encoder.model}, the encoder is {encoder.id.model}.")
    info = await store.info()
    if info.complete and source_digest and info.source_digest == source_digest:
        progress(info.count, info.count)
        return Ingested(info.count, 0, info.count, 0)
    load = _Load(store, encoder, source, source_digest)
    total = len(products) if isinstance(products, Sized) else 0
    async for part in _batches(products, batch):
        await load.take(part)
        progress(len(load.seen), total)
    return await load.finish(keep_missing=keep_missing)


async def reindex(
    old: ProductStore, new: ProductStore, encoder: Encoder | RemoteIndexEncoder, progress: Progress, batch: int = 32
) -> Ingested:
    """Fill `new` with the records of `old`, encoded by `encoder`. `old` stays as it is and can be asked meanwhile.

    Raises StoreError if `old` was never loaded to its end: then load the feed instead.
    """
    info = await old.info()
    if not info.complete:
        raise StoreError(
            f"The index of {info.encoder.model} was not loaded to its end. Load the catalogue file instead."
        )
    return await ingest(
        _records(old),
        new,
        encoder,
        source=info.source,
        source_digest=info.source_digest,
        progress=lambda done, _: progress(done, info.count),
        batch=batch,
    )


class _Load:
    """A load on its way."""

    def __init__(
        self, store: ProductStore, encoder: Encoder | RemoteIndexEncoder, source: str, source_digest: str
    ) -> None:
        self.seen: set[str] = set()
        self._store = store
        self._encoder = encoder
        self._about = {"source": source, "source_digest": source_digest}
        self._written = 0
        self._since_mark = 0

    async def take(self, part: list[Product]) -> None:
        if not self.seen:
            await self._store.mark(complete=False, **self._about)
        new = {product.id: product for product in reversed(part) if product.id not in self.seen}
        stored = {product.id: product for product in await self._store.get(list(new))}
        changed = [product for product in new.values() if stored.get(product.id) != product]
        if changed:
            texts = [product_text(product) for product in changed]
            vectors = await answered(self._encoder.encode, texts)
            await self._store.upsert(changed, vectors)
        self.seen.update(new)
        self._written += len(changed)
        self._since_mark += len(changed)
        if self._since_mark >= _CHECKPOINT:
            await self._store.mark(complete=False, **self._about)
            self._since_mark = 0
        await asyncio.sleep(0)  # an embedded store never waits, and neither does a list

    async def finish(self, *, keep_missing: bool) -> Ingested:
        if not self.seen:
            raise StoreError(f"{self._about['source'] or 'The feed'} holds no product; the catalogue stays as it is.")
        gone = [product.id async for part in self._store.scan() for product in part if product.id not in self.seen]
        gone = [] if keep_missing else gone
        await self._store.delete(gone)
        await self._store.mark(complete=True, **self._about)
        return Ingested(len(self.seen), self._written, len(self.seen) - self._written, len(gone))


async def _batches(products: Iterable[Product] | AsyncIterator[Product], size: int) -> AsyncIterator[list[Product]]:
    if isinstance(products, AsyncIterator):
        part: list[Product] = []
        async for product in products:
            part.append(product)
            if len(part) == size:
                yield part
                part = []
        if part:
            yield part
        return
    iterator = iter(products)
    while part := list(islice(iterator, size)):
        yield part


async def _records(store: ProductStore) -> AsyncIterator[Product]:
    async for part in store.scan():
        for product in part:
            yield product
