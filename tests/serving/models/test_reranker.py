from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from retrieval.encoding import Scorer
from serving.models.reranker import CrossEncoder, KeptOrder
from serving.models.weights import WeightsError
from serving.profiles import PROFILES
from tests.serving.models import checkpoints

BOOTS = "Trail boots. Hiking boots. upper: waterproof leather; sole: rubber"
TEXTS = ["Desk lamp with a warm light", BOOTS, "Leather sandals for the beach", "Steel bottle, 750 ml"]


def scores_of(scorer: Scorer, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
    (scores,) = scorer.score([(query, texts)])
    return scores


def test_without_a_reranker_the_order_stays_as_it_was_found() -> None:
    first, none, second = KeptOrder().score([("boots", TEXTS), ("lamp", []), ("lamp", TEXTS[:1])])
    assert first.tolist() == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4])
    assert (none.shape, second.tolist()) == ((0,), [1])
    assert KeptOrder().score([]) == []


@pytest.mark.parametrize("profile", ["cpu-hub", "gpu"])
def test_cross_encoder_gives_the_logits_of_the_model(folder: Path, profile: str) -> None:
    spec = PROFILES[profile].reranker.model_copy(update={"batch_tokens": 200, "max_tokens": 64})  # type: ignore[index]
    scorer = CrossEncoder(spec, checkpoints.bge_reranker(folder))
    texts = [*TEXTS, "", "rubber sole " * 300]
    scores = scores_of(scorer, "waterproof hiking boots", texts)

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        for score, text in zip(scores, texts, strict=True):
            pair = tokenizer("waterproof hiking boots", text, truncation=True, max_length=64, return_tensors="pt")
            assert score == pytest.approx(float(model(**pair).logits[0, 0]), abs=0.05)
    assert scores_of(scorer, "boots", []).shape == (0,)
    together = scorer.score([("waterproof hiking boots", texts[:2]), ("lamp", []), ("lamp", texts[2:])])
    assert [len(each) for each in together] == [2, 0, len(texts) - 2]
    np.testing.assert_allclose(together[0], scores[:2], atol=0.05)
    np.testing.assert_allclose(together[2], scores_of(scorer, "lamp", texts[2:]), atol=0.05)
    assert scorer.score([]) == []


def test_a_classifier_of_several_labels_is_no_reranker(folder: Path) -> None:
    with pytest.raises(WeightsError, match="3 labels"):
        CrossEncoder(PROFILES["gpu"].reranker, checkpoints.bge_reranker(folder, labels=3))
