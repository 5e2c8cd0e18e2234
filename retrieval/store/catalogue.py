"""Where a shop's indexes are: one for each encoder that ever made one, under the home or on a Qdrant server.

A new catalogue is built beside the one that answers, as the next *generation* of the encoder's index. The complete
generation with the highest number is the one that counts: marking a new one complete is the switch, whoever dies when.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from retrieval.encoding import EncoderId
from retrieval.store.base import ProductStore, StoreError, StoreInfo
from retrieval.store.edge import EdgeStore
from retrieval.store.manifest import read_manifest
from retrieval.store.server import ServerStore, connect, drop, stored

_FOLDER = "catalogue"
_GENERATION = re.compile(r"-(\d+)$")

log = structlog.get_logger()


@dataclass(frozen=True)
class Catalogue:
    """The indexes of one shop, in `home`, or on the server at `url` if one is given.

    An encoder finds its own index and no other:

        store = await catalogue.open(encoder.id)
        others = await catalogue.others(encoder.id)

    and a new catalogue is made beside the one that answers:

        await catalogue.stage(store)
        new = await catalogue.open_staged(encoder.id)
        …  # fill it and mark it complete
        newest = await catalogue.open(encoder.id)  # while `store` still answers
        await catalogue.tidy(encoder.id)  # once nobody searches the old one
    """

    home: Path
    url: str | None = None
    key: str | None = field(default=None, repr=False)

    def folder(self, encoder: EncoderId, generation: int = 1) -> Path:
        """Where a generation of the embedded index of `encoder` is, made or not."""
        return self.home / _FOLDER / _name(encoder, generation)

    async def open(self, encoder: EncoderId) -> ProductStore:
        """The index of `encoder` that counts, made if there is none. The caller closes it. Raises StoreError."""
        return await self._open(encoder, await self.current(encoder))

    async def stage(self, current: ProductStore) -> None:
        """Make the next generation out of what `current`, which counts, holds: what does not change keeps its vectors.

        One that a broken-off load left is gone on with. `current` answers meanwhile, but nothing may be written to it.
        Raises StoreError.
        """
        await self.tidy(current.encoder)
        if await self.staged(current.encoder) is None:
            await current.copy(_name(current.encoder, await self.current(current.encoder) + 1))

    async def open_staged(self, encoder: EncoderId) -> ProductStore:
        """The generation after the one that counts, made if there is none. Raises StoreError."""
        return await self._open(encoder, await self.current(encoder) + 1)

    async def staged(self, encoder: EncoderId) -> StoreInfo | None:
        """What a load that was broken off left; its count is 0 where nobody knows it. None if there is none."""
        return (await self._generations(encoder)).get(await self.current(encoder) + 1)

    async def discard(self, encoder: EncoderId) -> None:
        """Remove what is staged, if anything is. Raises StoreError."""
        await self._drop(encoder, await self.current(encoder) + 1)

    async def tidy(self, encoder: EncoderId) -> None:
        """Remove the generations before the one that counts: nobody may search them any more. Raises StoreError."""
        counts = await self.current(encoder)
        for generation in await self._generations(encoder):
            if generation < counts:
                await self._drop(encoder, generation)

    async def current(self, encoder: EncoderId) -> int:
        """The generation that counts; the first where none is complete. Raises StoreError."""
        found = await self._generations(encoder)
        return max((generation for generation, info in found.items() if info.complete), default=1)

    async def others(self, encoder: EncoderId) -> list[StoreInfo]:
        """What the indexes of other encoders hold: complete ones first, then larger ones.

        Embedded ones are not opened for it, so another process may be using them; one that is being written, or was
        when its process was killed, shows a count of 0. Indexes that cannot be read are logged and left out.
        Raises StoreError if the server cannot be reached.
        """
        others = [info for _, info in await self._all() if info.encoder != encoder]
        return sorted(others, key=lambda info: (not info.complete, -info.count, info.encoder.key))

    async def _generations(self, encoder: EncoderId) -> dict[int, StoreInfo]:
        return {_number(name, encoder): info for name, info in await self._all() if info.encoder == encoder}

    async def _open(self, encoder: EncoderId, generation: int) -> ProductStore:
        if self.url is not None:
            return await ServerStore.open(self.url, encoder, key=self.key, name=_name(encoder, generation))
        return EdgeStore.open(self.folder(encoder, generation), encoder)

    async def _drop(self, encoder: EncoderId, generation: int) -> None:
        if self.url is not None:
            await drop(self.url, _name(encoder, generation), self.key)
            return
        try:
            await asyncio.to_thread(shutil.rmtree, self.folder(encoder, generation))
        except FileNotFoundError:
            pass
        except OSError as error:
            raise StoreError(
                f"The folder {self.folder(encoder, generation)} cannot be removed: {error.strerror}."
            ) from error

    async def _all(self) -> list[tuple[str, StoreInfo]]:
        """Every index with its name."""
        if self.url is None:
            return self._at_home()
        client = connect(self.url, self.key)
        try:
            return list((await stored(client)).items())
        finally:
            await client.close()

    def _at_home(self) -> list[tuple[str, StoreInfo]]:
        found = []
        for folder in sorted((self.home / _FOLDER).glob("*/")):
            try:
                manifest = read_manifest(folder)
            except StoreError as error:  # no reason to keep a shop from opening another index
                log.warning("index_left_out", reason=str(error))
                continue
            if manifest:
                found.append((folder.name, manifest.info(manifest.count or 0, engine="qdrant-edge", where=str(folder))))
        return found


def _name(encoder: EncoderId, generation: int) -> str:
    return encoder.key if generation == 1 else f"{encoder.key}-{generation}"


def _number(name: str, encoder: EncoderId) -> int:
    """The generation that a name states."""
    found = _GENERATION.fullmatch(name.removeprefix(encoder.key))
    return int(found[1]) if found else 1
