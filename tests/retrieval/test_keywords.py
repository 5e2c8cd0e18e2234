"""The words of products and of questions."""

from __future__ import annotations

from hashlib import sha256

import pytest

from retrieval.keywords import VERSION, product_words, question_words
from retrieval.product import Product
from retrieval.text import TEMPLATE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("running shoes", "RUNNING SHOE"),
        ("ＵＳＢ-Ｃ １５", "usb c 15"),
        ("iPhone15手机壳", "iphone 15 手机壳"),
        ("我想买一双鞋", "鞋"),
        ("推荐一款跑鞋吧", "跑鞋"),
    ],
)
def test_the_same_words_are_the_same(one: str, other: str) -> None:
    assert set(question_words(one).indices) == set(question_words(other).indices) != set()


def test_numbers_and_kinds_tell_words_apart() -> None:
    assert question_words("iPhone 15") != question_words("iPhone 16")
    assert set(question_words("裙子").indices) & set(product_words(Product(id="d", title={"zh": "连衣裙"})).indices)
    assert not set(question_words("裙子").indices) & set(product_words(Product(id="d", title={"zh": "裤子"})).indices)


def test_a_name_counts_more_than_a_mention() -> None:
    named = Product(id="a", title={"zh": "帐篷"}, description={"zh": "适合露营"})
    told = Product(id="b", title={"zh": "露营"}, description={"zh": "适合帐篷"})
    asked = question_words("帐篷").indices
    weights = [
        sum(value for index, value in zip(*product_words(item), strict=True) if index in asked)
        for item in (named, told)
    ]
    assert weights[0] > weights[1] > 0


def test_a_long_message_is_looked_up_in_part() -> None:
    assert len(question_words("防水外套、登山帐篷、" * 2000 + " ".join(map(str, range(2000)))).indices) <= 128


def test_other_words_mean_another_index() -> None:
    """If this fails, a product has other words than in indexes that exist: raise VERSION, then correct the digest."""
    item = Product(
        id="x",
        title={"en": "Women's Waterproof Rain Jackets", "zh": "女士防水雨衣夹克 藏蓝色"},
        category={"zh": "外套夹克"},
        brand="Norrvane",
        attributes={"capacity": {"zh": "1.7 升"}},
        description={"zh": "接缝全部热压，暴雨也不怕。杯子、瓶儿都装得下。"},
    )
    words = product_words(item)
    text = " ".join(f"{index}:{value:.4f}" for index, value in sorted(zip(*words, strict=True)))
    assert (VERSION, sha256(text.encode()).hexdigest()[:12]) == ("words/1", "b801b2ebfad0")
    assert VERSION in TEMPLATE
