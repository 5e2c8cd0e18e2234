"""Price and stock limits in a message, in English and Chinese."""

from __future__ import annotations

from dataclasses import dataclass

import regex

_CURRENCY = r"(?:US\$|[$£€¥￥]|USD|EUR|GBP|CNY|RMB)?\s*"
_NUMBER = r"(?P<{name}>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<{name}_k>k\b|万|千)?"
# A number followed by one of these is a measure, a model or a count, not money.
_NOT_MONEY = (
    r"(?!e\d|\s*(?:%|°|\d|[.,]\d|(?:kgs?|g|grams?|lbs?|oz|cm|mm|m|km|inch(?:es)?|in|ft|feet|l|litres?|liters?|ml|hours?|hrs?|h"
    r"|days?|years?|yrs?|months?|mins?|minutes?|stars?|gb|tb|mah|w|watts?|v|people|persons?|pieces?|pcs|pounds)\b"
    r"|千?克|公?斤|厘米|毫米|米|寸|升|毫升|小时|天|年|岁|个月|星|人|件|瓦))"
)


def _amount(name: str) -> str:
    return _CURRENCY + _NUMBER.format(name=name) + _NOT_MONEY


_NO_NUMBER_BEFORE = r"(?<![a-z0-9_.])"  # Chinese puts no space before a number
_UNIT_ZH = r"\s*(?:元|块钱?|美元|美金|刀|欧元|英镑)?\s*(?:钱)?"
_BETWEEN = regex.compile(
    rf"(?:between|from)\s+{_amount('low')}\s*(?:and|to|-|–)\s*{_amount('high')}"
    rf"|{_NO_NUMBER_BEFORE}{_amount('low')}{_UNIT_ZH}\s*(?:到|至)\s*{_amount('high')}\s*(?:元|块|美元|美金|之间)",
    regex.IGNORECASE,
)
_MAX = regex.compile(
    r"\b(?:under|below|less than|cheaper than|up to|at most|no more than|not (?:more|over) than|within"
    rf"|max(?:imum)?(?: of)?)\s+{_amount('high')}"
    rf"|(?:不超过|低于|少于|小于|最多|不到|不高于)\s*{_amount('high')}"
    rf"|{_NO_NUMBER_BEFORE}{_amount('high')}{_UNIT_ZH}\s*(?:以内|以下|之内|之下|内的)",
    regex.IGNORECASE,
)
_MIN = regex.compile(
    rf"\b(?:over|above|more than|at least|no less than|min(?:imum)?(?: of)?|starting (?:at|from))\s+{_amount('low')}"
    rf"|(?:超过|高于|大于|至少|不低于|不少于)\s*{_amount('low')}"
    rf"|{_NO_NUMBER_BEFORE}{_amount('low')}{_UNIT_ZH}\s*(?:以上|起)",
    regex.IGNORECASE,
)
_IN_STOCK = regex.compile(r"\bin stock\b|\bavailable (?:now|today)\b|有货|现货", regex.IGNORECASE)
_MOST = 1e12  # of any currency; what is said beyond that is no number that JSON takes
_HALF_WIDTH = str.maketrans("０１２３４５６７８９．＄", "0123456789.$")
_SCALE = {"k": 1_000, "千": 1_000, "万": 10_000}


@dataclass(frozen=True)
class Constraints:
    """Limits that hold for every product on the shelf, in the catalogue's currency. None: not said."""

    price_min: float | None = None
    price_max: float | None = None
    in_stock: bool = False


def _number(match: regex.Match[str], name: str) -> float:
    scale = _SCALE.get((match.group(f"{name}_k") or "").lower(), 1)
    return min(float(match.group(name).replace(",", "")) * scale, _MOST)


def constraints(text: str) -> Constraints:
    """What the message demands. Never raises; a message that states nothing gives empty constraints."""
    text = text.translate(_HALF_WIDTH)
    low = high = None
    if between := _BETWEEN.search(text):
        low, high = sorted((_number(between, "low"), _number(between, "high")))
    else:
        if match := _MAX.search(text):
            high = _number(match, "high")
        rest = _MAX.sub(" ", text)
        if match := _MIN.search(rest):
            low = _number(match, "low")
    return Constraints(price_min=low, price_max=high, in_stock=bool(_IN_STOCK.search(text)))


def without_limits(text: str) -> str:
    """The message less what `constraints` reads from it: what is left says what to look for."""
    text = text.translate(_HALF_WIDTH)
    for pattern in (_BETWEEN, _MAX, _MIN, _IN_STOCK):
        text = pattern.sub(" ", text)
    return text.strip()
