"""Sentences that the service itself says to shoppers, in English and 简体中文, filled from records."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from retrieval.product import Lang, Money, Product, in_language
from retrieval.understand.constraints import Constraints
from serving.events import Chip

NUMBERS = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳㉑㉒㉓㉔"
_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "CNY": "¥", "JPY": "¥"}

_TEXTS: dict[str, tuple[str, str]] = {  # key: (English, 简体中文)
    "found_one": ("I found one that fits: ", "找到 1 款符合的："),
    "found": (
        "Here are {count} that may suit you, from {low} to {high}.",
        "为您找到 {count} 款，价格从 {low} 到 {high}。",
    ),
    "found_unpriced": ("Here are {count} that may suit you.", "为您找到 {count} 款。"),
    "none": (
        "I found nothing in our catalogue within these limits{limits}. Try a wider price range or other words.",
        "在这些条件下{limits}，店里没有找到合适的商品。可以放宽价格范围，或换个说法试试。",
    ),
    "empty_catalogue": (
        "The catalogue is empty, so there is nothing to recommend yet.",
        "商品目录还是空的，暂时没有可以推荐的商品。",
    ),
    "rated": ("rated {rating} by {count} shoppers", "{count} 位顾客评分 {rating}"),
    "sold_out": ("sold out at the moment", "暂时售罄"),
    "few_left": ("only {count} left", "仅剩 {count} 件"),
    "llm_down": (
        "The writing model is not available right now; this answer was put together from the product records.",
        "写作模型暂时不可用，以下内容由商品记录直接整理而成。",
    ),
    "llm_broke_off": (
        "The writing model stopped in the middle; the rest was put together from the product records.",
        "写作模型中途停止，其余内容由商品记录直接整理而成。",
    ),
    "reindexing": (
        "The catalogue is still being read ({done} of {total}), so some products are not found yet.",
        "商品目录仍在载入（{done}/{total}），部分商品暂时搜索不到。",
    ),
    "embedder_language": (
        "In this setup questions in Chinese are matched by their words alone; another word for it may find more.",
        "当前配置下，中文提问只按字词匹配商品；换个说法也许能找到更多。",
    ),
    "refused": (
        "I can't help with that. I am happy to help you find something in our shop.",
        "这个问题我帮不上忙。如果想在店里找商品，我很乐意帮您。",
    ),
    "refused_self_harm": (
        "I am sorry that things are this hard. You are not alone: please call your local emergency number or a crisis"
        " line (in the US and Canada: 988) and talk to someone now.",
        "听到您这么难受，我很抱歉。您并不孤单：请马上联系身边的人，或拨打心理援助热线 12356；"
        "紧急情况请拨打 120 或 110。",
    ),
    "stage_failed": (
        "Something went wrong on our side and I could not search the catalogue. Please try again in a moment.",
        "我们这边出了点问题，暂时无法搜索商品目录，请稍后再试。",
    ),
    "starting": (
        "The assistant is still starting. Please try again in a moment.",
        "导购助手正在启动，请稍后再试。",
    ),
    "price_max": ("at most {amount}", "不超过 {amount}"),
    "price_min": ("at least {amount}", "不低于 {amount}"),
    "price_about": ("around {amount}", "{amount}左右"),
    "rating_min": ("rated {value} or more", "评分 {value} 以上"),
    "in_stock": ("in stock", "有货"),
    "brand": ("brand {value}", "品牌 {value}"),
    "brand_not": ("not {value}", "不要 {value}"),
    "category_not": ("no {value}", "不要{value}"),
    "exclude": ("no {value}", "不要{value}"),
    "color": ("{value}", "{value}"),
    "material": ("{value}", "{value}"),
    "size": ("size {value}", "尺码 {value}"),
    "scope": ("{item} in {size}", "{item} {size}"),
    "recipient": ("for {value}", "给{value}"),
    "occasion": ("{value}", "{value}"),
    "quantity": ("{value} pieces", "{value} 件"),
    "sort_price_asc": ("cheapest first", "价格从低到高"),
    "sort_price_desc": ("most expensive first", "价格从高到低"),
    "sort_rating_desc": ("best rated first", "评分从高到低"),
    "sort_newest": ("newest first", "新品优先"),
    "other_currency": (
        "Our prices are in {shop} and nothing is converted: I took the amount you gave in {stated} as {shop}.",
        "本店以 {shop} 标价，不做换算：您说的 {stated} 金额按 {shop} 理解。",
    ),
    "more_cheaper": ("Something under {amount}", "{amount}以内的"),
    "more_stock": ("Only those in stock", "只要有货的"),
}


def say(key: str, lang: Lang, **values: object) -> str:
    """The sentence `key` in `lang` (Chinese for "zh", else English)."""
    return _TEXTS[key][lang == "zh"].format(**values)


def money(value: Money) -> str:
    """ "$24.90", or "24.90 SEK" where the currency has no sign of its own here."""
    amount = f"{value.amount:,.0f}" if value.currency == "JPY" else f"{value.amount:,.2f}"
    sign = _SYMBOLS.get(value.currency)
    return f"{sign}{amount}" if sign else f"{amount} {value.currency}"


def _limit(value: float, currency: str) -> str:
    amount = f"{value:,.2f}".removesuffix(".00")
    sign = _SYMBOLS.get(currency)
    return f"{sign}{amount}" if sign else f"{amount} {currency}".strip()


def chips(
    limits: Constraints, lang: Lang, currency: str, hard_brands: Sequence[str] = (), most: int = 24
) -> tuple[Chip, ...]:
    """What was understood, as the shopper sees it, limits before wishes; prices in `currency`."""
    found = [
        Chip(kind=kind, value=amount, label=say(kind, lang, amount=_limit(amount, currency)))
        for kind in ("price_min", "price_max", "price_about")
        if (amount := getattr(limits, kind)) is not None
    ]
    if limits.rating_min is not None:
        label = say("rating_min", lang, value=f"{limits.rating_min:g}")
        found.append(Chip(kind="rating_min", value=limits.rating_min, label=label))
    if limits.in_stock:
        found.append(Chip(kind="in_stock", value=True, label=say("in_stock", lang)))
    for kind, values in (
        ("brand", limits.brand),
        ("brand_not", limits.brand_not),
        ("category_not", limits.category_not),
    ):
        for value in values:
            hard = kind != "brand" or value in hard_brands
            found.append(Chip(kind=kind, value=value, label=say(kind, lang, value=value), hard=hard))
    return (*found, *_wishes(limits, lang))[:most]


def _wishes(limits: Constraints, lang: Lang) -> list[Chip]:
    """What ranks and does not exclude."""
    named = (
        ("exclude", limits.exclude_terms),
        ("color", limits.color),
        ("material", limits.material),
        ("size", () if limits.scopes else limits.size),
        ("recipient", limits.recipient),
        ("occasion", limits.occasion),
    )
    found = [
        Chip(kind=kind, value=value, label=say(kind, lang, value=value), hard=False)
        for kind, values in named
        for value in values
    ]
    for item, size in limits.scopes:
        label = say("scope", lang, item=item, size=size)
        found.append(Chip(kind="size", value=f"{item}: {size}", label=label, hard=False))
    if limits.quantity is not None:
        label = say("quantity", lang, value=limits.quantity)
        found.append(Chip(kind="quantity", value=limits.quantity, label=label, hard=False))
    if limits.sort is not None:
        found.append(Chip(kind="sort", value=limits.sort, label=say(f"sort_{limits.sort}", lang), hard=False))
    return found


def facts(product: Product, lang: Lang) -> str:
    """Price, rating and stock of a product, as its record states them, without a full stop."""
    parts = []
    if product.price is not None:
        parts.append(money(product.price))
    if product.rating is not None and product.rating_count:
        parts.append(say("rated", lang, rating=f"{product.rating:.1f}", count=product.rating_count))
    if not product.in_stock:
        parts.append(say("sold_out", lang))
    elif product.stock is not None and product.stock <= 5:
        parts.append(say("few_left", lang, count=product.stock))
    return ("，" if lang == "zh" else ", ").join(parts)


def headline(number: int, product: Product, lang: Lang) -> str:
    """ "① **Title** – $24.90, rated 4.6 by 120 shoppers." """
    title = in_language(product.title, lang)
    stated = facts(product, lang)
    if lang == "zh":
        return f"{NUMBERS[number - 1]} **{title}**" + (f"：{stated}。" if stated else "。")
    return f"{NUMBERS[number - 1]} **{title}**" + (f" – {stated}." if stated else ".")


def first_sentence(text: str) -> str:
    """A description's first sentence, at most 160 characters."""
    for position, char in enumerate(text[:160]):
        ends = char in "。！？" or (char in ".!?" and text[position + 1 : position + 2] in ("", " "))
        if ends:
            return text[: position + 1]
    return text[:159] + "…" if len(text) > 160 else text


def introduction(products: Sequence[Product], lang: Lang) -> str:
    """The sentence before the list."""
    if len(products) == 1:
        return say("found_one", lang)
    prices = [product.price for product in products if product.price is not None]
    if len(prices) < len(products) or len({price.currency for price in prices}) != 1:
        return say("found_unpriced", lang, count=len(products))
    low, high = (pick(prices, key=lambda price: price.amount) for pick in (min, max))
    return say("found", lang, count=len(products), low=money(low), high=money(high))


def follow_ups(products: Sequence[Product], limits: Constraints, lang: Lang) -> tuple[str, ...]:
    """Up to two things to ask next that the shelf can answer."""
    asks = []
    prices = sorted(product.price.amount for product in products if product.price is not None)
    if len(prices) >= 3 and prices[0] < prices[-1]:
        middle = Money(amount=Decimal(round(prices[len(prices) // 2])), currency=_currency(products))
        asks.append(say("more_cheaper", lang, amount=_limit(float(middle.amount), middle.currency)))
    if not limits.in_stock and any(not product.in_stock for product in products):
        asks.append(say("more_stock", lang))
    return tuple(asks)


def _currency(products: Sequence[Product]) -> str:
    return next(product.price.currency for product in products if product.price is not None)
