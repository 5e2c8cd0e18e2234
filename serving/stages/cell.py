"""The cell's stages: encoders and engine each in a process of its own, both reached over Unix sockets."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import replace

from ray import get_runtime_context
from ray.util import get_current_placement_group
from ray.util.placement_group import PlacementGroup
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from retrieval.product import Product
from serving.cards import profile_here
from serving.change import Applied, Change
from serving.encoders_keeper import EncodersKeeper
from serving.engine import EngineKeeper
from serving.events import Verdict
from serving.ipc import ConnectionLost
from serving.job import Job
from serving.placement import ENCODERS, GATEWAY, bundles
from serving.settings import Settings
from serving.stages.base import ChatPrompt, Part, Retrieved, SamplingParams, TurnQuery
from serving.tasks import end
from serving.where import of_bundle, of_processes


def in_bundle(group: PlacementGroup, index: int) -> PlacementGroupSchedulingStrategy:
    """For an actor that belongs into a bundle of a cell's group."""
    return PlacementGroupSchedulingStrategy(placement_group=group, placement_group_bundle_index=index)


class CellStages:
    """`Stages` for one cell. Make and start it inside the Serve replica that owns the group."""

    def __init__(self, settings: Settings) -> None:
        self._engine = EngineKeeper(settings)
        self._encoders = EncodersKeeper(settings)
        self._group = get_current_placement_group()
        profile = profile_here(settings)
        self._bundles = bundles(profile)
        self._shares_card = profile.llm.gpu > 0
        self._starting: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to load everything; `status` tells how far. Needs a running event loop."""
        self._engine.start()
        self._starting = asyncio.create_task(self._start_encoders())

    async def _start_encoders(self) -> None:
        """On a card after the engine: it measures what is free, and others may not take memory meanwhile."""
        if self._shares_card:
            first, *rest = self._encoders.parts
            self._encoders.parts = (replace(first, detail="waits until the main model has its memory"), *rest)
            await self._engine.tried.wait()
        self._encoders.start(in_bundle(self._group, ENCODERS))

    async def stop(self) -> None:
        """Ends the engine and what runs in it; the encoders end with the replica's group."""
        await end(self._starting)
        await self._encoders.stop()
        await self._engine.stop()

    async def retrieve(self, queries: Sequence[TurnQuery]) -> list[Retrieved]:
        found, copied = await self._encoders.ask_weighed("retrieve", list(queries), returns=list[Retrieved])
        return [replace(each, bytes_copied=copied // len(found)) for each in found]

    async def screen(self, texts: Sequence[str]) -> list[Verdict]:
        return await self._encoders.ask("screen", list(texts), returns=list[Verdict])

    async def examples(self, lang: str) -> list[str]:
        if self._encoders.parts[0].state != "ready":
            return []  # a page must not wait for them
        return await self._encoders.ask("examples", lang, returns=list[str])

    async def load_catalogue(self, job: Job) -> bool:
        over = await self._encoders.ask("load_catalogue", job, returns=bool)
        with suppress(TimeoutError, ConnectionLost):  # the keeper looks too, a little later
            await self._encoders.look()  # whoever asks next sees that it loads
        return over

    async def update(self, change: Change) -> Applied:
        return await self._encoders.ask("update", change, returns=Applied)

    async def products(self, ids: Sequence[str]) -> list[Product]:
        return await self._encoders.ask("products", list(ids), returns=list[Product])

    def generate(self, prompt: ChatPrompt, params: SamplingParams, request_id: str) -> AsyncGenerator[str]:
        return self._engine.generate(prompt, params, request_id)

    async def status(self) -> list[Part]:
        return [*self._encoders.parts, self._engine.part, Part("gateway", "ready", facts={"pid": os.getpid()})]

    async def where(self) -> list[Part]:
        encoders, catalogue = self._encoders.parts
        llm = await self._engine.looked_into()
        own = Part("gateway", "ready", facts={"pid": os.getpid()})
        return await asyncio.to_thread(
            lambda: [
                self._placed(own, GATEWAY),
                self._placed(encoders, ENCODERS),
                self._placed(llm, GATEWAY),
                catalogue,
            ]
        )

    def _placed(self, part: Part, bundle: int) -> Part:
        places = of_processes(part.facts)
        if places:
            gpu = self._bundles[bundle].get("GPU", 0) if part.name != "gateway" else 0
            places |= of_bundle(self._group.id.hex(), bundle, get_runtime_context().get_node_id(), gpu)
        return replace(part, facts=part.facts | places)
