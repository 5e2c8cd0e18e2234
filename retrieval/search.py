"""Search in three steps: the query's vector, the store's nearest candidates, and the scorer's order of them."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

from retrieval.encoding import Encoder, Scorer
from retrieval.product import Lang
from retrieval.store.base import Filter, Hit, ProductStore
from retrieval.text import product_text


@dataclass(frozen=True)
class SearchQuery:
    """What to look for. `lang` is the language of the texts that the scorer reads."""

    text: str
    lang: Lang = "en"
    filter: Filter = Filter()
    candidates: int = 24  # before reranking; at least `limit` are taken
    limit: int = 6  # after reranking


@dataclass(frozen=True)
class StepTime:
    """A step ("embed", "retrieve", "rerank"); in ms, `start` since the search began. Steps of a batch are shared."""

    name: str
    start: float
    ms: float


@dataclass(frozen=True)
class Found:
    """Hits by (-score, id), with the scorer's scores."""

    hits: tuple[Hit, ...]
    times: tuple[StepTime, ...]


async def search(
    store: ProductStore,
    encoder: Encoder,
    scorer: Scorer,
    text: str,
    *,
    lang: Lang = "en",
    filter: Filter = Filter(),
    candidates: int = 24,
    limit: int = 6,
) -> Found:
    """The products that answer `text` best. Raises StoreError."""
    query = SearchQuery(text, lang, filter, candidates, limit)
    return (await search_many(store, encoder, scorer, [query]))[0]


async def search_many(
    store: ProductStore, encoder: Encoder, scorer: Scorer, queries: Sequence[SearchQuery]
) -> list[Found]:
    """One result for each query, in order. Models run in a thread. Raises StoreError."""
    if not queries:
        return []
    clock = _Clock()
    with clock.step("embed") as embed:
        vectors = await asyncio.to_thread(encoder.encode, [query.text for query in queries])
    alike: defaultdict[tuple[Filter, int], list[int]] = defaultdict(list)  # queries the store can take in one call
    for index, query in enumerate(queries):
        alike[query.filter, max(query.candidates, query.limit)].append(index)
    candidates: dict[int, list[Hit]] = {}
    with clock.step("retrieve") as retrieve:
        for (where, limit), indices in alike.items():
            hits = await store.query(vectors[indices], limit, where)
            candidates.update(zip(indices, hits, strict=True))
    found = []
    for index, query in enumerate(queries):
        with clock.step("rerank") as rerank:
            ranked = await asyncio.to_thread(_reranked, scorer, query, candidates[index])
        found.append(Found(ranked, (*embed, *retrieve, *rerank)))
    return found


def _reranked(scorer: Scorer, query: SearchQuery, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    if not hits:
        return ()
    scores = scorer.score(query.text, [product_text(hit.product, query.lang) for hit in hits])
    scored = [Hit(hit.product, float(score)) for hit, score in zip(hits, scores, strict=True)]
    return tuple(sorted(scored, key=lambda hit: (-hit.score, hit.product.id))[: query.limit])


class _Clock:
    def __init__(self) -> None:
        self._began = perf_counter()

    @contextmanager
    def step(self, name: str) -> Iterator[list[StepTime]]:
        """A list that holds the step's time once the block is left."""
        times: list[StepTime] = []
        start = perf_counter()
        yield times
        times.append(StepTime(name, (start - self._began) * 1000, (perf_counter() - start) * 1000))
