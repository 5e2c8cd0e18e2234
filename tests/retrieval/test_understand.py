"""What a message demands, in both languages."""

from __future__ import annotations

import pytest

from retrieval.store.base import Filter, InStock, Range
from retrieval.understand.constraints import Constraints, constraints, without_limits
from retrieval.understand.language import language
from retrieval.understand.turn import understand


def stated(text: str) -> Constraints:
    """Of what is read, the limits that need no catalogue: price and stock."""
    found = constraints(text)
    return Constraints(price_min=found.price_min, price_max=found.price_max, in_stock=found.in_stock)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("waterproof jacket under $100", Constraints(price_max=100)),
        ("boots between 50 and 120", Constraints(price_min=50, price_max=120)),
        ("boots between 120 and 50", Constraints(price_min=50, price_max=120)),
        ("headphones over $1,299.99", Constraints(price_min=1299.99)),
        ("watch more than 2k", Constraints(price_min=2000)),
        ("at least £20 but at most £35.50", Constraints(price_min=20, price_max=35.5)),
        ("tent for at least 4 people under 200", Constraints(price_max=200)),
        ("in stock mugs under €20", Constraints(price_max=20, in_stock=True)),
        ("500元以下的背包", Constraints(price_max=500)),
        ("外套60元以下", Constraints(price_max=60)),
        ("外套 60元以下", Constraints(price_max=60)),
        ("耳机１００元以内", Constraints(price_max=100)),
        ("耳机100到200元之间", Constraints(price_min=100, price_max=200)),
        ("外套200元以上", Constraints(price_min=200)),
        ("jacket under ＄６０", Constraints(price_max=60)),
        ("iPhone15以下", Constraints()),
        ("jacket under 1e308 dollars", Constraints()),
        ("100到200元的鞋", Constraints(price_min=100, price_max=200)),
        ("不超过1.5万的手表，要有货", Constraints(price_max=15000, in_stock=True)),
        ("1000以上的耳机", Constraints(price_min=1000)),
        ("50以内的杯子", Constraints(price_max=50)),
    ],
)
def test_limits_are_read_exactly(text: str, expected: Constraints) -> None:
    assert stated(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "under the sea toys",
        "laptop under 1kg",
        "battery over 20 hours",
        "iPhone 15",
        "2024 model",
        "55 inch screen over my desk",
        "bottle that keeps cold for at least 24 hours",
        "screen over 27 inch",
        "under 3 years old",
        "帐篷至少4人",
        "重量不超过2公斤",
        "3岁以上的玩具",
        "",
        "🙂",
    ],
)
def test_what_is_no_price_is_not_read_as_one(text: str) -> None:
    found = constraints(text)
    assert (found.price_min, found.price_max) == (None, None)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("100美元以内的外套", "的外套"),
        ("外套，100到200元的，要有货", "外套， ，"),
        ("不超过1.5万的手表", "的手表"),
        ("帐篷至少4人", "帐篷至少4人"),
        ("boots over $50 but under 100", "boots   but"),
        ("iPhone 15", "iPhone 15"),
        ("500元以下", ""),
        ("外套６０元以下", "外套"),
    ],
)
def test_without_limits_what_is_wanted_is_left(text: str, left: str) -> None:
    assert without_limits(text) == left


@pytest.mark.parametrize("text", ["50美元以内的", "有货的呢？", "100到200元的有吗", "under $50?"])
def test_limits_alone_continue_the_message_before(text: str) -> None:
    understood = understand(["防水外套", text])
    assert understood.query == f"防水外套 {text}"
    assert (understood.limits.price_max, understood.limits.in_stock) == (
        constraints(text).price_max,
        constraints(text).in_stock,
    )
    assert stated(text) != Constraints()


@pytest.mark.parametrize(("text", "lang"), [("red shoes", "en"), ("红色的鞋", "zh"), ("Nike 鞋", "zh"), ("", "en")])
def test_language(text: str, lang: str) -> None:
    assert language(text) == lang


def test_a_short_follow_up_keeps_topic_and_limits() -> None:
    understood = understand(["waterproof jacket under $100", "in green?"])
    assert understood.query == "waterproof jacket under $100 in green?"
    assert understood.filter == Filter(must=(Range("price", lte=100.0),))


def test_a_follow_up_may_change_the_limit() -> None:
    understood = understand(["jacket under $100", "only under $60"])
    assert understood.limits.price_max == 60


def test_a_new_question_stands_alone() -> None:
    understood = understand(["jacket under $100", "do you have a red mug in stock?"])
    assert understood.query == "do you have a red mug in stock?"
    assert understood.filter == Filter(must=(InStock(),))


def test_the_client_may_set_the_language() -> None:
    assert understand(["red shoes"], "zh").lang == "zh"


def test_a_price_beyond_all_numbers_stays_a_number() -> None:
    assert stated("jacket under $" + "9" * 400) == Constraints(price_max=1e12)
