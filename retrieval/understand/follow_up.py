"""Whether a message goes on with what was said before, and what of that still holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import regex

from retrieval.understand.constraints import Constraints

_SHORT = 4  # words: "in green?", "something cheaper" cannot stand alone
_SHORT_WITH_LIMITS = 9  # "only ones rated above 4.5 please"
_STARTS = regex.compile(
    r"\s*(?:and|or|in|with|without|what about|how about|only|but|just|not|no|same|something|anything|any|ok|okay"
    r"|cheaper|bigger|smaller|make it"
    r"|那|还有|换|更|要|只要|有没有|便宜|再|贵|大一|小一|不要)\b?",
    regex.IGNORECASE,
)
_POINTS = regex.compile(
    r"\b(?:first|second|third|fourth|last|other) (?:one|two)s?\b|\b(?:these|those|them|it)\b|\bones?\b"
    r"|第[一二三四五六1-6两]个|[前后]两个|这[个款些]|那[个款些]",
    regex.IGNORECASE,
)
_CHEAPER = regex.compile(
    r"\b(?:cheaper|less expensive|lower price)\b(?! than)|便宜(?:一)?[点些]|更便宜|有便宜的", regex.IGNORECASE
)
_ANY = r"(?:any|forget(?: about)?|never ?mind|ignore|drop|remove|skip|whatever|no)(?: (?:the|my|a|about))?"
_ANY_ZH = r"(?:不限|无所谓|不重要|随便|都行|都可以|不管|忽略|取消|去掉|没有?限制|不用管)"


def _forgets(english: str, chinese: str) -> regex.Pattern[str]:
    return regex.compile(
        rf"\b{_ANY} (?:{english})\b(?! (?:under|over|below|above|is|of|[$€£\d]))"
        rf"|\b(?:{english}) (?:doesn'?t|does not|don'?t) matter"
        rf"|{_ANY_ZH}(?:了)?(?:{chinese})|(?:{chinese})(?:就|也|都|限制)?{_ANY_ZH}",
        regex.IGNORECASE,
    )


_FORGETS = (
    (
        _forgets(r"budgets?|price(?: limit)?s?|cost|money", r"价格|预算|价位|钱"),
        ("price_min", "price_max", "price_about", "currency"),
    ),
    (_forgets(r"colou?rs?", r"颜色"), ("color",)),
    (_forgets(r"brands?", r"品牌|牌子"), ("brand", "brand_not")),
    (_forgets(r"materials?|fabrics?", r"材质|面料"), ("material",)),
    (_forgets(r"sizes?", r"尺码|大小|尺寸"), ("size", "scopes")),
    (_forgets(r"ratings?|stars|reviews?", r"评分|评价|星级"), ("rating_min",)),
    (_forgets(r"stock|availability", r"库存|现货"), ("in_stock",)),
)
_NOTHING = Constraints()


def continues(text: str, own: Constraints, left: str) -> bool:
    """Whether `text` means something only after what was said before; `left` is the text without its limits."""
    if regex.fullmatch(r"(?:[\W\d_]|的|有|呢|吗|吧)*", left):
        return True  # "50美元以内的": limits alone
    words = len(regex.findall(r"\p{Han}|[^\W\d_]+", text))
    if any(pattern.search(text) for pattern, _ in _FORGETS):
        return not own.category
    if words > _SHORT and own.category:
        return False
    if 0 < words <= _SHORT and _STARTS.match(text):
        return True
    if own.category or words > _SHORT_WITH_LIMITS + 3 * (regex.search(r"\p{Han}", text) is not None):
        return False
    return own != _NOTHING or _CHEAPER.search(text) is not None or _POINTS.search(text) is not None


def forgotten(limits: Constraints, text: str) -> Constraints:
    """Less what `text` says no longer matters, and the cheapest first where something cheaper is wanted."""
    for pattern, names in _FORGETS:
        if pattern.search(text):
            nothing: dict[str, Any] = {name: getattr(_NOTHING, name) for name in names}
            limits = replace(limits, **nothing)
    return replace(limits, sort="price_asc") if _CHEAPER.search(text) else limits


def merged(before: Constraints, new: Constraints) -> Constraints:
    """What holds after both: the newer word on each matter, and everything that was refused."""
    changes: dict[str, Any] = {
        name: getattr(new, name)
        for name in (
            "rating_min",
            "sort",
            "quantity",
            "brand",
            "category",
            "color",
            "material",
            "recipient",
            "occasion",
        )
        if getattr(new, name) not in (None, ())
    }
    if new.size:
        changes |= {"size": new.size, "scopes": new.scopes}
    changes |= _price(before, new)
    changes["in_stock"] = before.in_stock or new.in_stock
    wanted = {*new.brand, *new.category, *new.color, *new.material}
    unwanted = {*new.brand_not, *new.category_not, *new.exclude_terms}
    for name in ("brand_not", "category_not", "exclude_terms"):
        kept = dict.fromkeys((*getattr(before, name), *getattr(new, name)))
        changes[name] = tuple(value for value in kept if value not in wanted)
    for name in ("brand", "category", "color", "material"):
        changes[name] = tuple(v for v in changes.get(name, getattr(before, name)) if v not in unwanted)
    return replace(before, **changes, spans=new.spans)


def _price(before: Constraints, new: Constraints) -> dict[str, Any]:
    """A newer end of the range replaces the older; where both cannot be, the newer alone holds."""
    if new.price_min is None and new.price_max is None and new.price_about is None:
        return {}
    low, high = new.price_min, new.price_max
    if new.price_about is None:
        low = low if low is not None else before.price_min
        high = high if high is not None else before.price_max
        if low is not None and high is not None and low > high:
            low, high = new.price_min, new.price_max
    same = new.currency or before.currency
    return {"price_min": low, "price_max": high, "price_about": new.price_about, "currency": same}
