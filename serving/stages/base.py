"""The interface between the pipeline and the models of a turn. Same semantics on every transport."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from retrieval.product import Lang
from retrieval.store.base import Filter, Hit
from serving.events import Verdict


class StageError(RuntimeError):
    """A stage could not do its work. `stage` names it ("encoders", "llm")."""

    def __init__(self, stage: str, message: str) -> None:
        super().__init__(stage, message)  # both, or it could not be unpickled on the other side of a process
        self.stage = stage

    def __str__(self) -> str:
        return str(self.args[1])


@dataclass(frozen=True)
class TurnQuery:
    """One pass of the retrieval graph: embed → (screen ∥ retrieve → rerank)."""

    text: str
    lang: Lang = "en"
    filter: Filter = Filter()
    limit: int = 6  # after reranking
    candidates: int = 24  # before reranking


@dataclass(frozen=True)
class StageTime:
    """`start` in ms since the pass began in the process that runs it.

    What the step before gave it, in bytes: handed over as it is, or copied from one process into another.
    """

    name: str
    start: float
    ms: float
    bytes_handed_over: int = 0
    bytes_copied: int = 0


@dataclass(frozen=True)
class Retrieved:
    """`hits` is empty where the verdict does not allow the text. Scores are the reranker's.

    `waited`: ms until the pass began; `together`: queries that shared it, and so its times and bytes. `bytes_copied`:
    of this query and this answer, on their way between gateway and pass.
    """

    verdict: Verdict
    hits: tuple[Hit, ...]
    times: tuple[StageTime, ...] = ()
    where: str = ""
    waited: float = 0.0
    together: int = 1
    bytes_copied: int = 0


@dataclass(frozen=True)
class SamplingParams:
    max_tokens: int = 256
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    seed: int | None = None  # the same text mostly: speculation may round a token otherwise


@dataclass(frozen=True)
class ChatPrompt:
    """Role and text pairs; the engine applies its own chat template."""

    messages: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Part:
    """One part of the service for `/readyz` and `where`."""

    name: str  # "encoders", "llm", "catalogue"
    state: str  # "loading", "ready", "failed", "restarting"
    detail: str = ""  # what is loading, or why it failed
    done: int = 0  # progress, of `total`; 0 of 0 when unknown
    total: int = 0
    facts: dict[str, Any] = field(default_factory=dict)  # model, pid, memory, …


class Stages(Protocol):
    async def retrieve(self, queries: Sequence[TurnQuery]) -> list[Retrieved]:
        """One result for each query, in order. Raises StageError("encoders", …)."""
        ...

    async def screen(self, texts: Sequence[str]) -> list[Verdict]: ...

    def generate(self, prompt: ChatPrompt, params: SamplingParams, request_id: str) -> AsyncGenerator[str]:
        """Pieces of text as the engine makes them. Closing the iterator aborts the request inside the engine.

        Raises StageError("llm", …), also in the middle.
        """
        ...

    async def status(self) -> list[Part]:
        """How each part is. Asks no other process, for every turn looks at it."""
        ...

    async def where(self) -> list[Part]:
        """As `status`, and where each part runs (`serving.where`)."""
        ...
