"""The words in which a department describes its goods: a category of kinds of products, with facts that differ.

A department is a YAML file. Texts are written "English | 简体中文". Sentences may name the product and its facts,
as in "$name holds $capacity"; `$weight_short` is the number with its unit alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

DEPARTMENTS = Path(__file__).parent / "departments"
SEPARATOR = " | "


def _text(value: object) -> object:
    if isinstance(value, str):
        parts = tuple(part.strip() for part in value.split(SEPARATOR))
        if len(parts) != 2 or not all(parts):
            raise ValueError(f"a text is written 'English | 简体中文', got {value!r}")
        return parts
    return value


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _bare(value: object) -> object:
    return {"is": value} if isinstance(value, str) else value


def _traits(value: object) -> object:
    """'hood pockets=2' → {"hood": "", "pockets": "2"}"""
    if isinstance(value, str):
        return {name: rest for name, _, rest in (word.partition("=") for word in value.split())}
    return value


Text = Annotated[tuple[str, str], BeforeValidator(_text)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_listed)]
Traits = Annotated[dict[str, str], BeforeValidator(_traits)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Said(_Part):
    """One thing that can be true of a product, the ways to say so, and what it does to title, price and picture."""

    text: Text = Field(alias="is")
    says: Texts = ()
    tag: Text | None = None  # what the title says of it
    look: Traits = Field(default_factory=dict)  # read by the drawing
    price: float = 1.0  # factor
    weight: float = 1.0  # factor
    colour: str | None = None  # the only colour that it comes in: bare steel is silver


Value = Annotated[Said, BeforeValidator(_bare)]


class Span(_Part):
    """A measured attribute: a number from low to high by steps, in its unit."""

    span: tuple[float, float, float]
    unit: Text  # "{} g | {} 克"
    says: Texts = ()
    heavy: bool = False  # follows the weight factors of the product's other facts


class Options(_Part):
    """What a buyer chooses besides the colour: a size, a capacity. `values` may cost more or less, by their factor."""

    key: str
    values: tuple[Value, ...]
    least: int = 1
    most: int = 99


Facts = dict[str, tuple[Value, ...] | Span]


class Kind(_Part):
    """A sort of product within a category."""

    shape: str  # what the drawing is told
    noun: Text
    share: int  # how many of the category's products are of it
    price: tuple[float, float]
    openers: Texts
    facts: Facts = Field(default_factory=dict)
    look: Traits = Field(default_factory=dict)
    colours: tuple[str, ...] = ()  # none: the category's
    options: Options | None = None  # none: the category's


class Category(_Part):
    code: str = Field(pattern=r"^[A-Z]{2}$")  # starts the ids
    name: Text
    tint: str  # of the pictures' backdrop
    brands: tuple[str, ...]
    names: tuple[str, ...]  # of models, one for each product
    colours: tuple[str, ...]
    kinds: tuple[Kind, ...]
    facts: Facts = Field(default_factory=dict)
    options: dict[str, Options] = Field(default_factory=dict)  # by the English value of the fact "for", or "any"
    closers: Texts = ()
    coloured: bool = True  # False: colours are of the packaging, and no word is said of them
    more_colours: float = 0.3  # how likely a product comes in further colours


def load_categories() -> list[Category]:
    """All departments, in the order of their file names."""
    files = sorted(DEPARTMENTS.glob("*.yaml"))
    return [Category.model_validate(yaml.safe_load(file.read_text(encoding="utf-8"))) for file in files]
