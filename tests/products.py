"""Products and an encoder for tests of everything that is not about the quality of vectors."""

from __future__ import annotations

import random
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from hashlib import sha256

import numpy as np

from retrieval.encoding import EncoderId, Vectors
from retrieval.product import Localized, Money, Product, Variant

KINDS = (
    ({"en": "Running shoes", "zh": "跑步鞋"}, "Shoes", "鞋"),
    ({"en": "Rain jacket", "zh": "雨衣"}, "Jackets", "外套"),
    ({"en": "Ceramic mug", "zh": "陶瓷杯"}, "Kitchen", "厨房"),
    ({"en": "Desk lamp", "zh": "台灯"}, "Lighting", "灯具"),
)
BRANDS = ("Corvane", "Lumo & Sons", "O'Hara", "北岸", "")


class HashEncoder:
    """Unit vectors from a hash of each text: equal texts get equal vectors. Counts the texts it was given."""

    def __init__(self, dimension: int = 16, model: str = "hash", revision: str = "1") -> None:
        self.id = EncoderId(model, revision, dimension, "test/1")
        self.encoded = 0

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.encoded += len(texts)
        rows = [_row(text, self.id.dimension) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.id.dimension)


@cache
def _row(text: str, dimension: int) -> Vectors:
    seed = int.from_bytes(sha256(text.encode()).digest()[:8], "big")
    row = np.random.default_rng(seed).normal(size=dimension)
    return np.asarray(row / np.linalg.norm(row), dtype=np.float32)


def product(number: int, seed: int = 0) -> Product:
    """One product; every optional field is missing in some of them."""
    rng = random.Random(f"{seed}/{number}")
    title, category, category_zh = rng.choice(KINDS)
    cents = rng.randrange(500, 20_000)
    price = Money(amount=Decimal(cents) / 100, currency=rng.choice(("USD", "USD", "CNY")))
    categories: tuple[Localized, ...] = ({"en": category, "zh": category_zh}, {"en": category}, {"zh": category_zh}, {})
    return Product(
        id=f"P-{number:05}",
        title={lang: f"{text} {number}" for lang, text in title.items()},
        description={"en": f"Made for everyday use, number {number}.", "zh": f"日常使用，编号 {number}。"},
        category=rng.choices(categories, weights=(6, 1, 1, 1))[0],
        brand=rng.choice(BRANDS),
        price=price if rng.random() < 0.9 else None,
        stock=rng.choice((None, 0, 0, 1, 7, 250)),
        rating=rng.choice((None, 3.1, 4.0, 4.5, 5.0)),
        rating_count=rng.randrange(0, 900),
        attributes={"colour": {"en": "blue", "zh": "蓝色"}},
        variants=(Variant(sku=f"P-{number:05}-M", options={"size": "M"}, price=price),),
    )


def products(count: int, seed: int = 0) -> list[Product]:
    return [product(number, seed) for number in range(count)]
