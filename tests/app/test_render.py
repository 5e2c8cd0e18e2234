"""What goes to the browser: texts without unseen characters, and only addresses that a card may use."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import render
from app.events import Product, ShelfItem
from app.session import Session

HOSTS = frozenset({"cdn.shop.example"})


@given(st.text())
def test_clean_texts_can_be_sent_and_hide_nothing(text: str) -> None:
    clean = render.clean(text)
    clean.encode()  # no halves of a character
    assert not set(clean) & set("\u202e\u2066\u200f\x00\x1b\ufeff")
    assert render.clean(clean) == clean


def test_clean_keeps_what_is_writing() -> None:
    text = "Größe 42\n\t① 红色 — <b>bold</b> ${x} {{y}} 👩\u200d🍳"
    assert render.clean(text) == text


def test_half_a_character_is_dropped() -> None:
    assert render.clean("a\ud83d b\u202ec") == "a bc"


@pytest.mark.parametrize(
    ("image", "address"),
    [
        ("boot-1.webp", "/pictures/boot-1.webp"),
        ("https://cdn.shop.example/boot.jpg?w=400", "https://cdn.shop.example/boot.jpg?w=400"),
        ("https://elsewhere.example/boot.jpg", None),
        ("https://cdn.shop.example.evil.example/boot.jpg", None),
        ("https://evil.example/@cdn.shop.example", None),
        ("http://cdn.shop.example/boot.jpg", None),
        ("//cdn.shop.example/boot.jpg", None),
        ("../../etc/passwd", None),
        ("a/../b.webp", None),
        ("..webp", None),
        ("boot.svg", None),
        ("boot.html", None),
        ("data:image/png;base64,AAAA", None),
        ("https://[broken", None),
        ("", None),
        (None, None),
    ],
)
def test_pictures_come_from_here_or_from_a_named_host(image: str | None, address: str | None) -> None:
    product = Product(id="1", title={"en": "Boot"}, image=image)
    assert render.picture(ShelfItem(number=1, product=product), HOSTS) == address
    if image and address is None:
        kept = ShelfItem(number=1, product=product, picture="0123.webp")
        assert render.picture(kept, HOSTS) == "/pictures/0123.webp", "the one that the service kept, if it did"
        assert render.picture(kept.model_copy(update={"picture": "../x.webp"}), HOSTS) is None


@pytest.mark.parametrize("url", ["https://shop.example/p/1?a=b#c", "http://shop.example"])
def test_links_to_the_web_are_kept(url: str) -> None:
    assert render.link(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,<script>",
        "//shop.example",
        "/local",
        "https://",
        "https://user:pw@evil.example",
        "https://shop.example/\u202egpj",
        "https://[broken",
        "",
        None,
    ],
)
def test_other_links_are_not_drawn(url: str | None) -> None:
    assert render.link(url) is None


def test_a_card_holds_the_record_and_nothing_that_it_lacks() -> None:
    product = {"id": "p", "title": {"en": "Boot", "zh": "靴子"}, "rating": 4.5, "description": {"en": "secret"}}
    item = ShelfItem.model_validate({"number": 3, "product": product, "score": 0.5})
    assert render.card(item, HOSTS) == {
        "number": 3,
        "title": {"en": "Boot", "zh": "靴子"},
        "brand": "",
        "price": None,
        "stock": None,
        "rating": None,  # nobody has rated it
        "rating_count": 0,
        "picture": None,
        "url": None,
    }


def test_a_turn_can_be_sent_whatever_was_asked() -> None:
    turn = Session().begin("${x} <b>")
    assert json.loads(json.dumps(render.turn(turn, "[]")))["question"] == "${x} <b>"
