"""Rankings of each stage of a search, for judged queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrieval.encoding import Encoder, Scorer
from retrieval.fusion import fused
from retrieval.search import SearchQuery, search_many
from retrieval.store.base import Hit, ProductStore
from retrieval.understand.constraints import without_limits

STAGES = ("BM25", "dense", "hybrid", "reranked")
_DEPTH = 100


async def rankings(
    store: ProductStore,
    encoder: Encoder,
    scorer: Scorer,
    queries: Sequence[str],
    candidates: int,
    progress: Callable[[int, int], None],
) -> dict[str, dict[str, list[str]]]:
    """For each stage and query the ids of at most 100 products, best first. Raises StoreError.

    Reranked: the first `candidates` of the search as shoppers get them, then the rest of the hybrid ranking.
    """
    found: dict[str, dict[str, list[str]]] = {stage: {} for stage in STAGES}
    for number, query in enumerate(queries, start=1):
        (near,) = await store.query(encoder.encode([query]), _DEPTH)
        (worded,) = await store.query_text([without_limits(query)], _DEPTH)
        hybrid = fused([near, worded], _DEPTH)
        asked = SearchQuery(query, candidates=candidates, limit=candidates)
        (best,) = await search_many(store, encoder, scorer, [asked])
        reranked = list(dict.fromkeys([*_ids(best.hits), *_ids(hybrid)]))[:_DEPTH]
        for stage, ids in zip(STAGES, (_ids(worded), _ids(near), _ids(hybrid), reranked), strict=True):
            found[stage][query] = ids
        progress(number, len(queries))
    return found


def _ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.product.id for hit in hits]
