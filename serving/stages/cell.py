"""The cell's stages: encoders as one Ray actor in the replica's own placement group, the engine in the gateway."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

import ray
import structlog
from ray.exceptions import RayError, RayTaskError
from ray.util import get_current_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from serving.encoders import Encoders
from serving.engine import EngineKeeper
from serving.events import Verdict
from serving.settings import Settings
from serving.stages.base import ChatPrompt, Part, Retrieved, SamplingParams, StageError, TurnQuery

_ENCODERS_BUNDLE = 1
_LOADING_POLL_SECONDS = 0.3
_READY_POLL_SECONDS = 2.0
_STATUS_SECONDS = 10.0

log = structlog.get_logger()


class CellStages:
    """`Stages` for one cell. Make and start it inside the Serve replica that owns the group."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._engine = EngineKeeper(settings)
        self._encoders: Any = None
        self._parts: tuple[Part, ...] = (Part("encoders", "loading", "starting"), Part("catalogue", "loading"))
        self._watch: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to load everything; `status` tells how far. Needs a running event loop."""
        group = get_current_placement_group()
        profile = self._settings.models
        self._encoders = (
            ray.remote(Encoders)
            .options(
                num_cpus=profile.cpu_encoders,
                num_gpus=profile.embedder.gpu + profile.reranker.gpu + profile.guard.gpu,
                max_restarts=-1,
                max_concurrency=1000,
                scheduling_strategy=PlacementGroupSchedulingStrategy(
                    placement_group=group, placement_group_bundle_index=_ENCODERS_BUNDLE
                ),
            )
            .remote(self._settings)
        )
        self._watch = asyncio.create_task(self._watch_encoders())
        self._engine.start()

    async def stop(self) -> None:
        """Ends the engine and what runs in it; the encoders end with the replica's group."""
        if self._watch is not None:
            self._watch.cancel()
        await self._engine.stop()

    async def _watch_encoders(self) -> None:
        while True:
            try:
                parts = await asyncio.wait_for(self._encoders.parts.remote(), _STATUS_SECONDS)
                self._parts = tuple(parts)
            except TimeoutError:  # importing a model's libraries keeps a process from answering for a while
                log.info("encoders are busy", state=self._parts[0].state)
            except RayError as error:
                log.warning("encoders do not answer", error=str(error))
                self._parts = (
                    Part("encoders", "restarting", "its process ended and is started again"),
                    Part("catalogue", "loading", "waits for the encoders"),
                )
            loading = any(part.state != "ready" for part in self._parts)
            await asyncio.sleep(_LOADING_POLL_SECONDS if loading else _READY_POLL_SECONDS)

    async def _ask(self, method: str, *arguments: Any) -> Any:
        try:
            return await getattr(self._encoders, method).remote(*arguments)
        except RayTaskError as error:
            cause = error.cause
            raise StageError("encoders", str(cause)) from cause
        except RayError as error:
            raise StageError("encoders", f"the encoders' process failed: {type(error).__name__}") from error

    async def retrieve(self, queries: Sequence[TurnQuery]) -> list[Retrieved]:
        retrieved: list[Retrieved] = await self._ask("retrieve", list(queries))
        return retrieved

    async def screen(self, texts: Sequence[str]) -> list[Verdict]:
        verdicts: list[Verdict] = await self._ask("screen", list(texts))
        return verdicts

    async def examples(self, lang: str) -> list[str]:
        questions: list[str] = await self._ask("examples", lang)
        return questions

    async def load_catalogue(self, path: Path) -> None:
        await self._ask("load_catalogue", path)
        self._parts = tuple(await self._ask("parts"))  # whoever asks next sees that it loads

    def generate(self, prompt: ChatPrompt, params: SamplingParams, request_id: str) -> AsyncGenerator[str]:
        return self._engine.generate(prompt, params, request_id)

    async def status(self) -> list[Part]:
        return [*self._parts, await self._engine.part(), Part("gateway", "ready", facts={"pid": os.getpid()})]
