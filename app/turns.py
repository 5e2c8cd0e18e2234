"""Runs the turns of all shoppers: asks the service, waits politely where it is not ready, stops when told to."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncGenerator

from app.client import Service, ServiceError
from app.session import Session, Turn

_PIECE_SECONDS = 0.025  # text of a frame or two is drawn together, which is a tenth of the traffic
_AT_FULL_PACE = 4  # turns; where more run, pieces grow, so that drawing never takes more than half a core
_PATIENCE = {"not_ready": 900.0, "unreachable": 120.0, "interrupted": 120.0, "overloaded": 60.0}  # seconds
_PAUSE_SECONDS = 2.0

log = logging.getLogger(__name__)


class Turns:
    """One turn at a time for each session. `key` is the session's name; asking anew stops the turn before."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._running: dict[str, asyncio.Task[None]] = {}

    async def answer(self, key: str, session: Session, question: str) -> AsyncGenerator[Turn]:
        """The turn, each time it has changed. Closing the generator ends the turn and the stream behind it."""
        await self.stop(key)
        turn = session.begin(question)
        changed = asyncio.Event()
        task = asyncio.create_task(self._run(session, turn, changed))
        task.add_done_callback(lambda _: changed.set())  # also where it was stopped before its first step
        self._running[key] = task
        try:
            yield turn
            while not task.done():
                await changed.wait()
                changed.clear()
                yield turn
                await asyncio.sleep(_PIECE_SECONDS * max(1.0, len(self._running) / _AT_FULL_PACE))
            if turn.running:
                turn.stop()
            yield turn
        finally:
            task.cancel()
            if self._running.get(key) is task:
                del self._running[key]

    async def stop(self, key: str) -> None:
        """End the running turn of a session, if there is one, and wait until its stream is closed."""
        task = self._running.get(key)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def _run(self, session: Session, turn: Turn, changed: asyncio.Event) -> None:
        try:
            await self._ask_until_answered(session, turn, changed)
            turn.finish()
            session.state = turn.state or session.state
        except asyncio.CancelledError:
            turn.stop()
        except ServiceError as error:
            log.warning("a turn failed: %s: %s", error.code, error)
            turn.fail(error.code)

    async def _ask_until_answered(self, session: Session, turn: Turn, changed: asyncio.Event) -> None:
        """Ask; where the service cannot answer yet and nothing was said so far, ask again."""
        began = time.monotonic()
        while True:
            try:
                messages = session.messages(turn)
                async with contextlib.aclosing(self._service.answer(messages, session.state)) as stream:
                    async for event in stream:
                        turn.fold(event)
                        changed.set()
                return
            except ServiceError as error:
                waited = time.monotonic() - began
                if turn.text or error.retry_after is None or waited > _PATIENCE.get(error.code, 30.0):
                    raise
                if (await self._service.health()).failed("encoders"):
                    raise ServiceError("failed_to_start", str(error)) from error
                turn.wait(error.code)
                changed.set()
                await asyncio.sleep(min(error.retry_after, _PAUSE_SECONDS))
