"""The strip that tells what is loading, restarting or missing. Its script asks `/state`; ready, it is not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.panels.base import scripted

if TYPE_CHECKING:
    from app.page import Page


class Strip:
    def declare(self) -> None:
        self.view = scripted("strip")

    def subscribe(self, page: Page) -> None:
        """Nothing to wire: the browser asks by itself."""
