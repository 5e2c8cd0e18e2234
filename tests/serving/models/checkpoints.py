"""Tiny checkpoints with random weights, in the forms of the hub's models: the same loading code, no download."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import GGUFWriter
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    PreTrainedTokenizerFast,
    Qwen3Config,
    Qwen3ForCausalLM,
    XLMRobertaConfig,
    XLMRobertaForSequenceClassification,
    XLMRobertaModel,
)

from serving.profiles import LlmSpec
from serving.stages.base import SamplingParams

# How the engine is to run the tiny Qwen3, and a text that takes long enough to be disturbed.
SPEC = LlmSpec(name="tiny-qwen3", licence="Apache-2.0", context=512, kv_cache_mb=32, max_sequences=16)
LONG = SamplingParams(max_tokens=400)

_LINES = [
    "waterproof hiking boots with a rubber sole",
    "a red lamp for reading in bed",
    "wireless headphones with noise cancelling",
    "防水登山鞋 红色台灯 无线耳机 保温杯",
]
_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def bge_m3(folder: Path) -> Path:
    """XLM-RoBERTa with the two heads of bge-m3; 32 dimensions."""
    tokenizer = _sentencepiece_like(folder)
    torch.manual_seed(1)
    XLMRobertaModel(XLMRobertaConfig(**_xlm(tokenizer))).save_pretrained(folder)
    torch.save(torch.nn.Linear(32, 32).state_dict(), folder / "colbert_linear.pt")
    torch.save(torch.nn.Linear(32, 1).state_dict(), folder / "sparse_linear.pt")
    return folder


def bge_reranker(folder: Path, labels: int = 1) -> Path:
    """XLM-RoBERTa as a classifier, as bge-reranker-v2-m3."""
    tokenizer = _sentencepiece_like(folder)
    torch.manual_seed(2)
    config = XLMRobertaConfig(num_labels=labels, **_xlm(tokenizer))
    XLMRobertaForSequenceClassification(config).save_pretrained(folder)
    return folder


def qwen3(folder: Path) -> Path:
    """Qwen3 with a byte-level tokenizer and a chat template; a window of 512 tokens."""
    specials = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    raw.train_from_iterator(_LINES, trainers.BpeTrainer(special_tokens=specials, initial_alphabet=alphabet))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    tokenizer.chat_template = _TEMPLATE
    tokenizer.save_pretrained(folder)
    torch.manual_seed(3)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=32,
        intermediate_size=128,
        max_position_embeddings=512,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
    )
    Qwen3ForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)
    return folder


def _xlm(tokenizer: PreTrainedTokenizerFast) -> dict[str, Any]:
    return {
        "vocab_size": len(tokenizer),
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 64,
        "max_position_embeddings": 514,
        "type_vocab_size": 1,
        "pad_token_id": 1,
        "bos_token_id": 0,
        "eos_token_id": 2,
    }


def _sentencepiece_like(folder: Path) -> PreTrainedTokenizerFast:
    raw = Tokenizer(models.Unigram())
    raw.pre_tokenizer = pre_tokenizers.Metaspace()
    raw.decoder = decoders.Metaspace()
    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    raw.train_from_iterator(_LINES, trainers.UnigramTrainer(vocab_size=200, special_tokens=specials, unk_token="<unk>"))
    raw.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw,
        bos_token="<s>",
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        mask_token="<mask>",
        cls_token="<s>",
        sep_token="</s>",
    )
    tokenizer.save_pretrained(folder)
    return tokenizer


def tiny_gguf(file: Path) -> Path:
    """A Llama of two layers as GGUF, with the names and the tokenizer form of the SmolLM2 file."""
    writer = GGUFWriter(file, "llama")
    hidden, ffn, heads, head = 32, 64, 2, 16
    tokens = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *sorted(pre_tokenizers.ByteLevel.alphabet()), "ab"]
    writer.add_context_length(512)
    writer.add_embedding_length(hidden)
    writer.add_block_count(2)
    writer.add_feed_forward_length(ffn)
    writer.add_head_count(heads)
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(head)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_types([3, 3, 3, *[1] * (len(tokens) - 3)])
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(_TEMPLATE)
    random = np.random.default_rng(4)

    def tensor(name: str, *shape: int) -> None:
        writer.add_tensor(name, random.standard_normal(shape).astype(np.float32))

    tensor("token_embd.weight", len(tokens), hidden)
    tensor("output_norm.weight", hidden)
    for layer in range(2):
        block = f"blk.{layer}"
        tensor(f"{block}.attn_norm.weight", hidden)
        tensor(f"{block}.ffn_norm.weight", hidden)
        tensor(f"{block}.attn_q.weight", heads * head, hidden)
        tensor(f"{block}.attn_k.weight", head, hidden)
        tensor(f"{block}.attn_v.weight", head, hidden)
        tensor(f"{block}.attn_output.weight", hidden, heads * head)
        tensor(f"{block}.ffn_gate.weight", ffn, hidden)
        tensor(f"{block}.ffn_up.weight", ffn, hidden)
        tensor(f"{block}.ffn_down.weight", hidden, ffn)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file
