from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from serving.models.embedder import Embedder
from serving.models.reranker import CrossEncoder, LateInteraction
from serving.models.weights import WeightsError
from serving.profiles import PROFILES
from tests.serving.models import checkpoints

SPEC = PROFILES["embedded"].reranker
BOOTS = "Trail boots. Hiking boots. upper: waterproof leather; sole: rubber"
TEXTS = ["Desk lamp with a warm light", BOOTS, "Leather sandals for the beach", "Steel bottle, 750 ml"]


def test_late_interaction_puts_what_was_asked_for_first(minilm: Embedder) -> None:
    scores = LateInteraction(minilm, SPEC).score("waterproof boots for hiking", TEXTS)
    assert scores.shape == (4,)
    assert scores.dtype == np.float32
    assert int(scores.argmax()) == 1
    assert scores[2] > scores[3]


def test_late_interaction_is_maxsim_over_the_token_vectors(minilm: Embedder) -> None:
    _, (query, text) = minilm.encode_with_tokens(["waterproof boots", BOOTS], SPEC.max_tokens)
    expected = (query @ text.T).max(axis=1).mean()
    assert LateInteraction(minilm, SPEC).score("waterproof boots", [BOOTS])[0] == pytest.approx(expected, abs=5e-3)


def test_late_interaction_same_scores_when_texts_are_known(minilm: Embedder) -> None:
    scorer = LateInteraction(minilm, SPEC)
    scorer.remember(TEXTS)
    known = scorer.score("waterproof boots", [*TEXTS, TEXTS[1]])
    np.testing.assert_allclose(known[:4], LateInteraction(minilm, SPEC).score("waterproof boots", TEXTS), atol=5e-3)
    assert known[4] == known[1]


def test_late_interaction_remembers_no_more_than_it_may(minilm: Embedder) -> None:
    scorer = LateInteraction(minilm, SPEC, remember=2)
    first = scorer.score("lamp", TEXTS)
    np.testing.assert_allclose(scorer.score("lamp", TEXTS[::-1])[::-1], first, atol=5e-3)


def test_late_interaction_of_nothing(minilm: Embedder) -> None:
    scorer = LateInteraction(minilm, SPEC)
    assert scorer.score("boots", []).shape == (0,)
    assert scorer.score("", [BOOTS]).tolist() == [0]
    blank, text = scorer.score("boots", ["", BOOTS])
    assert blank < text


@pytest.mark.parametrize("profile", ["cpu-hub", "gpu"])
def test_cross_encoder_gives_the_logits_of_the_model(folder: Path, profile: str) -> None:
    spec = PROFILES[profile].reranker.model_copy(update={"batch": 3, "max_tokens": 64})  # type: ignore[index]
    scorer = CrossEncoder(spec, checkpoints.bge_reranker(folder))
    texts = [*TEXTS, "", "rubber sole " * 300]
    scores = scorer.score("waterproof hiking boots", texts)

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        for score, text in zip(scores, texts, strict=True):
            pair = tokenizer("waterproof hiking boots", text, truncation=True, max_length=64, return_tensors="pt")
            assert score == pytest.approx(float(model(**pair).logits[0, 0]), abs=0.05)
    assert scorer.score("boots", []).shape == (0,)


def test_a_classifier_of_several_labels_is_no_reranker(folder: Path) -> None:
    with pytest.raises(WeightsError, match="3 labels"):
        CrossEncoder(PROFILES["gpu"].reranker, checkpoints.bge_reranker(folder, labels=3))
