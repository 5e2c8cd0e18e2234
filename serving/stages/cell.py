"""The cell's stages: encoders and engine each in a process of its own, both reached over Unix sockets."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from pathlib import Path

from ray.util import get_current_placement_group
from ray.util.placement_group import PlacementGroup
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from serving.encoders_keeper import EncodersKeeper
from serving.engine import EngineKeeper
from serving.events import Verdict
from serving.ipc import ConnectionLost
from serving.placement import ENCODERS
from serving.settings import Settings
from serving.stages.base import ChatPrompt, Part, Retrieved, SamplingParams, TurnQuery


def in_bundle(group: PlacementGroup, index: int) -> PlacementGroupSchedulingStrategy:
    """For an actor that belongs into a bundle of a cell's group."""
    return PlacementGroupSchedulingStrategy(placement_group=group, placement_group_bundle_index=index)


class CellStages:
    """`Stages` for one cell. Make and start it inside the Serve replica that owns the group."""

    def __init__(self, settings: Settings) -> None:
        self._engine = EngineKeeper(settings)
        self._encoders = EncodersKeeper(settings)

    def start(self) -> None:
        """Begin to load everything; `status` tells how far. Needs a running event loop."""
        self._encoders.start(in_bundle(get_current_placement_group(), ENCODERS))
        self._engine.start()

    async def stop(self) -> None:
        """Ends the engine and what runs in it; the encoders end with the replica's group."""
        await self._encoders.stop()
        await self._engine.stop()

    async def retrieve(self, queries: Sequence[TurnQuery]) -> list[Retrieved]:
        return await self._encoders.ask("retrieve", list(queries), returns=list[Retrieved])

    async def screen(self, texts: Sequence[str]) -> list[Verdict]:
        return await self._encoders.ask("screen", list(texts), returns=list[Verdict])

    async def examples(self, lang: str) -> list[str]:
        if self._encoders.parts[0].state != "ready":
            return []  # a page must not wait for them
        return await self._encoders.ask("examples", lang, returns=list[str])

    async def load_catalogue(self, path: Path) -> None:
        await self._encoders.ask("load_catalogue", path, returns=type(None))
        with suppress(TimeoutError, ConnectionLost):  # the keeper looks too, a little later
            await self._encoders.look()  # whoever asks next sees that it loads

    def generate(self, prompt: ChatPrompt, params: SamplingParams, request_id: str) -> AsyncGenerator[str]:
        return self._engine.generate(prompt, params, request_id)

    async def status(self) -> list[Part]:
        gateway = Part("gateway", "ready", facts={"pid": os.getpid()})
        return [*self._encoders.parts, await self._engine.part(), gateway]
