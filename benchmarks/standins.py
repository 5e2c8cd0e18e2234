"""Stand-ins for models and stores, to measure what lies between them. They take the time they are told to and no more.

Calibrated, not real: nothing here is used outside `benchmarks/`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import cast

import numpy as np
from numpy.typing import NDArray

from retrieval.encoding import EncoderId, Vectors
from retrieval.product import Money, Product
from retrieval.store.base import Filter, Hit, ProductStore
from serving.events import Verdict
from serving.retrieval_pass import PassModels
from serving.stages.base import ChatPrompt, SamplingParams

DIMENSION = 4096  # 16 kB of float32, as a large embedder gives
CANDIDATES = 24
_DESCRIPTION = "The quick brown fox carries a waterproof tent over the ridge. " * 7
_TOKENS = 20


@dataclass(frozen=True)
class Work:
    """How long each stage takes for a batch, in ms; `generate` for one answer."""

    embed: float = 0.0
    retrieve: float = 0.0
    rerank: float = 0.0
    screen: float = 0.0
    generate: float = 0.0

    @property
    def total(self) -> float:
        """Of one turn, its stages called one after the other."""
        return self.embed + self.retrieve + self.rerank + self.screen + self.generate


NOTHING = Work()
TYPICAL = Work(embed=12, retrieve=10, rerank=30, generate=120)  # 172 ms; rules screen in no time


def _take(ms: float) -> None:
    if ms:
        time.sleep(ms / 1000)


def products() -> list[Product]:
    return [
        Product(
            id=f"P-{number:03}",
            title={"en": f"Trail tent {number}"},
            description={"en": _DESCRIPTION[:400]},
            category={"en": "Tents"},
            brand="Northpine",
            price=Money(amount=Decimal("129.00"), currency="USD"),
            stock=3,
            rating=4.5,
            rating_count=12,
        )
        for number in range(CANDIDATES)
    ]


@dataclass(frozen=True)
class StandInEncoder:
    work: Work

    @property
    def id(self) -> EncoderId:
        return EncoderId("stand-in", "1", DIMENSION, "none")

    def encode(self, texts: Sequence[str]) -> Vectors:
        _take(self.work.embed)
        return np.full((len(texts), DIMENSION), DIMENSION**-0.5, np.float32)


@dataclass(frozen=True)
class StandInScorer:
    work: Work

    def score(self, asked: Sequence[tuple[str, Sequence[str]]]) -> list[NDArray[np.float32]]:
        _take(self.work.rerank)
        return [np.arange(len(texts), dtype=np.float32) for _, texts in asked]


@dataclass(frozen=True)
class StandInGuard:
    work: Work

    @property
    def brief(self) -> bool:
        return not self.work.screen

    def screen(self, texts: Sequence[str]) -> list[Verdict]:
        _take(self.work.screen)
        return [Verdict(allowed=True)] * len(texts)


class StandInStore:
    """As Edge, it answers where it is called."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._hits = [Hit(product, 0.5) for product in products()]

    async def query(self, vectors: Vectors, limit: int, filter: Filter | None = None) -> list[list[Hit]]:
        _take(self._work.retrieve)
        return [self._hits[:limit] for _ in vectors]


class StandInLlm:
    """Steps as an engine with continuous batching does: each step gives one token to every request that runs."""

    def __init__(self, work: Work) -> None:
        self._step_seconds = work.generate / 1000 / _TOKENS
        self._running: list[asyncio.Queue[str]] = []
        self._steps: asyncio.Task[None] | None = None

    async def generate(self, prompt: ChatPrompt, params: SamplingParams, request_id: str) -> AsyncGenerator[str]:
        """As many pieces as a short sentence has tokens."""
        pieces: asyncio.Queue[str] = asyncio.Queue()
        self._running.append(pieces)
        if self._steps is None or self._steps.done():
            self._steps = asyncio.create_task(self._work())
        try:
            for _ in range(_TOKENS):
                yield await pieces.get()
        finally:
            self._running.remove(pieces)

    async def _work(self) -> None:
        due = time.perf_counter()
        while self._running:
            now = time.perf_counter()
            due = (due if now - due < self._step_seconds else now) + self._step_seconds  # what was missed is lost
            await asyncio.sleep(due - now)
            for pieces in self._running:
                pieces.put_nowait("word ")


def models(work: Work) -> PassModels:
    return PassModels(StandInEncoder(work), StandInScorer(work), StandInGuard(work), "stand-in")


def store(work: Work) -> ProductStore:
    """Answers `query`; a pass calls nothing else."""
    return cast(ProductStore, StandInStore(work))
