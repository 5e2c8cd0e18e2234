"""A conversation's newest message as a query: language, text to search for, limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from retrieval.product import Lang
from retrieval.store.base import Condition, Filter, InStock, Range
from retrieval.understand.constraints import Constraints, constraints, without_limits
from retrieval.understand.language import language

_FOLLOW_UP_WORDS = 4  # "in green?", "something cheaper": too short to stand alone


@dataclass(frozen=True)
class Understanding:
    lang: Lang
    query: str
    limits: Constraints

    @property
    def filter(self) -> Filter:
        must: list[Condition] = []
        if self.limits.price_min is not None or self.limits.price_max is not None:
            must.append(Range("price", gte=self.limits.price_min, lte=self.limits.price_max))
        if self.limits.in_stock:
            must.append(InStock())
        return Filter(must=tuple(must))


def _is_follow_up(text: str) -> bool:
    if regex.fullmatch(r"(?:[\W\d_]|的|有|呢|吗|吧)*", without_limits(text)):
        return True  # "50美元以内的": limits alone
    words = regex.findall(r"\p{Han}|[^\W\d_]+", text)
    return 0 < len(words) <= _FOLLOW_UP_WORDS and bool(
        regex.match(
            r"\s*(?:and|or|in|with|without|what about|how about|only|but|something|anything|any|cheaper|bigger|smaller"
            r"|那|还有|换|更|要|只要|有没有|便宜)\b?",
            text,
            regex.IGNORECASE,
        )
    )


def understand(user_messages: Sequence[str], lang: Lang | None = None) -> Understanding:
    """`user_messages` are the shopper's own, oldest first, at least one.

    A short follow-up ("in green?") is searched together with the message before it, whose limits go on to hold.
    """
    text = user_messages[-1].strip()
    limits = constraints(text)
    if len(user_messages) > 1 and _is_follow_up(text):
        before = user_messages[-2].strip()
        earlier = constraints(before)
        limits = Constraints(
            price_min=limits.price_min if limits.price_min is not None else earlier.price_min,
            price_max=limits.price_max if limits.price_max is not None else earlier.price_max,
            in_stock=limits.in_stock or earlier.in_stock,
        )
        text = f"{before} {text}"
    return Understanding(lang=lang or language(text), query=text, limits=limits)
