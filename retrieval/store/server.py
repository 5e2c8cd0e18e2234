"""The engine for more than one process: a Qdrant server, one collection for each encoder."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

import grpc
import httpx
import structlog
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_exponential_jitter

from retrieval.encoding import EncoderId, Vectors
from retrieval.keywords import Words, product_words, question_words
from retrieval.product import Product
from retrieval.store.base import AnyOf, Condition, Filter, Hit, InStock, KeywordField, Range, StoreError, StoreInfo
from retrieval.store.manifest import Manifest, parse_manifest
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

PREFIX = "daogou-"
_METADATA = "daogou"  # the key of our manifest, as JSON text, in the collection's metadata
_REST_PORT = 6333
_SCHEMA = {
    "keyword": models.PayloadSchemaType.KEYWORD,
    "float": models.PayloadSchemaType.FLOAT,
    "integer": models.PayloadSchemaType.INTEGER,
}
_EXACT = models.SearchParams(exact=True)

T = TypeVar("T")
log = structlog.get_logger()


def connect(url: str, key: str | None = None, timeout: int = 10) -> AsyncQdrantClient:
    """A client for the server at `url`; nothing is asked of the server yet. `timeout` in seconds.

    On the server's usual port it speaks gRPC (one port higher); on any other port, where a proxy may stand, HTTP.
    """
    standard = urlsplit(url).port in (None, _REST_PORT)
    return AsyncQdrantClient(url, api_key=key, timeout=timeout, prefer_grpc=standard, check_compatibility=False)


async def stored(client: AsyncQdrantClient) -> dict[str, StoreInfo]:
    """What our collections on a server hold, by the indexes' names. Raises StoreError.

    Those that cannot be read are logged and left out.
    """
    answer = await _asked(client, client.get_collections)
    found = {}
    for name in sorted(c.name for c in answer.collections if c.name.startswith(PREFIX)):
        try:
            found[name.removeprefix(PREFIX)] = await _info(client, name)
        except StoreError as error:
            log.warning("index_left_out", reason=str(error))
    return found


async def drop(url: str, name: str, key: str | None = None) -> None:
    """Remove an index from a server, if it is there. Raises StoreError."""
    client = connect(url, key)
    try:
        await _asked(client, client.delete_collection, collection_name=PREFIX + name)
    finally:
        await client.close()


class ServerStore:
    """A `ProductStore` in a collection of a Qdrant server (1.16 or newer). Open it with `ServerStore.open`."""

    def __init__(self, client: AsyncQdrantClient, owned: bool, encoder: EncoderId, name: str = "") -> None:
        self._client = client
        self._owned = owned
        self._encoder = encoder
        self._name = PREFIX + (name or encoder.key)
        self._closed = False

    @classmethod
    async def open(
        cls, where: str | AsyncQdrantClient, encoder: EncoderId, *, key: str | None = None, name: str = ""
    ) -> ServerStore:
        """The collection for `encoder`, made if there is none, on the server at an address or behind a ready client.

        `name`: of the index, if it is not the encoder's key. A client handed in is the caller's to close. Raises
        StoreError if the server cannot be reached or refuses.
        """
        client = connect(where, key) if isinstance(where, str) else where
        store = cls(client, isinstance(where, str), encoder, name)
        try:
            await store._prepare()
        except BaseException:
            await store.close()
            raise
        return store

    @property
    def encoder(self) -> EncoderId:
        return self._encoder

    async def upsert(self, products: Sequence[Product], vectors: Vectors) -> None:
        rows = checked(vectors, len(products), self._encoder.dimension)
        points = {product.id: _point(product, row) for product, row in zip(products, rows, strict=True)}
        for batch in batches(points.values()):
            await self._ask(self._client.upsert, points=batch, wait=True)

    async def replace(self, products: Sequence[Product]) -> None:
        check_present(products, await self.get([product.id for product in products]))
        for batch in batches(products):
            operations = [
                models.OverwritePayloadOperation(
                    overwrite_payload=models.SetPayload(payload=to_payload(product), points=[point_id(product.id)])
                )
                for product in batch
            ]
            await self._ask(self._client.batch_update_points, update_operations=operations, wait=True)

    async def delete(self, ids: Sequence[str]) -> None:
        for batch in batches(ids):
            selector = models.PointIdsList(points=[point_id(product) for product in batch])
            await self._ask(self._client.delete, points_selector=selector, wait=True)

    async def query(self, vectors: Vectors, limit: int, filter: Filter | None = None) -> list[list[Hit]]:
        rows = checked(vectors, len(vectors), self._encoder.dimension)
        return await self._search(rows, VECTOR, limit, filter)

    async def query_text(self, texts: Sequence[str], limit: int, filter: Filter | None = None) -> list[list[Hit]]:
        words = [question_words(text) for text in texts]
        asked = [_sparse(each) for each in words if each.indices]
        found = iter(await self._search(asked, WORDS, limit, filter))
        return [next(found) if each.indices else [] for each in words]

    async def get(self, ids: Sequence[str]) -> list[Product]:
        products: dict[str, Product] = {}
        for batch in batches(ids):
            wanted = [point_id(product) for product in batch]
            records = await self._ask(self._client.retrieve, ids=wanted, with_payload=[RECORD])
            products.update((product.id, product) for product in (to_product(record.payload) for record in records))
        return [products[product] for product in ids if product in products]

    async def count(self, filter: Filter | None = None) -> int:
        answer: models.CountResult = await self._ask(self._client.count, count_filter=_filter(filter), exact=True)
        return answer.count

    async def facet(self, field: KeywordField, limit: int = 50) -> dict[str, int]:
        asked = ask_for(limit)
        while limit > 0:
            answer = await self._ask(self._client.facet, key=field, limit=asked, exact=True)
            if is_settled([hit.count for hit in answer.hits], limit, asked):
                return ranked_values(((hit.value, hit.count) for hit in answer.hits), limit)
            asked *= 4
        return {}

    async def scan(self, batch: int = BATCH) -> AsyncIterator[list[Product]]:
        offset: models.ExtendedPointId | None = None
        while True:
            records, offset = await self._ask(self._client.scroll, limit=batch, offset=offset, with_payload=[RECORD])
            if records:
                yield [to_product(record.payload) for record in records]
            if offset is None:
                return

    async def info(self) -> StoreInfo:
        self._check_open()
        return await _info(self._client, self._name)

    async def mark(self, *, complete: bool, source: str = "", source_digest: str = "") -> None:
        manifest = Manifest(encoder=self._encoder).marked(await self.count(), complete, source, source_digest)
        await self._ask(self._client.update_collection, metadata={_METADATA: manifest.model_dump_json()})

    async def copy(self, name: str) -> None:
        if await _asked(self._client, self._client.collection_exists, collection_name=PREFIX + name):
            raise StoreError(f"There is an index {PREFIX}{name} on {_address(self._client)} already.")
        target = await ServerStore.open(self._client, self._encoder, name=name)
        offset: models.ExtendedPointId | None = None
        while True:
            records, offset = await self._ask(
                self._client.scroll, limit=BATCH, offset=offset, with_payload=True, with_vectors=True
            )
            points = [models.PointStruct(id=r.id, vector=r.vector or {}, payload=r.payload) for r in records]
            if points:
                await target._ask(target._client.upsert, points=points, wait=True)
            if offset is None:
                return

    async def close(self) -> None:
        if self._owned and not self._closed:
            await self._client.close()
        self._closed = True

    async def _prepare(self) -> None:
        """The collection and its payload indexes, whatever of them is missing; another process may do the same."""
        if not await self._ask(self._client.collection_exists):
            try:
                await self._ask(
                    self._client.create_collection,
                    vectors_config={
                        VECTOR: models.VectorParams(size=self._encoder.dimension, distance=models.Distance.COSINE)
                    },
                    sparse_vectors_config={WORDS: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                    hnsw_config=models.HnswConfigDiff(m=0),  # every search is exact, a graph would not be used
                    metadata={_METADATA: Manifest(encoder=self._encoder).model_dump_json()},
                )
            except StoreError:
                if not await self._ask(self._client.collection_exists):
                    raise
        made = (await self._ask(self._client.get_collection)).payload_schema
        for field in KEYS.keys() - made.keys():
            schema = _SCHEMA[KEYS[field]]
            await self._ask(self._client.create_payload_index, field_name=field, field_schema=schema, wait=True)
        await self.info()

    async def _search(
        self,
        queries: Sequence[list[float] | models.SparseVector],
        using: str,
        limit: int,
        filter: Filter | None,
    ) -> list[list[Hit]]:
        results: list[list[Hit]] = [[] for _ in queries]
        waiting, asked = list(range(len(queries))) if limit > 0 else [], ask_for(limit)
        while waiting:
            requests = [_request(queries[i], using, asked, filter) for i in waiting]
            answers = await self._ask(self._client.query_batch_points, requests=requests)
            found = {i: answer.points for i, answer in zip(waiting, answers, strict=True)}
            waiting = [i for i in waiting if not is_settled([point.score for point in found[i]], limit, asked, using)]
            for i in found.keys() - set(waiting):
                results[i] = ranked(((point.score, point.payload) for point in found[i]), limit, using)
            asked *= 4
        return results

    async def _ask(self, method: Callable[..., Awaitable[T]], **arguments: Any) -> T:
        self._check_open()
        return await _asked(self._client, method, collection_name=self._name, **arguments)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError(f"The index {self._name} was closed.")


async def _info(client: AsyncQdrantClient, name: str) -> StoreInfo:
    collection = await _asked(client, client.get_collection, collection_name=name)
    text = (collection.config.metadata or {}).get(_METADATA)
    if not isinstance(text, str):
        raise StoreError(
            f"The collection {name} on {_address(client)} does not say what is in it. Qdrant 1.16 or newer is needed; "
            "if the server is new enough, delete the collection and load the catalogue again."
        )
    manifest = parse_manifest(text, f"The collection {name} on {_address(client)}")
    count = await _asked(client, client.count, collection_name=name, exact=True)
    return manifest.info(count.count, engine="qdrant", where=f"{_address(client)} {name}")


# Over gRPC, over HTTP, of the client's own, and of its local mode, which knows no collection by a ValueError.
_REFUSALS = (grpc.RpcError, ApiException, QdrantException, ValueError)


async def _asked(client: AsyncQdrantClient, method: Callable[..., Awaitable[T]], **arguments: Any) -> T:
    """The method's answer; tried four times, about a second, while the server is out of reach. Raises StoreError."""
    attempts = AsyncRetrying(
        retry=retry_if_exception(_is_out_of_reach),
        stop=stop_after_attempt(4),
        wait=wait_exponential_jitter(multiplier=0.1, max=1, jitter=0.1),
        reraise=True,
    )
    try:
        return await attempts(method, **arguments)
    except _REFUSALS as error:
        if _is_out_of_reach(error):
            raise StoreError(
                f"The Qdrant server at {_address(client)} cannot be reached. Start it, or correct DAOGOU_QDRANT_URL; "
                "without that variable the catalogue is kept in an embedded index."
            ) from error
        raise StoreError(f"The Qdrant server at {_address(client)} refused: {_reason(error)}") from error


def _is_out_of_reach(error: BaseException) -> bool:
    if isinstance(error, grpc.aio.AioRpcError):
        return bool(error.code() == grpc.StatusCode.UNAVAILABLE)
    if isinstance(error, ResponseHandlingException):
        return isinstance(error.source, httpx.TransportError)
    return False


def _reason(error: Exception) -> str:
    if isinstance(error, grpc.aio.AioRpcError):
        return f"{error.code().name}: {error.details()}"
    return str(error) or type(error).__name__


def _address(client: AsyncQdrantClient) -> str:
    options = client.init_options
    return str(options["url"] or options["location"] or options["host"])


def _point(product: Product, row: list[float]) -> models.PointStruct:
    vector = {VECTOR: row, WORDS: _sparse(product_words(product))}
    return models.PointStruct(id=point_id(product.id), vector=vector, payload=to_payload(product))


def _sparse(words: Words) -> models.SparseVector:
    return models.SparseVector(indices=words.indices, values=words.values)


def _request(
    query: list[float] | models.SparseVector, using: str, limit: int, filter: Filter | None
) -> models.QueryRequest:
    return models.QueryRequest(
        query=query,
        using=using,
        limit=limit,
        filter=_filter(filter),
        params=_RECOUNTED if using == WORDS else _EXACT,
        with_payload=["id", RECORD],
    )


def _filter(filter: Filter | None) -> models.Filter | None:
    if filter is None or not (filter.must or filter.must_not):
        return None
    return models.Filter(must=[_condition(c) for c in filter.must], must_not=[_condition(c) for c in filter.must_not])


def _condition(condition: Condition) -> models.FieldCondition:
    match condition:
        case Range(field, gte, lte):
            return models.FieldCondition(key=field, range=models.Range(gte=gte, lte=lte))
        case AnyOf(field, values):
            return models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))
        case InStock(value):
            return models.FieldCondition(key="in_stock", match=models.MatchValue(value=int(value)))


# The server, too, would count words of products that were deleted, by whichever process.
_RECOUNTED = models.SearchParams(exact=True, idf=models.IdfCorpusParams(corpus=_filter(EVERYTHING)))
