"""Rating, stock, order, number of pieces, and for whom or what it is."""

from __future__ import annotations

from typing import Literal

import regex

from retrieval.understand.reading import Reading

Sort = Literal["price_asc", "price_desc", "rating_desc", "newest"]


def _compiled(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern, regex.IGNORECASE)


_ENGLISH = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_CHINESE = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5}
_R = r"(?P<r>(?<![\d.$€£¥])[1-5](?:\.\d)?(?![\d.]*\d)|\b(?:one|two|three|four|five)\b(?:[ -]and[ -]a[ -]half)?)"
_R_ZH = r"(?P<r>(?<![\d.$€£¥])[1-5](?:\.\d)?(?![\d.]*\d)|[一二两三四五](?:点[一二三四五六七八九])?)"
_AT_LEAST = (
    r"(?:at least|minimum(?: of)?|min|over|above|more than|higher than|better than|no less than|not (?:under|below"
    r"|less than)|nothing (?:below|under|less than)|from|>=?|≥)"
)
_AT_LEAST_ZH = r"(?:至少|不低于|不少于|高于|大于|超过|不要低于|要在|要有|达到|在)"
_RATING = _compiled(
    rf"(?:rat(?:ed|ings?)|stars?|scores?|reviews?|reviewed)(?:\s+(?:of|is|at|be|to be|must be"
    rf"|should be))*:?\s*{_AT_LEAST}?\s*{_R}\+?(?:\s*(?:/\s*5|out of (?:5|five)))?(?:[ -]?stars?)?(?:\s*(?:\+"
    rf"|or (?:more|higher|better|above|up)|and (?:up|above|higher)|plus))?"
    rf"|{_AT_LEAST}?\s*{_R}\s*(?:\+|plus|or (?:more|better|higher))?\s*[ -]?(?:★|⭐|stars?(?!\w)|rating|rated"
    rf"|out of (?:5|five)|/\s?5(?!\d))(?:\s*(?:\+|or (?:more|better|higher|above|up)|and (?:up|above|higher|over)"
    rf"|plus|at least|minimum|rating|reviews?))*"
    rf"|(?:评分|评价|星级|打分|口碑)\s?(?:最好|必须)?{_AT_LEAST_ZH}*\s?{_R_ZH}\s?(?:分|颗?星)?(?P<half>半)?\s?(?:或?以上|起|及以上|往上)?"
    rf"|{_AT_LEAST_ZH}?\s?{_R_ZH}\s?(?P<half>半)?(?:颗?星|分)(?P<half2>半)?\s?(?:或?以上|起步?|及以上|往上|好评|评价|评分|的)"
    rf"|{_AT_LEAST_ZH}\s?{_R_ZH}\s?(?P<half>半)?(?:颗?星|分(?!钟))(?P<half2>半)?"
    rf"|(?:only )?{_AT_LEAST}\s*(?P<r>[1-4]\.\d)(?![\d.]*\d|\s*(?:\w|[%°\"]))"
    r"|(?P<r>(?<![\d.])[34]\.\d)\s*(?:以上|\+)(?!\d)"
)
_NO_STAR = _compiled(r"\b(?:five|5)[- ]star hotels?|五星红旗|五星级?酒店|\b\d-star hotel")
_IN_STOCK = _compiled(
    r"(?:(?:only|that(?:'s| is| are)|must be|currently|still|have|is|are|what(?:'s| is)) )*\b(?:in[ -]stock"
    r"|available (?:now|today|right now|immediately)|ready to ship|ships? (?:now|today)|not (?:sold out"
    r"|out of stock))\b"
    r"|(?:只?[看要买]?|必须|要|得)?(?:有现货|现货|有库存|有货)的?|(?:不要|别)(?:缺货|断货|售罄|没货|预售)的?|能?(?:马上|立刻|立即)(?:能?发货|下单)"
)
_SORTS: tuple[tuple[Sort, regex.Pattern[str]], ...] = (
    ("newest", _compiled(
        r"\b(?:newest|latest|most recent|new arrivals?|new in|just (?:in|arrived|released)|(?:sort(?:ed)? by"
        r"|order by) (?:new|date|newest))\b|最新款?的?|新品|新款|刚上架|新到|上新|最近上架"
    )),
    ("rating_desc", _compiled(
        r"\b(?:(?:best|top|highest|most highly|highly)[ -](?:rated|reviewed|rating|ratings|reviews?)"
        r"|highest[ -](?:scor\w+)|(?:sort(?:ed)?|order(?:ed)?) by (?:rating|reviews?|stars))\b"
        r"|(?:评分|评价|口碑|好评)(?:率)?(?:最高|最好|从高到低|排序|由高到低)的?|(?:最高|最好)评分?|好评最多|按评分"
    )),
    ("price_asc", _compiled(
        r"\b(?:cheapest|least expensive|lowest[ -]pric\w+|most affordable|lowest to highest|low to high"
        r"|price (?:ascending|low)|lowest cost|most inexpensive)\b"
        r"|最便宜的?|(?:价格|价钱)?(?:从低到高|由低到高|低到高)|价格最低的?|最低价的?|最实惠的?|(?<!不)最划算"
    )),
    ("price_desc", _compiled(
        r"\b(?:most expensive|priciest|dearest|highest[ -]pric\w+|high to low|highest to lowest|most luxurious"
        r"|most premium|price descending)\b"
        r"|最贵的?(?!\s?(?:不|别|也就|只能))|(?:价格|价钱)?(?:从高到低|由高到低|高到低)|价格最高的?|最高价的?(?!\d)"
    )),
)  # fmt: skip
_COUNT = _compiled(
    r"(?:^|\b(?:need|want|buy|get|order|for) )(?P<q>[2-9]|two|three|four|five|six) (?:pairs? of |of (?:the|these"
    r"|them) )?(?=(?:\w+ )?\w+s\b)"
    r"|(?P<q>[2-9]|[两三四五六])(?=[件个双条把顶只台副瓶])"
)
_FOR = _compiled(
    r"\b(?:for|to give) (?:(?:my|our|a|an|the|his|her) )?(?P<w>mum|mom|mother|dad|father|wife|husband|girlfriend"
    r"|boyfriend|son|daughter|kids?|children|toddler|baby"
    r"|grandma|grandmother|grandpa|grandfather|brother|sister|friend|teacher|boss|colleague|men|women|boys|girls"
    r"|him|her)\b"
    r"|(?P<w>妈妈|爸爸|老婆|妻子|老公|丈夫|女朋友|女友|男朋友|男友|儿子|女儿|孩子|小孩|宝宝|奶奶|爷爷|外婆|外公|哥哥|弟弟|姐姐|妹妹|朋友|老师|老板|同事|长辈|男士|女士|闺蜜)"
)
_OCCASION = _compiled(
    r"\b(?P<w>birthday|christmas|xmas|wedding|anniversary|valentine'?s(?: day)?|mother'?s day|father'?s day"
    r"|graduation|party|housewarming|holiday|hiking|camping|office|travel|gym|beach|interview)\b"
    r"|(?P<w>生日|圣诞节?|婚礼|结婚|纪念日|情人节|母亲节|父亲节|毕业|派对|聚会|乔迁|过年|春节|通勤|露营|徒步|旅行|出差|面试|健身)"
)


def read_rating(reading: Reading) -> float | None:
    """Stars out of five, at least."""
    for _ in reading.all(_NO_STAR):
        pass
    for match in reading.all(_RATING, "rating"):
        groups = match.groupdict()
        return _stars(groups["r"].lower()) + (0.5 if groups.get("half") or groups.get("half2") else 0.0)
    return None


def _stars(text: str) -> float:
    if text[0].isdigit():
        return float(text)
    if text[0] in _CHINESE:
        return _CHINESE[text[0]] + (_tenth(text[2]) if len(text) == 3 else 0.0)
    return _ENGLISH[regex.split(r"[ -]", text)[0]] + (0.5 if "half" in text else 0.0)


def _tenth(sign: str) -> float:
    return "零一二三四五六七八九".index(sign) / 10


def read_stock(reading: Reading) -> bool:
    return reading.first(_IN_STOCK, "stock") is not None


def read_sort(reading: Reading) -> Sort | None:
    for sort, pattern in _SORTS:
        if reading.first(pattern, "sort"):
            return sort
    return None


def read_soft(reading: Reading) -> tuple[int | None, tuple[str, ...], tuple[str, ...]]:
    """How many, for whom, for what: the words stay in the message, for they rank."""
    count = _COUNT.search(reading.left)
    whom = tuple(dict.fromkeys(match["w"].lower() for match in _FOR.finditer(reading.left)))
    occasions = tuple(dict.fromkeys(match["w"].lower() for match in _OCCASION.finditer(reading.left)))
    return (_number(count["q"]) if count else None), whom, occasions


def _number(text: str) -> int:
    return int(text) if text.isdigit() else ({**_ENGLISH, "six": 6, **_CHINESE, "六": 6})[text.lower()]
