"""The child process of `weights.prepare`: one GGUF file to a safetensors folder. Its memory goes when it ends.

Usage: python -m serving.models.convert FILE.gguf FOLDER DTYPE. Prints one line for each of the `STEPS` as it begins.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from pathlib import Path

STEPS = ("loading libraries", "reading the packed weights", "writing the weights", "writing the tokenizer")


def _end_with_parent() -> None:
    """Standard input closes when whoever wanted the weights is gone, however it went."""
    sys.stdin.read()
    os._exit(1)


def _step(number: int) -> None:
    print(number, flush=True)  # noqa: T201 (the parent reads it)


def main(source: Path, folder: Path, dtype: str) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _step(0)
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    logging.disable(logging.WARNING)
    _step(1)
    model = AutoModelForCausalLM.from_pretrained(
        source.parent,
        gguf_file=source.name,
        dtype=getattr(torch, dtype),
        quantization_config=GgufConfig(dequantize=True),
    )
    if hasattr(model.config, "quantization_config"):
        # Left in the config, it would tell every later loader that the weights are still packed.
        del model.config.quantization_config
    _step(2)
    model.save_pretrained(folder)
    _step(3)
    AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name).save_pretrained(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
