"""Prices, stock and ratings of an invented shop."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from random import Random

from retrieval.product import Money, Variant
from ui_assets.demo.palette import Colour
from ui_assets.demo.spec import Options, Said

CURRENCY = "USD"
_ENDINGS = (Decimal("0.00"), Decimal("0.90"), Decimal("0.95"), Decimal("0.99"))
_SOLD_OUT, _SCARCE = 0.06, 0.15  # shares of all products, the second including the first


def money(amount: Decimal) -> Money:
    return Money(amount=amount, currency=CURRENCY)


def round_price(amount: float, ending: Decimal) -> Decimal:
    """The price with this ending that is nearest to the amount."""
    return max(Decimal(round(amount - float(ending))), Decimal(1)) + ending


def price_of(between: tuple[float, float], factors: Sequence[float], rng: Random) -> Decimal:
    """Somewhere in the range, moved by the product's facts but never far out of it."""
    low, high = between
    amount = low * 0.95 + (high - low) * rng.random() ** 1.7  # more cheap things than dear ones
    for factor in factors:
        amount *= factor
    return round_price(min(max(amount, low), high * 1.1), rng.choice(_ENDINGS))


def stock_up(
    ident: str,
    price: Decimal,
    colours: Sequence[Colour],
    options: Options | None,
    chosen: Sequence[Said],
    rng: Random,
) -> tuple[Variant, ...]:
    """One variant for each colour and choice, with its own SKU, stock and, where it costs more or less, price."""
    wares = [(colour, value) for colour in colours for value in (chosen or (None,))]
    stocks = _stocks(len(wares), rng)
    variants = []
    for (colour, value), stock in zip(wares, stocks, strict=True):
        labels = {"colour": colour.name[0]} if len(colours) > 1 else {}
        parts = [ident, colour.code]
        own = None
        if value and options:
            labels[options.key] = value.text[0]
            parts.append(re.sub(r"[^A-Z0-9]", "", value.text[0].upper().removeprefix("EU ")))
            if any(other.price != 1 for other in chosen):
                own = money(round_price(float(price) * value.price, price % 1))
        variants.append(Variant(sku="-".join(parts), options=labels, price=own, stock=stock))
    return tuple(variants)


def _stocks(count: int, rng: Random) -> list[int]:
    fate = rng.random()
    if fate < _SOLD_OUT:
        return [0] * count
    if fate < _SCARCE:
        stocks = [0] * count
        for _ in range(rng.randint(1, 4)):
            stocks[rng.randrange(count)] += 1
        return stocks
    most = 60 if count == 1 else 24
    stocks = [0 if count > 1 and rng.random() < 0.12 else rng.randint(2, most) for _ in range(count)]
    return stocks if sum(stocks) else [3] * count


def rate(rng: Random) -> tuple[float | None, int]:
    """A rating and how many gave it; new products have none."""
    if rng.random() < 0.06:
        return None, 0
    rating = min(max(rng.gauss(4.28, 0.34), 3.1), 4.9)
    return round(rating, 1), min(max(int(rng.lognormvariate(4.3, 1.2)), 3), 4800)
