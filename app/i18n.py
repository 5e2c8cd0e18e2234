"""The page's words: `ui_assets/texts/LANG.json`, one flat table for each language, with the same keys."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "zh")
TEXTS = Path(__file__).parent.parent / "ui_assets" / "texts"


@cache
def texts(lang: str) -> dict[str, str]:
    """All words of the page in `lang`, one of LANGUAGES."""
    table: dict[str, str] = json.loads((TEXTS / f"{lang}.json").read_text("utf-8"))
    return table


def for_terminal() -> dict[str, str]:
    """The words in the language of the terminal."""
    wanted = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return texts("zh" if wanted.startswith("zh") else "en")
