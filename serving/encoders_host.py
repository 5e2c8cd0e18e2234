"""The encoders' own process, reached through `EncodersKeeper`.

A Ray actor, so that Ray places it in its bundle; what it is asked goes over a Unix socket, large arrays by Ray's store.
"""

from __future__ import annotations

import asyncio
import os

from serving import ipc
from serving.binding import bind_stage, see_card
from serving.encoders import Encoders
from serving.payloads import Method, Reads
from serving.settings import Settings


class EncodersHost(Reads):
    """Loads in the background from the moment it is made."""

    def __init__(self, settings: Settings) -> None:
        bind_stage("encoders")  # before torch is imported and starts threads
        see_card()
        self._path = settings.run_dir / f"encoders-{os.getpid()}.sock"
        own = Encoders(settings, self._path)
        passes: list[Method] = [own.retrieve, own.screen, own.encode, own.parts, own.examples]
        super().__init__([*passes, own.load_catalogue, own.update, own.products])
        self._server: asyncio.Server | None = None

    async def listen(self) -> str:
        """The path of the socket that answers `Encoders`' methods. Raises OSError where it cannot be made."""
        if self._server is None:
            self._server = await ipc.listen(self._path, self.methods, "encoders")
        return str(self._path)
