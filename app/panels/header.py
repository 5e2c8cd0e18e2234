"""The head of the page: name, new chat, language, light or dark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gradio as gr

from app.panels.base import AT_ONCE, scripted
from app.session import Session

if TYPE_CHECKING:
    from app.page import Page


class Header:
    def __init__(self, *, chat: bool = True) -> None:
        self._chat = chat  # whether there is one to begin anew

    def declare(self) -> None:
        self.bar = scripted("header", {"chat": self._chat}, events=("clear", "language"))

    def subscribe(self, page: Page) -> None:
        async def clear(session: Session, request: gr.Request) -> dict[str, Any]:
            session.clear()
            await page.turns.stop(request.session_hash or "")
            return page.talk.draw(session, None)

        async def language(event: gr.EventData) -> Any:
            return page.composer.speak(str((event._data or {}).get("lang")))

        self.bar.clear(clear, [page.session], page.talk.view, postprocess=False, **AT_ONCE)
        self.bar.language(language, None, page.composer.box, **AT_ONCE)
