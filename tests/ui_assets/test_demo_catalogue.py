"""The committed demo catalogue: what a shop page needs of it, and that its generator still makes it."""

from __future__ import annotations

import re
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from retrieval.product import Product
from ui_assets.demo import CATALOGUE, PICTURES
from ui_assets.demo.generate import drawn, to_lines
from ui_assets.demo.products import build_items

MOST_PICTURE_BYTES = 8_000
CHINESE = re.compile(r"[\u4e00-\u9fff]")
ENDINGS = {"00", "90", "95", "99"}


@pytest.fixture(scope="module")
def products() -> list[Product]:
    return [Product.model_validate_json(line) for line in CATALOGUE.read_text(encoding="utf-8").splitlines()]


def test_it_is_as_large_as_a_shop(products: list[Product]) -> None:
    categories = [product.category["en"] for product in products]
    assert len(products) >= 400
    assert len(set(categories)) >= 15
    assert min(categories.count(category) for category in set(categories)) >= 10


def test_every_text_is_there_in_both_languages(products: list[Product]) -> None:
    for product in products:
        for text in (product.title, product.description, product.category):
            assert set(text) == {"en", "zh"}, product.id
            assert CHINESE.search(text["zh"]), product.id
            assert not CHINESE.search(text["en"]), product.id
        for key, value in product.attributes.items():
            assert set(value) == {"en", "zh"}, (product.id, key)
            assert not CHINESE.search(key + value["en"]), (product.id, key)


def test_no_placeholder_is_left(products: list[Product]) -> None:
    for product in products:
        words = " ".join([*product.title.values(), *product.description.values()])
        assert not re.search(r"[${}|]", words), product.id


def test_titles_and_descriptions_are_their_own(products: list[Product]) -> None:
    for lang in ("en", "zh"):
        assert len({product.title[lang] for product in products}) == len(products)
        assert len({product.description[lang] for product in products}) == len(products)


def test_ids_skus_and_addresses_are_unique(products: list[Product]) -> None:
    skus = [variant.sku for product in products for variant in product.variants]
    assert len({product.id for product in products}) == len(products)
    assert len(set(skus)) == len(skus)
    assert [product.url for product in products] == [f"https://shop.example/p/{product.id}" for product in products]


def test_prices_look_like_prices(products: list[Product]) -> None:
    for product in products:
        prices = [product.price, *(variant.price for variant in product.variants if variant.price)]
        for price in prices:
            assert price is not None, product.id
            assert price.currency == "USD"
            assert 5 <= price.amount <= 1000, product.id
            assert str(price.amount).partition(".")[2] in ENDINGS, product.id
        own = [variant.price.amount for variant in product.variants if variant.price]
        if own and product.price:
            assert product.price.amount == min(own), product.id


def test_stock_adds_up_and_some_is_gone(products: list[Product]) -> None:
    for product in products:
        if product.variants:
            assert product.stock == sum(variant.stock or 0 for variant in product.variants), product.id
    sold_out = sum(not product.in_stock for product in products)
    assert 0.03 <= sold_out / len(products) <= 0.1
    assert any(product.in_stock and (product.stock or 0) <= 5 for product in products)


def test_ratings_are_believable(products: list[Product]) -> None:
    rated = [product for product in products if product.rating is not None]
    assert 0 < len(products) - len(rated) < len(products) * 0.12
    assert all(product.rating_count == 0 for product in products if product.rating is None)
    for product in rated:
        assert 3.1 <= (product.rating or 0) <= 4.9
        assert product.rating_count > 0


def test_colour_attribute_agrees_with_title_and_variants(products: list[Product]) -> None:
    coloured = [product for product in products if "colour" in product.attributes]
    assert len(coloured) >= len(products) * 0.9
    for product in coloured:
        colour = product.attributes["colour"]["en"]
        offered = {variant.options["colour"] for variant in product.variants if "colour" in variant.options}
        assert not offered or (colour in offered and len(offered) > 1), product.id
        if ", " in product.title["en"]:
            assert product.title["en"].rpartition(", ")[2].lower() == colour, product.id


def test_a_title_that_says_waterproof_has_the_attribute(products: list[Product]) -> None:
    named = [product for product in products if "Waterproof" in product.title["en"]]
    assert len(named) >= 20
    for product in named:
        stated = [
            product.attributes[key]["en"]
            for key in ("waterproof", "water resistance", "material")
            if key in product.attributes
        ]
        assert any(not value.startswith(("no", "splash")) for value in stated), product.id
        assert "防水" in product.title["zh"], product.id


def test_it_sells_no_aprons(products: list[Product]) -> None:
    for product in products:
        words = product.model_dump_json().lower()
        assert "apron" not in words, product.id
        assert "围裙" not in words, product.id


def test_every_product_has_its_picture(products: list[Product]) -> None:
    names = {product.image for product in products}
    files = {file.name: file for file in PICTURES.glob("*.webp")}
    assert len(names) == len(products)
    assert names == set(files)
    assert sum(file.stat().st_size for file in files.values()) < 4_000_000
    for file in files.values():
        assert file.stat().st_size < MOST_PICTURE_BYTES, file.name
        with Image.open(file) as image:
            image.load()
            assert (image.format, image.size) == ("WEBP", (320, 320)), file.name


def test_no_two_products_share_a_picture() -> None:
    files = list(PICTURES.glob("*.webp"))
    assert len({file.read_bytes() for file in files}) == len(files)


def test_the_generator_writes_the_committed_records() -> None:
    assert to_lines(item.product for item in build_items()) == CATALOGUE.read_text(encoding="utf-8")


def test_the_generator_draws_the_committed_pictures() -> None:
    """One picture of each category; encoders of other versions may round differently."""
    for item in {item.look.category: item for item in build_items()}.values():
        name, data = drawn(item)
        again, committed = (
            np.asarray(Image.open(source).convert("RGB"), dtype=np.int16) for source in (BytesIO(data), PICTURES / name)
        )
        assert np.abs(again - committed).mean() < 3, name
