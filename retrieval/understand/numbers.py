"""Numbers as shoppers write them: 1,299.99, 5k, fifty, 三百五, 1.5万."""

from __future__ import annotations

import regex

_TO_NINETEEN = """
one two three four five six seven eight nine ten
eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = dict(zip(_TO_NINETEEN.split(), range(1, 20), strict=True))
_SMALL |= dict(zip(_TENS.split(), range(20, 100, 10), strict=True))
_LARGE = {"hundred": 100, "thousand": 1_000, "grand": 1_000}
_HAN = dict(zip("零〇一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_SCALES = {"k": 1_000, "w": 10_000, "十": 10, "百": 100, "千": 1_000, "万": 10_000}
_MOST = 1e12  # of any currency; what is said beyond that is no number that JSON takes

_S = "|".join(sorted(_SMALL, key=len, reverse=True))
_L = "|".join(_LARGE)
_ONE = rf"(?:{_S})(?:[\s-](?:one|two|three|four|five|six|seven|eight|nine)\b)?"
_ENGLISH = rf"\b(?:(?:(?:a|{_ONE})\s+)?(?:{_L})(?:\s+(?:and\s+)?{_ONE}(?!\s+(?:{_L})))?|{_ONE})\b"
_DIGITS = (
    r"\d{1,2} \d{3}(?![\d.,]|\s\d)|\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?"
    r"|\d{1,3}(?:\.\d{3})+,\d\d(?!\d)|\d+,\d\d(?=\s*(?:€|eur))|\d+(?:\.\d+)?"
)
_CHINESE = (
    r"(?<![几数])(?:[一二两三四五六七八九][十百千万](?:[零〇一二两三四五六七八九十百千万]*)|十[一二三四五六七八九]?"
    r"|(?<![\p{Han}\d])[百千万](?=元)|[一二两三四五六七八九])"
)
# Digits may be set apart from a letter before them by Chinese alone: "iPhone15" is a name.
NUMBER = (
    rf"(?>(?:(?<![a-z0-9_.])|(?<=usd|eur|gbp|rmb|cny))(?:{_DIGITS})(?:\s?k(?![a-z])|\s?[千百万]|w(?![a-z]))?"
    rf"|{_ENGLISH}|{_CHINESE})"
)


def value(text: str) -> float:
    """The value of what NUMBER matches, at most 1e12."""
    text = text.strip().lower()
    if text[0].isdigit():
        scale = _SCALES.get(text[-1], 1)
        digits = text.rstrip("kw千百万 ").replace(" ", "")
        if regex.fullmatch(r"\d+,\d\d|\d{1,3}(?:\.\d{3})+,\d\d", digits):
            digits = digits.replace(".", "").replace(",", ".")
        return min(float(digits.replace(",", "")) * scale, _MOST)
    return min(_chinese(text) if regex.match(r"\p{Han}", text) else _english(text), _MOST)


def scale(text: str) -> int:
    """What the last sign of a number multiplies by: 1,000 in "2k", 100 in 五百, else 1."""
    return _SCALES.get(text.strip().lower()[-1], 1)


def _english(text: str) -> float:
    total = 0.0
    for word in regex.split(r"[\s-]+", text):
        if word in _LARGE:
            total = (total or 1) * _LARGE[word]
        elif word in _SMALL:
            total += _SMALL[word]
    return total


def _chinese(text: str) -> float:
    """A last figure without a sign counts the next smaller one: 一千五 is 1500, unless 零 stands before it."""
    total = section = digit = 0
    unit = 10
    for position, sign in enumerate(text):
        if sign in _HAN:
            digit = _HAN[sign]
            last = position == len(text) - 1
            if last:
                return total + section + digit * (1 if text[position - 1] in "零〇十" or len(text) == 1 else unit // 10)
        elif sign == "万":
            total, section, digit, unit = (section + digit or 1) * 10_000, 0, 0, 10_000
        else:
            unit = _SCALES[sign]
            section, digit = section + (digit or 1) * unit, 0
    return total + section
