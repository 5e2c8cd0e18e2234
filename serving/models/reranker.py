"""Rerankers: a cross-encoder, and none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from serving.models.device import batches, device_of, dtype_of, padded, without_progress_bars
from serving.models.weights import WeightsError
from serving.profiles import ModelSpec

Scores = NDArray[np.float32]


class KeptOrder:
    """No model: the candidates stay in the order in which they were found, by meaning and by words.

    MaxSim over the embedder's token vectors made it worse by 0.05 to 0.10 of nDCG@10 on judged queries (docs/models.md)
    and read every candidate for it. Implements `retrieval.encoding.Scorer`.
    """

    def score(self, asked: Sequence[tuple[str, Sequence[str]]]) -> list[Scores]:
        """For each query and its texts: shape (len(texts),), 1 / rank."""
        return [np.reciprocal(np.arange(1, len(texts) + 1, dtype=np.float32)) for _, texts in asked]


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
