"""Every store gives the same answers: the embedded engine, the client's in-memory one, and a server where there is one.

`DAOGOU_TEST_QDRANT_URL` names a Qdrant server to test on; collections made there are removed.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st
from qdrant_client import AsyncQdrantClient

from retrieval.encoding import Vectors
from retrieval.keywords import product_words, question_words
from retrieval.product import Money, Product
from retrieval.store.base import AnyOf, Condition, Filter, Hit, InStock, ProductStore, Range, StoreError
from retrieval.store.edge import EdgeStore
from retrieval.store.server import PREFIX, ServerStore, connect
from tests.products import BRANDS, KINDS, HashEncoder, products

URL = os.environ.get("DAOGOU_TEST_QDRANT_URL")
ENGINES = ["edge", "memory", *(["server"] if URL else [])]
CATALOGUE = products(300)
ENCODER = HashEncoder()

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact"),
]


@asynccontextmanager
async def opened(engine: str, folder: Path) -> AsyncIterator[ProductStore]:
    """An empty store."""
    encoder = replace(ENCODER.id, revision=uuid4().hex)  # a collection of its own
    if engine == "edge":
        edge = EdgeStore.open(folder / "index", encoder)
        yield edge
        await edge.close()
        return
    client = AsyncQdrantClient(":memory:") if engine == "memory" else connect(str(URL))
    yield await ServerStore.open(client, encoder)
    await client.delete_collection(PREFIX + encoder.key)
    await client.close()


@pytest_asyncio.fixture(params=ENGINES, loop_scope="module")
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ProductStore]:
    """An empty store on each engine."""
    async with opened(request.param, tmp_path) as store:
        yield store


@pytest_asyncio.fixture(params=ENGINES, scope="module", loop_scope="module")
async def full(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ProductStore]:
    """A store that holds CATALOGUE, to read from."""
    async with opened(request.param, tmp_path_factory.mktemp("full")) as store:
        await fill(store, CATALOGUE)
        yield store


@pytest.mark.skipif(URL is not None, reason="the tests below run on the server")
async def test_on_a_server() -> None:
    pytest.skip("no Qdrant server to compare with: DAOGOU_TEST_QDRANT_URL is not set")


async def fill(store: ProductStore, items: list[Product]) -> None:
    await store.upsert(items, ENCODER.encode([item.id for item in items]))


def expected(query: str, limit: int, where: Filter | None = None, items: list[Product] = CATALOGUE) -> list[Hit]:
    """What any store must answer, by plain arithmetic."""
    vector = ENCODER.encode([query])[0].astype(np.float64)
    scores = ENCODER.encode([item.id for item in items]).astype(np.float64) @ vector
    hits = [Hit(item, float(score)) for item, score in zip(items, scores, strict=True) if holds(item, where)]
    return sorted(hits, key=lambda hit: (-round(hit.score, 6), hit.product.id))[:limit]


def expected_by_words(text: str, where: Filter | None, items: list[Product]) -> list[tuple[str, float]]:
    """What any store must answer to words: ids with BM25, by plain arithmetic."""
    vectors = [dict(zip(*product_words(item), strict=True)) for item in items]
    rarity = {}
    for index in question_words(text).indices:
        having = sum(index in vector for vector in vectors)
        rarity[index] = math.log(1 + (len(items) - having + 0.5) / (having + 0.5))
    found = [
        (item.id, sum(vector[index] * rarity[index] for index in rarity.keys() & vector.keys()))
        for item, vector in zip(items, vectors, strict=True)
        if rarity.keys() & vector.keys() and holds(item, where)
    ]
    return sorted(found, key=lambda pair: (-round(pair[1], 4), pair[0]))


def holds(item: Product, where: Filter | None) -> bool:
    where = where or Filter()
    return all(meets(item, c) for c in where.must) and not any(meets(item, c) for c in where.must_not)


def meets(item: Product, condition: Condition) -> bool:
    match condition:
        case InStock(value):
            return (item.stock is None or item.stock > 0) is value
        case AnyOf(field, values):
            have = {
                "id": [item.id],
                "brand": [item.brand] if item.brand else [],
                "category": list(item.category.values()),
                "currency": [item.price.currency] if item.price else [],
            }[field]
            return any(value in values for value in have)
        case Range(field, gte, lte):
            price = float(item.price.amount) if item.price else None
            number = {"price": price, "rating": item.rating, "stock": item.stock}[field]
            return number is not None and (gte is None or number >= gte) and (lte is None or number <= lte)


def ids(hits: list[Hit]) -> list[str]:
    return [hit.product.id for hit in hits]


async def test_the_nearest_come_in_order_with_their_records(full: ProductStore) -> None:
    texts = ["P-00007", "P-00123", "something else"]
    answers = await full.query(ENCODER.encode(texts), 20)
    for text, hits in zip(texts, answers, strict=True):
        wanted = expected(text, 20)
        assert ids(hits) == ids(wanted)
        assert [hit.product for hit in hits] == [hit.product for hit in wanted]
        assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in wanted], abs=2e-6)
    assert answers[0][0].product.id == "P-00007"
    assert answers[0][0].score == pytest.approx(1, abs=1e-5)


async def test_a_limit_beyond_the_catalogue_gives_all_of_it_and_none_gives_nothing(full: ProductStore) -> None:
    vector = ENCODER.encode(["x"])
    assert ids((await full.query(vector, 1000))[0]) == ids(expected("x", 1000))
    assert await full.query(vector, 0) == [[]]
    assert await full.query(ENCODER.encode([]), 5) == []


@pytest.mark.parametrize("limit", [1, 5, 40, 120])
async def test_equal_scores_go_by_id_and_are_cut_by_id(store: ProductStore, limit: int) -> None:
    twins = products(100)[::-1]
    await store.upsert(twins, np.repeat(ENCODER.encode(["twin"]), 100, axis=0))
    await fill(store, products(120)[100:])
    hits = (await store.query(ENCODER.encode(["twin"]), limit))[0]
    assert ids(hits)[:100] == [f"P-{number:05}" for number in range(100)][:limit]
    assert len(hits) == limit


FILTERS = {
    "none": Filter(),
    "price": Filter((Range("price", gte=20, lte=80.5),)),
    "price below": Filter((Range("price", lte=60), AnyOf("currency", ("USD",)))),
    "not cheap, priceless kept": Filter((), (Range("price", lte=100),)),
    "rating": Filter((Range("rating", gte=4.5),)),
    "stock": Filter((Range("stock", gte=1, lte=7),)),
    "category in English": Filter((AnyOf("category", ("Shoes",)),)),
    "category in Chinese": Filter((AnyOf("category", ("鞋", "灯具")),)),
    "either language": Filter((AnyOf("category", ("Jackets", "厨房")),)),
    "category as stored": Filter((AnyOf("category", ("shoes",)),)),
    "brand with a quote": Filter((AnyOf("brand", ("O'Hara", "北岸")),)),
    "not a brand, brandless kept": Filter((), (AnyOf("brand", ("Corvane", "北岸")),)),
    "the empty brand": Filter((AnyOf("brand", ("",)),)),
    "in stock, unknown counts": Filter((InStock(),)),
    "sold out": Filter((InStock(False),)),
    "not sold out": Filter((), (InStock(False),)),
    "ids": Filter((AnyOf("id", ("P-00003", "P-00005", "nothing")),)),
    "all at once": Filter(
        (Range("price", lte=150), InStock(), AnyOf("category", ("Shoes", "外套"))),
        (AnyOf("brand", ("Corvane",)), Range("rating", lte=3.5)),
    ),
}


@pytest.mark.parametrize("where", FILTERS.values(), ids=FILTERS.keys())
async def test_filters_mean_the_same(full: ProductStore, where: Filter) -> None:
    wanted = expected("q", 300, where)
    assert ids((await full.query(ENCODER.encode(["q"]), 300, where))[0]) == ids(wanted)
    assert await full.count(where) == len(wanted)


TEXTS = [
    "红色的跑步鞋",
    "有没有陶瓷杯子，日常使用的",
    "rain jackets",
    "雨衣 Corvane 37",
    "编号 12",
    "鞋",
    "北岸的台灯 O'Hara lamp for everyday use, number 150",
]


@pytest.mark.parametrize("where", FILTERS.values(), ids=FILTERS.keys())
async def test_words_find_the_same(full: ProductStore, where: Filter) -> None:
    answers = await full.query_text(TEXTS, 300, where)
    for text, hits in zip(TEXTS, answers, strict=True):
        wanted = expected_by_words(text, where, CATALOGUE)
        assert ids(hits) == [identity for identity, _ in wanted]
        assert [hit.score for hit in hits] == pytest.approx([score for _, score in wanted], abs=2e-4)
    few = await full.query_text(TEXTS, 4, where)
    assert [ids(hits) for hits in few] == [ids(hits)[:4] for hits in answers]


@pytest.mark.parametrize("text", ["", " ?!", "🙂", "的", "有没有推荐", "the", "冰箱", "xylophone"])
async def test_without_a_common_word_nothing_is_found(full: ProductStore, text: str) -> None:
    assert await full.query_text([text, "鞋", text], 5) == [[], (await full.query_text(["鞋"], 5))[0], []]
    assert await full.query_text(["鞋"], 0) == [[]]
    assert await full.query_text([], 5) == []


async def test_words_of_what_was_replaced_or_deleted_do_not_count(store: ProductStore) -> None:
    await fill(store, CATALOGUE)
    new = [Product(id=item.id, title={"zh": "红色的围巾"}) for item in CATALOGUE[:90]]
    await fill(store, new)
    await store.delete([item.id for item in CATALOGUE[60:240]])
    left = [*new[:60], *CATALOGUE[240:]]
    for text in ("红色围巾", "跑步鞋", "陶瓷杯 日常使用"):
        (hits,) = await store.query_text([text], 300)
        wanted = expected_by_words(text, None, left)
        assert ids(hits) == [identity for identity, _ in wanted]
        assert [hit.score for hit in hits] == pytest.approx([score for _, score in wanted], abs=2e-4)


async def test_a_record_without_words_is_kept(store: ProductStore) -> None:
    await fill(store, [Product(id="odd", title={"en": "😀!"}), Product(id="even", title={"en": "mug"})])
    assert [ids(hits) for hits in await store.query_text(["😀!", "mugs"], 5)] == [[], ["even"]]
    assert len((await store.query(ENCODER.encode(["odd"]), 5))[0]) == 2


async def test_get_keeps_the_order_asked_and_passes_over_what_is_missing(full: ProductStore) -> None:
    asked = ["P-00290", "nothing", "P-00002", "P-00290", "P-00150"]
    assert [item.id for item in await full.get(asked)] == ["P-00290", "P-00002", "P-00290", "P-00150"]
    assert await full.get([]) == []


async def test_records_come_back_exactly(store: ProductStore) -> None:
    odd = Product(
        id="ö/ 1\u2028'\"",
        title={"en": "Line\u2028separator 😀", "zh": "“引号”"},
        price=Money.model_validate({"amount": "19.9000", "currency": "EUR"}),
        stock=10**20,
        rating=4.999999999999999,
    )
    await fill(store, [odd])
    (back,) = await store.get([odd.id])
    assert back == odd
    assert back.price is not None
    assert str(back.price.amount) == "19.9000"
    assert await store.count(Filter((Range("stock", gte=1e12),))) == 1


async def test_upsert_replaces_the_whole_record_and_its_vector(store: ProductStore) -> None:
    await fill(store, CATALOGUE)
    new = Product(id="P-00007", title={"en": "Another thing"})
    await store.upsert([new], ENCODER.encode(["elsewhere"]))
    assert await store.get(["P-00007"]) == [new]
    assert await store.count() == 300
    assert await store.count(Filter((AnyOf("id", ("P-00007",)), Range("price", gte=0)))) == 0
    assert (await store.query(ENCODER.encode(["elsewhere"]), 1))[0][0].product == new


async def test_a_replaced_record_keeps_its_vector_and_words_and_filters_by_its_new_values(store: ProductStore) -> None:
    items = CATALOGUE[:5]
    vectors = ENCODER.encode([item.id for item in items])
    await store.upsert(items, vectors)
    dearer = items[2].model_copy(update={"price": Money(amount=Decimal("33.61"), currency="EUR"), "stock": 0})
    await store.replace([dearer])
    assert await store.get([dearer.id]) == [dearer]
    (nearest,) = await store.query(vectors[2:3], 1)
    assert nearest[0].product == dearer
    assert nearest[0].score == pytest.approx(1)
    (worded,) = await store.query_text([str(dearer.title["en"])], 1)
    assert worded[0].product == dearer
    euro = Filter((AnyOf("currency", ("EUR",)), Range("price", gte=33.61, lte=33.61)), (InStock(),))
    assert await store.count(euro) == 1
    assert (await store.facet("currency")).get("EUR") == 1
    assert sum((await store.facet("currency")).values()) == sum(item.price is not None for item in items)
    assert 0 not in (await store.facet("currency")).values()
    with pytest.raises(StoreError, match="1 products are not in the index, among them 'P-00007'"):
        await store.replace([items[0], CATALOGUE[7]])
    await store.replace([])
    assert await store.count() == 5


async def test_of_two_records_with_one_id_the_last_stays(store: ProductStore) -> None:
    first, last = Product(id="a", title={"en": "first"}), Product(id="a", title={"en": "last"})
    await store.upsert([first, last], ENCODER.encode(["first", "last"]))
    assert await store.get(["a"]) == [last]
    assert (await store.query(ENCODER.encode(["last"]), 5))[0][0].score == pytest.approx(1, abs=1e-5)


async def test_delete_passes_over_what_is_missing(store: ProductStore) -> None:
    await fill(store, CATALOGUE)
    await store.delete(["P-00001", "nothing", "P-00299"])
    await store.delete([])
    left = [item for item in CATALOGUE if item.id not in ("P-00001", "P-00299")]
    assert await store.count() == 298
    assert await store.get(["P-00001"]) == []
    assert ids((await store.query(ENCODER.encode(["P-00001"]), 300))[0]) == ids(expected("P-00001", 300, None, left))


@pytest.mark.parametrize("field", ["brand", "category", "currency", "id"])
@pytest.mark.parametrize("limit", [0, 1, 2, 3, 50])
async def test_facets_are_counted_by_frequency_then_name(full: ProductStore, field: str, limit: int) -> None:
    counts: dict[str, int] = {}
    for item in CATALOGUE:
        currency = [item.price.currency] if item.price else []
        have = {"brand": [item.brand], "category": item.category.values(), "currency": currency, "id": [item.id]}
        for value in filter(None, have[field]):
            counts[value] = counts.get(value, 0) + 1
    wanted = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:limit]
    assert list((await full.facet(field, limit)).items()) == wanted  # type: ignore[arg-type]


@pytest.mark.parametrize("batch", [1, 7, 200, 300, 1000])
async def test_scan_gives_every_record_once_and_always_in_the_same_order(full: ProductStore, batch: int) -> None:
    parts = [part async for part in full.scan(batch)]
    assert {len(part) for part in parts[:-1]} <= {batch}
    items = [item for part in parts for item in part]
    assert items == [item async for part in full.scan() for item in part]
    assert sorted(item.id for item in items) == [item.id for item in CATALOGUE]


async def test_an_empty_store_answers(store: ProductStore) -> None:
    assert await store.query(ENCODER.encode(["x"]), 5) == [[]]
    assert await store.count() == 0
    assert await store.facet("brand") == {}
    assert [part async for part in store.scan()] == []
    info = await store.info()
    assert (info.encoder, info.count, info.complete) == (store.encoder, 0, False)


async def test_what_is_marked_is_told(store: ProductStore) -> None:
    await fill(store, CATALOGUE)
    await store.mark(complete=True, source="feed.csv", source_digest="abc")
    info = await store.info()
    assert (info.count, info.complete, info.source, info.source_digest) == (300, True, "feed.csv", "abc")
    await store.delete(["P-00000"])
    await store.mark(complete=False)
    info = await store.info()
    assert (info.count, info.complete, info.source, info.source_digest) == (299, False, "", "")


def not_finite(value: float) -> Vectors:
    vectors = np.ones((300, 16), np.float32)
    vectors[251, 3] = value
    return vectors


BAD = {
    "too few rows": np.ones((299, 16), np.float32),
    "too short": np.ones((300, 15), np.float32),
    "flat": np.ones(300 * 16, np.float32),
    "nan": not_finite(np.nan),
    "infinite": not_finite(np.inf),
}


@pytest.mark.parametrize("vectors", BAD.values(), ids=BAD.keys())
async def test_bad_vectors_are_refused_and_write_nothing(store: ProductStore, vectors: Vectors) -> None:
    with pytest.raises(StoreError, match=r"shape|finite"):
        await store.upsert(CATALOGUE, vectors)
    assert await store.count() == 0


@pytest.mark.parametrize("vector", [np.ones((1, 15), np.float32), np.full((1, 16), np.nan, np.float32)])
async def test_bad_query_vectors_are_refused(full: ProductStore, vector: Vectors) -> None:
    with pytest.raises(StoreError, match=r"shape|finite"):
        await full.query(vector, 3)


async def test_many_at_once_get_their_own_answers(full: ProductStore) -> None:
    async def ask(text: str) -> None:
        assert ids((await full.query(ENCODER.encode([text]), 9))[0]) == ids(expected(text, 9))

    await asyncio.gather(*(ask(f"P-{number:05}") for number in range(50)))


# Random filters, on all engines at once.

bound = st.one_of(st.none(), st.sampled_from((0.0, 1.0, 4.5, 7.0, 1e9)), st.floats(-10, 300))
ranges = st.tuples(st.sampled_from(("price", "rating", "stock")), bound, bound).filter(lambda r: r[1:] != (None, None))
names = [name for _, *pair in KINDS for name in pair] + ["nothing"]
conditions: st.SearchStrategy[Condition] = st.one_of(
    ranges.map(lambda parts: Range(*parts)),  # type: ignore[arg-type]
    st.lists(st.sampled_from(names), min_size=1).map(lambda v: AnyOf("category", tuple(v))),
    st.lists(st.sampled_from(BRANDS), min_size=1).map(lambda v: AnyOf("brand", tuple(v))),
    st.lists(st.sampled_from(("USD", "CNY", "EUR")), min_size=1).map(lambda v: AnyOf("currency", tuple(v))),
    st.booleans().map(InStock),
)
groups = st.lists(conditions, max_size=3).map(tuple)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def every(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[list[ProductStore]]:
    """A store on each engine, all holding CATALOGUE."""
    async with AsyncExitStack() as stack:
        folder = tmp_path_factory.mktemp("every")
        stores = [await stack.enter_async_context(opened(engine, folder)) for engine in ENGINES]
        for store in stores:
            await fill(store, CATALOGUE)
        yield stores


@settings(max_examples=100, deadline=None)
@given(must=groups, must_not=groups, query=st.sampled_from(["P-00003", "P-00250", "other"]), limit=st.integers(1, 40))
async def test_random_filters_mean_what_they_say(
    every: list[ProductStore], must: tuple[Condition, ...], must_not: tuple[Condition, ...], query: str, limit: int
) -> None:
    where = Filter(must, must_not)
    wanted = ids(expected(query, limit, where))
    for store in every:
        assert ids((await store.query(ENCODER.encode([query]), limit, where))[0]) == wanted
        assert await store.count(where) == sum(holds(item, where) for item in CATALOGUE)
