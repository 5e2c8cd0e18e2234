"""The gateway's own HTTP door, in the process of its stages.

Serve's proxy would stand between: another process that every piece of text goes through, and one more thing to die
(docs/design.md has what it cost).
"""

from __future__ import annotations

import asyncio
import socket

import uvicorn
from starlette.types import ASGIApp

_DRAIN_SECONDS = 8.0


class HttpServer:
    """Serves `app` on `host`:`port` from the running event loop. Raises OSError where the address is taken."""

    def __init__(self, app: ASGIApp, host: str, port: int) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family)  # may be had again at once after a kill
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="on",
            timeout_graceful_shutdown=int(_DRAIN_SECONDS),
        )
        self._server = uvicorn.Server(config)
        self._serving = asyncio.get_running_loop().create_task(self._server.serve(sockets=[self._socket]))

    @property
    def alive(self) -> bool:
        return not self._serving.done()

    async def stop(self) -> None:
        """Take nobody new, let the turns that run end (for 8 s at most), then run the app's shutdown."""
        self._server.should_exit = True
        await self._serving
