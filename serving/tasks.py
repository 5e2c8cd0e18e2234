"""Care for asyncio tasks."""

from __future__ import annotations

import asyncio
import contextlib


async def end(task: asyncio.Task[None] | None) -> None:
    """Cancel it and wait until it has ended; what it failed with before is raised."""
    if task is not None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
