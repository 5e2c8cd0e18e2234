"""Search in three steps: the query's vector, the store's candidates by meaning and words, the scorer's order of them.

Where the models do not read a query's language, in one step: what shares words with it, in the store's order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

from retrieval.encoding import Encoder, RemoteEncoder, RemoteScorer, Scorer, Scores, answered
from retrieval.fusion import fused
from retrieval.keywords import question_words
from retrieval.product import Lang
from retrieval.store.base import Filter, Hit, ProductStore
from retrieval.text import product_text
from retrieval.understand.constraints import without_limits


@dataclass(frozen=True)
class SearchQuery:
    """What to look for. `lang` is the language of the texts that the scorer reads.

    `by_words`: the models do not read the text's language. Only products that share words with it are found, so there
    may be few or none, and their scores are BM25's. A text that says nothing but limits has no words: whatever keeps
    them is found, in no order that means anything.
    """

    text: str
    lang: Lang = "en"
    filter: Filter = Filter()
    candidates: int = 24  # before reranking; at least `limit` are taken
    limit: int = 6  # after reranking
    by_words: bool = False


@dataclass(frozen=True)
class StepTime:
    """A step ("embed", "retrieve", "rerank"); in ms, `start` since the search began. Steps of a batch are shared.

    `bytes`: of what it was given by the step before: texts as UTF-8, vectors.
    """

    name: str
    start: float
    ms: float
    bytes: int = 0


@dataclass(frozen=True)
class Found:
    """Hits by (-score, id), with the scorer's scores, or the store's where it looked for words alone."""

    hits: tuple[Hit, ...]
    times: tuple[StepTime, ...]


async def search(
    store: ProductStore,
    encoder: Encoder | RemoteEncoder,
    scorer: Scorer | RemoteScorer,
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
    store: ProductStore,
    encoder: Encoder | RemoteEncoder,
    scorer: Scorer | RemoteScorer,
    queries: Sequence[SearchQuery],
) -> list[Found]:
    """One result for each query, in order. Models compute where they are called. Raises StoreError."""
    clock = _Clock()
    words = {index: text for index, query in enumerate(queries) if (text := _words(query)) is not None}
    found = await _by_words(store, queries, words, clock)
    meant = [index for index in range(len(queries)) if index not in words]
    found.update(zip(meant, await _by_meaning(store, encoder, scorer, [queries[i] for i in meant], clock), strict=True))
    return [found[index] for index in range(len(queries))]


def _words(query: SearchQuery) -> str | None:
    """The text to look for by words; None where it goes by meaning."""
    if not query.by_words:
        return None
    text = without_limits(query.text)
    return None if query.filter.must and not question_words(text).indices else text


async def _by_words(
    store: ProductStore, queries: Sequence[SearchQuery], words: dict[int, str], clock: _Clock
) -> dict[int, Found]:
    found = {}
    for (where, limit), indices in _alike(queries, words, lambda query: query.limit).items():
        with clock.step("retrieve", _size(words[index] for index in indices)) as retrieve:
            answers = await store.query_text([words[index] for index in indices], limit, where)
        found.update({i: Found(tuple(hits), tuple(retrieve)) for i, hits in zip(indices, answers, strict=True)})
    return found


async def _by_meaning(
    store: ProductStore,
    encoder: Encoder | RemoteEncoder,
    scorer: Scorer | RemoteScorer,
    queries: Sequence[SearchQuery],
    clock: _Clock,
) -> list[Found]:
    if not queries:
        return []
    texts = [query.text for query in queries]
    with clock.step("embed", _size(texts)) as embed:
        vectors = await answered(encoder.encode, texts)
    candidates: dict[int, list[Hit]] = {}
    with clock.step("retrieve", vectors.nbytes) as retrieve:
        alike = _alike(queries, range(len(queries)), lambda query: max(query.candidates, query.limit))
        for (where, limit), indices in alike.items():
            near = await store.query(vectors[indices], limit, where)
            worded = await store.query_text([without_limits(texts[index]) for index in indices], limit, where)
            candidates.update({i: fused(lists, limit) for i, *lists in zip(indices, near, worded, strict=True)})
        found = [candidates[index] for index in range(len(queries))]
        asked = [
            (query.text, [product_text(hit.product, query.lang) for hit in hits])
            for query, hits in zip(queries, found, strict=True)
        ]
    with clock.step("rerank", _size(text for _, texts in asked for text in texts)) as rerank:
        scores = await answered(scorer.score, asked)
        ranked = [_best(hits, own, query.limit) for query, hits, own in zip(queries, found, scores, strict=True)]
    return [Found(hits, (*embed, *retrieve, *rerank)) for hits in ranked]


def _alike(
    queries: Sequence[SearchQuery], indices: Iterable[int], wanted: Callable[[SearchQuery], int]
) -> dict[tuple[Filter, int], list[int]]:
    """The queries that the store can take in one call: by filter and by how many they want."""
    alike: defaultdict[tuple[Filter, int], list[int]] = defaultdict(list)
    for index in indices:
        alike[queries[index].filter, wanted(queries[index])].append(index)
    return alike


def _size(texts: Iterable[str]) -> int:
    return sum(len(text.encode()) for text in texts)


def _best(hits: Sequence[Hit], scores: Scores, limit: int) -> tuple[Hit, ...]:
    order = sorted(
        (-score, hit.product.id, position)
        for position, (hit, score) in enumerate(zip(hits, scores.tolist(), strict=True))
    )
    return tuple(Hit(hits[position].product, -score) for score, _, position in order[:limit])


class _Clock:
    def __init__(self) -> None:
        self._began = perf_counter()

    @contextmanager
    def step(self, name: str, size: int) -> Iterator[list[StepTime]]:
        """A list that holds the step's time once the block is left; it was given `size` bytes."""
        times: list[StepTime] = []
        start = perf_counter()
        yield times
        times.append(StepTime(name, (start - self._began) * 1000, (perf_counter() - start) * 1000, size))
