"""The engine's own process, reached through `EngineProcess`: vLLM with its core below it, for one caller."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from functools import partial
from pathlib import Path

from serving import ipc
from serving.child import killed_with_parent
from serving.models.llm import VllmEngine, import_ahead
from serving.profiles import LlmSpec
from serving.stages.base import ChatPrompt, SamplingParams, StageError
from serving.tasks import end

_WATCH_SECONDS = 0.5
_END_SECONDS = 5.0


def prepare() -> None:
    """Import what the engine needs; it then starts in half the time."""
    import_ahead()


def host(sock: socket.socket) -> None:
    """Serve the caller at the other end of `sock` until it leaves or the engine dies, and end the engine."""
    asyncio.run(_Host().run(sock))


def _be_core(host: int, callers_line: int) -> None:
    """In a process that vLLM forks: end with the host, and do not keep its caller's line open."""
    if os.getppid() == host:  # and not in what the core forks
        killed_with_parent()
        os.close(callers_line)


class _Host:
    def __init__(self) -> None:
        self._engine: VllmEngine | None = None
        self._started = asyncio.Event()

    async def run(self, sock: socket.socket) -> None:
        os.register_at_fork(after_in_child=partial(_be_core, os.getpid(), sock.fileno()))
        serving = asyncio.create_task(ipc.serve(sock, [self.start, self.generate, self.unfinished], "llm", self._end))
        dying = asyncio.create_task(self._death())
        await asyncio.wait({serving, dying}, return_when=asyncio.FIRST_COMPLETED)
        await end(serving)
        os._exit(0)  # threads of vLLM's may wait for ever

    async def _end(self) -> None:
        if self._engine is not None:
            with suppress(TimeoutError):  # a core that does not end sees that this process does
                await asyncio.wait_for(self._engine.stop(), _END_SECONDS)

    async def start(self, spec: LlmSpec, folder: Path, sockets: Path) -> list[int]:
        """Load and warm up; the processes of the engine. Raises StageError("llm", …)."""
        self._engine = VllmEngine(spec, folder, sockets)
        await self._engine.start()
        self._started.set()
        return [os.getpid(), *self._engine.pids()]

    async def generate(self, prompt: ChatPrompt, params: SamplingParams, request_id: str) -> AsyncGenerator[str]:
        async with aclosing(self._running().generate(prompt, params, request_id)) as pieces:
            async for piece in pieces:
                yield piece

    async def unfinished(self) -> int:
        return self._running().unfinished()

    def _running(self) -> VllmEngine:
        if self._engine is None:
            raise StageError("llm", "The language model is not running")
        return self._engine

    async def _death(self) -> None:
        """Until an engine that ran runs no more."""
        await self._started.wait()
        while self._running().alive:  # noqa: ASYNC110 - a process's death sets no event of ours
            await asyncio.sleep(_WATCH_SECONDS)
