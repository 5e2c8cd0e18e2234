"""The conversation. Sent to the browser one turn at a time: the script keeps the turns before."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import gradio as gr

from app import render
from app.panels.base import scripted
from app.session import Session

if TYPE_CHECKING:
    from app.page import Page

_MOST_AT_ONCE = 256  # turns that run at the same time; Gradio's own default is one


class Talk:
    def declare(self) -> None:
        self.view = scripted("talk", self.draw(None), events=("ask",))

    def draw(self, session: Session | None) -> dict[str, Any]:
        """The latest turn; None clears the conversation when `epoch` has changed."""
        if session is None or not session.turns:
            return {"epoch": session.epoch if session else 0, "turn": None}
        return {"epoch": session.epoch, "turn": render.turn_view(session.turns[-1])}

    def subscribe(self, page: Page) -> None:
        async def written(text: str, session: Session, request: gr.Request) -> AsyncGenerator[tuple[Any, ...]]:
            async with aclosing(self._turn(page, text, session, request, empty_box=True)) as changes:
                async for change in changes:
                    yield change

        async def pressed(
            session: Session, event: gr.EventData, request: gr.Request
        ) -> AsyncGenerator[tuple[Any, ...]]:
            question = (event._data or {}).get("question")
            async with aclosing(self._turn(page, question, session, request, empty_box=False)) as changes:
                async for change in changes:
                    yield change

        outputs = [self.view, page.shelf.view, page.composer.box]
        options: dict[str, Any] = {"show_progress": "hidden", "concurrency_limit": _MOST_AT_ONCE}
        page.composer.box.submit(written, [page.composer.box, page.session], outputs, api_name="ask", **options)
        self.view.ask(pressed, [page.session], outputs, api_visibility="private", **options)

    async def _turn(
        self, page: Page, question: object, session: Session, request: gr.Request, *, empty_box: bool
    ) -> AsyncGenerator[tuple[Any, ...]]:
        """One turn, as changes of talk, shelf and box. Whoever asks chooses `question`: it may be anything."""
        asked = render.clean(question).strip() if isinstance(question, str) else ""
        if not asked:
            yield gr.skip(), gr.skip(), gr.skip()
            return
        box: Any = page.composer.draw(running=True, empty=empty_box)
        shelves = 0
        async with aclosing(page.turns.answer(request.session_hash or "", session, asked)) as states:
            async for turn in states:
                cards: Any = gr.skip()
                if turn.shelf_version != shelves:
                    shelves, cards = turn.shelf_version, page.shelf.draw(turn)
                yield self.draw(session), cards, box
                box = gr.skip()
        cards = gr.skip() if shelves else page.shelf.draw(None)
        yield self.draw(session), cards, page.composer.draw(running=False)
