"""Sentences filled from records: exact amounts, both languages."""

from __future__ import annotations

from decimal import Decimal

import pytest

from retrieval.product import Money, Product
from retrieval.understand.constraints import Constraints
from serving import wording


def product(
    identity: str = "p", amount: str | None = "24.90", currency: str = "USD", stock: int | None = None
) -> Product:
    price = None if amount is None else Money(amount=Decimal(amount), currency=currency)
    return Product(
        id=identity,
        title={"en": "Steel Bottle", "zh": "不锈钢水壶"},
        price=price,
        stock=stock,
        rating=4.6,
        rating_count=120,
    )


@pytest.mark.parametrize(
    ("amount", "currency", "shown"),
    [
        ("24.90", "USD", "$24.90"),
        ("1299.5", "EUR", "€1,299.50"),
        ("33.61", "GBP", "£33.61"),
        ("5999", "JPY", "¥5,999"),
        ("120", "SEK", "120.00 SEK"),
    ],
)
def test_money_is_exact(amount: str, currency: str, shown: str) -> None:
    assert wording.money(Money(amount=Decimal(amount), currency=currency)) == shown


@pytest.mark.parametrize(
    ("stock", "english", "chinese"),
    [
        (
            None,
            "② **Steel Bottle** – $24.90, rated 4.6 by 120 shoppers.",
            "② **不锈钢水壶**：$24.90，120 位顾客评分 4.6。",
        ),
        (
            0,
            "② **Steel Bottle** – $24.90, rated 4.6 by 120 shoppers, sold out at the moment.",
            "② **不锈钢水壶**：$24.90，120 位顾客评分 4.6，暂时售罄。",
        ),
        (
            3,
            "② **Steel Bottle** – $24.90, rated 4.6 by 120 shoppers, only 3 left.",
            "② **不锈钢水壶**：$24.90，120 位顾客评分 4.6，仅剩 3 件。",
        ),
    ],
)
def test_headline_states_the_record(stock: int | None, english: str, chinese: str) -> None:
    assert wording.headline(2, product(stock=stock), "en") == english
    assert wording.headline(2, product(stock=stock), "zh") == chinese


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Keeps drinks cold. Fits most cups.", "Keeps drinks cold."),
        ("Holds 0.75 litres of water. Light.", "Holds 0.75 litres of water."),
        ("保冷24小时。杯口防漏。", "保冷24小时。"),
        ("No full stop", "No full stop"),
        ("", ""),
        ("x" * 500, "x" * 159 + "…"),
    ],
)
def test_first_sentence(text: str, sentence: str) -> None:
    assert wording.first_sentence(text) == sentence


def test_introduction_gives_the_range() -> None:
    shelf = [product("a", "89.00"), product("b", "24.90"), product("c", "30")]
    assert wording.introduction(shelf, "en") == "Here are 3 that may suit you, from $24.90 to $89.00."
    assert wording.introduction(shelf, "zh") == "为您找到 3 款，价格从 $24.90 到 $89.00。"


def test_introduction_never_mixes_currencies_or_guesses_prices() -> None:
    assert "from" not in wording.introduction([product("a", "10"), product("b", "10", "EUR")], "en")
    assert "from" not in wording.introduction([product("a", "10"), product("b", None)], "en")


def test_chips_name_the_limits_in_the_catalogues_currency() -> None:
    limits = Constraints(price_min=20, price_max=99.5, in_stock=True)
    assert [chip.label for chip in wording.chips(limits, "en", "EUR")] == ["at least €20", "at most €99.50", "in stock"]
    assert [chip.label for chip in wording.chips(limits, "zh", "SEK")] == ["不低于 20 SEK", "不超过 99.50 SEK", "有货"]


def test_chips_of_wishes_are_soft_and_in_both_languages() -> None:
    limits = Constraints(brand=("Nike",), brand_not=("Puma",), color=("red",), rating_min=4.5, sort="price_asc")
    shown = wording.chips(limits, "en", "USD")
    assert [(chip.label, chip.hard) for chip in shown] == [
        ("rated 4.5 or more", True),
        ("brand Nike", False),
        ("not Puma", True),
        ("red", False),
        ("cheapest first", False),
    ]
    assert wording.chips(limits, "en", "USD", ["Nike"])[1].hard
    assert [chip.label for chip in wording.chips(limits, "zh", "USD")][::4] == ["评分 4.5 以上", "价格从低到高"]


def test_follow_ups_are_ones_the_shelf_can_answer() -> None:
    shelf = [product("a", "20"), product("b", "30"), product("c", "60", stock=0)]
    assert wording.follow_ups(shelf, Constraints(), "en") == ("Something under $30", "Only those in stock")
    assert wording.follow_ups(shelf[:1], Constraints(), "en") == ()
    assert wording.follow_ups([], Constraints(), "zh") == ()
