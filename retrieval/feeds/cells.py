"""Cells of a table as people write them. Each reader raises ValueError with a few words on what the cell is not."""

from __future__ import annotations

import re
from decimal import Decimal

from pydantic import ValidationError

from retrieval.product import Lang, Money

_SYMBOLS = {
    "$": "USD",
    "US$": "USD",
    "€": "EUR",
    "£": "GBP",
    "\u00a5": "CNY",
    "\uffe5": "CNY",
    "元": "CNY",
    "RMB": "CNY",
}
_PRICE = re.compile(r"(?P<before>[^\d.,+-]*)(?P<number>\d[\d.,'’\s]*)(?P<after>\D*)")
_WHOLE = re.compile(r"[+-]?\d{1,15}(?:\.0*)?")
_HAN = re.compile(r"[\u3400-\u9fff]")


def language(text: str) -> Lang:
    """Chinese if a third of the letters or more are Chinese characters: product names mix in brands and models."""
    letters = sum(character.isalnum() for character in text)
    return "zh" if letters and 3 * len(_HAN.findall(text)) >= letters else "en"


def whole(cell: str) -> int:
    if not _WHOLE.fullmatch(cell):
        raise ValueError("not a whole number")
    return int(cell.split(".")[0])


def rating(cell: str) -> float:
    try:
        value = float(cell.replace(",", "."))
    except ValueError:
        raise ValueError("not a number") from None
    if not 0 <= value <= 5:
        raise ValueError("not between 0 and 5")
    return value


def currency(cell: str) -> str:
    """An ISO 4217 code from itself or from a symbol; ¥ counts as CNY."""
    name = cell.strip(" .").upper()
    code = _SYMBOLS.get(name, name)
    if not re.fullmatch(r"[A-Z]{3}", code):
        raise ValueError("not a currency such as USD")
    return code


def money(cell: str, stated: str | None, default: str) -> tuple[Money, bool]:
    """An amount, and whether its currency is only the default: neither stated nor in the cell."""
    match = _PRICE.fullmatch(cell.strip())
    if not match:
        raise ValueError("not a price such as 24.90")
    beside = (match["before"] + match["after"]).strip()
    code = stated or (currency(beside) if beside else default)
    try:
        return Money(amount=_decimal(match["number"]), currency=code), not (stated or beside)
    except ValidationError:
        raise ValueError("not a price of at most 10 digits before the point and 4 after it") from None


def _decimal(number: str) -> Decimal:
    """1,299.00 and 1.299,00 and 24,90. A lone comma before three digits separates thousands, a lone point does not."""
    number = re.sub(r"['’\s]", "", number).rstrip(".,")
    point = max(number.rfind("."), number.rfind(","))
    if point < 0:
        return Decimal(number)
    separator = number[point]
    thousands = number.count(separator) > 1 or (separator == "," and re.fullmatch(r"\d{1,3},\d{3}", number))
    if thousands:
        return Decimal(re.sub(r"[.,]", "", number))
    return Decimal(re.sub(r"[.,]", "", number[:point]) + "." + number[point + 1 :])
