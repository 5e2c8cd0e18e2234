"""Keeps the encoders running: starts them in their bundle, watches them, reaches them again when they died."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import ray
import structlog
from ray.exceptions import ActorDiedError, RayError
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from serving import payloads
from serving.binding import gateways_card
from serving.cards import profile_here
from serving.encoders_host import EncodersHost
from serving.ipc import Connection, ConnectionLost
from serving.placement import ENCODERS, bundles
from serving.settings import Settings
from serving.stages.base import Part, StageError
from serving.tasks import end

_LOADING_POLL_SECONDS = 0.3
_READY_POLL_SECONDS = 2.0
_AGAIN_SECONDS = 0.3
_GREETING_SECONDS = 30.0
_STATUS_SECONDS = 10.0  # importing a model's libraries keeps a process from answering for a while
_SILENT_SECONDS = 60.0
_BACK_SECONDS = 30.0
_ANSWER_SECONDS = 120.0  # a pass takes that long on no machine that is well
_LONGEST_BACKOFF_SECONDS = 60.0
_TRIES_TO_START = 3  # deaths before it was ever ready, after which whoever starts the service need not wait

T = TypeVar("T")

log = structlog.get_logger()


class EncodersKeeper:
    """The encoders and the catalogue as `parts`; `ask` while they run, StageError while they do not."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._make: Callable[[], Any]  # a new process
        self._actor: Any = None
        self._connection: Connection | None = None
        self._path = ""
        self._ready = asyncio.Event()
        self._was_ready = False
        self._deaths = 0  # in a row, before it was ready
        self._keeper: asyncio.Task[None] | None = None
        self.parts: tuple[Part, ...] = (Part("encoders", "loading", "starting"), Part("catalogue", "loading"))

    def start(self, where: PlacementGroupSchedulingStrategy) -> None:
        """Begin, in the bundle `where`; needs a running event loop. They end with the group."""
        own = bundles(profile_here(self._settings))[ENCODERS]
        options: dict[str, Any] = {"num_cpus": own["CPU"], "num_gpus": own.get("GPU", 0)}
        if "GPU" not in own and (card := gateways_card()):
            options["runtime_env"] = {"env_vars": card}
        host = ray.remote(EncodersHost).options(**options, scheduling_strategy=where)
        self._make = lambda: host.remote(self._settings)
        self._keeper = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        await end(self._keeper)

    async def ask(self, method: str, *arguments: Any, returns: type[T]) -> T:
        """As `ask_weighed`, the answer alone."""
        return (await self.ask_weighed(method, *arguments, returns=returns))[0]

    async def ask_weighed(self, method: str, *arguments: Any, returns: type[T]) -> tuple[T, int]:
        """What `Encoders` answers, and how many bytes were copied between the processes for it.

        Where they are gone, or end over it, it waits for them and asks once more. Raises StageError("encoders", …).
        """
        try:
            return await self._call(method, arguments, returns)
        except ConnectionLost:
            log.warning("the encoders are gone, a question waits for them", method=method)
            self._ready.clear()
        try:
            async with asyncio.timeout(_BACK_SECONDS):
                await self._ready.wait()
            return await self._call(method, arguments, returns)
        except (TimeoutError, ConnectionLost) as error:
            raise StageError("encoders", "their process has ended and is not back in time") from error

    async def _call(self, method: str, arguments: tuple[Any, ...], returns: type[T]) -> tuple[T, int]:
        if self._connection is None:
            raise ConnectionLost("there is no process")
        try:
            if any(map(payloads.is_large, arguments)):
                async with asyncio.timeout(_ANSWER_SECONDS):
                    return await payloads.ask(self._actor, "encoders", method, arguments), 0
            return await self._connection.call_weighed(method, *arguments, returns=returns, seconds=_ANSWER_SECONDS)
        except TimeoutError as error:
            raise StageError("encoders", f"no answer within {_ANSWER_SECONDS:.0f} s") from error

    async def look(self) -> None:
        """Bring `parts` up to date. Raises TimeoutError and ConnectionLost."""
        async with asyncio.timeout(_STATUS_SECONDS):
            self.parts = tuple((await self._call("parts", (), list[Part]))[0])
        if self.parts[0].state == "ready":
            self._was_ready, self._deaths = True, 0
            self._ready.set()

    async def _keep(self) -> None:
        while True:
            pause = _AGAIN_SECONDS
            try:
                await self._run_until_lost()
            except ActorDiedError as error:  # Ray would start it again at once, and for ever
                self._actor = None
                self._deaths += 1
                pause = _AGAIN_SECONDS if self._deaths == 1 else min(2.0**self._deaths, _LONGEST_BACKOFF_SECONDS)
                log.error("the encoders' process ended", next_try_seconds=pause, reason=str(error))
            except (RayError, OSError, StageError, ValueError) as error:
                log.warning("encoders do not answer", error=str(error))
            self._ready.clear()
            self._connection = None
            self.parts = (self._gone(), Part("catalogue", "loading", "waits for the encoders"))
            await asyncio.sleep(pause)

    def _gone(self) -> Part:
        if self._deaths <= 1:
            return Part("encoders", "restarting", "its process ended and is started again")
        folder = self._settings.run_dir / "ray"
        detail = f"its process ended {self._deaths} times before it was ready; the logs in {folder} say why"
        state = "restarting" if self._was_ready or self._deaths < _TRIES_TO_START else "failed"
        return Part("encoders", state, detail, facts={"failures": self._deaths})

    async def _run_until_lost(self) -> None:
        if self._actor is None:
            self._actor = self._make()
        path = await self._actor.listen.remote()
        if self._path not in ("", path):  # of a process that is gone; one that lives still listens there
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._path)
        self._path = path
        connection = self._connection = await Connection.to(Path(path), _GREETING_SECONDS)
        try:
            await self._watch(connection)
        finally:
            await connection.close(0)

    async def _watch(self, connection: Connection) -> None:
        heard = time.monotonic()
        while not connection.lost.is_set():
            try:
                await self.look()
                heard = time.monotonic()
            except TimeoutError:
                log.info("encoders are busy", state=self.parts[0].state)
                if time.monotonic() - heard > _SILENT_SECONDS:
                    log.error("encoders have been silent for too long, ending them", pid=connection.pid)
                    os.kill(connection.pid, signal.SIGKILL)
            loading = any(part.state != "ready" for part in self.parts)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(
                    connection.lost.wait(), _LOADING_POLL_SECONDS if loading else _READY_POLL_SECONDS
                )
