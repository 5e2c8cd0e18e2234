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

_JUDGED = "nDCG@10 of judged"
_OF_ALL = {"nDCG@10": nDCG @ 10, "recall@30": R @ 30, "recall@100": R @ 100, "MRR": MRR}
MEASURES = ("nDCG@10", _JUDGED, "recall@30", "recall@100", "MRR")
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

    A grade g gains 2^g - 1. A product that nobody judged counts as not relevant; "of judged" leaves it out of the
    ranking.
    """
    queries = answerable(judged)
    # The library's gain is the grade itself.
    gains = {query: {product: 2**grade - 1 for product, grade in judged[query].items()} for query in queries}
    whole = {query: list(rankings.get(query, ())) for query in queries}
    known = {query: [product for product in own if product in gains[query]] for query, own in whole.items()}
    values = _calculated(_OF_ALL, gains, whole) | _calculated({_JUDGED: nDCG @ 10}, gains, known)
    return {name: values[name] for name in MEASURES}


def _calculated(
    measures: Mapping[str, ir_measures.Measure], gains: Judgements, rankings: dict[str, list[str]]
) -> dict[str, NDArray[np.float64]]:
    run = {query: {product: float(-rank) for rank, product in enumerate(own)} for query, own in rankings.items()}
    values = {name: dict.fromkeys(gains, 0.0) for name in measures}
    names = {str(measure): name for name, measure in measures.items()}
    for metric in ir_measures.iter_calc(list(measures.values()), gains, run):
        values[names[str(metric.measure)]][metric.query_id] = metric.value
    return {name: np.array([own[query] for query in gains]) for name, own in values.items()}


def answerable(judged: Judgements) -> list[str]:
    """The queries that have a relevant product."""
    return [query for query, grades in judged.items() if max(grades.values()) > 0]


def mean(values: NDArray[np.float64], seed: int = 7) -> Mean:
    """The mean and its bounds; of differences, paired ones if the values are."""
    rng = np.random.default_rng(seed)
    means = values[rng.integers(0, len(values), (_RESAMPLES, len(values)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - _SURE) / 2, (1 + _SURE) / 2])
    return Mean(float(values.mean()), float(low), float(high))
