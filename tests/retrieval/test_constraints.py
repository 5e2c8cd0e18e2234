"""Brands, colours, sizes, refusals and wishes in a message, and what of them holds in the messages after it."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.product import Money, Product, Variant
from retrieval.store.base import AnyOf, Filter, Range
from retrieval.understand.constraints import constraints
from retrieval.understand.sizes import Scope
from retrieval.understand.turn import understand
from retrieval.understand.vocabulary import Vocabulary


def product(number: int, brand: str, category: tuple[str, str], colour: tuple[str, str], currency: str) -> Product:
    return Product(
        id=f"p{number}",
        title={"en": "Thing"},
        brand=brand,
        category={"en": category[0], "zh": category[1]},
        price=Money(amount=Decimal(50), currency=currency),
        attributes={
            "colour": {"en": colour[0], "zh": colour[1]},
            "material": {"en": "organic cotton", "zh": "有机棉"},
        },
        variants=(Variant(sku=f"s{number}", options={"size": "M", "colour": colour[0]}),),
    )


SHOP = (
    product(1, "Quillmere", ("Rain jackets", "雨衣"), ("navy blue", "藏蓝色"), "EUR"),
    product(2, "Tarn & Vole", ("Watches", "手表"), ("brick red", "砖红色"), "EUR"),
)
WORDS = Vocabulary.of(SHOP)


def test_a_vocabulary_travels_as_json() -> None:
    assert Vocabulary.model_validate_json(WORDS.model_dump_json()) == WORDS
    assert WORDS.brands == ("Quillmere", "Tarn & Vole")
    assert WORDS.sizes == ("M",)
    assert WORDS.currencies == ("EUR",)


@pytest.mark.parametrize(
    ("text", "brands"),
    [
        ("quillmere coat", ("Quillmere",)),
        ("a quilmere coat", ("Quillmere",)),  # a letter is missing
        ("Quillmere的雨衣", ("Quillmere",)),
        ("something by Tarn & Vole", ("Tarn & Vole",)),
        ("a quilt", ()),
    ],
)
def test_brands_are_those_of_the_catalogue(text: str, brands: tuple[str, ...]) -> None:
    assert constraints(text, WORDS).brand == brands


def test_a_brand_that_begins_like_a_limit_is_a_brand() -> None:
    found = constraints("Under Armour shirt under 40")
    assert (found.brand, found.price_max) == (("Under Armour",), 40)


@pytest.mark.parametrize(
    ("text", "colours"),
    [
        ("navy blue coat", ("navy blue",)),
        ("gray or red coat", ("grey", "red")),
        ("红外套", ("红色",)),
        ("藏蓝的雨衣", ("藏蓝色",)),
        ("green tea set", ()),
        ("蓝牙耳机", ()),
    ],
)
def test_colours(text: str, colours: tuple[str, ...]) -> None:
    assert constraints(text, WORDS).color == colours


@pytest.mark.parametrize(
    ("text", "terms", "brands", "categories"),
    [
        ("no zipper or hood please", ("zipper", "hood"), (), ()),
        ("anything but Quillmere, under 50", (), ("Quillmere",), ()),
        ("no watches", (), (), ("Watches",)),
        ("不要手表，也不要红色", ("红色",), (), ("手表",)),
        ("除了Quillmere都行", (), ("Quillmere",), ()),
        ("not too heavy, no rush", (), (), ()),
        ("不粘锅", (), (), ()),
        ("不锈钢水壶", (), (), ()),
    ],
)
def test_refusals(text: str, terms: tuple[str, ...], brands: tuple[str, ...], categories: tuple[str, ...]) -> None:
    found = constraints(text, WORDS)
    assert (found.exclude_terms, found.brand_not, found.category_not) == (terms, brands, categories)
    assert not {*found.color} & {*terms}


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("size 8 dress", ("8",)),
        ("42码的鞋", ("42",)),
        ("EU 42 boots", ("EU 42",)),
        ("美码9", ("US 9",)),
        ("L or XL tee", ("L", "XL")),
    ],
)
def test_sizes(text: str, sizes: tuple[str, ...]) -> None:
    found = constraints(text)
    assert found.size == sizes
    assert (found.price_min, found.price_max, found.price_about) == (None, None, None)


def test_each_thing_has_its_own_size() -> None:
    assert constraints("dress in 8, shoes in 7").scopes == (Scope("dress", "8"), Scope("shoes", "7"))


@pytest.mark.parametrize(
    ("text", "rating", "sort"),
    [
        ("rated at least 4.5", 4.5, None),
        ("四星半以上", 4.5, None),
        ("cheapest mug", None, "price_asc"),
        ("评分最高的", None, "rating_desc"),
        ("最贵不超过600", None, None),
    ],
)
def test_rating_and_order(text: str, rating: float | None, sort: str | None) -> None:
    found = constraints(text)
    assert (found.rating_min, found.sort) == (rating, sort)


def test_spans_point_at_what_was_said() -> None:
    text = "红色外套，３００元以内"
    said = {text[span.start : span.end] for span in constraints(text).spans}
    assert {"红色", "３００元以内"} <= said


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80), st.sampled_from(["under 5", "不要", "between 3 and", "x" * 3000]))
def test_no_text_is_an_error(text: str, more: str) -> None:
    understood = understand([text, more + text, text + more], vocabulary=WORDS)
    low, high = understood.limits.price_min, understood.limits.price_max
    assert low is None or high is None or low <= high
    assert understood.filter is not None


# --- the conversation


def test_limits_hold_until_they_are_forgotten() -> None:
    talk = ["navy jacket under 100", "only above 4.5"]
    understood = understand(talk, vocabulary=WORDS)
    assert understood.filter == Filter(must=(Range("price", lte=100.0), Range("rating", gte=4.5)))
    forgot = understand([*talk, "forget the budget"], vocabulary=WORDS)
    assert forgot.filter == Filter(must=(Range("rating", gte=4.5),))
    assert forgot.limits.color == ("navy",)


@pytest.mark.parametrize("text", ["cheaper", "第二个", "in green?", "不要皮的", "which of these is warmest?"])
def test_a_follow_up_keeps_the_limits(text: str) -> None:
    understood = understand(["夹克 jacket under 100", text], vocabulary=WORDS)
    assert understood.limits.price_max == 100
    assert "jacket" in understood.query


def test_the_newer_word_counts() -> None:
    understood = understand(
        ["Quillmere jacket in red under 50", "not Quillmere", "black ones", "over 80"], vocabulary=WORDS
    )
    limits = understood.limits
    assert (limits.brand, limits.brand_not, limits.color) == ((), ("Quillmere",), ("black",))
    assert (limits.price_min, limits.price_max) == (80, None)


def test_another_thing_keeps_the_budget_and_drops_the_size() -> None:
    limits = understand(["jacket under 100 in size L", "what about watches?"], vocabulary=WORDS).limits
    assert (limits.price_max, limits.size, limits.category) == (100, (), ("Watches",))


def test_a_new_topic_drops_all() -> None:
    understood = understand(
        ["red jacket under 100", "I would also like to see a nice watch for my father"], vocabulary=WORDS
    )
    assert understood.filter == Filter()
    assert understood.limits.color == ()


# --- limits of the store


def test_brands_and_categories_are_limits_where_the_catalogue_has_them() -> None:
    understood = understand(["Quillmere or Nike, no watches, not Tarn & Vole"], vocabulary=WORDS)
    assert understood.filter == Filter(
        must=(AnyOf("brand", ("Quillmere",)),),
        must_not=(AnyOf("brand", ("Tarn & Vole",)), AnyOf("category", ("Watches",))),
    )


def test_a_price_about_an_amount_is_a_range() -> None:
    assert understand(["a mug around 50"]).filter == Filter(must=(Range("price", gte=40.0, lte=60.0),))


def test_a_currency_is_a_limit_where_there_are_several() -> None:
    several = Vocabulary.of((*SHOP, product(3, "", ("Mugs", "马克杯"), ("white", "白色"), "USD")))
    assert AnyOf("currency", ("USD",)) in understand(["mug under $40"], vocabulary=several).filter.must
    only_price = Filter(must=(Range("price", lte=40.0),))
    assert understand(["mug under $40"], vocabulary=WORDS).filter == only_price
    assert understand(["mug under 40"], vocabulary=several).filter == only_price
    assert understand(["mug under $40"], vocabulary=WORDS).currency("EUR") == "EUR"
