"""Cells of a table as people write them. Each reader raises ValueError with a few words on what the cell is not."""

from __future__ import annotations

import re
import unicodedata
from datetime import date, datetime
from decimal import Decimal

import pycountry
from pydantic import ValidationError

from retrieval.product import Lang, Money

_SYMBOLS = {
    "$": "USD",
    "US$": "USD",
    "HK$": "HKD",
    "NT$": "TWD",
    "S$": "SGD",
    "A$": "AUD",
    "AU$": "AUD",
    "C$": "CAD",
    "CA$": "CAD",
    "R$": "BRL",
    "€": "EUR",
    "£": "GBP",
    "\u00a5": "CNY",
    "\uffe5": "CNY",
    "CN\u00a5": "CNY",
    "JP\u00a5": "JPY",
    "元": "CNY",
    "人民币": "CNY",
    "RMB": "CNY",
    "円": "JPY",
    "₹": "INR",
    "RS": "INR",
    "₩": "KRW",
    "₽": "RUB",
    "₺": "TRY",
    "ZŁ": "PLN",
    "FR": "CHF",
}
_SHARED = ("$", "\u00a5", "\uffe5")  # of many currencies: a code beside them says of which
_THREE_PLACES = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})
_PRICE = re.compile(r"(?P<before>[^\d,+-]*)(?P<number>\d[\d.,'’\s]*)(?P<after>\D*)")
_GROUPS = r"[1-9]\d{0,2}(?P<mark>[.,'’ ])\d{3}(?:(?P=mark)\d{3})*|[1-9]\d?(?:,\d\d)+,\d{3}"  # the second: lakhs
_NUMBER = re.compile(rf"(?P<whole>{_GROUPS}|\d+)(?:(?P<point>[.,])(?P<part>\d+))?")
_CENTS = re.compile(r"(?<!per)cents?\)?$|¢", re.IGNORECASE)
_LONGEST_PRICE = 60  # characters
_SOLD_OUT = re.compile(r"out[ _]?of[ _]?stock|sold ?out|discontinued|无货|缺货|售罄|无库存", re.IGNORECASE)
_IN_STOCK = re.compile(
    r"(?:in|low|limited)[ _]?stock|available(?: for order)?|back-?order|pre-?order|有货|现货|充足", re.IGNORECASE
)
_WHOLE = re.compile(r"[+-]?\d{1,15}(?:\.0*)?")
_HAN = re.compile(r"[\u3400-\u9fff]")


def language(text: str) -> Lang:
    """Chinese if a third of the letters or more are Chinese characters: product names mix in brands and models."""
    if text.isascii() or not (chinese := len(_HAN.findall(text))):
        return "en"
    return "zh" if 3 * chinese >= sum(character.isalnum() for character in text) else "en"


def whole(cell: str) -> int:
    if not _WHOLE.fullmatch(cell):
        raise ValueError("not a whole number")
    return int(cell.split(".")[0])


def count(cell: str) -> int:
    if (number := whole(cell)) < 0:
        raise ValueError("less than none")
    return number


def rating(cell: str) -> float:
    try:
        value = float(cell.replace(",", "."))
    except ValueError:
        raise ValueError("not a number") from None
    if not 0 <= value <= 5:
        raise ValueError("not between 0 and 5")
    return value


def stock(cell: str) -> int | None:
    """Pieces, or what words say: none, or some."""
    if _SOLD_OUT.fullmatch(cell):
        return 0
    return None if _IN_STOCK.fullmatch(cell) else whole(cell)


def day(cell: str) -> date:
    """2024-01-31 and, as Magento writes it, 1/31/24; a time after it is left out."""
    text = re.split(r"[ T,]", cell, maxsplit=1)[0]
    for form in ("%Y-%m-%d", "%Y/%m/%d", "%m/%d/%y", "%m/%d/%Y"):
        try:
            return datetime.strptime(text, form).date()
        except ValueError:
            continue
    raise ValueError("not a date such as 2024-01-31")


def currency(cell: str) -> str:
    """An ISO 4217 code from itself or from a symbol; ¥ counts as CNY."""
    name = cell.strip(" .").upper()
    code = _SYMBOLS.get(name, name)
    if not re.fullmatch(r"[A-Z]{3}", code) or pycountry.currencies.get(alpha_3=code) is None:
        raise ValueError("not a currency such as USD")
    return code


def money(cell: str, stated: str | None, default: str) -> tuple[Money, bool]:
    """An amount, and whether its currency is only the default: neither stated nor in the cell."""
    match = _PRICE.fullmatch(unicodedata.normalize("NFKC", cell).strip()) if len(cell) <= _LONGEST_PRICE else None
    if not match:
        raise ValueError("not a price such as 24.90")
    after = _CENTS.sub("", match["after"])
    beside = _beside(match["before"].strip(), after.strip())
    code = stated or beside or default
    number = match["number"].strip()
    if beside and code not in _THREE_PLACES and re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", number):
        raise ValueError(f"either {number.replace('.', '')} or {number[:-1]}")
    try:
        amount = _decimal(number).scaleb(0 if after == match["after"] else -2)
        return Money(amount=amount, currency=code), not (stated or beside)
    except ValidationError:
        raise ValueError("not a price of at most 10 digits before the point and 4 after it") from None


def _beside(before: str, after: str) -> str | None:
    """The currency from what stands on both sides of a number: `$` and `CAD` are Canadian dollars."""
    if before and after:
        if before in _SHARED:
            return currency(after)
        if after in _SHARED or currency(before) == currency(after):
            return currency(before)
        raise ValueError("two currencies")
    return currency(before or after) if before or after else None


def names_cents(header: str) -> bool:
    """Whether a column says that its amounts are hundredths: `price_cents`."""
    return _CENTS.search(header.strip()) is not None


def cents(amount: int, code: str) -> Money:
    """An amount in hundredths."""
    return Money(amount=Decimal(amount).scaleb(-2), currency=code)


def _decimal(number: str) -> Decimal:
    """1,299.00 and 1.299,00 and 24,90. A lone comma before three digits separates thousands, a lone point does not."""
    match = _NUMBER.fullmatch(number.rstrip(".,"))
    if match is None or (match["mark"] and match["mark"] == match["point"]):
        raise ValueError("not a price such as 24.90")
    whole, part = match["whole"], match["part"]
    if match["mark"] == "." and not match["point"] and whole.count(".") == 1:
        return Decimal(whole)
    digits = re.sub(r"\D", "", whole)
    return Decimal(f"{digits}.{part}" if part else digits)
