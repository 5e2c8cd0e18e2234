"""The product cards of the latest turn. They come with the turn; the script takes them from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.panels.base import scripted

if TYPE_CHECKING:
    from app.page import Page


class Shelf:
    def declare(self) -> None:
        self.view = scripted("shelf")

    def subscribe(self, page: Page) -> None:
        """Nothing to wire: cards are links."""
