"""Keeping people's text apart from a model's own markup."""

from __future__ import annotations

import re
from typing import Any


class Markup:
    """The tokens that a tokenizer reads as structure (`<|im_start|>`, `<think>`), wherever they come from.

    Text of shoppers, shops and clients goes through `defused` before it enters a chat template: the same characters,
    with a space inside each such token, so that nobody can begin a system message of their own.
    """

    def __init__(self, tokenizer: Any) -> None:
        tokens = sorted({*tokenizer.get_added_vocab(), *tokenizer.all_special_tokens}, key=len, reverse=True)
        structural = [re.escape(token) for token in tokens if len(token) > 1 and not token.isspace()]
        self._pattern = re.compile("|".join(structural) or r"(?!)")

    def defused(self, text: str) -> str:
        while (changed := self._pattern.sub(lambda found: f"{found[0][0]} {found[0][1:]}", text)) != text:
            text = changed  # what is left over may join to a token again
        return text
