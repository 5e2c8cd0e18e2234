"""The product cards of the latest turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app import render
from app.panels.base import scripted
from app.session import Turn

if TYPE_CHECKING:
    from app.page import Page


class Shelf:
    def __init__(self, picture_hosts: frozenset[str]) -> None:
        self._hosts = picture_hosts

    def declare(self) -> None:
        self.view = scripted("shelf", self.draw(None))

    def draw(self, turn: Turn | None) -> dict[str, Any]:
        return render.shelf(turn, self._hosts)

    def subscribe(self, page: Page) -> None:
        """Nothing to wire: cards are links, and the talk fills the shelf."""
