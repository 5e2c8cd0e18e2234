"""Which language a message is in: Chinese if it holds Han characters, else English."""

from __future__ import annotations

import regex

from retrieval.product import Lang

_HAN = regex.compile(r"\p{Han}")


def language(text: str) -> Lang:
    return "zh" if _HAN.search(text) else "en"
