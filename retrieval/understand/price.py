"""What a message says of the price, in both languages, and which numbers are no price."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import regex

from retrieval.understand.numbers import NUMBER, scale, value
from retrieval.understand.reading import Reading

_BEFORE = r"(?:us|hk)\s?\$|[$£€¥]|usd|eur|gbp|cny|rmb|jpy|人民币"
_AFTER = (
    r"(?:us\s?)?dollars?\b|bucks?\b|usd\b|euros?\b|eur\b|quid\b|gbp\b|pounds? sterling\b|pounds?\b|yuan\b|rmb\b|cny\b"
    r"|kuai\b|yen\b|jpy\b|[$£€¥](?!\d)|块钱?|元钱?|圆|美元|美金|美刀|刀(?!具|片)|欧元|欧(?![码洲式美])|英镑|镑|日元|日币|人民币"
)
_CODES = {
    "$": "USD", "us$": "USD", "dollar": "USD", "dollars": "USD", "usd": "USD", "us dollars": "USD", "hk$": "HKD",
    "美元": "USD",
    "美金": "USD", "美刀": "USD", "刀": "USD", "£": "GBP", "gbp": "GBP", "quid": "GBP", "pound": "GBP", "pounds": "GBP",
    "pounds sterling": "GBP", "英镑": "GBP", "镑": "GBP", "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR",
    "欧元": "EUR", "欧": "EUR", "¥": "CNY", "cny": "CNY", "rmb": "CNY", "yuan": "CNY", "kuai": "CNY", "元": "CNY",
    "元钱": "CNY", "人民币": "CNY", "yen": "JPY", "jpy": "JPY", "日元": "JPY", "日币": "JPY",
}  # fmt: skip
# A number before one of these is a measure, an age, a count or a model, not money.
_UNIT = (
    r"(?:\d|[.,]\d|\s*(?:[%°'\"”″]|[-\s]?(?:kgs?|kilos?|g|grams?|lbs?|oz|ounces?|cm|mm|m|km|metres?|meters?"
    r"|inch(?:es)?|in(?=\s|$|[.,])"
    r"(?!\s+(?:total|all|a|my|the|black|white|red|blue|green|grey|size|stock|cotton|leather|good|any))|ft|feet|foot"
    r"|l|litres?|liters?|ml|cl|hours?|hrs?|h|days?"
    r"|weeks?|years?|yrs?|yo|months?|mins?|minutes?|seconds?|secs?|stars?|gb|tb|mb|mah|w|watts?|v|volts?|hz|khz|ghz"
    r"|dpi|db|lumens?|lm|nits|mp|megapixels?|p|fps|rpm|spf|mph|kmh|km/h|degrees?|people|persons?|pax|pieces?|pcs|pairs?"
    r"|packs?|items?|units?|keys?|pockets?|layers?|modes?|colou?rs?|steps?|speeds?|seats?|seasons?|pages?|ports?"
    r"|reviews?"
    r"|ratings?|cups?|cores?|guests?|kids|children|adults|men|women|miles?|mi|calories|cal|atm|am|pm|o'clock|th|st"
    r"|nd|rd"
    r"|blades?|sizes?|percent|series|model|edition|players?|sleepers?|zippers?|wheels?|thread|threads|leds?|bulbs?"
    r"|buttons?|cards?)\b(?!/)"
    r"|千?克|[公英]?斤|[厘毫分]?米(?!色|白|黄)|公里|[英]?寸|毫?升|小时|分钟?|秒|天|周|星期|[周]?年|[周]?岁|个|月|日|号|星|人|件|[万千]?瓦|伏|赫|级"
    r"|度|层|倍|条|双|支|瓶|包(?!包)|套|口|键|种|款|码|页|位|只|张|把|台|本|杯|盒|片|折|分|代|系列|毫安|像素|色|孔|轮|座|季|成|颗|粒|流明|英里|kg))"
)
_PUZZLE = r"(?!\s*(?:积木|拼图|手表|腕表|表|布|香皂|瑜伽砖))"


def _amount(name: str) -> str:
    """An amount as groups NAME, NAME_pre and NAME_suf: the number and its currency before or after it."""
    return (
        rf"(?:(?P<{name}_pre>{_BEFORE})\s?(?P<{name}>{NUMBER})(?:\s?(?P<{name}_suf>{_AFTER}))?"
        rf"|(?P<{name}>{NUMBER})(?:\s?-?\s?(?P<{name}_suf>{_AFTER}){_PUZZLE}|(?!{_UNIT})))"
    )


_A = _amount("a")
_TO = r"\s*(?:and|to|through|[-~]+|到|至|和|与)\s*"
_UNDER = (
    r"und?e?r|underneath|bell?ow|beneath|(?:less|cheaper|lower|fewer|smaller) th[ae]n|(?:the )?most (?:that )?(?:i"
    r"|we)(?:'d|'ll| would| will| can| could| want to| wanna)* (?:pay|spend|go|do)(?: for it)?(?: is|:)?|up to|upto"
    r"|at most|no (?:more|higher|greater) th[ae]n|not (?:more|over|above) th[ae]n"
    r"|not (?:over|above|exceeding|to exceed)|not exceed|nothing (?:over|above|more than|pricier than)|no over"
    r"|within|max(?:imum)?(?: price)?(?:'s| is| of|:)?"
    r"|capped at|cap of|cap at|sub[- ]?|<=?|≤|limit(?: is| of)?|(?:\w+n't|dont|cant|wont|not|never"
    r"|without)(?: \w+){0,3}? (?:over|above|more than|exceed(?:ing)?|past)"
    r"|ceiling(?: is| of)?|afford|spend(?: up to| at most)?|for less than"
    r"|(?:不要|别|不能|不可以?|不想|不会|不得|没)(?:再)?(?:超过|高于|大于|超出|超|多于|贵过)|不(?:超过|超|高于|大于|多于)|低于|少于|小于|最多|至多|不到|顶多"
    r"|比(?=[\d一二三四五六七八九百千.万两]+(?:元|块钱?|美元)?(?:更|还|要)?(?:便宜|低))|最贵(?:不超过|别超过)?"
    r"|上限(?:是|为)?|最高(?:价)?(?:不超过)?|撑死|便宜[于过]|封顶"
)
_OVER = (
    r"over|above|more th[ae]n|at least|at minimum|no(?:t)? (?:less|lower|cheaper) than|nothing (?:under|below"
    r"|less than|cheaper than)|not (?:under|below)"
    r"|minimum(?: of)?|min(?: of)?|starting (?:at|from)|starts? (?:at|from)|from|upwards? of|north of|exceeding"
    r"|(?:higher|pricier|greater|costlier|dearer) th[ae]n|>=?|≥"
    r"|(?:不要|别|不能|不想要?|不可以?)(?:低于|少于|小于)|不(?:低于|少于|小于)|超过|高于|大于|至少|起码|最少|最低|多于|贵于"
)
_ABOUT = (
    r"arr?ou?nd(?: about)?|abou?t|approx(?:imately|\.)?|roughly|circa|close to|somewhere (?:around|near)"
    r"|near(?:ly)?|in the region of|~|≈"
    r"|大概(?:在)?|大约|差不多|约|接近"
)
_BUDGET = (
    r"(?:(?:my|our|the|a|with|on|total)\s+)*(?:price (?:limit|cap)|budget)(?:'s| is| of| at|:|\s)*\s*"
    r"|(?:have|got|with|only)\s+(?=[$£€¥])|(?:预算|人均|每人|心理价位|价位)(?:是|在|为|就|只有|大概|:|最多)*\s*"
)
_FILL = (
    r"\s*(?:(?:a|the|my|of|to|是|在|:|spend(?:ing)?|only|price|cost|价格|价钱|价位|单价|总价|能?花|能?付|能?出|给)\s*)*"
)


def _compiled(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern, regex.IGNORECASE)


_W = r"(?<![a-z])"
_BETWEEN = _compiled(
    rf"(?:{_W}(?P<word>betw?e+n|betwen|from|range(?: of)?|ranging from|budget(?: is| of|:)?|预算(?:在|是)?|价格(?:在)?"
    rf"|价位(?:在)?)\s*)?"
    rf"{_amount('low')}{_TO}{_amount('high')}(?:\s*(?P<tail>之间|以内|左右|的|price range|range|budget))?"
)
_HUNDREDS = _compiled(
    r"(?<![\p{Han}\d])(?P<a>[一二两三四五六七八])[、,]?(?P<b>[二两三四五六七八九])(?P<s>[十百千万])(?:(?P<a_suf>块钱?|元|美元|美金|刀|欧元?|英镑)|"
    rf"(?!{_UNIT}))"
)
_BEFORE_IT = _compiled(
    rf"(?:{_W}(?:(?P<under>{_UNDER})|(?P<over>{_OVER})|(?P<about>{_ABOUT})){_FILL}|(?P<budget>{_BUDGET})){_A}"
    r"(?P<tail>\s*(?:以内|以下|之内|内|左右|上下|以上|的?(?:就)?(?:不要|不考虑|别|免谈)"
    r"|(?:or|and) (?:less|under|below)|max\b|tops\b"
    r"|or so\b))?"
)
_AFTER_IT = _compiled(
    rf"{_A}\s*(?:(?P<under>或?者?以内|或?者?以下|之内|之下|内(?!存|置|胆|衣|存|衬|部|里)|封顶|为上限|打住"
    r"|(?:or|and) (?:less|under|below|lower"
    rf"|cheaper)"
    r"|max(?:imum)?\b|tops\b|at (?:the )?most|(?:is |as )?(?:my |the )?(?:limit|cap|budget|max)\b|(?:的)?预算|to spend"
    r"|搞定|能买到)"
    r"|(?P<over>或?者?以上|之上|往上|朝上|起(?!床|来|泡|球|飞)|起步|打底|\+"
    r"|(?:or|and) (?:more|up|over|above|higher)|(?:upwards"
    r"|minimum)\b|min\b|at least)"
    r"|(?P<about>左右|上下|前后|出头|附近|来块|多(?=[块元的])|-?ish\b|or so\b|or thereabouts|give or take))"
)
_PLAIN = _compiled(
    rf"(?P<for>\b(?:for|at)\s+)?(?:(?P<a_pre>{_BEFORE})\s?(?P<a>{NUMBER})"
    rf"|(?P<a>{NUMBER})\s?-?\s?(?P<a_suf>{_AFTER}){_PUZZLE})(?P<noun>\s+[a-z]|的)?"
)
# Numbers beside money that say nothing about the price of the thing.
_NO_PRICE = _compiled(
    rf"free (?:shipping|delivery)[\w\s]*? {_amount('a')}|(?:orders?|purchases?) (?:over|above|of) {_amount('b')}"
    rf"|{_amount('c')}\s?(?:off|discount|cashback|coupon|voucher|gift ?cards?)\b|(?:save|saving|coupon|voucher"
    rf"|discount) (?:of |for |up to |code )?{_amount('d')}"
    r"|满\s?\d+\s?元?(?:立?减|送|包邮|打|返)\s?\d*|立减\s?\d+|减\s?\d+元?|省\s?\d+元?|\d+元?(?:优惠券|代金券|礼品卡|购物卡|红包|无门槛)|\d+元?包邮"
    r"|buy \w+ get \w+|\b(?:air|pro|mini|ultra|plus) max \d+|\d+\s?(?:percent|%)(?: off)?|[\d.]+\s?折"
    r"|\b\d{1,2}/\d{1,2}(?:/\d{2,4})?\b|\d{4}[-/]\d{1,2}[-/]\d{1,2}"
    r"|(?:19|20)\d\d\s?(?:年|款|model|edition|version|collection|season)|(?:from|since|before|after|in|year|of"
    r"|the) (?:19|20)\d\d\b(?!\s*(?:dollars|usd|euro|元|块))"
    r"|\b(?:spf|upf|uv|usb|bluetooth|ps|mp|gen|level|no\.?|type|model|version|v|series|top"
    r"|size)\s?-?\d+(?:\.\d+)?\+?|前\d+名?|第[\d一二三四五六七八九十]+"
    r"|\d+\s?[x×*]\s?\d+(?:\s?[x×*]\s?\d+)?|千万(?=别|不|要|记)|万一|一起|一百分|百搭|百分之\w+|\d+小时以?内|一下|\bone-|(?<![$£€¥\d])\d{8,}"
)
# Said shortly before a bare number, these tell that something else is counted.
_MEASURED = _compiled(
    r"(?:\b(?:weigh\w*|height|tall|chest|waist|hips?|inseam|heels?|sold|bus|arrives?|delivered|capacity|levi'?s"
    r"|volume|depth|width|length|diameter|ages?d?|turns|turning)\b"
    r"|身高|体重|胸围|腰围|臀围|容量|重量|尺寸|年龄|长度|高度|宽度|直径|厚度|屏幕|续航|负重|脚长|肩宽|内存|存储)[^,.;\0]{0,6}$|\b(?:i'?m|she'?s|he'?s)\s*$"
)
_SMALL_THING = _compiled(r"(?:\b(?:sleeps?|fits?|holds?|laptops?|screen)\b|电脑|屏)[^,.;\0]{0,12}$")  # inches, persons
_PERSON = _compiled(
    r"(?:\b(?:kids|children|someone|anyone|people|wom[ae]n|m[ae]n|toddlers?|girls?|boys?|lady|ladies)|适合)[^,.;\0]{0,8}$"
)
_OTHER_AFTER = _compiled(
    r"[\s+]*(?:以[上下内]|左右|上下)?\s*的?(?:老人|男士|女士|男[生人]|女[生人]|孩子|宝宝|人群?|笔记本|电脑|屏)|\+?\s+(?:hours?|hrs|days|people|years"
    r"|threads?|pieces?)\b"
)


@dataclass
class Price:
    """What is said of the price. Currency: ISO 4217, of the amounts that were read; "" where none was said."""

    low: float | None = None
    high: float | None = None
    about: float | None = None
    currency: str = ""


def read_price(reading: Reading) -> Price:
    """Takes the limits of price out of the reading; what is no price and looks like one is blotted out before."""
    for _ in reading.all(_NO_PRICE):
        pass
    price = Price()
    for kind, low, high, currency in _limits(reading):
        if kind == "between":
            price.low, price.high = low, high
        elif kind == "under":
            price.high = low if price.high is None else min(price.high, low)
        elif kind == "over":
            price.low = low if price.low is None else max(price.low, low)
        elif price.low is None and price.high is None:
            price.about = low
        price.currency = price.currency or currency
    if price.low is not None or price.high is not None:
        price.about = None
    if price.low is not None and price.high is not None and price.low > price.high:
        price.low, price.high = price.high, price.low
    return price


Found = tuple[Literal["between", "under", "over", "about"], float, float, str]


def _limits(reading: Reading) -> Iterator[Found]:
    for match in _BETWEEN.finditer(reading.left):
        low, high = match["low"], match["high"]
        if _is_range(match, reading.left):
            reading.take("price", *match.span())
            yield "between", *_ends(low, high), _currency(match, "high") or _currency(match, "low")
        elif match["word"]:
            reading.blot(*match.span())  # neither end is a limit: "from 9 to 5"
    for match in _HUNDREDS.finditer(reading.left):
        if value(match["a"]) < value(match["b"]):
            reading.take("price", *match.span())
            each = scale(match["s"])
            yield "between", value(match["a"]) * each, value(match["b"]) * each, _currency(match, "a")
    for match in _BEFORE_IT.finditer(reading.left):
        if _is_money(match, reading.left):
            reading.take("price", *match.span())
            yield _direction(match), value(match["a"]), 0.0, _currency(match, "a")
    for match in _AFTER_IT.finditer(reading.left):
        if _is_money(match, reading.left):
            reading.take("price", *match.span())
            kind = "under" if match["under"] else "over" if match["over"] else "about"
            yield kind, value(match["a"]), 0.0, _currency(match, "a")  # type: ignore[misc]
    yield from _plain(reading)


def _plain(reading: Reading) -> Iterator[Found]:
    """An amount with no word about it: "$80 shoes" cost about that, "shoes, $80" is what there is to spend."""
    if any(span.kind == "price" for span in reading.spans):
        return
    for match in _PLAIN.finditer(reading.left):
        if value(match["a"]) >= 10 or match["a_pre"]:
            reading.take("price", *match.span())
            kind: Literal["about", "under"] = "about" if match["noun"] and not match["for"] else "under"
            yield kind, value(match["a"]), 0.0, _currency(match, "a")
            return


def _direction(match: regex.Match[str]) -> Literal["under", "over", "about"]:
    tail = (match["tail"] or "").strip()
    refused = regex.search(r"不要|不考虑|别|免谈", tail)
    if match["over"]:
        return "under" if refused else "over"
    if match["under"]:
        return "over" if refused else "under"
    if regex.search(r"以上", tail):
        return "over"
    if match["about"] and not regex.search(r"内|下$|less|under|below|max|tops", tail.replace("上下", "")):
        return "about"
    return "about" if regex.search(r"左右|上下|or so", tail) else "under"


def _is_money(match: regex.Match[str], text: str) -> bool:
    """A bare number is money unless it is small and counts the thing after it ("at least 3 pockets")."""
    number = match["a"]
    if match["a_pre"] or match["a_suf"]:
        heavy = regex.search(r"weigh|lift|heav|lighter|weight", text, regex.IGNORECASE)
        return not ((match["a_suf"] or "").lower() in {"pound", "pounds"} and (heavy or value(number) < 12))
    spoken = match.groupdict()
    way = "over" if spoken.get("over") else "about" if spoken.get("about") else "under"
    if _is_other(value(number), way, text[: match.start()]) or _OTHER_AFTER.match(text, match.end("a")):
        return False
    small = value(number) < 5 or (
        spoken.get("over") and (value(number) in {18, 21} or (value(number) < 20 and "+" in match.group()))
    )
    if small and not spoken.get("budget"):
        return False
    if spoken.get("about") in {"near", "约"}:
        return False
    if regex.match(r"\p{Han}", number) and not regex.search(r"[百千万]", number):
        bound = value(number) >= 20 and not regex.match(r".{0,6}加减", text, pos=match.end("a"))
        return bool(spoken.get("budget") or (bound and (spoken.get("under") or spoken.get("over"))))
    if regex.match(r"[a-z]", number, regex.IGNORECASE) and value(number) < 10:
        return False
    counts = regex.match(r"\s*-?[a-z]", text, pos=match.end("a"), flags=regex.IGNORECASE) and not regex.match(
        r"\s*(?:for|with|in|and|but|please|or|that|which|to|if|only|is|my|max|tops|pls|not|no|on|ish|k|would|so|as"
        r"|from|at|any)\b",
        text,
        pos=match.end("a"),
        flags=regex.IGNORECASE,
    )
    return not (counts and value(number) < 20)


def _is_other(number: float, way: str, before: str) -> bool:
    """Whether a bare number counts centimetres, inches or years, by what stands before it."""
    before = before[-40:]
    if _MEASURED.search(before) or (number <= 20 and _SMALL_THING.search(before)):
        return True
    aged = number <= 18 if way == "under" else 18 <= number < 100
    return aged and _PERSON.search(before) is not None


def _is_range(match: regex.Match[str], text: str) -> bool:
    if any(match[group] for group in ("low_pre", "low_suf", "high_pre", "high_suf")):
        return True
    if match["word"] or match["tail"] in {"之间", "以内", "price range", "range", "budget"}:
        low, high = value(match["low"]), value(match["high"])
        years = all(1950 <= year <= 2100 for year in (low, high))
        worn = 26 <= low < high <= 48 and high - low < 4  # sizes
        return (
            not (years or worn or _is_other(low, "about", text[: match.start()]))
            and max(low, high) >= 10
            and not ((match["word"] or "").lower() == "from" and low > high)
        )
    if _is_other(value(match["low"]), "about", text[: match.start()]):
        return False
    chinese = regex.match(r"\p{Han}", match["high"]) is not None and value(match["high"]) >= 100
    low, high = value(match["low"]), value(match["high"])
    alone = (
        20 <= low < high
        and not 26 <= low < high <= 48
        and regex.match(r"\s*(?:[,.;!?！？]|$)", text, pos=match.end("high")) is not None
    )
    return chinese or alone or bool(regex.search(r"价|元|块|price|budget|spend|cost", text, regex.IGNORECASE))


def _ends(low: str, high: str) -> tuple[float, float]:
    """In order; "1-2k" and 三到五百 say the scale once."""
    first, last = value(low), value(high)
    if scale(low) == 1 and first < 10 <= last and scale(high) > 1:
        first *= scale(high)
    return min(first, last), max(first, last)


def _currency(match: regex.Match[str], name: str) -> str:
    sign = (match.groupdict().get(f"{name}_pre") or match.groupdict().get(f"{name}_suf") or "").lower()
    return _CODES.get(sign.replace(" $", "$"), "")
