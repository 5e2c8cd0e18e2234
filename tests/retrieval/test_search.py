"""Search end to end over a real store: candidates by vector, order by scorer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio
from numpy.typing import NDArray

from retrieval.fusion import fused
from retrieval.ingest import ingest
from retrieval.product import Product
from retrieval.search import SearchQuery, search, search_many
from retrieval.store.base import AnyOf, Filter, InStock, Range
from retrieval.store.edge import EdgeStore
from retrieval.text import product_text
from tests.products import HashEncoder, products

CATALOGUE = products(200)
ENCODER = HashEncoder()

pytestmark = pytest.mark.asyncio(loop_scope="module")


class WordScorer:
    """The share of the query's words (for Chinese: characters) that a text has. A real score, with many ties."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def score(self, asked: Sequence[tuple[str, Sequence[str]]]) -> list[NDArray[np.float32]]:
        return [self.of(*each) for each in asked]

    def of(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts.extend(texts)
        words = query.lower().split() or [""]
        return np.array([sum(word in text.lower() for word in words) / len(words) for text in texts], np.float32)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def store(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EdgeStore]:
    folder: Path = tmp_path_factory.mktemp("search")
    store = EdgeStore.open(folder, ENCODER.id)
    await ingest(CATALOGUE, store, ENCODER, source="", source_digest="", progress=lambda *_: None)
    yield store
    await store.close()


async def test_candidates_by_meaning_and_by_words_come_in_the_scorers_order(store: EdgeStore) -> None:
    text = "ceramic mug corvane"
    found = await search(store, ENCODER, WordScorer(), text, candidates=50, limit=8)
    near, worded = await store.query(ENCODER.encode([text]), 50), await store.query_text([text], 50)
    candidates: list[Product] = [hit.product for hit in fused([near[0], worded[0]], 50)]
    scores = WordScorer().of(text, [product_text(item) for item in candidates])
    wanted = sorted(zip(scores.tolist(), candidates, strict=True), key=lambda pair: (-pair[0], pair[1].id))[:8]
    assert [(hit.score, hit.product) for hit in found.hits] == wanted
    assert found.hits[0].score > found.hits[-1].score or found.hits[0].score == 1


async def test_filters_hold_before_candidates_are_counted(store: EdgeStore) -> None:
    where = Filter((Range("price", lte=100), InStock(), AnyOf("category", ("Shoes",))))
    found = await search(store, ENCODER, WordScorer(), "shoes", filter=where, candidates=200, limit=200)
    matching = [
        item
        for item in CATALOGUE
        if item.in_stock and item.price and item.price.amount <= 100 and "Shoes" in item.category.values()
    ]
    assert len(matching) > 3
    assert {hit.product.id for hit in found.hits} == {item.id for item in matching}


async def test_each_of_many_gets_its_own_answer(store: EdgeStore) -> None:
    cheap = Filter((Range("price", lte=60),))
    queries = [
        SearchQuery("rain jacket"),
        SearchQuery("desk lamp", filter=cheap, candidates=30, limit=3),
        SearchQuery("陶 瓷", "zh", candidates=40, limit=5),
        SearchQuery("rain jacket", filter=cheap, limit=40),  # more than candidates
        SearchQuery("anything", filter=Filter((AnyOf("id", ("nothing",)),))),
    ]
    together = await search_many(store, ENCODER, WordScorer(), queries)
    for query, found in zip(queries, together, strict=True):
        (alone,) = await search_many(store, ENCODER, WordScorer(), [query])
        assert found.hits == alone.hits
    assert [len(found.hits) for found in together] == [6, 3, 5, 40, 0]
    assert await search_many(store, ENCODER, WordScorer(), []) == []


async def test_the_scorer_reads_the_language_asked_for(store: EdgeStore) -> None:
    scorer = WordScorer()
    await search(store, ENCODER, scorer, "杯", lang="zh", candidates=4, limit=2)
    assert len(scorer.texts) == 4
    assert all("日常使用" in text for text in scorer.texts)


async def test_each_step_is_timed_in_order(store: EdgeStore) -> None:
    found = await search_many(store, ENCODER, WordScorer(), [SearchQuery("a"), SearchQuery("b")])
    for one in found:
        assert [time.name for time in one.times] == ["embed", "retrieve", "rerank"]
        assert all(time.ms > 0 for time in one.times)
        ends = [time.start + time.ms for time in one.times]
        assert all(end <= later.start for end, later in zip(ends[:-1], one.times[1:], strict=True))
    assert found[0].times == found[1].times, "a batch takes its steps together"


async def test_a_model_number_is_found_that_the_embedder_knows_nothing_of(tmp_path: Path) -> None:
    items = [*CATALOGUE[:60], CATALOGUE[60].model_copy(update={"id": "X", "title": {"en": "Speaker SPA2600/00"}})]
    store = EdgeStore.open(tmp_path, ENCODER.id)
    await ingest(items, store, ENCODER, source="", source_digest="", progress=lambda *_: None)
    found = await search(store, ENCODER, WordScorer(), "spa2600", candidates=8, limit=8)
    assert found.hits[0].product.id == "X"
    await store.close()
