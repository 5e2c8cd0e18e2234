"""The page: its panels, laid out, and what passes between them."""

from __future__ import annotations

import gradio as gr

from app.client import Service
from app.panels.composer import Composer
from app.panels.header import Header
from app.panels.shelf import Shelf
from app.panels.strip import Strip
from app.panels.talk import Talk
from app.session import Session
from app.turns import Turns

_MOST_AT_ONCE = 512  # turns that run at the same time; Gradio's own limits are 1 for a function, 40 for all


class Page:
    """`blocks` is the Gradio page; the panels are its parts. Every panel declares, then every panel subscribes."""

    def __init__(self, service: Service, picture_hosts: frozenset[str]) -> None:
        self.turns = Turns(service)
        self.header, self.strip = Header(), Strip()
        self.talk, self.composer, self.shelf = Talk(picture_hosts, _MOST_AT_ONCE), Composer(), Shelf()
        with gr.Blocks(title="Daogou · 导购", analytics_enabled=False, fill_width=True) as self.blocks:
            self.session = gr.State(Session())
            self.header.declare()
            self.strip.declare()
            with gr.Row(elem_id="floor"):
                with gr.Column(elem_id="chat"):
                    self.talk.declare()
                    self.composer.declare()
                with gr.Column(elem_id="side"):
                    self.shelf.declare()
            for panel in (self.header, self.strip, self.talk, self.composer, self.shelf):
                panel.subscribe(self)
            self.blocks.unload(self._left)
        self.blocks.max_threads = _MOST_AT_ONCE  # Gradio runs no more jobs than this at once, async ones included
        self.blocks.queue(max_size=2 * _MOST_AT_ONCE)
        # Gradio looks for work every 1 ms and for progress bars every 10 ms, 5 % of a core on an idle page.
        self.blocks._queue.sleep_when_free = 0.008
        self.blocks._queue.progress_update_sleep_when_free = 1

    async def _left(self, request: gr.Request) -> None:
        """The tab was closed or reloaded; Gradio alone would let a waiting turn run to its end."""
        await self.turns.stop(request.session_hash or "")
