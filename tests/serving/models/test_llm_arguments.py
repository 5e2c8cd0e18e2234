"""What vLLM is told for each kind of machine; vLLM itself reads it."""

from __future__ import annotations

from pathlib import Path

import pytest
from vllm.engine.arg_utils import AsyncEngineArgs

from serving.models.llm import engine_arguments
from serving.profiles import PROFILES
from tests.serving.models import checkpoints


@pytest.mark.parametrize("profile", ["gpu", "gpu-70b"])
def test_cards_are_told_to_vllm_as_the_profile_says(folder: Path, profile: str) -> None:
    spec = PROFILES[profile].llm  # type: ignore[index]
    arguments = AsyncEngineArgs(**engine_arguments(spec, folder))
    assert arguments.tensor_parallel_size == spec.tensor_parallel
    assert arguments.gpu_memory_utilization == spec.gpu_memory_utilization
    assert arguments.dtype == spec.dtype
    assert arguments.max_model_len == spec.context
    assert not arguments.enforce_eager
    assert arguments.kv_cache_memory_bytes is None


def test_processor_gets_a_fixed_cache_and_no_compiling(folder: Path) -> None:
    spec = PROFILES["embedded"].llm
    config = AsyncEngineArgs(**engine_arguments(spec, checkpoints.qwen3(folder)) | {"max_model_len": 512})
    assert config.enforce_eager
    assert config.kv_cache_memory_bytes == 512 << 20
    assert config.dtype in ("bfloat16", "float32")
    assert config.max_num_seqs == spec.max_sequences
    assert config.max_num_batched_tokens is not None
    assert config.max_num_batched_tokens >= spec.max_sequences
