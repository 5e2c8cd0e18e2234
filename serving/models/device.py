"""Where a model runs and in which number format, and batches of token ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from serving.profiles import ModelSpec

_WORTH_A_PASS = 1 / 8  # of the budget
_SLACK = 1.15


def device_of(spec: ModelSpec) -> str:
    return "cuda" if spec.gpu > 0 and torch.cuda.is_available() else "cpu"


def limit_memory(fraction: float | None) -> None:
    """Let torch take no more of the card than so much in this process; does nothing for None or without a card."""
    if fraction is not None and torch.cuda.is_available():
        torch.cuda.set_per_process_memory_fraction(fraction)


def dtype_of(spec: ModelSpec) -> torch.dtype:
    """The spec's format, but float32 on a processor without bfloat16 or float16 arithmetic (8 times faster there)."""
    if device_of(spec) == "cpu" and spec.dtype != "float32" and not _fast_bfloat16():
        return torch.float32
    dtype = getattr(torch, "bfloat16" if spec.dtype == "auto" else spec.dtype)
    assert isinstance(dtype, torch.dtype)
    return dtype


def _fast_bfloat16() -> bool:
    """Whether the processor has instructions for it (AVX512-BF16 or AMX on x86; Arm has its own)."""
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def batches(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Indices in batches of at most `tokens` with their padding; like lengths together, so that little is padding.

    A batch that is worth a pass of its own takes no text that is much longer than its first.
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        full = (len(batch) + 1) * lengths[index] > tokens
        enough = batch and len(batch) * lengths[batch[-1]] >= tokens * _WORTH_A_PASS
        if batch and (full or (enough and lengths[index] > _SLACK * lengths[batch[0]])):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def padded(ids: Sequence[Sequence[int]], pad: int, device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Input ids padded on the right, and the attention mask; both of shape (texts, longest)."""
    width = max(len(each) for each in ids)
    inputs = torch.full((len(ids), width), pad, dtype=torch.long)
    mask = torch.zeros((len(ids), width), dtype=torch.long)
    for row, each in enumerate(ids):
        inputs[row, : len(each)] = torch.tensor(each)
        mask[row, : len(each)] = 1
    return inputs.to(device), mask.to(device)


def without_progress_bars() -> None:
    """Loaders of transformers draw one for each model, into whatever log there is."""
    from transformers.utils import logging

    logging.disable_progress_bar()
