"""What is done for a loaded catalogue when nobody asks: reading products ahead, keeping their pictures."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import structlog

from retrieval.product import Product
from retrieval.text import product_text
from serving.pictures import Errand, keep_pictures_apart
from serving.settings import Settings
from serving.tasks import end
from ui_assets.demo import PICTURES

_READ_AHEAD = 2_000  # products; as many as the late-interaction scorer remembers
_AT_A_TIME = 4
_REST = 0.5  # times as long as the work before it
_LOOK_SECONDS = 0.5
_QUIET_SECONDS = 2.0  # after a question: its answer is being written

Remember = Callable[[Sequence[str]], None]
Tell = Callable[[dict[str, Any]], None]

log = structlog.get_logger()


class Leisure:
    """For one catalogue at a time. `remember`: what a scorer does with texts ahead of the first question about them."""

    def __init__(self, settings: Settings, remember: Remember | None) -> None:
        self._settings, self._remember = settings, remember
        self._asked = -_QUIET_SECONDS  # time.monotonic() of the last question
        self._ahead: asyncio.Task[None] | None = None
        self._pictures: asyncio.Task[None] | None = None

    def asked(self) -> None:
        """A question is being answered: what may wait, waits."""
        self._asked = time.monotonic()

    async def begin(self, products: list[Product], feed: Path, tell: Tell) -> None:
        """`feed`: beside which pictures may lie. `tell` gets how many pictures are kept and missing."""
        await self.end()
        self._pictures = asyncio.create_task(self._keep_pictures(products, feed, tell))
        if self._remember is not None:
            self._ahead = asyncio.create_task(self._read_ahead(products[:_READ_AHEAD], self._remember))

    async def end(self) -> None:
        """Leave off: what is done may be gone soon."""
        await end(self._pictures)
        await end(self._ahead)

    async def _read_ahead(self, products: list[Product], remember: Remember) -> None:
        """A few texts at a time with rests between, since the engine starts or answers meanwhile."""
        for start in range(0, len(products), _AT_A_TIME):
            while (left := self._asked + _QUIET_SECONDS - time.monotonic()) > 0:  # noqa: ASYNC110 - time, no event
                await asyncio.sleep(min(left, _LOOK_SECONDS))
            texts = [product_text(product) for product in products[start : start + _AT_A_TIME]]
            began = time.monotonic()
            remember(texts)
            await asyncio.sleep(_REST * (time.monotonic() - began))

    async def _keep_pictures(self, products: list[Product], feed: Path, tell: Tell) -> None:
        shipped = {file.name for file in PICTURES.iterdir()}
        images = [product.image for product in products if product.image and product.image not in shipped]
        if self._settings.pictures == "local":
            images = [image for image in images if not image.startswith(("http://", "https://"))]
        if self._settings.pictures == "off" or not images:
            return
        private = self._settings.private_addresses
        errand = Errand(images=images, home=self._settings.home, feed=feed, private=private)
        try:
            await keep_pictures_apart(errand, lambda report: tell(asdict(report)))
        except (OSError, ValueError) as error:
            log.error("pictures are not kept", error=str(error))
