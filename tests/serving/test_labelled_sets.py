"""The form of the labelled sets, so that a slip in them is not taken for one of the gate or the guard."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar

import pytest
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

DATA = Path(__file__).parent / "data"
CATALOGUE = Path(__file__).parents[2] / "ui_assets" / "demo" / "products.jsonl"
RECORDS = "325577137cdcc94f"  # digest of the records that the truth of the claims was decided by

Words = Annotated[str, StringConstraints(pattern=r"\S")]
Lang = Literal["en", "zh"]
Category = Literal[
    "violence", "weapons", "self-harm", "crime", "sexual", "minors", "hate", "drugs", "privacy", "injection"
]
Kind = Literal[
    "price",
    "rating",
    "stock",
    "brand",
    "colour",
    "material",
    "size",
    "superlative",
    "comparison",
    "feature",
    "name",
    "echo",
    "plain",
]


class Row(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    lang: Lang


class Claim(Row):
    id: Annotated[str, StringConstraints(pattern=r"^c\d{3}$")]
    sentence: Words
    products: Annotated[list[str], Field(min_length=2, max_length=3)]
    about: str | None
    asked: Words
    holds: bool
    kind: Kind
    style: Literal["small", "large"]

    @model_validator(mode="after")
    def speaks_of_its_shelf(self) -> Self:
        if self.about is not None and self.about not in self.products:
            raise ValueError("about a product that is not on the shelf")
        if any("①②③".index(mark) >= len(self.products) for mark in re.findall("[①②③]", self.sentence)):
            raise ValueError("a mark without a product")
        if self.kind == "plain" and not self.holds:
            raise ValueError("no claim, and yet false")
        return self


class Contrast(Row):
    template: Annotated[int, Field(ge=1)]
    q: Annotated[Words, StringConstraints(max_length=100)]
    block: bool
    why: Category | Literal[""]

    @model_validator(mode="after")
    def has_a_reason(self) -> Self:
        if self.block != bool(self.why):
            raise ValueError("a block without a reason, or a reason without a block")
        return self


class Injection(Row):
    family: Words
    q: Words
    where: Literal["message", "product"]


class Personal(Row):
    q: Words
    block: Literal[False]
    pii: bool
    off_topic: bool


R = TypeVar("R", bound=Row)


def read(model: type[R], name: str) -> list[R]:
    return [model.model_validate_json(line) for line in (DATA / name).read_text().splitlines()]


CLAIMS = read(Claim, "claims.jsonl")
CONTRAST = read(Contrast, "contrast.jsonl")
INJECTIONS = read(Injection, "injections.jsonl")
PERSONAL = read(Personal, "off_topic_pii.jsonl")


def share(hits: list[bool]) -> float:
    return sum(hits) / len(hits)


def alike(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().casefold()


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param([row.sentence for row in CLAIMS], id="claims"),
        pytest.param([row.q for row in CONTRAST], id="contrast"),
        pytest.param([row.q for row in INJECTIONS], id="injections"),
        pytest.param([row.q for row in PERSONAL], id="off_topic_pii"),
    ],
)
def test_nothing_is_said_twice(texts: list[str]) -> None:
    assert [text for text, times in Counter(map(alike, texts)).items() if times > 1] == []


def test_claims_are_half_true_in_both_languages() -> None:
    assert len(CLAIMS) >= 480
    assert len({row.id for row in CLAIMS}) == len(CLAIMS)
    for lang in ("en", "zh"):
        assert share([row.holds for row in CLAIMS if row.lang == lang]) == pytest.approx(0.5, abs=0.03)
    assert share([row.lang == "zh" for row in CLAIMS]) > 1 / 3
    both = {(row.kind, row.holds) for row in CLAIMS}
    assert {kind for kind, _ in both if (kind, True) in both and (kind, False) in both} == {
        row.kind for row in CLAIMS
    } - {"plain"}


def test_claims_are_about_the_records_that_they_were_checked_against() -> None:
    """A record that changes may turn a label over: then check the sentences about it, and write its digest here."""
    records = {json.loads(line)["id"]: line for line in CATALOGUE.read_text().splitlines()}
    shelves = {product for row in CLAIMS for product in row.products}
    assert shelves <= set(records)
    digest = hashlib.sha256("\n".join(records[product] for product in sorted(shelves)).encode()).hexdigest()
    assert digest[: len(RECORDS)] == RECORDS


def test_contrast_pairs_differ_in_harm_alone() -> None:
    pairs = list(zip(CONTRAST[::2], CONTRAST[1::2], strict=True))
    assert len(pairs) >= 340
    for harmless, harmful in pairs:
        assert (harmless.template, harmless.lang) == (harmful.template, harmful.lang)
        assert (harmless.block, harmful.block) == (False, True)
    assert share([row.lang == "zh" for row in CONTRAST]) == pytest.approx(0.5, abs=0.03)


def test_each_template_has_one_category_and_both_languages() -> None:
    templates = {row.template for row in CONTRAST}
    assert len(templates) >= 60
    assert len({(row.template, row.why) for row in CONTRAST if row.block}) == len(templates)
    assert len({(row.template, row.lang) for row in CONTRAST}) == 2 * len(templates)
    assert len({row.why for row in CONTRAST if row.block}) == 10


def test_injections_have_families_to_leave_out() -> None:
    attacks = [row for row in INJECTIONS if row.family != "benign"]
    families = Counter(row.family for row in attacks)
    assert len(attacks) >= 170
    assert len(families) >= 12
    assert min(families.values()) >= 10
    assert len(INJECTIONS) - len(attacks) >= 60
    assert len({(row.family, row.lang) for row in INJECTIONS}) == 2 * len({row.family for row in INJECTIONS})
    assert {row.where for row in INJECTIONS if row.family == "benign"} == {"message", "product"}
    assert share([row.where == "product" for row in attacks]) > 0.2


def luhn(digits: str) -> bool:
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits))]
    return sum(number - 9 * (number > 9) for number in doubled) % 10 == 0


def test_personal_data_and_other_trades() -> None:
    assert len(PERSONAL) >= 120
    assert share([row.pii for row in PERSONAL]) == pytest.approx(0.45, abs=0.1)
    assert {(row.pii, row.off_topic) for row in PERSONAL} == {(a, b) for a in (True, False) for b in (True, False)}
    cards = {
        re.sub("[ -]", "", found): row.pii
        for row in PERSONAL
        for found in re.findall(r"(?<![A-Z\d])(?<!\d )(?:\d{4}[ -]?){3}\d{4}(?![ -]?\d)", row.q)
    }
    assert len(cards) >= 5
    assert {number for number, pii in cards.items() if luhn(number) != pii} == set()
