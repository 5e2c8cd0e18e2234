"""Sizes: figures and letters, with their system, of one thing or of several ("dress in 8, shoes in 7")."""

from __future__ import annotations

from typing import NamedTuple

import regex

from retrieval.understand.numbers import value
from retrieval.understand.reading import Reading


class Scope(NamedTuple):
    """One thing's own size; `item` as typed."""

    item: str
    size: str


_SYSTEMS = {"欧": "EU", "美": "US", "英": "UK", "中国": "CN", "国": "CN", "日": "JP", "法": "FR", "意": "IT"}
_NAMES = {
    "extra small": "XS", "x-small": "XS", "small": "S", "medium": "M", "large": "L", "extra large": "XL",
    "x-large": "XL", "xx-large": "XXL", "extra extra large": "XXL", "one size": "one size",
    "小": "S", "中": "M", "大": "L",
    "加大": "XL", "特大": "XL", "加小": "XS", "特小": "XS", "加加大": "XXL", "均": "均码",
}  # fmt: skip
_SYSTEM = r"(?:eu|us|uk|cn|jp|fr|it)(?![a-z])"
_LETTERS = r"(?:\d?xs|xxs|xxxl|xxl|[2-6]xl|xl|[sml](?![a-z\d_'&]))(?:-(?:x{0,2}l|[sml]))?(?![a-z])"
_FIGURE = r"\d{1,3}(?:\.5|\.0)?(?:\s?1/2)?(?![\d.]*\d)(?:[a-d]{1,2}(?![a-z]))?"
_SPOKEN = r"extra[ -]extra[ -]large|extra[ -](?:small|large)|xx?-(?:small|large)|small|medium|large"
_WORN = (
    r"(?:dress(?:es)?|shoes?|boots?|sneakers?|trainers?|shirts?|t-?shirts?|tees?|tops?|blouses?|jackets?|coats?"
    r"|parkas?|sweaters?|jumpers?"
    r"|cardigans?|knitwear|trousers|pants|shorts|jeans|leggings|chinos|skirts?|hats?|caps?|gloves?|socks?|sandals?"
    r"|heels|hoodies?|sweatshirts?"
    r"|rings?|belts?|suits?|blazers?|beanies?|runners|loafers|slippers|pullovers?|gowns?|polos?|vests?)"
)
_WORN_ZH = (
    r"(?:连衣裙|半身裙|裙子?|[跑球皮凉单靴运动登山徒步]*鞋子?|靴子?|上衣|外套|夹克|大衣|羽绒服|冲锋衣|衬衫|衬衣|T恤|毛衣|针织衫|卫衣"
    r"|[长短牛仔]*裤子?|裤装|帽子?|袜子?|手套|西装|衣服|背心|马甲|戒指)"
)
_NO_MEASURE = (
    r"(?!\s?(?:[%$€£¥:]|(?:cm|mm|ml|l|kg|g|inch(?:es)?|in|oz|people|persons?|years?|days?|hours?|colou?rs|dollars"
    r"|bucks|pounds"
    r"|quid|euros?|usd|gbp|eur|k|packs?|pieces?|pairs?|months?|weeks?|litres?|liters?)\b|元|块|厘米|升|人|岁|克|天|年))"
)


def _compiled(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern, regex.IGNORECASE)


_LATIN_SIZE = (
    rf"(?:(?P<sys>{_SYSTEM})[ -]?(?:size[ -])?(?P<n>{_FIGURE})|(?P<n>{_FIGURE})\s?(?P<sys>{_SYSTEM})"
    rf"|(?P<l>{_LETTERS})|(?P<w>\b(?:{_SPOKEN}|one size)\b)|(?P<n>{_FIGURE}){_NO_MEASURE})"
)
_HAN_SIZE = (
    r"(?:(?P<sys>欧|美|英|中国|国|日|法|eu|us|uk|cn)(?:码|版|式|标)?\s?(?P<n>\d{1,3}(?:\.5)?)\s?(?:码半|[码号])?"
    r"|(?P<n>\d{1,3}(?:\.5)?|[一二三四五六七八九十]{2,3}|[二三四五六七八九])\s?[码号](?P<half>半)?(?!店|线|楼|[码]?头|前|之前)"
    rf"|(?P<l>{_LETTERS.replace('(?![a-z])', '')})\s?(?:[码号]|大小)"
    r"|(?P<w>加加大|加大|特大|加小|特小|均|(?<![一二三四五六七八九十\d最加特])[大中小])[码号](?!字)"
    r"|尺[码寸]\s?(?:是|为|要|:)?\s?(?:(?P<l>(?:\d?x{0,3}[sl]|m)(?![a-z]))|(?P<n>\d{2,3}(?:\.5)?)))"
)
_SAID = _compiled(
    rf"\b(?:(?:in )?(?:an? )?size[sd]?(?: is| of|:)?\s?|(?:wear(?:s|ing)?|take|fits?|need"
    rf"|in) (?:an? )?(?:size )?){_LATIN_SIZE}(?:\s+size\b)?"
)
_NAMED = _compiled(
    rf"(?<![\w.$€£])(?:(?P<sys>{_SYSTEM})[ -]?(?P<n>{_FIGURE}){_NO_MEASURE}|(?P<n>{_FIGURE})\s?(?P<sys>(?:eu|us|uk"
    rf"|cn)(?![a-z]))"
    rf"|(?P<l>(?:xxs|xs|xxxl|xxl|[2-6]xl|xl)(?:-x{{0,2}}l)?(?![a-z]))"
    rf"|(?P<w>\b(?:{_SPOKEN})\b)(?=(?:[\w\s-]{{0,20}}?\s)?{_WORN}\b|[ -]size)"
    rf"|(?P<l>[SML])(?=\s+(?:(?:or|and|/)\s+x*[sml]\b|{_WORN}\b)))"
)
_OR = _compiled(rf"\s*(?:or|and|/)\s*(?:an? )?(?:size )?{_LATIN_SIZE}(?![\w$€£])")
_CHINESE = _compiled(_HAN_SIZE)
_WEARS = _compiled(
    r"(?:我?穿|码数)\s?(?:的是|是)?(?:(?P<sys>欧|美|英)码?)?\s?(?:(?P<n>\d{2,3}(?:\.5)?)|(?P<l>(?:x{0,3}[sl]"
    r"|m)(?![a-z])))(?!\s?[元块年岁天])"
)
_SCOPED = _compiled(
    rf"(?P<item>{_WORN})\b\s*(?:(?:is|are|in|:|size[sd]?|an?|should be|for|at)\s*)*{_LATIN_SIZE}"
    rf"|(?<![\w.$€£])(?:size\s)?{_LATIN_SIZE}(?:\s(?:in|for))?(?:\s(?:the|my|a))?\s(?P<item>{_WORN})\b"
)
_SCOPED_ZH = _compiled(
    rf"(?P<item>{_WORN_ZH})\s?(?:要|穿|是|选|用|买|:|尺码|尺寸|的)*\s?{_HAN_SIZE}|{_HAN_SIZE}\s?的?\s?(?P<item>{_WORN_ZH})"
)


def read_sizes(reading: Reading) -> tuple[tuple[str, ...], tuple[Scope, ...]]:
    """Takes sizes out of the reading: all of them, and whose they are where several things have their own."""
    scopes = _scopes(reading)
    if scopes:
        return tuple(dict.fromkeys(scope.size for scope in scopes)), scopes
    found: list[str] = []
    for pattern in (_CHINESE, _WEARS, _SAID, _NAMED):
        for match in pattern.finditer(reading.left):
            found.append(_size(match))
            reading.take("size", *match.span())
            at = match.end()
            while more := _OR.match(reading.left, at):
                found.append(_size(more))
                reading.take("size", *more.span())
                at = more.end()
    return tuple(dict.fromkeys(found)), ()


def _scopes(reading: Reading) -> tuple[Scope, ...]:
    for pattern in (_SCOPED, _SCOPED_ZH):
        matches = list(pattern.finditer(reading.left))
        scopes = tuple(Scope(match["item"], _size(match)) for match in matches)
        if len({scope.item.lower() for scope in scopes}) > 1:
            for match in matches:
                reading.take("size", *match.span())
            return scopes
    return ()


def _size(match: regex.Match[str]) -> str:
    groups = match.groupdict()
    if groups.get("w"):
        word = groups["w"].lower()
        return _NAMES.get(word) or _NAMES[word.replace("-", " ")]
    if groups.get("l"):
        return str(groups["l"]).upper()
    number = str(groups["n"]).strip()
    if regex.match(r"\p{Han}", number):
        number = f"{value(number):.0f}"
    number = number.removesuffix(".0") + (".5" if groups.get("half") else "")
    system = (groups.get("sys") or "").lower()
    system = _SYSTEMS.get(system, system.upper())
    return f"{system} {number}" if system else number
