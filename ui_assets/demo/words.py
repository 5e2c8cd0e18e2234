"""Titles and descriptions in English and Chinese from what is known of a product."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from string import Template

from ui_assets.demo.palette import Colour
from ui_assets.demo.spec import Text

_SMALL = frozenset({"and", "with", "of", "in", "for", "the", "a", "on", "to"})
_ALSO = (
    ("Also in {}.", "另有{}可选。"),
    ("Comes in {} too.", "还有{}。"),
    ("You can also have it in {}.", "同款还有{}。"),
)


@dataclass
class Telling:
    """What is to be told of a product; sentences still hold placeholders."""

    name: str
    noun: Text
    opener: Text
    attributes: dict[str, Text] = field(default_factory=dict)
    sentences: list[tuple[Text, ...]] = field(default_factory=list)  # one of each may be said
    tags: list[Text] = field(default_factory=list)

    def know(self, key: str, value: Text, says: Sequence[Text] = (), tag: Text | None = None) -> None:
        self.attributes[key] = value
        if says:
            self.sentences.append(tuple(says))
        if tag:
            self.tags.append(tag)

    def fill(self, text: Text) -> Text:
        """The sentence with its placeholders filled. Raises KeyError for a fact that the product does not have."""
        filled = []
        for lang, sentence in enumerate(text):
            values = {"name": self.name, "noun": self.noun[lang]}
            for key, value in self.attributes.items():
                values[key.replace(" ", "_")] = value[lang]
                values[key.replace(" ", "_") + "_short"] = " ".join(value[lang].split()[:2])
            filled.append(Template(sentence).substitute(values))
        return filled[0], filled[1]


def localized(text: Text) -> dict[str, str]:
    return {"en": text[0], "zh": text[1]}


def both(*texts: Text) -> Text:
    """A list of things, the way each language writes one."""
    return ", ".join(text[0] for text in texts), "、".join(text[1] for text in texts)


def _capitals(phrase: str) -> str:
    words = phrase.split()
    return " ".join(w if w in _SMALL and i else w[:1].upper() + w[1:] for i, w in enumerate(words))


def _spaced(zh: str) -> str:
    """Latin words set apart from the Chinese around them; single letters, as in T恤, stay."""
    zh = re.sub(r"([\u4e00-\u9fff])([A-Za-z]{2,})", r"\1 \2", zh)
    return re.sub(r"([A-Za-z]{2,})([\u4e00-\u9fff])", r"\1 \2", zh)


def title_of(telling: Telling, brand: str, colours: Sequence[Colour], rng: Random) -> Text:
    """Brand, model, what it is; sometimes the colour, if there is one only."""
    tags = telling.tags[:3]
    en = _capitals(" ".join([*(tag[0] for tag in tags), telling.noun[0]]))
    zh = "".join([*(tag[1] for tag in tags), telling.noun[1]])
    title = f"{brand} {telling.name} {en}", f"{brand} {telling.name} {_spaced(zh)}"
    if len(colours) == 1 and "colour" in telling.attributes and rng.random() < 0.35:
        return f"{title[0]}, {_capitals(colours[0].name[0])}", f"{title[1]} {colours[0].name[1]}"
    return title


def describe(telling: Telling, closers: Sequence[Text], colours: Sequence[Colour], rng: Random) -> Text:
    """An opening, two to four facts, and at times a further colour or a practical word."""
    count = min(len(telling.sentences), rng.choice((2, 3, 3, 4)))
    picked = sorted(rng.sample(range(len(telling.sentences)), count))
    texts = [telling.opener, *(rng.choice(telling.sentences[i]) for i in picked)]
    if len(colours) > 1:
        also = rng.choice(_ALSO)
        others = [colour.name for colour in colours[1:]]
        names = " and ".join(name[0] for name in others), "和".join(name[1] for name in others)
        texts.append((also[0].format(names[0]), also[1].format(names[1])))
    if closers and rng.random() < 0.6:
        texts.append(rng.choice(closers))
    filled = [telling.fill(text) for text in texts]
    return " ".join(text[0] for text in filled), "".join(text[1] for text in filled)
