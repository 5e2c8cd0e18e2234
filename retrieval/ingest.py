"""A feed into a store: records, their texts, their vectors; and the same from an index that another encoder made."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable, Sized
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from retrieval.encoding import Encoder, RemoteIndexEncoder, answered
from retrieval.feeds.base import scratch
from retrieval.keywords import product_words
from retrieval.product import Product
from retrieval.store.base import ProductStore, StoreError
from retrieval.text import product_text

Progress = Callable[[int, int], None]  # products done, of how many; 0 when nobody knows

_CHECKPOINT = 2_000  # products between two points at which what was written is made durable


@dataclass(frozen=True)
class Ingested:
    """What a load did to the store. `written` counts new products and those with another text, which were encoded;
    `updated` those whose price, stock and so on changed, which were not."""

    total: int
    written: int
    updated: int
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
    encoded `batch` at a time, and others have their turn in between. With `keep_missing`, what the store holds and
    `products` do not stays.

    Raises StoreError, also when there are no products: that empties no shop.
    """
    if store.encoder != encoder.id:
        raise StoreError(f"The store is for vectors of {store.encoder.model}, the encoder is {encoder.id.model}.")
    info = await store.info()
    if info.complete and source_digest and info.source_digest == source_digest:
        progress(info.count, info.count)
        return Ingested(info.count, 0, 0, info.count, 0)
    total = len(products) if isinstance(products, Sized) else 0
    with closing(scratch()) as database:
        load = _Load(store, encoder, _Seen(database), {"source": source, "source_digest": source_digest})
        async for part in _batches(products, batch):
            await load.take(part)
            progress(load.seen.count, total)
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


class _Seen:
    """The ids of a load; in a temporary file where there are very many."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.count = 0
        self._database = database
        database.execute("CREATE TABLE seen (id BLOB PRIMARY KEY) WITHOUT ROWID")

    def add(self, product: str) -> bool:
        """Whether it is new."""
        new = self._database.execute("INSERT OR IGNORE INTO seen VALUES (?)", (_bytes(product),)).rowcount > 0
        self.count += new
        return new

    def __contains__(self, product: str) -> bool:
        return self._database.execute("SELECT 1 FROM seen WHERE id = ?", (_bytes(product),)).fetchone() is not None


def _bytes(product: str) -> bytes:
    return product.encode("utf-8", "surrogatepass")


def same_for_models(one: Product, other: Product) -> bool:
    """Whether the models read the same of both: then the vectors and words of one are the other's."""
    return product_text(one) == product_text(other) and product_words(one) == product_words(other)


class _Load:
    """A load on its way."""

    def __init__(
        self, store: ProductStore, encoder: Encoder | RemoteIndexEncoder, seen: _Seen, about: dict[str, str]
    ) -> None:
        self.seen = seen
        self._store = store
        self._encoder = encoder
        self._about = about
        self._written = self._updated = 0
        self._since_mark = 0

    async def take(self, part: list[Product]) -> None:
        if not self.seen.count:
            await self._store.mark(complete=False, **self._about)
        new = {product.id: product for product in part if self.seen.add(product.id)}
        stored = {product.id: product for product in await self._store.get(list(new))}
        changed = [product for product in new.values() if stored.get(product.id) != product]
        updated = [
            product for product in changed if product.id in stored and same_for_models(product, stored[product.id])
        ]
        kept = {product.id for product in updated}
        written = [product for product in changed if product.id not in kept]
        if written:
            vectors = await answered(self._encoder.encode, [product_text(product) for product in written])
            await self._store.upsert(written, vectors)
        await self._store.replace(updated)
        self._written += len(written)
        self._updated += len(updated)
        self._since_mark += len(changed)
        if self._since_mark >= _CHECKPOINT:
            await self._store.mark(complete=False, **self._about)
            self._since_mark = 0
        await asyncio.sleep(0)  # an embedded store never waits, and neither does a list

    async def finish(self, *, keep_missing: bool) -> Ingested:
        if not self.seen.count:
            raise StoreError(f"{self._about['source'] or 'The feed'} holds no product; the catalogue stays as it is.")
        removed = 0 if keep_missing else await self._remove_missing()
        count = self.seen.count
        more = await self._store.count() > count  # then this feed is not all that the index holds
        await self._store.mark(complete=True, **(self._about | ({"source_digest": ""} if more else {})))
        return Ingested(count, self._written, self._updated, count - self._written - self._updated, removed)

    async def _remove_missing(self) -> int:
        gone: list[str] = []
        async for part in self._store.scan():
            gone += [product.id for product in part if product.id not in self.seen]
        await self._store.delete(gone)
        return len(gone)


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
