"""The page's colours and shapes, as a Gradio theme. `css/page.css` uses these variables only."""

from __future__ import annotations

from typing import Any

import gradio as gr

_FONTS = ["system-ui", "-apple-system", "Segoe UI", "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei"]
_FONTS += ["Noto Sans CJK SC", "Noto Sans SC", "sans-serif"]
_MONO = ["ui-monospace", "SFMono-Regular", "Consolas", "monospace"]

_PERSIMMON = gr.themes.Color(
    name="persimmon",
    c50="#fdf4f0",
    c100="#fae5dc",
    c200="#f4c9b9",
    c300="#eba68d",
    c400="#de7d5f",
    c500="#c9593b",
    c600="#b4472e",
    c700="#953926",
    c800="#783124",
    c900="#5f2a20",
    c950="#34130d",
)
_PAPER = gr.themes.Color(
    name="paper",
    c50="#fcf9f5",
    c100="#f6f0e8",
    c200="#eae1d5",
    c300="#d9ccbb",
    c400="#b3a492",
    c500="#857767",
    c600="#685c4f",
    c700="#4d443b",
    c800="#332d28",
    c900="#262120",
    c950="#1a1716",
)


def theme() -> Any:
    """Warm paper and persimmon; system fonts, so nothing is fetched from elsewhere."""
    base = gr.themes.Base(
        primary_hue=_PERSIMMON,
        secondary_hue=_PERSIMMON,
        neutral_hue=_PAPER,
        font=_FONTS,
        font_mono=_MONO,
        radius_size=gr.themes.sizes.radius_lg,
    )
    return base.set(
        body_background_fill="*neutral_50",
        body_background_fill_dark="*neutral_950",
        body_text_color="#2b2420",
        body_text_color_dark="#f0e9e1",
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_400",
        background_fill_primary="#ffffff",
        background_fill_primary_dark="#2b2624",
        background_fill_secondary="*neutral_100",
        background_fill_secondary_dark="#221e1c",
        border_color_primary="*neutral_200",
        border_color_primary_dark="*neutral_700",
        color_accent="*primary_600",
        color_accent_soft="*primary_100",
        color_accent_soft_dark="*primary_950",
        link_text_color="*primary_700",
        link_text_color_dark="*primary_300",
        input_background_fill="#ffffff",
        input_background_fill_dark="#2b2624",
        input_border_color="*neutral_200",
        input_border_color_dark="*neutral_700",
        input_placeholder_color="*neutral_500",
        input_placeholder_color_dark="*neutral_400",
        button_primary_background_fill="*primary_600",
        button_primary_background_fill_dark="*primary_600",
        button_primary_background_fill_hover="*primary_700",
        button_primary_background_fill_hover_dark="*primary_500",
        button_primary_text_color="#ffffff",
    )
