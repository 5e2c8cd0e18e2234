"""From departments to records: every product gets its own facts, words, price, stock and look. Seeded throughout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from retrieval.product import Product
from ui_assets.demo.commerce import money, price_of, rate, stock_up
from ui_assets.demo.draw.look import Look
from ui_assets.demo.palette import COLOURS, Colour
from ui_assets.demo.spec import Category, Facts, Kind, Options, Said, Span, Text, load_categories
from ui_assets.demo.words import Telling, both, describe, localized, title_of

SEED = 7
FIRST_NUMBER = 101
SHOP = "https://shop.example/p/"
_T = TypeVar("_T")


@dataclass(frozen=True)
class Item:
    product: Product
    look: Look
    tint: str  # of its picture's backdrop


def build_items() -> list[Item]:
    """The whole catalogue, the same on every call."""
    return [item for category in load_categories() for item in _category(category)]


def _deal(values: Sequence[_T], rng: Random) -> Iterator[_T]:
    """The values in random order, over and over, so that each is used about as often as the others."""
    while True:
        yield from rng.sample(values, len(values))


def _category(category: Category) -> Iterator[Item]:
    rng = Random(f"{SEED}/{category.code}")
    names, brands, colours = (_deal(x, rng) for x in (category.names, category.brands, category.colours))
    number = FIRST_NUMBER
    told: set[Text] = set()
    for kind in category.kinds:
        facts = {**category.facts, **kind.facts}
        decks = {key: _deal(fact, rng) for key, fact in facts.items() if not isinstance(fact, Span)}
        openers = _deal(kind.openers, rng)
        own_colours = _deal(kind.colours, rng) if kind.colours else colours
        for _ in range(kind.share):
            known = {key: next(deck) for key, deck in decks.items()}
            maker = _Maker(category, kind, f"{category.code}-{number}", next(names), next(brands), told)
            yield maker.make(facts, known, next(openers), COLOURS[next(own_colours)])
            number += 1


class _Maker:
    """Makes one product; owns the random numbers of it, so that a change elsewhere leaves it alone."""

    def __init__(self, category: Category, kind: Kind, ident: str, name: str, brand: str, told: set[Text]) -> None:
        self.category, self.kind, self.id, self.name, self.brand = category, kind, ident, name, brand
        self.told = told  # descriptions of the category's products so far
        self.rng = Random(f"{SEED}/{ident}")

    def make(self, facts: Facts, known: dict[str, Said], opener: Text, colour: Colour) -> Item:
        bare = next((COLOURS[value.colour] for value in known.values() if value.colour), None)
        colours = [bare] if bare else [colour, *self._further_colours(colour)]
        colour = colours[0]
        options, chosen = self._options(known)
        telling = self._telling(facts, known, opener, colours, options, chosen)
        price = price_of(self.kind.price, [value.price for value in known.values()], self.rng)
        variants = stock_up(self.id, price, colours, options, chosen, self.rng)
        rating, count = rate(self.rng)
        stock = sum(variant.stock or 0 for variant in variants)
        product = Product(
            id=self.id,
            title=localized(title_of(telling, self.brand, colours, self.rng)),
            description=localized(self._describe(telling, colours)),
            category=localized(self.category.name),
            brand=self.brand,
            price=(variants[0].price if len(variants) > 1 else None) or money(price),
            stock=stock,
            rating=rating,
            rating_count=count,
            attributes={key: localized(text) for key, text in telling.attributes.items()},
            variants=variants if len(variants) > 1 else (),
            image=f"{self.id.lower()}.webp",
            url=f"{SHOP}{self.id}",
        )
        traits = dict(self.kind.look)
        for value in known.values():
            traits.update(value.look)
        look = Look(self.category.code, self.kind.shape, colour.rgb, colour.partner, traits, int(self.id[3:]))
        return Item(product, look, self.category.tint)

    def _describe(self, telling: Telling, colours: list[Colour]) -> Text:
        """Words that no other product of the category has; most have their own at once."""
        for _ in range(50):
            words = describe(telling, self.category.closers, colours, self.rng)
            if words not in self.told:
                self.told.add(words)
                return words
        raise ValueError(f"{self.id}: not enough to say of it; add sentences to its department")

    def _further_colours(self, colour: Colour) -> list[Colour]:
        if self.rng.random() >= self.category.more_colours:
            return []
        others = [key for key in self.kind.colours or self.category.colours if key != colour.key]
        return [COLOURS[key] for key in self.rng.sample(others, min(len(others), self.rng.choice((1, 1, 2))))]

    def _options(self, known: dict[str, Said]) -> tuple[Options | None, tuple[Said, ...]]:
        """What a buyer may choose: a run of neighbouring sizes, not any odd ones."""
        audience = known["for"].text[0] if "for" in known else "any"
        options = self.kind.options or self.category.options.get(audience) or self.category.options.get("any")
        if options is None:
            return None, ()
        count = self.rng.randint(options.least, min(options.most, len(options.values)))
        start = self.rng.randint(0, len(options.values) - count)
        return options, options.values[start : start + count]

    def _telling(
        self,
        facts: Facts,
        known: dict[str, Said],
        opener: Text,
        colours: list[Colour],
        options: Options | None,
        chosen: tuple[Said, ...],
    ) -> Telling:
        telling = Telling(self.name, self.kind.noun, opener)
        heft = 1.0
        for value in known.values():
            heft *= value.weight
        for key, fact in facts.items():
            if isinstance(fact, Span):
                telling.know(key, self._measure(fact, heft), fact.says)
            else:
                telling.know(key, known[key].text, known[key].says, known[key].tag)
        if options:
            telling.know(options.key, both(*(value.text for value in chosen)))
            for value in chosen:
                telling.sentences.extend([value.says] if value.says else [])
        if self.category.coloured:
            telling.know("colour", colours[0].name)
        return telling

    def _measure(self, span: Span, heft: float) -> tuple[str, str]:
        low, high, step = span.span
        number = self.rng.uniform(low, high) * (heft if span.heavy else 1)
        number = round(number / step) * step
        shown = f"{number:,.0f}" if step >= 1 else f"{number:.1f}".removesuffix(".0")
        return span.unit[0].format(shown), span.unit[1].format(shown)
