"""The keeper's line to the encoders breaks while they live on: it is joined anew, at the same address."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from ray.exceptions import ActorDiedError

from serving import encoders_keeper, ipc
from serving.encoders_keeper import EncodersKeeper
from serving.settings import Settings
from serving.stages.base import Part


@pytest.mark.timeout(60)
async def test_a_line_that_breaks_is_joined_anew(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("e") / "encoders.sock"

    async def parts() -> list[Part]:
        return [Part("encoders", "ready"), Part("catalogue", "ready")]

    async def examples(lang: str) -> list[str]:
        return [f"a question in {lang}"]

    async def listen() -> str:
        return str(path)

    server = await ipc.listen(path, [parts, examples], "encoders")
    keeper = EncodersKeeper(Settings(_env_file=None))
    actor: Any = SimpleNamespace(listen=SimpleNamespace(remote=listen))
    keeper._make = lambda: actor  # what Ray hands out for the process, here this one
    keeper._keeper = asyncio.create_task(keeper._keep())
    for _ in range(2):
        await keeper._ready.wait()
        assert keeper._connection is not None
        keeper._connection._wire.close()
        assert await keeper.ask("examples", "en", returns=list[str]) == ["a question in en"]
    await keeper.stop()
    server.close()


@pytest.mark.timeout(60)
async def test_a_process_that_keeps_dying_is_told_of_and_tried_again(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoders_keeper, "_LONGEST_BACKOFF_SECONDS", 0.01)
    path = tmp_path_factory.mktemp("e") / "encoders.sock"
    told: list[Part] = []

    async def parts() -> list[Part]:
        return [Part("encoders", "ready"), Part("catalogue", "ready")]

    async def listen() -> str:
        told.append(keeper.parts[0])
        if len(told) < 5:
            raise ActorDiedError
        return str(path)

    server = await ipc.listen(path, [parts], "encoders")
    keeper = EncodersKeeper(Settings(_env_file=None))
    actor: Any = SimpleNamespace(listen=SimpleNamespace(remote=listen))
    keeper._make = lambda: actor
    keeper._keeper = asyncio.create_task(keeper._keep())
    await keeper._ready.wait()
    assert [part.state for part in told] == ["loading", "restarting", "restarting", "failed", "failed"]
    assert told[3].facts["failures"] == 3
    assert "ended 3 times before it was ready" in told[3].detail
    assert keeper.parts[0].state == "ready"
    await keeper.stop()
    server.close()
