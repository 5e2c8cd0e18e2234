"""What a drawing is told of a product."""

from __future__ import annotations

from dataclasses import dataclass, field

from ui_assets.demo.draw.colours import RGB


@dataclass(frozen=True)
class Look:
    category: str  # the category's code
    shape: str  # the kind of product
    colour: RGB
    accent: RGB
    traits: dict[str, str] = field(default_factory=dict)
    number: int = 0  # of the product in its category; varies what no fact speaks of

    def has(self, trait: str) -> bool:
        return trait in self.traits

    def get(self, trait: str, default: str = "") -> str:
        return self.traits.get(trait, default)
