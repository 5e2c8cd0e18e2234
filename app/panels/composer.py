"""Where the shopper writes: the box, send, stop. Its script shows stop while an answer runs, else send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import LANGUAGES, texts
from app.panels.base import AT_ONCE, scripted

if TYPE_CHECKING:
    from app.page import Page


class Composer:
    # Takes what was written and empties the box, before the server has heard of it.
    emptied = "(...given) => { window.dispatchEvent(new Event('daogou:sent')); return given; }"

    def declare(self) -> None:
        self.box = gr.Textbox(
            label=gr.I18n()("ask_label"),
            placeholder=gr.I18n()("ask_placeholder"),
            show_label=False,
            container=False,
            lines=1,
            max_lines=5,
            submit_btn=True,
            stop_btn=True,
            elem_id="ask",
            html_attributes=gr.InputHTMLAttributes(enterkeyhint="send", autocomplete="off"),
        )
        self.hint = scripted("composer")

    def speak(self, lang: str) -> Any:
        """The box in another language; an unknown one changes nothing."""
        if lang not in LANGUAGES:
            return gr.skip()
        return gr.update(placeholder=texts(lang)["ask_placeholder"], label=texts(lang)["ask_label"])

    def subscribe(self, page: Page) -> None:
        async def stop(request: gr.Request) -> None:
            await page.turns.stop(request.session_hash or "")

        self.box.stop(stop, None, None, **AT_ONCE)
