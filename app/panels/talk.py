"""The conversation. Sent to the browser one turn at a time, its cards included: the script keeps the turns before."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import gradio as gr

from app import render
from app.events import ShelfItem
from app.panels.base import scripted
from app.session import Session, Turn

if TYPE_CHECKING:
    from app.page import Page

View = dict[str, Any]

# One output, and no postprocessing: Gradio would make a hop to a thread for each output of each piece of text.
_STREAM: dict[str, Any] = {"show_progress": "hidden", "postprocess": False}


class Talk:
    def __init__(self, picture_hosts: frozenset[str], most_at_once: int) -> None:
        self._hosts = picture_hosts
        self._options = _STREAM | {"concurrency_limit": most_at_once}

    def declare(self) -> None:
        self.view = scripted("talk", self.draw(Session(), None), events=("ask",))

    def draw(self, session: Session, turn: Turn | None, cards: str = "[]") -> View:
        """`turn` is added, or drawn anew; a new `epoch` clears the conversation first."""
        return {"epoch": session.epoch, "turn": turn and render.turn(turn, cards)}

    def subscribe(self, page: Page) -> None:
        async def written(text: str, session: Session, request: gr.Request) -> AsyncGenerator[View]:
            async with aclosing(self._turn(page, text, session, request)) as views:
                async for view in views:
                    yield view

        async def pressed(session: Session, event: gr.EventData, request: gr.Request) -> AsyncGenerator[View]:
            question = (event._data or {}).get("question")
            async with aclosing(self._turn(page, question, session, request)) as views:
                async for view in views:
                    yield view

        inputs = [page.composer.box, page.session]
        page.composer.box.submit(written, inputs, self.view, api_name="ask", js=page.composer.emptied, **self._options)
        self.view.ask(pressed, [page.session], self.view, api_visibility="private", **self._options)

    async def _turn(self, page: Page, question: object, session: Session, request: gr.Request) -> AsyncGenerator[View]:
        """One turn, drawn each time it has changed. Whoever asks chooses `question`: it may be anything."""
        asked = render.clean(question).strip() if isinstance(question, str) else ""
        if not asked:
            yield gr.skip()
            return
        epoch = session.epoch
        shelf: tuple[ShelfItem, ...] = ()
        cards = "[]"
        async with aclosing(page.turns.answer(request.session_hash or "", session, asked)) as states:
            async for turn in states:
                if session.epoch != epoch:
                    return  # cleared meanwhile
                if turn.shelf is not shelf:
                    shelf, cards = turn.shelf, render.cards(turn.shelf, self._hosts)
                yield self.draw(session, turn, cards)
