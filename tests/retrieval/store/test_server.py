"""The server engine, as far as it can be seen without a server; `tests/congruence` holds its answers to the others'."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import grpc
import pytest
from qdrant_client import AsyncQdrantClient, models

from retrieval.store.base import AnyOf, Filter, InStock, Range, StoreError
from retrieval.store.server import PREFIX, ServerStore, connect, stored
from tests.products import HashEncoder, products

ENCODER = HashEncoder()
pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")


@pytest.fixture
def client() -> AsyncQdrantClient:
    return AsyncQdrantClient(":memory:")


async def test_a_server_that_does_not_answer_is_named(unused_tcp_port: int) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}"
    with pytest.raises(StoreError, match=f"{url} cannot be reached.*DAOGOU_QDRANT_URL"):
        await ServerStore.open(url, ENCODER.id)


async def test_a_server_that_comes_up_late_is_waited_for(unused_tcp_port: int) -> None:
    """It answers after 300 ms, refusing: so the answer is its own, not that it cannot be reached."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno")
        await writer.drain()
        writer.close()

    opening = asyncio.create_task(ServerStore.open(f"http://127.0.0.1:{unused_tcp_port}", ENCODER.id))
    await asyncio.sleep(0.3)
    async with await asyncio.start_server(refuse, "127.0.0.1", unused_tcp_port):
        with pytest.raises(StoreError, match=r"refused: .*403"):
            await opening


@pytest.mark.parametrize(
    ("url", "grpc"), [("http://db", True), ("http://db:6333", True), ("https://shop.example:443/qdrant", False)]
)
async def test_grpc_is_spoken_on_the_usual_port(url: str, grpc: bool) -> None:
    client = connect(url)
    assert client.init_options["prefer_grpc"] is grpc
    await client.close()


class Refusing(grpc.GenericRpcHandler):  # type: ignore[misc]
    """A gRPC server's handler that reads every call and refuses it."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def service(self, call: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler:
        async def refuse(_: bytes, context: grpc.aio.ServicerContext) -> None:
            self.calls.append(call.method.rpartition("/")[2])
            await context.abort(grpc.StatusCode.PERMISSION_DENIED, "read only")

        return grpc.unary_unary_rpc_method_handler(refuse)


async def test_every_call_goes_over_grpc_and_a_refusal_comes_back(unused_tcp_port: int) -> None:
    """The in-memory engine never writes a request; here each is written and sent."""
    handler, server = Refusing(), grpc.aio.server()
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    url = f"http://127.0.0.1:{unused_tcp_port}"
    client = AsyncQdrantClient(url, grpc_port=port, prefer_grpc=True, check_compatibility=False)
    store = ServerStore(client, owned=True, encoder=ENCODER.id)
    where = Filter((Range("price", lte=3), AnyOf("category", ("a", "鞋")), InStock()), (Range("stock", gte=1),))
    items, vectors = products(3), ENCODER.encode(["a", "b", "c"])
    calls = {
        "Upsert": store.upsert(items, vectors),
        "Delete": store.delete(["a"]),
        "QueryBatch": store.query(vectors, 3, where),
        "Get": store.get(["a"]),
        "Count": store.count(where),
        "Facet": store.facet("brand"),
        "Scroll": anext(store.scan()),
        "CollectionExists": ServerStore.open(client, ENCODER.id),
        "List": stored(client),
    }
    for name, call in calls.items():
        with pytest.raises(StoreError, match="refused: PERMISSION_DENIED: read only"):
            await call
        assert handler.calls[-1] == name
    assert len(handler.calls) == len(calls), "a refusal is no reason to ask again"
    await store.close()
    await server.stop(None)


async def test_each_encoder_has_a_collection_of_its_own(client: AsyncQdrantClient) -> None:
    other = replace(ENCODER.id, revision="2")
    first, second = await ServerStore.open(client, ENCODER.id), await ServerStore.open(client, other)
    items = products(5)
    await first.upsert(items, ENCODER.encode([item.id for item in items]))
    await first.mark(complete=True, source="demo")
    assert (await first.count(), await second.count()) == (5, 0)
    found = {info.encoder: (info.count, info.complete, info.source) for info in (await stored(client)).values()}
    assert found == {ENCODER.id: (5, True, "demo"), other: (0, False, "")}


async def test_an_index_opened_again_keeps_what_was_marked(client: AsyncQdrantClient) -> None:
    store = await ServerStore.open(client, ENCODER.id)
    await store.mark(complete=True, source="demo", source_digest="d")
    await store.close()
    info = await (await ServerStore.open(client, ENCODER.id)).info()
    assert (info.complete, info.source, info.source_digest) == (True, "demo", "d")


async def test_a_collection_that_is_not_ours_is_refused(client: AsyncQdrantClient) -> None:
    vectors = models.VectorParams(size=16, distance=models.Distance.COSINE)
    await client.create_collection(PREFIX + ENCODER.id.key, vectors_config=vectors)
    with pytest.raises(StoreError, match="does not say what is in it"):
        await ServerStore.open(client, ENCODER.id)
    assert await stored(client) == {}


async def test_what_the_server_refuses_is_passed_on(client: AsyncQdrantClient) -> None:
    store = await ServerStore.open(client, ENCODER.id)
    await client.delete_collection(PREFIX + ENCODER.id.key)
    with pytest.raises(StoreError, match=r"refused: Collection .* not found"):
        await store.count()


async def test_a_closed_store_says_so_and_leaves_the_callers_client_open(client: AsyncQdrantClient) -> None:
    store = await ServerStore.open(client, ENCODER.id)
    await store.close()
    with pytest.raises(StoreError, match="was closed"):
        await store.count()
    assert await client.collection_exists(PREFIX + ENCODER.id.key)
