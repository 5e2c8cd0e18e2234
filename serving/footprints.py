"""What each process takes of a card, by itself.

Sources of the figures, none of them measured by us:

- vLLM (0.32, `v1/worker/utils.py` and `gpu_worker.py`): the engine may use `gpu_memory_utilization` of the *whole*
  card, and refuses to start where less than that is free. Its CUDA context and NCCL's buffers are there before it
  looks, so they are not part of that share; weights, the peak of one step, CUDA graphs and KV cache are.
- It profiles one step of `max_num_batched_tokens` (2048 unless told otherwise) and the sampling of
  `max_num_seqs` sequences. Sampling takes about 40 bytes a logit on every card: 1.26 GiB for 256 sequences of 128,256
  logits, on one card as on two (vLLM pull request 10511, which also has 1.8 GiB of NCCL's on each of two cards).
- CUDA graphs: vLLM estimates 0.73 GiB for a dense Qwen 3.5 and steps of up to 512 tokens (pull request 39559), and
  logs about 1 GiB for larger models. Taken as 20 MiB a layer.
- A CUDA context is 0.3 to 0.6 GiB, by the card. Taken as 0.5 GiB.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from serving.models.shapes import shape_of, weights_of
from serving.profiles import LlmSpec, ModelSpec, Profile

Process = Literal["llm", "encoders"]

BLOCK = 16  # tokens of a KV block
_MIB, _GIB = 1 << 20, 1 << 30
_CONTEXT = 512 * _MIB
_NCCL = 1792 * _MIB
_LIBRARIES = 256 * _MIB  # workspaces of cuBLAS and of attention
_GRAPHS_PER_LAYER = 20 * _MIB
_LOGIT_BYTES = 40
_STEP_TOKENS = 2048
_FRAGMENTS = 1.2  # torch's allocator against what is in use
_GUARD_TOKENS = 512  # of the guard's chat template and its answer, beyond the text


@dataclass(frozen=True)
class Share:
    """What one process takes of one card, in bytes. `context`: of CUDA, and NCCL's buffers between cards."""

    process: Process
    card: int
    weights: int
    activations: int
    context: int
    graphs: int = 0
    kv_cache: int = 0

    @property
    def total(self) -> int:
        return self.weights + self.activations + self.context + self.graphs + self.kv_cache


def _width(spec: ModelSpec) -> int:
    return 4 if weights_of(spec) == "float32" else 2


def token_bytes(spec: LlmSpec, cards: int) -> int:
    """KV cache of one token on each of so many cards."""
    return shape_of(spec).kv_bytes(_width(spec)) // cards


def llm_share(spec: LlmSpec, cards: int) -> Share:
    """The engine on each of so many cards, without KV cache."""
    shape, width = shape_of(spec), _width(spec)
    step = shape.activation_bytes(_STEP_TOKENS, width, cards)
    sampling = _STEP_TOKENS * shape.hidden * width + spec.max_sequences * shape.vocabulary * _LOGIT_BYTES
    return Share(
        "llm",
        0,
        weights=shape.weight_bytes(weights_of(spec)) // cards,
        activations=max(step, sampling) + _LIBRARIES,
        context=_CONTEXT + (_NCCL if cards > 1 else 0),
        graphs=_GRAPHS_PER_LAYER * shape.layers,
    )


def encoders_share(profile: Profile) -> Share | None:
    """The three small models, which may all be at work at once. None where they run on the processor."""
    specs = [spec for spec in (profile.embedder, profile.reranker, profile.guard) if spec.gpu > 0]
    if not specs:
        return None
    return Share(
        "encoders",
        0,
        weights=sum(shape_of(spec).weight_bytes(weights_of(spec)) for spec in specs),
        activations=int(sum(map(_pass_bytes, specs)) * _FRAGMENTS) + _LIBRARIES,
        context=_CONTEXT,
    )


def _pass_bytes(spec: ModelSpec) -> int:
    """The largest forward pass of an encoder: a full batch of the longest texts, with its attention mask.

    A guard is a decoder that answers in words: it has a KV cache too, and logits for the last token.
    """
    shape, width = shape_of(spec), _width(spec)
    guard = not shape.positions
    length = spec.max_tokens + (_GUARD_TOKENS if guard else 0)
    texts = max(1, spec.batch_tokens // length)
    tokens = texts * length
    took = shape.activation_bytes(tokens, width) + texts * length**2 * width
    return took + (tokens * shape.kv_bytes(width) + texts * shape.vocabulary * (width + 4) if guard else 0)


def gib(size: float) -> str:
    """Bytes as people read them."""
    return f"{size / _GIB:.1f} GiB"
