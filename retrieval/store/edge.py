"""The embedded engine: Qdrant Edge in a folder, one process at a time.

Edge holds the interpreter's lock for the length of every call, so a thread would free nothing: the methods call it
where they are, and between batches they let the event loop run. The index is scanned exactly; a graph costs minutes to
build and answers no faster at the size of one shop.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import qdrant_edge as qe
from filelock import FileLock, Timeout

from retrieval.encoding import EncoderId, Vectors
from retrieval.keywords import product_words, question_words
from retrieval.product import Product
from retrieval.store.base import AnyOf, Condition, Filter, Hit, InStock, KeywordField, Range, StoreError, StoreInfo
from retrieval.store.files import copy_folder
from retrieval.store.manifest import FILE, Manifest, read_manifest, write_manifest
from retrieval.store.records import (
    BATCH,
    EVERYTHING,
    KEYS,
    RECORD,
    VECTOR,
    WORDS,
    ask_for,
    batches,
    check_present,
    checked,
    is_settled,
    point_id,
    ranked,
    ranked_values,
    to_payload,
    to_product,
)

_RESERVE = 128 * 2**20  # bytes that must be free: the engine writes through mapped files, where a full disk is a SIGBUS
_BLOCK = 512  # bytes, in which the system counts what a file takes
_SHARD = "shard"
_LOCK = "lock"
_SCHEMA = {
    "keyword": qe.PayloadSchemaType.Keyword,
    "float": qe.PayloadSchemaType.Float,
    "integer": qe.PayloadSchemaType.Integer,
}


class EdgeStore:
    """A `ProductStore` in a folder. Open it with `EdgeStore.open`, close it to leave a known state behind."""

    def __init__(self, folder: Path, shard: qe.EdgeShard, manifest: Manifest, lock: FileLock) -> None:
        self._folder = folder
        self._shard = shard
        self._manifest = manifest
        self._lock = lock
        self._closed = False
        self._has_deleted = False  # since it was opened

    @classmethod
    def open(cls, path: Path, encoder: EncoderId) -> EdgeStore:
        """The index in the folder `path`, made if there is none.

        Raises StoreError if it is open elsewhere, was made by another encoder or by another version, is damaged, or
        if the folder cannot be written.
        """
        lock = _locked(path)
        try:
            manifest = read_manifest(path) or _create(path, encoder)
            if manifest.encoder != encoder:
                raise StoreError(
                    f"The index in {path} was made by {_name(manifest.encoder)}, not by {_name(encoder)}. "
                    "Their vectors cannot be compared: index the catalogue again in a folder of its own."
                )
            shard = _load(path, manifest)
        except BaseException:
            lock.release()
            raise
        return cls(path, shard, manifest, lock)

    @property
    def encoder(self) -> EncoderId:
        return self._manifest.encoder

    async def upsert(self, products: Sequence[Product], vectors: Vectors) -> None:
        rows = checked(vectors, len(products), self.encoder.dimension)
        points = {product.id: _point(product, row) for product, row in zip(products, rows, strict=True)}
        for batch in batches(points.values()):
            self._update(qe.UpdateOperation.upsert_points(batch))
            await asyncio.sleep(0)

    async def replace(self, products: Sequence[Product]) -> None:
        check_present(products, await self.get([product.id for product in products]))
        for batch in batches(products):
            for product in batch:
                self._update(qe.UpdateOperation.overwrite_payload([point_id(product.id)], to_payload(product)))
            await asyncio.sleep(0)

    async def delete(self, ids: Sequence[str]) -> None:
        for batch in batches(ids):
            self._has_deleted = True
            self._update(qe.UpdateOperation.delete_points([point_id(product) for product in batch]))
            await asyncio.sleep(0)

    async def query(self, vectors: Vectors, limit: int, filter: Filter | None = None) -> list[list[Hit]]:
        rows = checked(vectors, len(vectors), self.encoder.dimension)
        return self._search([qe.Query.Nearest(row, using=VECTOR) for row in rows], VECTOR, limit, filter)

    async def query_text(self, texts: Sequence[str], limit: int, filter: Filter | None = None) -> list[list[Hit]]:
        words = [question_words(text) for text in texts]
        asked = [qe.Query.Nearest(qe.SparseVector(*each), using=WORDS) for each in words if each.indices]
        found = iter(self._search(asked, WORDS, limit, filter))
        return [next(found) if each.indices else [] for each in words]

    async def get(self, ids: Sequence[str]) -> list[Product]:
        products: dict[str, Product] = {}
        for batch in batches(ids):
            with self._engine("read"):
                records = self._shard.retrieve([point_id(product) for product in batch], [RECORD], False)
            products.update((product.id, product) for product in (to_product(record.payload) for record in records))
        return [products[product] for product in ids if product in products]

    async def count(self, filter: Filter | None = None) -> int:
        with self._engine("counted"):
            return self._shard.count(qe.CountRequest(exact=True, filter=_filter(filter)))

    async def facet(self, field: KeywordField, limit: int = 50) -> dict[str, int]:
        if limit < 1:
            return {}
        asked = ask_for(limit)
        while True:
            with self._engine("counted"):
                hits = self._shard.facet(qe.FacetRequest(field, limit=asked, exact=True)).hits
            if is_settled([hit.count for hit in hits], limit, asked):
                return ranked_values(((hit.value, hit.count) for hit in hits), limit)
            asked *= 4

    async def scan(self, batch: int = BATCH) -> AsyncIterator[list[Product]]:
        offset: qe.PointId | None = None
        while True:
            with self._engine("read"):
                request = qe.ScrollRequest(offset=offset, limit=batch, with_payload=[RECORD])
                records, offset = self._shard.scroll(request)
            if records:
                yield [to_product(record.payload) for record in records]
            if offset is None:
                return
            await asyncio.sleep(0)

    async def info(self) -> StoreInfo:
        return self._manifest.info(await self.count(), engine="qdrant-edge", where=str(self._folder))

    async def mark(self, *, complete: bool, source: str = "", source_digest: str = "") -> None:
        self._settle(self._manifest.marked(await self.count(), complete, source, source_digest))

    async def copy(self, name: str) -> None:
        with self._engine("copied"):
            self._shard.flush()
        count, target = await self.count(), self._folder.parent / name
        lock = await asyncio.to_thread(_locked, target)
        try:
            if read_manifest(target) is not None:
                raise StoreError(f"There is an index in {target} already.")
            await asyncio.to_thread(_copy, self._folder / _SHARD, target / _SHARD)
            write_manifest(target, Manifest(encoder=self.encoder, count=count))
        finally:
            lock.release()

    async def close(self) -> None:
        if self._closed:
            return
        try:
            if self._manifest.count is None:
                self._settle(self._manifest.model_copy(update={"count": await self.count()}))
        finally:
            self._closed = True
            self._shard.close()
            self._lock.release()

    def _search(self, queries: Sequence[qe.Query], using: str, limit: int, filter: Filter | None) -> list[list[Hit]]:
        results: list[list[Hit]] = [[] for _ in queries]
        waiting, asked = list(range(len(queries))) if limit > 0 else [], ask_for(limit)
        recount = using == WORDS and self._has_deleted
        while waiting:
            requests = [_request(queries[i], asked, filter, recount) for i in waiting]
            with self._engine("searched"):
                found = dict(zip(waiting, self._shard.query_batch(qe.QueryBatchRequest(requests)), strict=True))
            waiting = [i for i in waiting if not is_settled([point.score for point in found[i]], limit, asked, using)]
            for i in found.keys() - set(waiting):
                results[i] = ranked(((point.score, point.payload) for point in found[i]), limit, using)
            asked *= 4
        return results

    def _update(self, operation: qe.UpdateOperation) -> None:
        with self._engine("written"):
            _check_space(self._folder)
            if self._manifest.count is not None:
                self._describe(self._manifest.model_copy(update={"count": None}))
            try:
                self._shard.update(operation)
            except BaseException:
                # A refused update stays in the write-ahead log, and the next opening would replay a part of it.
                self._shard.flush()
                raise

    def _settle(self, manifest: Manifest) -> None:
        """What was written is on disk before the manifest says so."""
        with self._engine("written"):
            self._shard.flush()
        self._describe(manifest)

    def _describe(self, manifest: Manifest) -> None:
        write_manifest(self._folder, manifest)
        self._manifest = manifest

    @contextmanager
    def _engine(self, verb: str) -> Iterator[None]:
        if self._closed:
            raise StoreError(f"The index in {self._folder} cannot be {verb}: it was closed.")
        with _told(f"The index in {self._folder} cannot be {verb}"):
            yield


def _locked(path: Path) -> FileLock:
    """The folder, made where missing, held against other openers."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path / _LOCK, timeout=0, thread_local=False)
        lock.acquire()
    except Timeout as error:
        raise StoreError(
            f"The index in {path} is open already, in this process or another. "
            "An embedded index has one user at a time: stop the other one, or use a Qdrant server."
        ) from error
    except OSError as error:
        raise StoreError(f"The folder {path} cannot be used for an index: {error.strerror}.") from error
    return lock


def _create(path: Path, encoder: EncoderId) -> Manifest:
    """An empty index. The manifest comes last, so a shard without one was never finished and is made anew."""
    strangers = sorted(entry.name for entry in path.iterdir() if entry.name not in (_LOCK, _SHARD))
    strangers = [name for name in strangers if not name.startswith(f".{FILE}-")]
    if strangers:
        raise StoreError(f"{path} holds other files ({', '.join(strangers[:3])}) and no index. Choose an empty folder.")
    config = qe.EdgeConfig(
        vectors={VECTOR: qe.EdgeVectorParams(size=encoder.dimension, distance=qe.Distance.Cosine)},
        sparse_vectors={WORDS: qe.EdgeSparseVectorParams(modifier=qe.Modifier.Idf)},
        hnsw_config=qe.HnswIndexConfig(0, 4, 10_000),
    )
    shutil.rmtree(path / _SHARD, ignore_errors=True)
    _check_space(path)
    with _told(f"The index in {path} cannot be made"):
        shard = qe.EdgeShard.create(str(path / _SHARD), config)
        for key, kind in KEYS.items():
            shard.update(qe.UpdateOperation.create_field_index(key, _SCHEMA[kind]))
        shard.flush()
        shard.close()
    manifest = Manifest(encoder=encoder)
    write_manifest(path, manifest)
    return manifest


def _copy(shard: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)  # of a copy that was broken off
    _check_space(target.parent, sum(file.stat().st_blocks * _BLOCK for file in shard.rglob("*") if file.is_file()))
    try:
        copy_folder(shard, target)
    except OSError as error:
        raise StoreError(f"The index in {shard.parent} cannot be copied to {target.parent}: {error}.") from error


def _load(path: Path, manifest: Manifest) -> qe.EdgeShard:
    """Edge can load a damaged shard with a part of its points and say nothing, so they are counted."""
    mend = f"Remove the folder {path} and load the catalogue again."
    with _told(f"The index in {path} cannot be opened", mend):
        shard = qe.EdgeShard.load(str(path / _SHARD))
        count = shard.count(qe.CountRequest(exact=True))
    if manifest.count is not None and manifest.count != count:
        shard.close()
        raise StoreError(f"The index in {path} is damaged: it holds {count} of {manifest.count} products. {mend}")
    return shard


def _check_space(path: Path, more: int = 0) -> None:
    free, needed = shutil.disk_usage(path).free, _RESERVE + more
    if free < needed:
        raise StoreError(
            f"The disk that holds {path} is full: {free >> 20} MB are free, {needed >> 20} MB are needed to write. "
            "Make room and load the catalogue again; it goes on where it was."
        )


@contextmanager
def _told(what: str, mend: str = "") -> Iterator[None]:
    """Turns the engine's exceptions, which are bare ones, and its panics, which are not even that, into StoreError."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, StoreError) or not (isinstance(error, Exception) or _is_panic(error)):
            raise
        raise StoreError(f"{what}: {error}. {mend}".rstrip()) from error


def _is_panic(error: BaseException) -> bool:
    return type(error).__module__ == "pyo3_runtime"


def _name(encoder: EncoderId) -> str:
    return f"{encoder.model}@{encoder.revision} ({encoder.dimension} numbers, text {encoder.template})"


def _point(product: Product, row: list[float]) -> qe.Point:
    words = qe.SparseVector(*product_words(product))
    return qe.Point(point_id(product.id), {VECTOR: row, WORDS: words}, to_payload(product))


def _request(query: qe.Query, limit: int, filter: Filter | None, recount: bool) -> qe.QueryRequest:
    """`recount`: how many products have a word is counted anew, for what the engine keeps counts deleted ones too."""
    return qe.QueryRequest(
        limit=limit,
        query=query,
        filter=_filter(filter),
        params=qe.SearchParams(exact=True, idf=qe.IdfParams(_filter(EVERYTHING)) if recount else None),
        with_payload=["id", RECORD],
    )


def _filter(filter: Filter | None) -> qe.Filter | None:
    if filter is None or not (filter.must or filter.must_not):
        return None
    return qe.Filter(must=[_condition(c) for c in filter.must], must_not=[_condition(c) for c in filter.must_not])


def _condition(condition: Condition) -> qe.FieldCondition:
    match condition:
        case Range(field, gte, lte):
            return qe.FieldCondition(field, range=qe.RangeFloat(gte=gte, lte=lte))
        case AnyOf(field, values):
            return qe.FieldCondition(field, match=qe.MatchAny(list(values)))
        case InStock(value):
            return qe.FieldCondition("in_stock", match=qe.MatchValue(int(value)))
