"""What one product, or all of them together, show to be wrong in a feed whose cells could all be read."""

from __future__ import annotations

import ipaddress
import math
import re
import socket
import sqlite3
from collections.abc import Iterator
from decimal import Decimal
from urllib.parse import urlsplit

from retrieval.feeds.base import Problem, Row, shown
from retrieval.product import Product, in_language

Found = tuple[str, Problem]  # a kind of `mending.KINDS`, and what was found

_FEWEST = 8  # priced products of a category that say what is usual
_FAR = 10  # times the category's median, or a tenth of it
_SPREADS = 5  # of the category's spread, on the scale of logarithms
_SIGMA = 1.4826  # a normal distribution's deviation in units of its median absolute one
_FORMULA = re.compile(r"[=@]\S|[+-](?=[^\W\d])")  # not -40 °C, +49 30 or a list
_PRIVATE = re.compile(r"(?:.*\.)?(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa)\.?")


def of_product(row: Row, product: Product) -> Iterator[Found]:
    """What the product itself shows."""

    def found(kind: str, column: str, value: object, what: str, done: str) -> Found:
        return kind, Problem(row.number, column, shown(value), what, done, row.file)

    told = {problem.column.lower() for problem in row.problems}
    prices = [price for price in (product.price, *(variant.price for variant in product.variants)) if price]
    if not prices:
        yield found("missing_price", "price", "", "no price", "kept without one")
    if any(not price.amount for price in prices):
        yield found("price_zero", "price", 0, "a price of 0", "kept")
    if product.image and is_private(product.image):
        yield found("private_image", "image", product.image, "leads into a private network", "kept as it is")
    elif not product.image and not any("image" in column for column in told):
        yield found("missing_image", "image", "", "no picture", "kept without one")
    texts = {"brand": {"": product.brand}, "title": product.title, "description": product.description}
    for name, text in (*texts.items(), ("category", product.category), *product.attributes.items()):
        if odd := next((value for value in text.values() if _FORMULA.match(value)), None):
            yield found("formula_like", name, odd, "begins like a formula", "kept as text")


def is_private(address: str) -> bool:
    """Whether an address names a host that only its own network knows; told without asking anybody."""
    host = (urlsplit(address).hostname or "").lower() if ":" in address else ""
    if not host or _PRIVATE.fullmatch(host):
        return bool(host)
    try:
        ip = ipaddress.ip_address(host.split("%")[0])
    except ValueError:
        try:  # 127.1, 0x7f000001 and 2130706433 are addresses too
            ip = ipaddress.ip_address(socket.inet_aton(host))
        except OSError:
            return "." not in host
    mapped = getattr(ip, "ipv4_mapped", None) or ip
    return not mapped.is_global or mapped.is_multicast


class Prices:
    """Prices and categories of a feed, kept in a scratch database: the feed may be larger than the memory."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        database.execute(
            "CREATE TABLE product (file TEXT, row INTEGER, category BLOB, currency TEXT, amount TEXT, log REAL)"
        )

    def add(self, row: Row, product: Product) -> None:
        category = in_language(product.category, "en").encode("utf-8", "surrogatepass")
        price = product.price
        log = math.log(price.amount) if price and price.amount else None
        code, amount = (price.currency, str(price.amount)) if price else (None, None)
        self._database.execute(
            "INSERT INTO product VALUES (?, ?, ?, ?, ?, ?)", (row.file, row.number, category, code, amount, log)
        )

    def currencies(self) -> dict[str, int]:
        """How many products have a price in each, the main one first."""
        return dict(
            self._database.execute(
                "SELECT currency, count(*) FROM product WHERE currency NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1"
            )
        )

    def categories(self) -> int:
        (count,) = self._database.execute(
            "SELECT count(DISTINCT category) FROM product WHERE category != x''"
        ).fetchone()
        return int(count)

    def findings(self) -> Iterator[Found]:
        """Mixed currencies, prices far from those of their category, and categories of one product."""
        self._database.execute("CREATE INDEX by_price ON product (category, currency, log)")
        yield from self._mixed()
        groups = self._database.execute(
            "SELECT category, currency, count(log) FROM product WHERE category != x'' AND log NOT NULL "
            "GROUP BY 1, 2 HAVING count(log) >= ?",
            (_FEWEST,),
        )
        for category, currency, count in groups.fetchall():
            yield from self._implausible(category, currency, count)
        lone = self._database.execute(
            "SELECT min(file), min(row), category FROM product WHERE category != x'' GROUP BY category "
            "HAVING count(*) = 1 ORDER BY 1, 2"
        )
        for file, number, category in lone:
            name = shown(category.decode("utf-8", "surrogatepass"))
            yield "lone_category", Problem(number, "category", name, "the only product of its category", "kept", file)

    def _mixed(self) -> Iterator[Found]:
        currencies = self.currencies()
        for code in list(currencies)[1:]:
            file, number = self._database.execute(
                "SELECT file, min(row) FROM product WHERE currency = ?", (code,)
            ).fetchone()
            main, many = next(iter(currencies)), currencies[code]
            what = f"{many:,} in {code}; the main currency is {main} ({currencies[main]:,})"
            yield "mixed_currencies", Problem(number, "price", code, what, "kept", file)

    def _implausible(self, category: bytes, currency: str, count: int) -> Iterator[Found]:
        """By median and median absolute deviation, which a few wrong prices do not move."""
        same = "FROM product WHERE category = ? AND currency = ? AND log NOT NULL"
        (middle,) = self._database.execute(
            f"SELECT log {same} ORDER BY log LIMIT 1 OFFSET ?", (category, currency, count // 2)
        ).fetchone()
        (spread,) = self._database.execute(
            f"SELECT abs(log - ?) AS off {same} ORDER BY off LIMIT 1 OFFSET ?", (middle, category, currency, count // 2)
        ).fetchone()
        limit = max(math.log(_FAR), _SPREADS * _SIGMA * spread)
        far = self._database.execute(
            f"SELECT file, row, amount {same} AND abs(log - ?) > ? ORDER BY file, row",
            (category, currency, middle, limit),
        )
        usual = Decimal(math.exp(middle)).quantize(Decimal("0.01"))
        for file, number, amount in far:
            name = shown(category.decode("utf-8", "surrogatepass"))
            what = f"half of {name!r} costs up to {usual} {currency}"
            yield "implausible_price", Problem(number, "price", f"{amount} {currency}", what, "kept", file)
