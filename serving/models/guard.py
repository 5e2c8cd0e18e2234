"""The guard: may this text be answered? Rules for the plainest cases, or Qwen3Guard."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import torch

from serving.events import Verdict
from serving.models.chat import Markup
from serving.models.device import batches, device_of, dtype_of, without_progress_bars
from serving.models.guard_rules import RULES
from serving.models.weights import WeightsError
from serving.profiles import ModelSpec


class Guard(Protocol):
    @property
    def brief(self) -> bool:
        """Whether it is done sooner than a thread could take over."""
        ...

    def screen(self, texts: Sequence[str]) -> list[Verdict]:
        """One verdict for each text, in order."""
        ...


class RuleGuard:
    """`RULES`, tried in order; the first that finds something decides. Whitespace, case and width do not matter."""

    brief = True

    def screen(self, texts: Sequence[str]) -> list[Verdict]:
        return [_by_rules(text) for text in texts]


_COMPILED = [(rule, re.compile(rule.pattern)) for rule in RULES]
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_SPELLED = re.compile(r"\b([ai] )?(\w(?:[ .\-_*]\w){3,})\b")  # b o m b, b.o.m.b, with an article before it
_HAN_SPACE = re.compile(r"(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])")


def _by_rules(text: str) -> Verdict:
    plain = _normal(text)
    for rule, pattern in _COMPILED:
        if pattern.search(plain):
            return Verdict(allowed=False, category=rule.category, reason=f"rule: {rule.example}")
    return Verdict(allowed=True)


def _normal(text: str) -> str:
    """NFKC (full-width forms become plain), lower case, single spaces, spelled-out words joined."""
    folded = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).casefold().replace("’", "'")
    single = " ".join(folded.split())
    joined = _SPELLED.sub(lambda found: (found[1] or "") + re.sub(r"[ .\-_*]", "", found[2]), single)
    return _HAN_SPACE.sub("", joined)


_LABEL = re.compile(r"^\s*Safety:\s*(Safe|Unsafe|Controversial)\b", re.MULTILINE)
_CATEGORIES = {
    "Violent": "violence",
    "Non-violent Illegal Acts": "crime",
    "Sexual Content or Sexual Acts": "sexual",
    "PII": "privacy",
    "Suicide & Self-Harm": "self-harm",
    "Unethical Acts": "unethical",
    "Politically Sensitive Topics": "politics",
    "Copyright Violation": "copyright",
    "Jailbreak": "injection",
}
_ANSWER_TOKENS = 48  # "Safety: Unsafe\nCategories: …" with several categories


class QwenGuard:
    """Qwen3Guard-Gen through transformers. The model sees the text bare, in its own chat template.

    "Unsafe" closes. "Controversial" closes for self-harm and jailbreaks, and is let through otherwise: knives, wine
    and lingerie are what shops sell. An answer that cannot be read closes, as category "unclear".
    """

    brief = False
    _CLOSED_IF_CONTROVERSIAL = frozenset({"self-harm", "injection"})

    def __init__(self, spec: ModelSpec, folder: Path) -> None:
        """Loads and warms up. Raises WeightsError where the folder does not hold such a model."""
        without_progress_bars()
        from transformers import AutoModelForCausalLM, AutoTokenizer

        if not (folder / "config.json").is_file():
            raise WeightsError(f"{folder} holds no model for {spec.name}: there is no config.json in it")
        self._spec = spec
        self._device = device_of(spec)
        self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, trust_remote_code=False, padding_side="left")
        if not self._tokenizer.chat_template:
            raise WeightsError(f"{folder} has no chat template, without which {spec.name} cannot be asked")
        if self._tokenizer.pad_token_id is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        self._markup = Markup(self._tokenizer)
        model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype_of(spec), trust_remote_code=False)
        self._model = model.to(self._device).eval()
        self.screen(["warm-up"])

    def screen(self, texts: Sequence[str]) -> list[Verdict]:
        verdicts = [Verdict(allowed=True)] * len(texts)
        prompts = [self._prompt(text) for text in texts]
        for rows in batches([len(prompt) for prompt in prompts], self._spec.batch_tokens):
            for row, answer in zip(rows, self._answers([prompts[row] for row in rows]), strict=True):
                verdicts[row] = read_verdict(answer, self._CLOSED_IF_CONTROVERSIAL)
        return verdicts

    def _prompt(self, text: str) -> str:
        """The text's end is cut where it is longer than the model reads; the template stays whole."""
        ids = self._tokenizer(self._markup.defused(text), add_special_tokens=False)["input_ids"]
        words = self._tokenizer.decode(ids[: self._spec.max_tokens])
        message = [{"role": "user", "content": words}]
        prompt = self._tokenizer.apply_chat_template(message, tokenize=False, add_generation_prompt=True)
        assert isinstance(prompt, str)
        return prompt

    @torch.inference_mode()
    def _answers(self, prompts: list[str]) -> list[str]:
        inputs = self._tokenizer(prompts, padding=True, add_special_tokens=False, return_tensors="pt").to(self._device)
        made = self._model.generate(
            **inputs,
            max_new_tokens=_ANSWER_TOKENS,
            do_sample=False,
            temperature=None,
            top_p=None,
            top_k=None,
            pad_token_id=self._tokenizer.pad_token_id,
        )
        answers = self._tokenizer.batch_decode(made[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
        return [str(answer) for answer in answers]


def read_verdict(answer: str, closed_if_controversial: frozenset[str]) -> Verdict:
    """From the words of Qwen3Guard-Gen: "Safety: Unsafe", and on the next line "Categories: Violent"."""
    label = _LABEL.search(answer)
    if label is None:
        return Verdict(allowed=False, category="unclear", reason=f"unreadable: {answer[:100]!r}")
    _, _, named = answer[label.end() :].partition("Categories:")
    found = [ours for theirs, ours in _CATEGORIES.items() if theirs in named]
    closing = next((category for category in found if category in closed_if_controversial), None)
    reason = " ".join(answer.split())[:100]
    if label[1] == "Unsafe":
        return Verdict(allowed=False, category=closing or next(iter(found), "unclear"), reason=reason)
    if label[1] == "Controversial" and closing is not None:
        return Verdict(allowed=False, category=closing, reason=reason)
    return Verdict(allowed=True, reason="" if label[1] == "Safe" else reason)
