"""The words of a catalogue: brands, categories, colours, materials, sizes, as a shopper may write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Literal, NamedTuple

import regex
from pydantic import BaseModel, ConfigDict

from retrieval.product import Product
from retrieval.understand import lexicon
from retrieval.understand.plain import plain

Kind = Literal["brand", "category", "color", "material"]

_COLOUR_KEYS = frozenset({"colour", "color", "colours", "colors", "颜色"})
_MATERIAL_KEYS = frozenset({"material", "materials", "fabric", "材质", "面料"})
_SIZE_KEYS = frozenset({"size", "sizes", "尺码", "尺寸"})
_PARTS = regex.compile(r"\s*(?:[,;/&、，；]|\band\b|与|和)\s*")
_WORD = regex.compile(r"[[\p{L}\p{M}\d]--\p{Han}]+(?:['&.][[\p{L}\p{M}\d]--\p{Han}]+)*", regex.V1)
_HAN = regex.compile(r"\p{Han}")
_LONGEST = 5  # words of a name
_SHORTEST_WITH_TYPO = 5  # letters; in shorter words one slip makes another word
_LONGEST_WITH_TYPO = 20  # what is left of a longer one is too much to look up
_ALIKE = 0.75  # of difflib's measure
# One letter from a word of the lexicon and a word of its own.
_WORDS_OF_THEIR_OWN = """
block blank white while whine greed greet steer steal still gloss liner liners lines brow stain paper slack
clack sliver medal petal copter coppers chopper meal reason steep crystals pinks create clear clean grown bring
rings dressed dressing jackets watched match matched bottled motel model models metals modem shire shirk short
shorts tends tenth tents lamps stump stamp boost books boats coast coach purses purple person people wooded
plastics glasses grass class classes leathers feather weather lather later letter better button mustard custard
meats mates pants plants paints prints sweets sweat sweaters heads hoods mugs capes tops pans pens pots posts
casing camels canal canvass strap strip stray heat hint mink minty sand santa oliver corals coal bronzed
charcoals
"""
_NO_TYPO = frozenset(_WORDS_OF_THEIR_OWN.split())


class Name(NamedTuple):
    """A name found in a text: what it is, as the catalogue spells it, and where (of the plain text)."""

    kind: Kind
    name: str
    start: int
    end: int


class Vocabulary(BaseModel):
    """What the catalogue's records call things. Travels as JSON; all lists are sorted and hold no value twice.

    Colours, materials and categories are in lower case, in the languages of the records; brands as written.
    """

    model_config = ConfigDict(frozen=True)

    brands: tuple[str, ...] = ()
    categories: tuple[tuple[str, ...], ...] = ()  # the names of each in all its languages, as stored
    colours: tuple[str, ...] = ()
    materials: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()
    currencies: tuple[str, ...] = ()

    @classmethod
    def of(cls, products: Iterable[Product]) -> Vocabulary:
        gathered = VocabularyBuilder()
        for product in products:
            gathered.add(product)
        return gathered.vocabulary()

    @cached_property
    def _names(self) -> dict[str, tuple[Kind, str]]:
        """Every way to write a name, plain and in lower case."""
        names: dict[str, tuple[Kind, str]] = {}
        for brand in lexicon.BRAND_NAMES:
            names[plain(brand).lower()] = ("brand", brand)
        for kind in lexicon.KINDS:
            for word in kind:
                names[word] = ("category", word)
        names |= {word: ("material", word) for word in lexicon.MATERIALS}
        names |= {word: ("color", word) for word in lexicon.ENGLISH_COLOURS}
        for word in lexicon.CHINESE_COLOURS:
            names |= _chinese_colour(word, word, known=False)
        self._own(names)
        for typed, meant in lexicon.SPELLINGS.items():
            if meant in names:
                names[typed] = names[meant]
        return {plain(typed).lower(): meant for typed, meant in names.items()}

    def _own(self, names: dict[str, tuple[Kind, str]]) -> None:
        """What the catalogue says itself goes before the lexicon."""
        for values in self.categories:
            for typed, own in _category(values):
                names[typed] = ("category", own)
        names |= {word: ("material", word) for word in self.materials}
        for colour in self.colours:
            if _HAN.search(colour):
                names |= _chinese_colour(colour, colour, known=True)
                plainly = next((c for c in lexicon.CHINESE_COLOURS if len(c) == 2 and colour.endswith(c)), "")
                names |= _chinese_colour(plainly, plainly, known=True) if plainly else {}
            elif colour not in lexicon.MATERIALS:
                names[colour] = ("color", colour)
        names |= {plain(brand).lower(): ("brand", brand) for brand in self.brands}

    @cached_property
    def _longest_han(self) -> int:
        return max(len(name) for name in self._names if _HAN.search(name))

    @cached_property
    def _with_slips(self) -> dict[str, list[str]]:
        """What is left of each word when a letter or two are taken out, to find typos without comparing with all."""
        slips: dict[str, list[str]] = {}
        foreign = {brand.lower() for brand in lexicon.BRAND_NAMES} - {brand.lower() for brand in self.brands}
        words = {word for name in self._names if name not in foreign for word in name.split()}
        for word in sorted(words):
            if _SHORTEST_WITH_TYPO <= len(word) <= _LONGEST_WITH_TYPO and word.isascii() and word.isalpha():
                for left in _shortened(word):
                    slips.setdefault(left, []).append(word)
        return slips

    def mended(self, word: str) -> str:
        """The name that `word` (lower case) is a typo of, else the word."""
        if (
            not _SHORTEST_WITH_TYPO <= len(word) <= _LONGEST_WITH_TYPO
            or word in _NO_TYPO
            or not word.isascii()
            or not word.isalpha()
        ):
            return word
        if word in self._with_slips.get(word, ()):
            return word
        near = {
            name
            for left in _shortened(word)
            for name in self._with_slips.get(left, ())
            if name[0] == word[0] and abs(len(name) - len(word)) < 2
        }
        if word.endswith("less"):  # "hoodless" is no hoodie
            near = {name for name in near if name.endswith("less")}
        near -= {name for name in near if name + "s" == word}
        alike = {name: SequenceMatcher(None, name, word).ratio() for name in near}
        best = max(alike, key=lambda name: (alike[name], name), default="")
        return best if best and alike[best] >= _ALIKE else word

    def is_brand(self, name: str) -> bool:
        """Whether the catalogue has products of it."""
        return name in self.brands

    def find(self, text: str) -> list[Name]:
        """The names in a plain text, from the left, the longest first; none overlap."""
        return sorted((*self._find_words(text), *self._find_han(text)), key=lambda name: name.start)

    def _find_words(self, text: str) -> Iterator[Name]:
        words = [(m.group().lower(), m.start(), m.end()) for m in _WORD.finditer(text)]
        mended = [self.mended(lexicon.SPELLINGS.get(word, word.removesuffix("'s"))) for word, _, _ in words]
        at = 0
        while at < len(words):
            for count in range(min(_LONGEST, len(words) - at), 0, -1):
                start, end = words[at][1], words[at + count - 1][2]
                if found := self._look_up(mended[at : at + count], text[start:end].lower()):
                    yield Name(*found, start, end)
                    at += count
                    break
            else:
                at += 1

    def _look_up(self, mended: list[str], typed: str) -> tuple[Kind, str] | None:
        if found := self._names.get(typed):
            return found
        if not all(gap in " -" for gap in regex.findall(r"[^\p{L}\p{M}\d'&.]", typed)):
            return None
        if found := self._names.get(" ".join(mended)):
            return found
        if len(mended) == 2 and mended[0] in lexicon.SHADES and self._is_colour(mended[1]):
            return "color", " ".join(mended)
        return None

    def _is_colour(self, word: str) -> bool:
        return word in self._names and self._names[word][0] == "color"

    def _find_han(self, text: str) -> Iterator[Name]:
        at = 0
        while at < len(text):
            if not _HAN.match(text, at) and not regex.match(r"t恤", text, regex.IGNORECASE, pos=at):
                at += 1
                continue
            if other := next((word for word in lexicon.NOT_MEANT if text.startswith(word, at)), ""):
                at += len(other)
                continue
            for length in range(min(self._longest_han, len(text) - at), 0, -1):
                if found := self._names.get(text[at : at + length].lower()):
                    yield Name(*found, at, at + length)
                    at += length
                    break
            else:
                at += 1


class VocabularyBuilder:
    """Gathers a vocabulary while the products pass by."""

    def __init__(self) -> None:
        self._brands: set[str] = set()
        self._categories: set[tuple[str, ...]] = set()
        self._values: dict[str, set[str]] = {"colour": set(), "material": set(), "size": set()}
        self._currencies: set[str] = set()

    def add(self, product: Product) -> None:
        if product.brand:
            self._brands.add(product.brand)
        if product.category:
            self._categories.add(tuple(product.category.values()))
        if product.price is not None:
            self._currencies.add(product.price.currency)
        for key, texts in product.attributes.items():
            for text in texts.values():
                self._take(key, text)
        for variant in product.variants:
            for key, text in variant.options.items():
                self._take(key, text)

    def _take(self, key: str, text: str) -> None:
        key = key.lower()
        for kind, keys in (("colour", _COLOUR_KEYS), ("material", _MATERIAL_KEYS), ("size", _SIZE_KEYS)):
            if key in keys:
                parts = [part.strip() for part in _PARTS.split(text)]
                self._values[kind].update(
                    part if kind == "size" else part.lower() for part in parts if 0 < len(part) <= 40
                )

    def vocabulary(self) -> Vocabulary:
        return Vocabulary(
            brands=tuple(sorted(self._brands)),
            categories=tuple(sorted(self._categories)),
            colours=tuple(sorted(self._values["colour"])),
            materials=tuple(sorted(self._values["material"])),
            sizes=tuple(sorted(self._values["size"])),
            currencies=tuple(sorted(self._currencies)),
        )


def _chinese_colour(typed: str, name: str, *, known: bool) -> dict[str, tuple[Kind, str]]:
    """红色 and 红; a colour that no catalogue spells stays as typed."""
    short = typed.removesuffix("色")
    names: dict[str, tuple[Kind, str]] = {typed: ("color", name)}
    if short and short not in lexicon.MATERIALS:  # 铜 is copper
        names[short] = ("color", name if known else short)
    return names


def _category(values: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """What a shopper may call a category, and its name in that language."""
    for value in values:
        own = value.lower()
        yield own, value
        parts = {part for part in _PARTS.split(own) if part}
        words = {word for kind in lexicon.KINDS if kind & (parts | {own}) for word in kind}
        chinese = bool(_HAN.search(value))
        for word in parts | words | {part.removesuffix("s") for part in parts}:
            if bool(_HAN.search(word)) is chinese:
                yield word, value


def _shortened(word: str) -> set[str]:
    """The word, and what is left without any one letter, of long words without any two."""
    most = 2 if len(word) >= 8 else 1
    places = range(1, len(word))
    return {
        "".join(letter for place, letter in enumerate(word) if place not in gone)
        for count in range(most + 1)
        for gone in combinations(places, count)
    }


@lru_cache(maxsize=1)
def general() -> Vocabulary:
    """No catalogue's: the lexicon alone."""
    return Vocabulary()
