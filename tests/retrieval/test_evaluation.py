"""Judgements are read, rankings get the values that the measures' definitions give, and rankings are fused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from retrieval.evaluation.judged import JudgementsError, read_judgements
from retrieval.evaluation.measures import answerable, by_query, mean
from retrieval.fusion import fused
from retrieval.store.base import Hit
from tests.products import products

JUDGED = {"red shoes": {"a": 3, "b": 0, "c": 1}, "lamp": {"d": 0}, "mug": {"e": 2}}


@pytest.mark.parametrize(
    "text",
    [
        "query,docid,rating\nred shoes,a,3\nred shoes,b,0\nred shoes,c,1\nlamp,d,0\nmug,e,2\n",
        'rating,query,docid\n3,"red shoes",a\n0,red shoes,b\n1,red shoes,c\n0,lamp,d\n2,mug,e',
        "red shoes 0 a 3\nred shoes 0 b 0\nred shoes 0 c 1\nlamp 0 d 0\nmug 0 e 2\n",
    ],
    ids=["csv", "csv, other order", "trec"],
)
def test_judgements_are_read_from_csv_and_trec(tmp_path: Path, text: str) -> None:
    file = tmp_path / "qrels"
    file.write_text(text)
    assert read_judgements(file) == JUDGED


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no judgements"),
        ("query,docid,rating\nmug,e,good\n", r"line 2: 'good' is no grade"),
        ("x", "no judgements"),
    ],
)
def test_a_file_without_judgements_says_what_is_wrong(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "qrels"
    file.write_text(text)
    with pytest.raises(JudgementsError, match=told):
        read_judgements(file)
    with pytest.raises(JudgementsError, match="cannot be read"):
        read_judgements(tmp_path / "nowhere")


def test_measures_are_those_of_the_definitions() -> None:
    assert answerable(JUDGED) == ["red shoes", "mug"]
    values = by_query(JUDGED, {"red shoes": ["x", "a", "b", "c"], "mug": []})
    best = 7 + 1 / math.log2(3)
    assert values["nDCG@10"] == pytest.approx([(7 / math.log2(3) + 1 / math.log2(5)) / best, 0])
    assert values["nDCG@10 of judged"] == pytest.approx([(7 + 1 / math.log2(4)) / best, 0])
    assert values["MRR"] == pytest.approx([1 / 2, 0])
    assert values["recall@30"] == pytest.approx([1, 0])


def test_a_mean_comes_with_bounds_that_hold_it() -> None:
    found = mean(np.array([0.0, 1.0] * 50))
    assert found.value == 0.5
    assert 0.38 < found.low < 0.42
    assert 0.58 < found.high < 0.62
    same = mean(np.full(20, 0.25))
    assert (same.value, same.low, same.high) == (0.25, 0.25, 0.25)


def test_rankings_are_fused_by_their_ranks() -> None:
    a, b, c = products(3)
    hits = fused([[Hit(a, 0.9), Hit(b, 0.8)], [Hit(b, 11.0), Hit(c, 3.0)]], 3)
    assert [hit.product.id for hit in hits] == [b.id, a.id, c.id]
    assert [hit.score for hit in hits] == pytest.approx([1 / 62 + 1 / 61, 1 / 61, 1 / 62])
    assert [hit.product.id for hit in fused([[Hit(c, 1.0)], [Hit(a, 1.0)]], 1)] == [a.id], "equal ones by id"
    assert fused([[], []], 5) == []
