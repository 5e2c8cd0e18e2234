"""The shape of a panel, and how a panel of ours is put into Gradio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import gradio as gr

if TYPE_CHECKING:
    from app.page import Page


class Panel(Protocol):
    """A part of the page. Panels also have a `draw` where something of the server's is drawn on them."""

    def declare(self) -> None:
        """Make the components, inside the page's Blocks."""
        ...

    def subscribe(self, page: Page) -> None:
        """Wire events; all panels are declared."""
        ...


def scripted(name: str, value: Any = None, *, events: tuple[str, ...] = ()) -> gr.HTML:
    """A component drawn by `ui_assets/js/NAME.js` from `value`, which can send `events`.

    The template is constant on purpose: Gradio evaluates what a template makes of a value as a program, so texts of
    the catalogue and the model must never get into one. The script sets them with textContent.
    """
    names = ", ".join(f"'{event}'" for event in events)  # Gradio looks for them in the script
    given = f"{{element, props, watch, trigger, events: [{names}]}}"
    script = f"import('/ui/js/{name}.js').then(panel => panel.default({given}))"
    return gr.HTML(
        value,
        html_template=f'<div class="{name}"></div>',
        js_on_load=script,
        apply_default_css=False,
        elem_id=name,
    )


# Handlers that answer at once: outside the queue, never dropped, and not part of the page's public API.
AT_ONCE: dict[str, Any] = {
    "queue": False,
    "show_progress": "hidden",
    "trigger_mode": "multiple",
    "api_visibility": "private",
}
