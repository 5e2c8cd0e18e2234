"""Keeps the pictures of the loaded catalogue, in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import structlog

from retrieval.product import Product
from serving.pictures import Errand, is_address, keep_pictures_apart
from serving.settings import Settings
from serving.tasks import end
from ui_assets.demo import PICTURES

Tell = Callable[[dict[str, Any]], None]

log = structlog.get_logger()


class PictureKeeper:
    """For one catalogue at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._work: asyncio.Task[None] | None = None

    async def begin(self, products: list[Product], feed: str, tell: Tell) -> None:
        """`feed`: the path beside which pictures may lie, if any. `tell` gets how many are kept and missing."""
        await self.end()
        self._work = asyncio.create_task(self._keep(products, feed, tell))

    async def end(self) -> None:
        """Leave off."""
        await end(self._work)

    async def _keep(self, products: list[Product], feed: str, tell: Tell) -> None:
        shipped = {file.name for file in PICTURES.iterdir()}
        images = [product.image for product in products if product.image and product.image not in shipped]
        if self._settings.pictures == "local":
            images = [image for image in images if not is_address(image)]
        if self._settings.pictures == "off" or not images:
            return
        beside = Path(feed) if Path(feed).is_absolute() else None
        private = self._settings.private_addresses
        errand = Errand(images=images, home=self._settings.home, feed=beside, private=private)
        try:
            await keep_pictures_apart(errand, lambda report: tell(asdict(report)))
        except (OSError, ValueError) as error:
            log.error("pictures are not kept", error=str(error))
