"""What holds of every file, whatever is in it: products that are valid, or a refusal; and amounts that are exact."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.feeds.cells import cents, money
from retrieval.feeds.detect import FeedError, read
from retrieval.product import Money, Product
from tests.retrieval.feeds.near import FILES

MANY = int(os.environ.get("DAOGOU_TEST_FILES", "10000"))  # of the long run, over all kinds
SHM = Path("/dev/shm")

plain = settings(deadline=None, suppress_health_check=list(HealthCheck))


def texts(product: Product) -> Iterator[str]:
    yield from (product.id, product.brand, *product.title.values(), *product.description.values(), *product.attributes)
    yield from product.category.values()
    for localized in product.attributes.values():
        yield from localized.values()
    for variant in product.variants:
        yield from (variant.sku, *variant.options, *variant.options.values())


def check(content: bytes) -> bool:
    """Whether the file had products; raises where one is not as it must be."""
    with TemporaryDirectory(dir=SHM if SHM.is_dir() else None) as folder:
        path = Path(folder, "feed")
        path.write_bytes(content)
        try:
            feed = read(path)
        except FeedError:
            return False
        products = list(feed.products)
        assert len(products) == len(feed.products) == len({product.id for product in products}) > 0
        for product in products:
            check_product(product)
        for problem in feed.problems:
            str(problem).encode()
    return True


def check_product(product: Product) -> None:
    assert Product.model_validate_json(product.model_dump_json()) == product
    for text in texts(product):
        assert not [sign for sign in text if unicodedata.category(sign) in ("Cc", "Cs") and sign not in "\t\n\r"]
        text.encode()
    assert all(product.title.values())
    assert product.id
    if product.url is not None:
        assert urlsplit(product.url).scheme in ("http", "https")
    if product.image is not None and "://" in product.image:
        assert urlsplit(product.image).scheme in ("http", "https")
    elif product.image is not None:
        assert not product.image.startswith("/")
        assert ".." not in product.image.split("/")
    for price in (product.price, *(variant.price for variant in product.variants)):
        assert price is None or price.amount >= 0


def check_many(kind: str, count: int) -> tuple[int, int]:
    """How many files were made, and how many of them had products."""
    useful: list[bool] = []

    @settings(plain, max_examples=count)
    @given(FILES[kind])
    def holds(content: bytes) -> None:
        useful.append(check(content))

    holds()
    return len(useful), sum(useful)


@pytest.mark.parametrize("kind", FILES)
def test_every_file_gives_valid_products_or_a_reason(kind: str) -> None:
    check_many(kind, 25)


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("kind", FILES)
def test_so_does_every_one_of_very_many(kind: str) -> None:
    files, useful = check_many(kind, -(-MANY // len(FILES)))
    print(f"{kind}: {files:,} files, {useful:,} with products")  # noqa: T201
    assert useful or kind == "bytes"


# --- money

EUROPE = str.maketrans(",.", ".,")
STYLES: dict[str, Callable[[Decimal], tuple[str, str]]] = {  # an amount with two places → as printed, its currency
    "19.90": lambda amount: (f"{amount:.2f}", "USD"),
    "19,90": lambda amount: (f"{amount:.2f}".replace(".", ","), "USD"),
    "1,299.00": lambda amount: (f"{amount:,.2f}", "USD"),
    "US$1,299.99": lambda amount: (f"US${amount:,.2f}", "USD"),
    "1.299,00 €": lambda amount: (f"{amount:,.2f} €".translate(EUROPE), "EUR"),
    "1 299,00 zł": lambda amount: (f"{amount:,.2f} zł".translate(EUROPE).replace(".", "\u00a0"), "PLN"),
    "1'299.00 CHF": lambda amount: (f"{amount:,.2f} CHF".replace(",", "'"), "CHF"),
    "29.95 EUR": lambda amount: (f"{amount:.2f} EUR", "EUR"),
    "EUR 29.95": lambda amount: (f"EUR {amount:.2f}", "EUR"),
    "¥5,999.00": lambda amount: (f"¥{amount:,.2f}", "CNY"),
    "5999.00元": lambda amount: (f"{amount:.2f}元", "CNY"),
    "Rs. 1,299.00": lambda amount: (f"Rs. {amount:,.2f}", "INR"),
    "2999 cents": lambda amount: (f"{amount.scaleb(2):.0f} cents", "USD"),
}
amounts = st.decimals(min_value=0, max_value=10**9, places=2)


@pytest.mark.parametrize("style", STYLES)
def test_a_price_reads_back_exactly(style: str) -> None:
    @plain
    @given(amounts)
    def holds(amount: Decimal) -> None:
        text, currency = STYLES[style](amount)
        assert money(text, None, "USD")[0] == Money(amount=amount, currency=currency)

    holds()


@plain
@given(st.integers(0, 10**9), st.sampled_from(["{:d}", "{:,d}", "¥{:,d}", "{:,d} €"]))
def test_a_whole_price_reads_back_exactly(amount: int, form: str) -> None:
    assert money(form.format(amount), None, "USD")[0].amount == amount
    assert cents(amount, "USD").amount * 100 == amount


@pytest.mark.parametrize(
    "cell", ["33 61", "33'61", "33.61 40.00", "1.299.00", "1,299,00", "12.34.56", "1,2.3,4", "5 percent"]
)
def test_what_is_grouped_as_nobody_groups_is_no_price(cell: str) -> None:
    with pytest.raises(ValueError, match="not a"):
        money(cell, None, "USD")


def test_prices_of_a_feed_are_exact(tmp_path: Path) -> None:
    path = tmp_path / "feed.csv"
    path.write_text('id,title,price_cents,price (EUR)\n1,Mug,3361,\n2,Cup,,"33,61"\n3,Jug,,33.61\n')
    by_cents = read(path, mapping={"price": "price_cents"})
    assert [product.price and str(product.price.amount) for product in by_cents.products] == ["33.61", None, None]
    assert [product.price and str(product.price.amount) for product in read(path).products] == [None, "33.61", "33.61"]
    path.write_text('{"id": "1", "title": "Mug", "price": {"currencyCode": "USD", "units": 33, "nanos": 610000000}}\n')
    (mug,) = read(path).products
    assert mug.price == Money(amount=Decimal("33.61"), currency="USD")
