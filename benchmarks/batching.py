"""What batching brings: the real embedder, 32 questions at once, through the batcher and one by one. Paired."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import uvloop

from benchmarks.figures import Figure, middle, spread
from benchmarks.questions import QUESTIONS
from serving.batching import Batcher
from serving.models.embedder import Embedder
from serving.models.weights import prepare
from serving.profiles import PROFILES

_AT_ONCE = 32
_ROUNDS_EACH = 4


def measure(weights: Path, rounds: int) -> list[Figure]:
    """Throughput at 32 at once over that without batches; mean batch and wait."""
    profile = PROFILES["embedded"]
    embedder = Embedder(profile.embedder, prepare(profile.embedder, weights, lambda *_: None))
    return uvloop.run(_measure(embedder, profile.pass_tokens, rounds))


async def _measure(embedder: Embedder, budget: int, rounds: int) -> list[Figure]:
    sizes: list[int] = []
    waits: list[float] = []

    async def encode(texts: list[str]) -> list[int]:
        return [len(vector) for vector in embedder.encode(texts)]

    batched = Batcher(encode, lambda text: len(text) // 4 + 1, budget)
    single = Batcher(encode, lambda text: 1, 1)

    async def rate(batcher: Batcher[str, int]) -> float:
        async def client(number: int) -> None:
            for turn in range(_ROUNDS_EACH):
                handled = await batcher.submit(QUESTIONS[(number + turn) % len(QUESTIONS)])
                if batcher is batched:
                    sizes.append(handled.together)
                    waits.append(handled.waited * 1000)

        began = time.perf_counter()
        await asyncio.gather(*map(client, range(_AT_ONCE)))
        return _AT_ONCE * _ROUNDS_EACH / (time.perf_counter() - began)

    await rate(batched)
    sizes.clear()
    waits.clear()
    pairs = []
    for number in range(rounds):
        if number % 2:
            together, alone = await rate(batched), await rate(single)
        else:
            alone, together = await rate(single), await rate(batched)
        pairs.append((together, alone))
    ratios = [together / alone for together, alone in pairs]
    detail = (
        f"{middle([each for each, _ in pairs]):.0f} against {middle([each for _, each in pairs]):.0f} texts/s; "
        f"{spread(ratios)}; batches of {middle(sizes):.0f}, waits of {middle(waits):.1f} ms (medians)"
    )
    name = f"embedder, {_AT_ONCE} at once: in batches over one by one"
    return [Figure(name, middle(ratios), "", at_least=3.0, ratio=True, detail=detail)]
