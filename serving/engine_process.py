"""The engine in a process of its own, as its caller sees it: the same methods as `VllmEngine`'s."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from pathlib import Path

import structlog

from serving import nursery
from serving.ipc import Connection, ConnectionLost
from serving.profiles import LlmSpec
from serving.stages.base import ChatPrompt, SamplingParams, StageError

_GREETING_SECONDS = 120.0  # the nursery may still be importing
_GOODBYE_SECONDS = 8.0
_STATUS_SECONDS = 2.0

log = structlog.get_logger()


class EngineProcess:
    """One engine. All methods belong to one event loop. `run_dir`: with the nursery's address and vLLM's sockets."""

    def __init__(self, spec: LlmSpec, folder: Path, run_dir: Path) -> None:
        self._spec, self._folder, self._run_dir = spec, folder, run_dir
        self._connection: Connection | None = None
        self._pids: list[int] = []

    async def start(self) -> None:
        """Load and warm up. Raises StageError("llm", …)."""
        try:
            self._connection = await self._open()
            sockets = self._run_dir / "vllm" / str(self._connection.pid)  # nobody else's, who may still be ending
            arguments = self._spec, self._folder, sockets
            self._pids = await self._connection.call("start", *arguments, returns=list[int])
        except BaseException as error:  # also where the caller is cancelled: nothing of it stays
            await self.stop()
            if isinstance(error, OSError):  # ConnectionLost among them
                raise StageError("llm", f"The engine's process did not start: {error}") from error
            raise

    async def _open(self) -> Connection:
        """Raises OSError."""
        sock = await asyncio.to_thread(nursery.open_host, "engine", self._run_dir)
        try:
            return await Connection.open(sock, _GREETING_SECONDS)
        except ConnectionLost as error:
            log.warning("no engine from the nursery, starting one by itself", error=str(error))
        return await Connection.open(await asyncio.to_thread(nursery.open_by_itself, "engine"), _GREETING_SECONDS)

    async def stop(self) -> None:
        """End it and what it runs; running generations end with StageError. Safe to call twice."""
        connection, self._connection = self._connection, None
        self._pids = []
        if connection is not None and not await connection.close(_GOODBYE_SECONDS):
            with suppress(ProcessLookupError):
                os.kill(connection.pid, signal.SIGKILL)

    @property
    def alive(self) -> bool:
        """Whether the engine is up. Turns False within moments of its death."""
        return bool(self._pids) and self._connection is not None and not self._connection.lost.is_set()

    async def unfinished(self) -> int | None:
        """Requests that wait or run inside the engine; None where it does not say."""
        if self._connection is None:
            return None
        try:
            async with asyncio.timeout(_STATUS_SECONDS):
                return await self._connection.call("unfinished", returns=int)
        except (TimeoutError, ConnectionLost, StageError):
            return None

    def pids(self) -> list[int]:
        """Its processes: the one that answers us, then the engine core's."""
        return list(self._pids)

    async def generate(self, prompt: ChatPrompt, params: SamplingParams, request_id: str) -> AsyncGenerator[str]:
        """As `VllmEngine.generate`."""
        if self._connection is None:
            raise StageError("llm", "The language model is not running")
        pieces = self._connection.stream("generate", prompt, params, request_id, returns=str)
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    yield piece
        except ConnectionLost as error:
            raise StageError("llm", f"The engine's process has ended: {error}") from error
