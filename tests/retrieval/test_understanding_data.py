"""The form of the labelled messages, so that a slip in them is not taken for one of the parser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

DATA = Path(__file__).parent / "data"

Term = Annotated[str, StringConstraints(pattern=r"^\S(.*\S)?$")]
Terms = Annotated[list[Term], Field(min_length=1)]
Amount = Annotated[float, Field(gt=0, strict=True)]


class Row(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Scope(Row):
    item: Term
    size: Term


class Want(Row):
    price_min: Amount | None = None
    price_max: Amount | None = None
    price_about: Amount | None = None
    currency: Literal["USD", "GBP", "EUR", "CNY", "JPY"] | None = None
    brand: Terms | None = None
    brand_not: Terms | None = None
    color: Terms | None = None
    material: Terms | None = None
    size: Terms | None = None
    rating_min: Annotated[float, Field(ge=1, le=5, strict=True)] | None = None
    in_stock: bool | None = None
    sort: Literal["price_asc", "price_desc", "rating_desc", "newest"] | None = None
    exclude_terms: Terms | None = None
    category_not: Terms | None = None
    scopes: Annotated[list[Scope], Field(min_length=2)] | None = None

    @model_validator(mode="after")
    def agrees_with_itself(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("nothing is wanted")
        if self.price_min and self.price_max and self.price_min >= self.price_max:
            raise ValueError("the range is empty")
        if self.price_about and (self.price_min or self.price_max):
            raise ValueError("about a price and a limit of it")
        if self.currency and not (self.price_min or self.price_max or self.price_about):
            raise ValueError("a currency of no price")
        return self


class Message(Row):
    q: Term
    want: Want


class Phrase(Row):
    q: Term


def lines(name: str) -> list[str]:
    return (DATA / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")


def chinese(text: str) -> bool:
    return re.search(r"[\u4e00-\u9fff]", text) is not None


def test_messages_have_the_stated_form() -> None:
    messages = [Message.model_validate_json(line) for line in lines("understanding.jsonl")]
    assert len(messages) >= 280
    assert len({m.q.casefold() for m in messages}) == len(messages)
    assert abs(sum(chinese(m.q) for m in messages) / len(messages) - 0.5) < 0.02


def test_every_key_is_judged_in_both_languages() -> None:
    messages = [Message.model_validate_json(line) for line in lines("understanding.jsonl")]
    for spoken in (True, False):
        judged = {key for m in messages if chinese(m.q) is spoken for key in m.want.model_dump(exclude_none=True)}
        assert judged == set(Want.model_fields)


def test_words_of_an_answer_are_in_the_language_of_the_message() -> None:
    """A Chinese answer to an English message is a slip; brands and sizes are Latin in both."""
    for m in (Message.model_validate_json(line) for line in lines("understanding.jsonl")):
        for words in (m.want.color, m.want.material, m.want.exclude_terms, m.want.category_not):
            assert all(chinese(word) is chinese(m.q) and word == word.lower() for word in words or ()), m.q


def test_phrases_without_a_price_have_the_stated_form() -> None:
    phrases = [Phrase.model_validate_json(line).q for line in lines("no_price.jsonl")]
    assert len(phrases) >= 80
    assert len({p.casefold() for p in phrases}) == len(phrases)
    assert min(sum(map(chinese, phrases)), len(phrases) - sum(map(chinese, phrases))) >= len(phrases) * 0.4
