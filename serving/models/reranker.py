"""Rerankers: late interaction over the embedder's token vectors, and a cross-encoder."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from retrieval.encoding import Vectors
from serving.models.device import batches, device_of, dtype_of, padded, without_progress_bars
from serving.models.embedder import Embedder, TokenVectors
from serving.models.weights import WeightsError
from serving.profiles import ModelSpec

Scores = NDArray[np.float32]

_LEAST = -1.0  # the lowest cosine, for a text without a single token
_SPECIAL_TOKENS = 2  # around each text, and counted by the tokenizer's limit
_REMEMBERED = 2000  # texts; 70 tokens × 384 numbers in float16 are 54 kB each, about 100 MB in all


class LateInteraction:
    """MaxSim: for each token of the query the best cosine among the text's tokens, averaged over the query.

    A query without tokens scores 0 everywhere. Token vectors of texts are remembered (the last 2,000 texts), since the
    same products come back: reading 24 new ones costs hundreds of milliseconds of one thread, known ones a few.
    Implements `retrieval.encoding.Scorer`, and `Encoder` for queries, so that each is read once and not twice.
    `spec.max_tokens` limits how much of a text is read. Not safe for several threads at once, as its embedder.
    """

    def __init__(self, embedder: Embedder, spec: ModelSpec, remember: int = _REMEMBERED) -> None:
        self._embedder = embedder
        self._max_tokens = spec.max_tokens
        self._remember = remember
        self._known: OrderedDict[str, NDArray[np.float16]] = OrderedDict()
        self._encoded: dict[str, TokenVectors] = {}  # the queries of the last `encode`
        self.id = embedder.id

    def encode(self, texts: Sequence[str]) -> Vectors:
        """As `Embedder.encode`; the tokens of these texts are at hand when they are scored next."""
        vectors, tokens = self._embedder.encode_with_tokens(texts)
        whole = self._max_tokens - _SPECIAL_TOKENS
        encoded = {text: each for text, each in zip(texts, tokens, strict=True) if len(each) <= whole}
        self._encoded = encoded
        return vectors

    def score(self, asked: Sequence[tuple[str, Sequence[str]]]) -> list[Scores]:
        """For each query and its texts: shape (len(texts),), from -1 to 1."""
        unread = list(dict.fromkeys(query for query, _ in asked if query not in self._encoded))
        new = list(dict.fromkeys(text for _, texts in asked for text in texts if text not in self._known))
        _, read = self._embedder.encode_with_tokens([*unread, *new], self._max_tokens)
        queries = self._encoded | dict(zip(unread, read, strict=False))
        fresh = {text: each.astype(np.float16) for text, each in zip(new, read[len(unread) :], strict=True)}
        scores = [
            np.array([_maxsim(queries[query], self._recall(text, fresh)) for text in texts], np.float32)
            for query, texts in asked
        ]
        while len(self._known) > self._remember:
            self._known.popitem(last=False)
        return scores

    def remember(self, texts: Sequence[str]) -> None:
        """Read texts ahead of the first question about them; takes as long as `score` would have."""
        self.score([("", texts)])

    def _recall(self, text: str, fresh: dict[str, NDArray[np.float16]]) -> NDArray[np.float16]:
        if text not in self._known:
            self._known[text] = fresh[text]
        self._known.move_to_end(text)
        return self._known[text]


def _maxsim(query: TokenVectors, text: NDArray[np.float16]) -> float:
    if not len(query):
        return 0.0
    if not len(text):
        return _LEAST
    return float((query @ text.astype(np.float32).T).max(axis=1).mean())


class CrossEncoder:
    """A classifier that reads query and text together (bge-reranker). Scores are its logits.

    FlagEmbedding loads it; the forward passes are ours, because its own run every batch twice (version 1.4.2).
    Implements `retrieval.encoding.Scorer`.
    """

    def __init__(self, spec: ModelSpec, folder: Path) -> None:
        """Raises WeightsError where the folder does not hold such a model."""
        without_progress_bars()
        from FlagEmbedding import FlagAutoReranker

        if not (folder / "config.json").is_file():
            raise WeightsError(f"{folder} holds no model for {spec.name}: there is no config.json in it")
        self._spec = spec
        self._device = device_of(spec)
        # Kept as a whole: when it is collected it moves the model off the GPU.
        self._flag = FlagAutoReranker.from_finetuned(
            str(folder),
            model_class="encoder-only-base",
            use_fp16=False,
            trust_remote_code=False,
            devices=[self._device],
        )
        labels = int(self._flag.model.config.num_labels)
        if labels != 1:
            raise WeightsError(
                f"{folder} holds a classifier of {labels} labels; a reranker such as {spec.name} has one"
            )
        self._model = self._flag.model.to(device=self._device, dtype=dtype_of(spec)).eval()
        self._tokenizer = self._flag.tokenizer
        self.score([("warm-up", ["a text to warm up with"])])

    @torch.inference_mode()
    def score(self, asked: Sequence[tuple[str, Sequence[str]]]) -> list[Scores]:
        """For each query and its texts: shape (len(texts),). A text is cut where both exceed the spec's `max_tokens`.

        In bfloat16 near-equal scores may change places with what else is in the batch: break ties by a stable key.
        """
        pairs = [(query, text) for query, texts in asked for text in texts]
        ends = np.cumsum([len(texts) for _, texts in asked])
        return [] if not asked else np.split(self._score(pairs), ends[:-1])

    def _score(self, pairs: Sequence[tuple[str, str]]) -> Scores:
        scores = np.zeros(len(pairs), np.float32)
        if not pairs:
            return scores
        limit = self._spec.max_tokens
        ids = self._tokenizer(
            [query[: limit * 8] for query, _ in pairs],
            [text[: limit * 16] for _, text in pairs],
            truncation="longest_first",
            max_length=limit,
            return_attention_mask=False,
        )["input_ids"]
        for rows in batches([len(each) for each in ids], self._spec.batch_tokens):
            inputs, mask = padded([ids[row] for row in rows], self._tokenizer.pad_token_id, self._device)
            scores[rows] = self._model(input_ids=inputs, attention_mask=mask).logits[:, 0].float().cpu().numpy()
        return scores
