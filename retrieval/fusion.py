"""Several rankings as one: reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009)."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.store.base import Hit

_K = 60  # of the paper: how little the first ranks differ


def fused(rankings: Sequence[Sequence[Hit]], limit: int) -> list[Hit]:
    """The first `limit` products by the sum of 1 / (60 + rank) over the rankings, best first, equal ones by id.

    Scores are those sums: comparable within one result, between results not.
    """
    scores: dict[str, float] = {}
    products = {hit.product.id: hit.product for ranking in rankings for hit in ranking}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, start=1):
            scores[hit.product.id] = scores.get(hit.product.id, 0.0) + 1 / (_K + rank)
    order = sorted(scores, key=lambda product: (-scores[product], product))
    return [Hit(products[product], scores[product]) for product in order[:limit]]
