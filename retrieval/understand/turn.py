"""A conversation's newest message as a query: language, text to search for, limits and wishes that hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import regex

from retrieval.product import Lang
from retrieval.store.base import AnyOf, Condition, Filter, InStock, Range
from retrieval.understand.constraints import Constraints, constraints, less_limits
from retrieval.understand.follow_up import continues, forgotten, merged
from retrieval.understand.language import language
from retrieval.understand.vocabulary import Vocabulary

_ABOUT = 0.2  # how far a price "around 100" may lie from it
_MOST_MESSAGES = 12  # of a conversation; what was said before these no longer holds


@dataclass(frozen=True)
class Understanding:
    """`limits` are those of the whole conversation; `query` is the text to search for, limits included.

    `vocabulary`: the catalogue's, where it is known.
    """

    lang: Lang
    query: str
    limits: Constraints
    vocabulary: Vocabulary | None = field(default=None, compare=False, repr=False)

    @property
    def hard_brands(self) -> tuple[str, ...]:
        """The brands wished for that the catalogue has: only they can be a limit."""
        return tuple(brand for brand in self.limits.brand if self.vocabulary and self.vocabulary.is_brand(brand))

    def currency(self, shop: str) -> str:
        """What the limits of price are in: the stated currency if the shop has it, else `shop`, its most frequent."""
        stated = self.limits.currency
        return stated if self.vocabulary and stated in self.vocabulary.currencies else shop

    @property
    def filter(self) -> Filter:
        limits = self.limits
        must: list[Condition] = []
        low, high = limits.price_min, limits.price_max
        if limits.price_about is not None:
            low, high = (round(limits.price_about * share, 2) for share in (1 - _ABOUT, 1 + _ABOUT))
        if low is not None or high is not None:
            must.append(Range("price", gte=low, lte=high))
            if self.vocabulary and len(self.vocabulary.currencies) > 1 and self.currency(""):
                must.append(AnyOf("currency", (limits.currency,)))
        if limits.in_stock:
            must.append(InStock())
        if limits.rating_min is not None:
            must.append(Range("rating", gte=limits.rating_min))
        if self.hard_brands:
            must.append(AnyOf("brand", self.hard_brands))
        must_not: list[Condition] = []
        if limits.brand_not:
            must_not.append(AnyOf("brand", limits.brand_not))
        if limits.category_not:
            must_not.append(AnyOf("category", limits.category_not))
        return Filter(must=tuple(must), must_not=tuple(must_not))


def understand(
    user_messages: Sequence[str], lang: Lang | None = None, vocabulary: Vocabulary | None = None
) -> Understanding:
    """`user_messages` are the shopper's own, oldest first, at least one.

    A follow-up ("in green?", "cheaper") is searched together with the message that began its topic, whose limits go on
    to hold unless it changes or forgets them. Any other message begins a topic, with limits of its own only.
    """
    topic, limits, query = "", Constraints(), ""
    for message in user_messages[-_MOST_MESSAGES:]:
        text = message.strip()
        own = constraints(text, vocabulary)
        if topic and continues(text, own, less_limits(text, own)):
            if own.category and limits.category and own.category != limits.category:  # "what about boots?"
                limits = merged(replace(limits, category=(), size=(), scopes=(), material=()), own)
                topic = query = text
            else:
                limits = merged(forgotten(limits, text), own)
                query = _searched(topic, text, limits)
        else:
            topic, limits, query = text, own, text
    return Understanding(lang=lang or language(query), query=query, limits=limits, vocabulary=vocabulary)


def _searched(topic: str, text: str, limits: Constraints) -> str:
    """Topic and follow-up, and the wishes of those between."""
    said = f"{topic} {text}"
    between = [
        wish for wish in (*limits.color, *limits.material) if not regex.search(regex.escape(wish), said, regex.I)
    ]
    return " ".join([said, *between])
