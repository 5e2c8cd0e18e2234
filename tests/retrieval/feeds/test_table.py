"""Tables as shops export them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.feeds.base import Feed, FeedError
from retrieval.feeds.cells import language, money
from retrieval.feeds.detect import read
from retrieval.product import Money, Product


def feed(folder: Path, text: str, currency: str = "USD") -> Feed:
    path = folder / "feed.csv"
    path.write_text(text, encoding="utf-8", newline="")
    return read(path, currency)


def one(folder: Path, header: str, row: str) -> Product:
    (product,) = feed(folder, f"{header}\n{row}\n").products
    return product


def test_every_column_finds_its_place(tmp_path: Path) -> None:
    product = one(
        tmp_path,
        "SKU,Title,title_zh,Description,category,category-zh,Brand,Price,Currency,Stock,Rating,Rating count,image,URL,"
        "Colour,colour_zh,Heel height",
        'B-1,Rain boot,雨靴,"Keeps feet dry,\nalways",Shoes,鞋,Corvane,"1,049.50",cny,12,4.5,88,b1.webp,'
        "https://shop.example/b1,navy,藏青,3 cm",
    )
    assert product == Product(
        id="B-1",
        title={"en": "Rain boot", "zh": "雨靴"},
        description={"en": "Keeps feet dry,\nalways"},
        category={"en": "Shoes", "zh": "鞋"},
        brand="Corvane",
        price=Money(amount=Decimal("1049.50"), currency="CNY"),
        stock=12,
        rating=4.5,
        rating_count=88,
        attributes={"Colour": {"en": "navy", "zh": "藏青"}, "Heel height": {"en": "3 cm"}},
        image="b1.webp",
        url="https://shop.example/b1",
    )


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_the_headers(tmp_path: Path, separator: str) -> None:
    text = separator.join(("id", "title", "price")) + "\n" + separator.join(("1", '"Mug, blue; large | new"', "2.50"))
    (product,) = feed(tmp_path, text).products
    assert product.title == {"en": "Mug, blue; large | new"}
    assert product.price == Money(amount=Decimal("2.50"), currency="USD")


def test_empty_cells_are_nothing(tmp_path: Path) -> None:
    product = one(tmp_path, "id,title,price,stock,rating,brand,size,image", "1,Mug, ,,,,,")
    assert product == Product(id="1", title={"en": "Mug"})


@pytest.mark.parametrize(
    ("cell", "amount", "currency"),
    [
        ("24.90", "24.90", "EUR"),
        ("24,90", "24.90", "EUR"),
        ("1,299", "1299", "EUR"),
        ("1,299.00", "1299.00", "EUR"),
        ("1.299,00", "1299.00", "EUR"),
        ("1 299,5", "1299.5", "EUR"),
        ("1'299.50", "1299.50", "EUR"),
        ("1.234.567", "1234567", "EUR"),
        ("$24.90", "24.90", "USD"),
        ("US$ 5", "5", "USD"),
        ("24,90 €", "24.90", "EUR"),
        ("£3", "3", "GBP"),
        ("\u00a5199", "199", "CNY"),
        ("\uffe5 199", "199", "CNY"),
        ("199元", "199", "CNY"),
        ("12.50 CHF", "12.50", "CHF"),
        ("0", "0", "EUR"),
    ],
)
def test_prices_are_read_as_people_write_them(cell: str, amount: str, currency: str) -> None:
    assert money(cell, None, "EUR")[0] == Money(amount=Decimal(amount), currency=currency)


@pytest.mark.parametrize("cell", ["free", "-5", "5 - 9", "12 per pair", "1e5", "1.23456", "99999999999", "NaN", "€"])
def test_what_is_no_price_is_none(cell: str) -> None:
    with pytest.raises(ValueError, match="not a"):
        money(cell, None, "EUR")


@given(st.decimals(min_value=0, max_value=10**9, places=2), st.sampled_from(["{:,.2f}", "{:.2f}"]))
def test_formatted_amounts_come_back(amount: Decimal, form: str) -> None:
    text = form.format(amount)
    assert money(text, "USD", "EUR")[0].amount == amount
    assert money(text.translate(str.maketrans(",.", ".,")), "USD", "EUR")[0].amount == amount


def test_wrong_values_are_left_out_and_wrong_rows_skipped(tmp_path: Path) -> None:
    read_feed = feed(
        tmp_path,
        "id,title,price,currency,stock,rating\n"
        "1,No price,cheap,USD,3,4\n"
        "2,No money,5,dollars,3,4\n"
        "3,Odd stock,5,USD,plenty,4\n"
        "4,Odd rating,5,USD,3,9\n"
        ",No id,5,USD,3,4\n"
        "6,,5,USD,3,4\n"
        f"{'7' * 300},Long id,5,USD,3,4\n"
        "8,Too many,5,USD,3,4,x,y\n"
        "\n"
        "10,Fine,5,USD,3.0,4\n",
    )
    found = {product.id: product for product in read_feed.products}
    assert list(found) == ["1", "2", "3", "4", "8", "10"]
    assert (found["1"].price, found["2"].price, found["3"].stock, found["4"].rating) == (None, None, None, None)
    assert found["10"].stock == 3
    assert [str(problem).replace("7" * 59, "7…7") for problem in read_feed.problems] == [
        "row 2, price 'cheap': not a price such as 24.90; value left out",
        "row 3, currency 'dollars': not a currency such as USD; value left out",
        "row 4, stock 'plenty': not a whole number; value left out",
        "row 5, rating '9': not between 0 and 5; value left out",
        "row 6, id: empty; row skipped",
        "row 7, title: empty; row skipped",
        "row 8, id '7…7…': string should have at most 200 characters; row skipped",
        "row 9 'x | y': more cells than the header has; the rest left out",
    ]


def test_a_currency_taken_for_granted_is_told_once(tmp_path: Path) -> None:
    read_feed = feed(tmp_path, "id,title,price\n1,Mug,5\n2,Cup,6\n3,Jug,€7\n", "CNY")
    assert [product.price and product.price.currency for product in read_feed.products] == ["CNY", "CNY", "EUR"]
    assert [str(problem) for problem in read_feed.problems] == [
        "row 2, price: names no currency; CNY taken, in other rows too"
    ]


def test_a_column_twice_is_told(tmp_path: Path) -> None:
    read_feed = feed(tmp_path, "id,sku,title\n1,X,Mug\n")
    assert [product.id for product in read_feed.products] == ["1"]
    assert [str(problem) for problem in read_feed.problems] == [
        "row 1, sku: another column has this meaning; column left out"
    ]


@pytest.mark.parametrize("more", [0, 1, 30, 100_000])
def test_a_quotation_mark_never_closed_swallows_no_rows(tmp_path: Path, more: int) -> None:
    rows = "".join(f"{number},Mug,{'text ' * 40}\n" for number in range(more))
    with pytest.raises(FeedError, match=r"about row [23]\. .*quotation mark is opened there and never closed"):
        feed(tmp_path, f'id,title,description\na,Cup,\n0,"Mug,x\n{rows}')


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_last_row_needs_no_line_break(tmp_path: Path, end: str) -> None:
    assert len(feed(tmp_path, f'id,title\n1,"Mug\nblue"\n2,"Cup\nred"{end}').products) == 2


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Rain boot", "en"),
        ("雨靴", "zh"),
        ("索尼 WH-1000XM5 头戴式降噪耳机", "zh"),
        ("Tea 茶 set for two", "en"),
        ("42", "en"),
    ],
)
def test_the_language_is_that_of_most_of_the_text(text: str, lang: str) -> None:
    assert language(text) == lang
