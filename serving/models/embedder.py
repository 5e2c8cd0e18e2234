"""The embedder: FlagEmbedding loads the weights, batching and forward passes are ours.

FlagEmbedding's own `encode_*` runs every batch twice and turns a bfloat16 model back to float32 (version 1.4.2), so
only its loader is used. Its object is kept all the same: when it is collected it moves the model off the GPU.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from retrieval.encoding import EncoderId, Vectors
from retrieval.text import TEMPLATE
from serving.models.device import batches, device_of, dtype_of, padded, without_progress_bars
from serving.models.weights import WeightsError
from serving.profiles import ModelSpec

TokenVectors = NDArray[np.float32]  # (tokens, token dimension), rows of length 1; special tokens are left out

_CHARS_PER_TOKEN = 16  # more than any text needs: longer texts are cut before the tokenizer reads all of them
_M3_HEADS = ("colbert_linear.pt", "sparse_linear.pt")


class Embedder:
    """Texts to unit vectors, and to one unit vector for each token. Implements `retrieval.encoding.Encoder`.

    Loads in the constructor and warms up. Not safe for several threads at once (it would gain nothing).
    """

    def __init__(self, spec: ModelSpec, folder: Path) -> None:
        """Raises WeightsError where the folder does not hold the model that the spec speaks of."""
        self._spec = spec
        self.device = device_of(spec)
        self._flag = _load(spec, folder, self.device)
        self._tokenizer = self._flag.tokenizer
        m3 = hasattr(self._flag.model, "colbert_linear")
        self._flag.model.to(device=self.device, dtype=dtype_of(spec)).eval()
        self._model = self._flag.model.model if m3 else self._flag.model
        self._token_head = self._flag.model.colbert_linear if m3 else None
        self._mean = self._flag.pooling_method == "mean"
        dimension = int(self._model.config.hidden_size)
        if spec.dimension not in (None, dimension):
            raise WeightsError(
                f"{folder} gives vectors of {dimension} numbers; {spec.name} should give {spec.dimension}"
            )
        self.id = EncoderId(model=spec.name, revision=spec.revision, dimension=dimension, template=TEMPLATE)
        self.encode_with_tokens(["warm-up", "a longer text to warm up with"])

    @torch.inference_mode()
    def encode(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), float32, rows of length 1. Texts are cut at the spec's `max_tokens`."""
        vectors = np.zeros((len(texts), self.id.dimension), np.float32)
        for rows, hidden, mask, _ in self._forward(texts):
            vectors[rows] = self._pooled(hidden, mask)
        return vectors

    @torch.inference_mode()
    def encode_with_tokens(
        self, texts: Sequence[str], max_tokens: int | None = None
    ) -> tuple[Vectors, list[TokenVectors]]:
        """As `encode`, and for each text the vectors of its tokens, from the same forward pass.

        A text without tokens (empty, blank) has token vectors of shape (0, token dimension).
        """
        vectors = np.zeros((len(texts), self.id.dimension), np.float32)
        tokens: list[TokenVectors] = [np.zeros((0, 0), np.float32)] * len(texts)
        for rows, hidden, mask, words in self._forward(texts, max_tokens):
            vectors[rows] = self._pooled(hidden, mask)
            raw = hidden if self._token_head is None else self._token_head(hidden)
            unit = torch.nn.functional.normalize(raw.float(), dim=-1).cpu().numpy()
            for row, each, kept in zip(rows, unit, words, strict=True):
                tokens[row] = each[: len(kept)][kept]
        return vectors, tokens

    def _pooled(self, hidden: torch.Tensor, mask: torch.Tensor) -> Vectors:
        if self._mean:
            weight = mask[..., None]
            pooled = (hidden.float() * weight).sum(1) / weight.sum(1)
        else:
            pooled = hidden[:, 0].float()
        unit: Vectors = torch.nn.functional.normalize(pooled, dim=-1).cpu().numpy()
        return unit

    def _forward(
        self, texts: Sequence[str], max_tokens: int | None = None
    ) -> Iterator[tuple[list[int], torch.Tensor, torch.Tensor, list[NDArray[np.bool_]]]]:
        """Batches of texts of like length: their rows, hidden states, attention mask, which tokens are words."""
        if not texts:
            return
        limit = min(max_tokens or self._spec.max_tokens, self._spec.max_tokens)
        read = self._tokenizer(
            [text[: limit * _CHARS_PER_TOKEN] for text in texts],
            truncation=True,
            max_length=limit,
            return_special_tokens_mask=True,
            return_attention_mask=False,
            return_token_type_ids=False,
        )
        ids, special = read["input_ids"], read["special_tokens_mask"]
        for rows in batches([len(each) for each in ids], self._spec.batch_tokens):
            inputs, mask = padded([ids[row] for row in rows], self._tokenizer.pad_token_id, self.device)
            hidden = self._model(input_ids=inputs, attention_mask=mask).last_hidden_state
            yield rows, hidden, mask, [np.asarray(special[row]) == 0 for row in rows]


def _load(spec: ModelSpec, folder: Path, device: str) -> Any:
    without_progress_bars()
    from FlagEmbedding import FlagAutoModel

    m3 = "m3" in Path(spec.name).name.lower().split("-")
    missing = [name for name in _M3_HEADS if not (folder / name).is_file()]
    if m3 and missing:
        # FlagEmbedding would load all the same, with random heads and not a word.
        raise WeightsError(f"{folder} lacks {' and '.join(missing)}, without which {spec.name} cannot be used")
    if not (folder / "config.json").is_file():
        raise WeightsError(f"{folder} holds no model for {spec.name}: there is no config.json in it")
    return FlagAutoModel.from_finetuned(
        str(folder),
        model_class="encoder-only-m3" if m3 else "encoder-only-base",
        pooling_method="cls" if m3 else _pooling(folder),
        query_instruction_format="{}{}",
        trust_remote_code=False,
        use_fp16=False,
        devices=[device],
    )


def _pooling(folder: Path) -> str:
    """As the checkpoint says in the file that sentence-transformers writes; BGE's way where it says nothing."""
    file = folder / "1_Pooling" / "config.json"
    if not file.is_file():
        return "cls"
    return "mean" if json.loads(file.read_text()).get("pooling_mode_mean_tokens") else "cls"
