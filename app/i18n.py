"""The page's words: `ui_assets/texts/LANG.json`, one flat table for each language, with the same keys."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import gradio as gr

LANGUAGES = ("en", "zh")
TEXTS = Path(__file__).parent.parent / "ui_assets" / "texts"


@cache
def texts(lang: str) -> dict[str, str]:
    """All words of the page in `lang`, one of LANGUAGES."""
    table: dict[str, str] = json.loads((TEXTS / f"{lang}.json").read_text("utf-8"))
    return table


def first_words() -> gr.I18n:
    """For Gradio's own components, which follow the browser's language until the shopper chooses another."""
    return gr.I18n(**{lang: texts(lang) for lang in LANGUAGES})
