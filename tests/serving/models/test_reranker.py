from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from retrieval.encoding import Scorer
from serving.models.embedder import Embedder
from serving.models.reranker import CrossEncoder, LateInteraction
from serving.models.weights import WeightsError
from serving.profiles import PROFILES
from tests.serving.models import checkpoints

SPEC = PROFILES["embedded"].reranker
BOOTS = "Trail boots. Hiking boots. upper: waterproof leather; sole: rubber"
TEXTS = ["Desk lamp with a warm light", BOOTS, "Leather sandals for the beach", "Steel bottle, 750 ml"]


def scores_of(scorer: Scorer, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
    (scores,) = scorer.score([(query, texts)])
    return scores


def test_late_interaction_puts_what_was_asked_for_first(minilm: Embedder) -> None:
    scores = scores_of(LateInteraction(minilm, SPEC), "waterproof boots for hiking", TEXTS)
    assert scores.shape == (4,)
    assert scores.dtype == np.float32
    assert int(scores.argmax()) == 1
    assert scores[2] > scores[3]


def test_late_interaction_is_maxsim_over_the_token_vectors(minilm: Embedder) -> None:
    _, (query, text) = minilm.encode_with_tokens(["waterproof boots", BOOTS], SPEC.max_tokens)
    expected = (query @ text.T).max(axis=1).mean()
    assert scores_of(LateInteraction(minilm, SPEC), "waterproof boots", [BOOTS])[0] == pytest.approx(expected, abs=5e-3)


def test_late_interaction_same_scores_when_texts_are_known(minilm: Embedder) -> None:
    scorer = LateInteraction(minilm, SPEC)
    scorer.remember(TEXTS)
    known = scores_of(scorer, "waterproof boots", [*TEXTS, TEXTS[1]])
    np.testing.assert_allclose(
        known[:4], scores_of(LateInteraction(minilm, SPEC), "waterproof boots", TEXTS), atol=5e-3
    )
    assert known[4] == known[1]


def test_late_interaction_remembers_no_more_than_it_may(minilm: Embedder) -> None:
    scorer = LateInteraction(minilm, SPEC, remember=2)
    first = scores_of(scorer, "lamp", TEXTS)
    np.testing.assert_allclose(scores_of(scorer, "lamp", TEXTS[::-1])[::-1], first, atol=5e-3)


QUERIES = ["waterproof boots for hiking", "desk lamp", "", "a bottle " * 200]  # the last is longer than what is read


def test_late_interaction_scores_a_batch_as_each_alone(minilm: Embedder) -> None:
    asked = [(query, TEXTS[:count]) for query, count in zip(QUERIES, (4, 2, 0, 3), strict=True)]
    together = LateInteraction(minilm, SPEC).score(asked)
    for (query, texts), scores in zip(asked, together, strict=True):
        np.testing.assert_allclose(scores, scores_of(LateInteraction(minilm, SPEC), query, texts), atol=5e-3)
    assert LateInteraction(minilm, SPEC).score([]) == []


def test_late_interaction_scores_the_same_whether_or_not_it_encoded_the_query(minilm: Embedder) -> None:
    scorer = LateInteraction(minilm, SPEC)
    np.testing.assert_allclose(scorer.encode(QUERIES), minilm.encode(QUERIES), atol=1e-6)
    asked = [(query, TEXTS) for query in [*QUERIES, "unheard of"]]
    for scores, afresh in zip(scorer.score(asked), LateInteraction(minilm, SPEC).score(asked), strict=True):
        np.testing.assert_allclose(scores, afresh, atol=5e-3)


def test_a_query_that_was_encoded_is_not_read_again(minilm: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = LateInteraction(minilm, SPEC)
    scorer.remember(TEXTS)
    scorer.encode(["desk lamp"])
    with monkeypatch.context() as patch:
        patch.setattr(minilm, "_model", None)  # a forward pass would fail
        scorer.score([("desk lamp", TEXTS)])


def test_late_interaction_of_nothing(minilm: Embedder) -> None:
    scorer = LateInteraction(minilm, SPEC)
    assert scores_of(scorer, "boots", []).shape == (0,)
    assert scores_of(scorer, "", [BOOTS]).tolist() == [0]
    blank, text = scores_of(scorer, "boots", ["", BOOTS])
    assert blank < text


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
