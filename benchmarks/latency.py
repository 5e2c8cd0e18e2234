"""Question to cards, to first text and to the model's first sentence, over the API, one question at a time."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence

import httpx

from benchmarks.figures import Figure, middle, spread

_SENTENCE_END = re.compile(r"[.!?…](?:\s|$)")


def measure(api_url: str, questions: Sequence[str]) -> list[Figure]:
    """Medians over `questions`, after one that warms up and is not counted. Milliseconds."""
    with httpx.Client(base_url=api_url, timeout=120, trust_env=False) as client:
        ask(client, questions[-1] + " please")
        rows = [ask(client, question) for question in questions]
    cards, first, sentence, total = (list(column) for column in zip(*rows, strict=True))
    return [
        Figure("question to cards", middle(cards), "ms", at_most=400, detail=spread(cards)),
        Figure("question to first text (from the records)", middle(first), "ms", detail=spread(first)),
        Figure("question to the model's first sentence", middle(sentence), "ms", at_most=2000, detail=spread(sentence)),
        Figure("question to the end of the answer", middle(total), "ms", detail=spread(total)),
    ]


def ask(client: httpx.Client, question: str) -> tuple[float, float, float, float]:
    body = {"model": "daogou", "stream": True, "messages": [{"role": "user", "content": question}]}
    began = time.perf_counter()
    cards = first = sentence = float("nan")
    written = ""
    with client.stream("POST", "/v1/chat/completions", json=body) as reply:
        reply.raise_for_status()
        for line in reply.iter_lines():
            if not line.startswith("data: {"):
                continue
            event = json.loads(line.removeprefix("data: "))["daogou"]["event"]
            now = (time.perf_counter() - began) * 1000
            if event["type"] == "shelf":
                cards = now
            elif event["type"] == "text":
                first = now if first != first else first  # NaN: not yet
                if event["source"] == "model" and sentence != sentence:
                    written += event["text"]
                    sentence = now if _SENTENCE_END.search(written) else sentence
    return cards, first, sentence, (time.perf_counter() - began) * 1000
