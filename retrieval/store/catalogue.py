"""Where a shop's indexes are: one for each encoder that ever made one, under the home or on a Qdrant server."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import structlog

from retrieval.encoding import EncoderId
from retrieval.store.base import ProductStore, StoreError, StoreInfo
from retrieval.store.edge import EdgeStore
from retrieval.store.manifest import read_manifest
from retrieval.store.server import ServerStore, connect, stored

_FOLDER = "catalogue"
log = structlog.get_logger()


@dataclass(frozen=True)
class Catalogue:
    """The indexes of one shop, in `home`, or on the server at `url` if one is given.

    An encoder finds its own index and no other:

        store = await catalogue.open(encoder.id)
        others = await catalogue.others(encoder.id)
        if not (await store.info()).complete and others and others[0].complete:
            await reindex(await catalogue.open(others[0].encoder), store, encoder, progress)
    """

    home: Path
    url: str | None = None
    key: str | None = field(default=None, repr=False)

    def folder(self, encoder: EncoderId) -> Path:
        """Where the embedded index of `encoder` is, made or not."""
        return self.home / _FOLDER / encoder.key

    async def open(self, encoder: EncoderId) -> ProductStore:
        """The index of `encoder`, made if there is none. The caller closes it. Raises StoreError."""
        if self.url:
            return await ServerStore.open(self.url, encoder, key=self.key)
        return EdgeStore.open(self.folder(encoder), encoder)

    async def others(self, encoder: EncoderId) -> list[StoreInfo]:
        """What the indexes of other encoders hold: complete ones first, then larger ones.

        Embedded ones are not opened for it, so another process may be using them; one that is being written, or was
        when its process was killed, shows a count of 0. Indexes that cannot be read are logged and left out.
        Raises StoreError if the server cannot be reached.
        """
        found = await self._on_server(self.url) if self.url else self._at_home()
        others = [info for info in found if info.encoder != encoder]
        return sorted(others, key=lambda info: (not info.complete, -info.count, info.encoder.key))

    async def _on_server(self, url: str) -> list[StoreInfo]:
        client = connect(url, self.key)
        try:
            return await stored(client)
        finally:
            await client.close()

    def _at_home(self) -> list[StoreInfo]:
        found = []
        for folder in sorted((self.home / _FOLDER).glob("*/")):
            try:
                manifest = read_manifest(folder)
            except StoreError as error:  # no reason to keep a shop from opening another index
                log.warning("index_left_out", reason=str(error))
                continue
            if manifest:
                found.append(manifest.info(manifest.count or 0, engine="qdrant-edge", where=str(folder)))
        return found
