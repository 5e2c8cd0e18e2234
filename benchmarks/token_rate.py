"""What the serving path costs: tokens a second through the API against a bare `AsyncLLM`, the same prompts, paired.

Both engines hold the same weights with the same arguments. The rounds alternate (API, bare, bare, API …), while the
other engine rests, and each ratio is of two neighbours, so a machine that slows down slows both.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import httpx
from httpx_sse import aconnect_sse

from benchmarks.figures import Figure, middle, spread
from retrieval.product import Product
from serving.models.llm import VllmEngine
from serving.models.weights import prepare
from serving.pipeline import SENTENCE, TOLD
from serving.profiles import PROFILES
from serving.prompts import fit_sentence
from serving.stages.base import ChatPrompt

_ALONE = 40  # tokens a second that one shopper should get
_OFTENER = 2  # pairs at 8 at once, whose ratios are spread wider


async def measure(api_url: str, weights: Path, sockets: Path, questions: Sequence[str], rounds: int) -> list[Figure]:
    """Ratios API / bare of model text per second, one turn at a time and eight at once."""
    spec = PROFILES["embedded"].llm
    folder = prepare(spec, weights, lambda *_: None)
    engine = VllmEngine(spec, folder, sockets)
    await engine.start()
    count = _counter(folder)
    figures = []
    try:
        async with httpx.AsyncClient(base_url=api_url, timeout=300, trust_env=False) as client:
            prompts = {question: await _prompts(client, question) for question in questions}
            # The service may have read these prompts before; then both have.
            await _rate(count, [_turn(client, question, []) for question in questions])
            await _rate(count, [_bare(engine, prompts[question]) for question in questions])
            for at_once, number_of_pairs in ((1, rounds), (8, _OFTENER * rounds)):
                pairs = []
                cards: list[float] = []
                for number in range(number_of_pairs + 1):
                    asked = [questions[(number * at_once + k) % len(questions)] for k in range(at_once)]
                    rates = {}
                    for side in ("api", "bare") if number % 2 else ("bare", "api"):
                        work = [
                            _turn(client, question, cards) if side == "api" else _bare(engine, prompts[question])
                            for question in asked
                        ]
                        rates[side] = await _rate(count, work)
                    if number:  # the first pair warms both
                        pairs.append((rates["api"], rates["bare"]))
                figures += _figures(pairs, at_once, cards)
    finally:
        await engine.stop()
    return figures


def _figures(pairs: Sequence[tuple[float, float]], at_once: int, cards: Sequence[float]) -> list[Figure]:
    ratios = [api / bare for api, bare in pairs]
    api, bare = (middle([pair[side] for pair in pairs]) for side in (0, 1))
    name = f"tokens/s through the API over bare AsyncLLM, {at_once} at once"
    detail = f"{api:.1f} against {bare:.1f} tok/s; {spread(ratios)}"
    figures = [
        Figure(name, middle(ratios), "", at_least=0.9, ratio=True, detail=detail),
        Figure(f"question to cards, {at_once} at once", middle(cards), "ms", detail=spread(cards)),
    ]
    if at_once == 1:
        figures.append(Figure("tokens/s of one answer, through the API", api, "tok/s", at_least=_ALONE))
    return figures


def _counter(folder: Path) -> Any:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False))


async def _rate(count: Any, work: Sequence[Any]) -> float:
    """Tokens a second over everything in `work`, from the first question to the last word."""
    began = time.perf_counter()
    texts = await asyncio.gather(*work)
    seconds = time.perf_counter() - began
    return float(sum(count(text) for group in texts for text in group)) / seconds


async def _prompts(client: httpx.AsyncClient, question: str) -> list[ChatPrompt]:
    """The prompts that the service makes of a question: one for each of the first products of its shelf."""
    reply = await client.post("/v1/search", json={"query": question, "limit": PROFILES["embedded"].shelf})
    shelf = reply.raise_for_status().json()["data"]
    products = [Product.model_validate(item["product"]) for item in shelf[:TOLD]]
    return [fit_sentence(question, product, "en") for product in products]


async def _turn(client: httpx.AsyncClient, question: str, cards: list[float]) -> list[str]:
    """What the model wrote; the time to the cards, in ms, is added to `cards`."""
    began = time.perf_counter()
    body = {"model": "daogou", "stream": True, "messages": [{"role": "user", "content": question}]}
    pieces: list[str] = []
    async with aconnect_sse(client, "POST", "/v1/chat/completions", json=body) as source:
        source.response.raise_for_status()
        async for message in source.aiter_sse():
            if '"type":"shelf"' in message.data:
                cards.append((time.perf_counter() - began) * 1000)
            elif '"source":"model"' in message.data:
                pieces.append(message.json()["daogou"]["event"]["text"])
    return ["".join(pieces)]


async def _bare(engine: VllmEngine, prompts: Sequence[ChatPrompt]) -> list[str]:
    """In the pipeline's own order: the first by itself, then the others at once."""

    async def one(prompt: ChatPrompt, number: int) -> str:
        async with aclosing(engine.generate(prompt, SENTENCE, f"bare-{number}")) as pieces:
            return "".join([piece async for piece in pieces])

    first = await one(prompts[0], 0)
    return [first, *await asyncio.gather(*(one(prompt, number) for number, prompt in enumerate(prompts[1:], 1)))]
