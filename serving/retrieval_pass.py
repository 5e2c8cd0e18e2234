"""The retrieval graph as one pass over a batch: guard beside embed → retrieve → rerank, and the guard's word is last.

Everything of a pass stays in this process: vectors and candidates are handed over as they are.
"""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Protocol, cast

from retrieval.encoding import Encoder, RemoteEncoder, RemoteScorer, Scorer
from retrieval.search import Found, SearchQuery, search_many
from retrieval.store.base import ProductStore, StoreError
from retrieval.understand.language import language
from serving.batching import Batcher
from serving.events import Verdict
from serving.models.guard import Guard
from serving.profiles import Profile
from serving.stages.base import Retrieved, StageError, StageTime, TurnQuery

_CHARS_PER_TOKEN = 4  # of English; a guess for the budget
_TOKENS_OF_A_TEXT = 150  # of a product, as a cross-encoder reads it


class RemoteGuard(Protocol):
    """A `Guard` that is reached elsewhere."""

    async def screen(self, texts: Sequence[str]) -> list[Verdict]: ...


@dataclass(frozen=True)
class PassModels:
    """The models of a pass; `device` is where they run, for people."""

    encoder: Encoder | RemoteEncoder
    scorer: Scorer | RemoteScorer
    guard: Guard | RemoteGuard
    device: str = "cpu"


class RetrievalPass:
    """Answers queries, those that wait together in one pass. `store` gives the index that a pass searches."""

    def __init__(self, models: PassModels, store: Callable[[], ProductStore], profile: Profile) -> None:
        self._models, self._store, self._profile = models, store, profile
        self._where = f"encoders, process {os.getpid()}, {models.device}"
        self._batcher = Batcher(self._pass, self._tokens, profile.pass_tokens)
        self._guards_thread = ThreadPoolExecutor(1, "guard")
        self._remote = inspect.iscoroutinefunction(models.encoder.encode)

    async def retrieve(self, queries: Sequence[TurnQuery]) -> list[Retrieved]:
        """Screen, embed, search and rerank. Raises StageError("encoders", …)."""
        handled = await asyncio.gather(*map(self._batcher.submit, queries))
        return [replace(each.result, waited=each.waited * 1000, together=each.together) for each in handled]

    async def screen(self, texts: Sequence[str]) -> list[Verdict]:
        """One verdict for each text."""
        guard = self._models.guard
        if inspect.iscoroutinefunction(guard.screen):
            verdicts: list[Verdict] = await guard.screen(texts)
            return verdicts
        local = cast(Guard, guard)
        if local.brief:
            return local.screen(texts)
        return await asyncio.get_running_loop().run_in_executor(self._guards_thread, local.screen, texts)

    def _tokens(self, query: TurnQuery) -> int:
        """What the models read for a query, as far as can be told before they do."""
        own = min(len(query.text) // _CHARS_PER_TOKEN + 1, self._profile.embedder.max_tokens)
        pairs = self._profile.reranker.source != "builtin"
        return own + (query.candidates * (own + _TOKENS_OF_A_TEXT) if pairs else 0)

    async def _pass(self, queries: list[TurnQuery]) -> list[Retrieved]:
        began = perf_counter()
        screening = asyncio.create_task(self._screened(queries, began))
        await asyncio.sleep(0)  # it is on its way, or done, before the models compute
        try:
            found = await search_many(
                self._store(), self._models.encoder, self._models.scorer, [self._search(query) for query in queries]
            )
        except StoreError as error:
            raise StageError("encoders", str(error)) from error
        finally:
            verdicts, screen_time = await screening
        return [
            Retrieved(verdict, each.hits if verdict.allowed else (), self._times(each, screen_time), self._where)
            for verdict, each in zip(verdicts, found, strict=True)
        ]

    def _search(self, query: TurnQuery) -> SearchQuery:
        """The language of the question decides how it is searched, whatever the answer is to be written in."""
        lang = language(query.text)
        by_words = lang not in self._profile.embedder.languages
        return SearchQuery(query.text, lang, query.filter, query.candidates, query.limit, by_words)

    async def _screened(self, queries: Sequence[TurnQuery], began: float) -> tuple[list[Verdict], StageTime]:
        start = perf_counter()
        verdicts = await self.screen([query.text for query in queries])
        return verdicts, StageTime("screen", (start - began) * 1000, (perf_counter() - start) * 1000)

    def _times(self, found: Found, screen: StageTime) -> tuple[StageTime, ...]:
        kind = "bytes_copied" if self._remote else "bytes_handed_over"
        return (*(StageTime(step.name, step.start, step.ms, **{kind: step.bytes}) for step in found.times), screen)
