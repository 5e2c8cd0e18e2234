"""What rankings are worth: the usual measures by ir-measures, and how sure they are by bootstrap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import ir_measures
import numpy as np
from ir_measures import MRR, R, nDCG
from numpy.typing import NDArray

from retrieval.evaluation.judged import Judgements

Rankings = Mapping[str, Sequence[str]]  # query → product ids, best first

MEASURES = {
    "nDCG@10": nDCG(dcg="exp-log2") @ 10,
    "nDCG@10 of judged": nDCG(dcg="exp-log2", judged_only=True) @ 10,
    "recall@30": R @ 30,
    "recall@100": R @ 100,
    "MRR": MRR,
}
_RESAMPLES = 10_000
_SURE = 0.95


@dataclass(frozen=True)
class Mean:
    """A mean over queries with the bounds between which 95 of 100 resamples of the queries lie."""

    value: float
    low: float
    high: float


def by_query(judged: Judgements, rankings: Rankings) -> dict[str, NDArray[np.float64]]:
    """For each measure its value for each query that has a relevant product, in the order of `judged`.

    A product that nobody judged counts as not relevant; "of judged" leaves it out of the ranking.
    """
    queries = answerable(judged)
    run = {query: {product: float(-rank) for rank, product in enumerate(rankings.get(query, ()))} for query in queries}
    values: dict[str, dict[str, float]] = {name: dict.fromkeys(queries, 0.0) for name in MEASURES}
    names = {str(measure): name for name, measure in MEASURES.items()}
    qrels = {query: judged[query] for query in queries}
    for metric in ir_measures.iter_calc(list(MEASURES.values()), qrels, run):
        values[names[str(metric.measure)]][metric.query_id] = metric.value
    return {name: np.array([own[query] for query in queries]) for name, own in values.items()}


def answerable(judged: Judgements) -> list[str]:
    """The queries that have a relevant product."""
    return [query for query, grades in judged.items() if max(grades.values()) > 0]


def mean(values: NDArray[np.float64], seed: int = 7) -> Mean:
    """The mean and its bounds; of differences, paired ones if the values are."""
    rng = np.random.default_rng(seed)
    means = values[rng.integers(0, len(values), (_RESAMPLES, len(values)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - _SURE) / 2, (1 + _SURE) / 2])
    return Mean(float(values.mean()), float(low), float(high))
