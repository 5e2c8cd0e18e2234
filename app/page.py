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


class Page:
    """`blocks` is the Gradio page; the panels are its parts. Every panel declares, then every panel subscribes."""

    def __init__(self, service: Service, picture_hosts: frozenset[str]) -> None:
        self.turns = Turns(service)
        self.header, self.strip = Header(), Strip()
        self.talk, self.composer, self.shelf = Talk(), Composer(), Shelf(picture_hosts)
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
        self.blocks.queue(default_concurrency_limit=64, max_size=1024)

    async def _left(self, request: gr.Request) -> None:
        """The tab was closed or reloaded; Gradio alone would let a waiting turn run to its end."""
        await self.turns.stop(request.session_hash or "")
