"""Example questions that the loaded catalogue can answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from statistics import median_low

from retrieval.product import Lang, Product

_CURRENCY = {"USD": ("${}", "{}美元"), "EUR": ("€{}", "{}欧元"), "GBP": ("£{}", "{}英镑"), "CNY": ("¥{}", "{}元")}


def example_questions(products: Iterable[Product], lang: Lang, count: int = 4) -> list[str]:
    """One question for each of the `count` best-filled categories, with a price that half of them keep."""
    prices: dict[tuple[str, str], list[Decimal]] = defaultdict(list)
    for product in products:
        name = product.category.get(lang)
        if name and product.price is not None and product.in_stock:
            prices[name, product.price.currency].append(product.price.amount)
    ranked = sorted(prices.items(), key=lambda item: (-len(item[1]), item[0]))
    step = max(1, len(ranked) // count)  # spread over the catalogue, not four kinds of shoe
    return [
        _question(name, currency, _neat(median_low(amounts)), lang) for (name, currency), amounts in ranked[::step]
    ][:count]


def _neat(amount: Decimal) -> int:
    """The next round number at or above `amount`: 23 → 25, 87 → 90, 134 → 150."""
    step = next((step for limit, step in ((50, 5), (100, 10), (500, 50), (5000, 100)) if amount <= limit), 1000)
    return int(-(-amount // step) * step)


def _question(category: str, currency: str, limit: int, lang: Lang) -> str:
    english, chinese = _CURRENCY.get(currency, ("{} " + currency, "{} " + currency))
    if lang == "zh":
        return f"{chinese.format(limit)}以内的{category}"
    return f"{category} under {english.format(limit)}"
