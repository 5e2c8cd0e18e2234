"""Keeps the main model running: starts it, watches it, starts it again when it dies, tells how it is."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import structlog

from serving.cards import profile_here
from serving.engine_process import EngineProcess
from serving.models.llm_remote import RemoteLlm
from serving.models.weights import WeightsError, prepare
from serving.settings import Settings
from serving.stages.base import ChatPrompt, Part, SamplingParams, StageError
from serving.tasks import end

_WATCH_SECONDS = 1.0
_PIECE_SECONDS = 60.0  # the longest wait for the first piece of a text, and for each after it
_SILENT_SECONDS = 60.0
_LONGEST_BACKOFF_SECONDS = 60.0
_LONGEST_BACKOFF_ONCE_READY_SECONDS = 15.0  # shoppers miss what worked before, and its start takes a while anyway
_STEADY_SECONDS = 120.0  # an engine that lived this long starts its back-off anew

log = structlog.get_logger()


class EngineKeeper:
    """The engine and its state as a `Part`; `generate` while it runs, StageError while it does not."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._spec = profile_here(settings).llm
        self._engine: EngineProcess | RemoteLlm | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._part = Part("llm", "loading", "starting")
        self.tried = asyncio.Event()  # it is ready, or has failed once
        self._loading = "loading"  # "restarting" once it ran: the shop has opened, and answers come from the records

    @property
    def part(self) -> Part:
        """How the engine is."""
        if self._engine is not None and self._part.state == "ready" and not self._engine.alive:
            return Part("llm", "restarting", "the engine's process ended")  # the keeper has not looked yet
        return self._part

    async def looked_into(self) -> Part:
        """As `part`; `facts.unfinished` counts the requests inside the engine now."""
        part = self.part
        if self._engine is None or part.state != "ready":
            return part
        return replace(part, facts=part.facts | {"unfinished": await self._engine.unfinished()})

    def start(self) -> None:
        """Begin; needs a running event loop."""
        self._keeper = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        await end(self._keeper)
        if self._engine is not None:
            await self._engine.stop()

    async def _keep(self) -> None:
        loop = asyncio.get_running_loop()
        failures = 0
        while True:
            began = loop.time()
            state = "failed"
            try:
                await self._run_until_death()
                state, reason = "restarting", "the engine's process ended"
            except (WeightsError, StageError) as error:
                reason = str(error)
            except Exception as error:  # whatever vLLM raises while it starts: told to operators, and tried again
                log.exception("the engine does not start")
                reason = f"{type(error).__name__}: {error}"
            self._loading = "restarting"
            failures = 1 if loop.time() - began > _STEADY_SECONDS else failures + 1
            was_ready = self._part.state == "ready"
            wait = min(2.0**failures, _LONGEST_BACKOFF_ONCE_READY_SECONDS if was_ready else _LONGEST_BACKOFF_SECONDS)
            log.error("engine down", reason=reason, next_try_seconds=wait)
            self._part = Part("llm", state, reason, facts={"failures": failures})
            self.tried.set()
            if self._engine is not None:
                await self._engine.stop()
                self._engine = None
            await asyncio.sleep(wait)

    async def _run_until_death(self) -> None:
        engine = await self._make()
        self._engine = engine
        await engine.start()
        self._part = Part("llm", "ready", facts=self._facts(engine))
        self.tried.set()
        log.info("engine ready", **self._part.facts)
        heard = time.monotonic()
        while engine.alive:
            await asyncio.sleep(_WATCH_SECONDS)
            if await engine.unfinished() is not None:
                heard = time.monotonic()
            elif time.monotonic() - heard > _SILENT_SECONDS:
                raise StageError("llm", f"the engine's process has not answered for {_SILENT_SECONDS:.0f} s")

    async def _make(self) -> EngineProcess | RemoteLlm:
        if self._settings.llm_url is not None:
            return RemoteLlm(self._settings.llm_url, self._settings.llm_key, self._settings.llm_model)

        def progress(what: str, done: int, total: int) -> None:
            self._part = Part("llm", self._loading, what, done, total)

        folder = await asyncio.to_thread(prepare, self._spec, self._settings.weights_dir, progress)
        self._part = Part("llm", self._loading, "starting the engine")
        return EngineProcess(self._spec, folder, self._settings.run_dir)

    def _facts(self, engine: EngineProcess | RemoteLlm) -> dict[str, Any]:
        if isinstance(engine, EngineProcess):
            return {"model": self._spec.name, "pids": engine.pids()}
        return {"model": self._settings.llm_model, "url": self._settings.llm_url}

    async def generate(self, prompt: ChatPrompt, params: SamplingParams, request_id: str) -> AsyncGenerator[str]:
        """Pieces of text, each within a minute. Raises StageError("llm", …)."""
        engine = self._engine
        if engine is None or self._part.state != "ready":
            raise StageError("llm", f"the main model is {self._part.state}: {self._part.detail}")
        pieces = engine.generate(prompt, params, request_id)
        async with contextlib.aclosing(pieces):
            while True:
                try:
                    async with asyncio.timeout(_PIECE_SECONDS):
                        piece = await anext(pieces, None)
                except TimeoutError as error:
                    raise StageError("llm", f"no text within {_PIECE_SECONDS:.0f} s") from error
                if piece is None:
                    return
                yield piece
