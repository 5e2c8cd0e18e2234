"""What every transport must be able to carry."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any

import pytest

from serving.profiles import PROFILES
from serving.settings import Settings
from serving.stages import cell
from serving.stages.base import Part, StageError


def test_a_stage_error_survives_the_way_between_processes() -> None:
    error = pickle.loads(pickle.dumps(StageError("catalogue", "shop.csv does not exist")))
    assert isinstance(error, StageError)
    assert (error.stage, str(error)) == ("catalogue", "shop.csv does not exist")


class Keeper:
    """As the keepers of encoders and engine; notes who was started when."""

    def __init__(self, name: str, started: list[str]) -> None:
        self.parts: tuple[Part, ...] = (Part("encoders", "loading", "starting"), Part("catalogue", "loading"))
        self.tried = asyncio.Event()
        self._name, self._started = name, started

    def start(self, *_: Any) -> None:
        self._started.append(self._name)

    async def stop(self) -> None:
        self._started.append(f"no {self._name}")


@pytest.mark.parametrize("profile", ["embedded", "gpu"])
async def test_on_a_card_the_engine_gets_its_memory_before_the_encoders(
    monkeypatch: pytest.MonkeyPatch, profile: str
) -> None:
    monkeypatch.setattr(cell, "get_current_placement_group", lambda: None)
    monkeypatch.setattr(cell, "in_bundle", lambda group, index: None)
    monkeypatch.setattr(cell, "profile_here", lambda settings: PROFILES[profile])
    stages = cell.CellStages(Settings(_env_file=None))
    started: list[str] = []
    engine, encoders = Keeper("engine", started), Keeper("encoders", started)
    monkeypatch.setattr(stages, "_engine", engine)
    monkeypatch.setattr(stages, "_encoders", encoders)
    stages.start()
    for _ in range(3):
        await asyncio.sleep(0)
    if profile == "gpu":
        assert started == ["engine"]
        assert encoders.parts[0].detail == "waits until the main model has its memory"
        engine.tried.set()
        for _ in range(3):
            await asyncio.sleep(0)
    assert started == ["engine", "encoders"]
    await stages.stop()
    assert sorted(started[2:]) == ["no encoders", "no engine"]
