"""Figures with what they must hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Figure:
    """A measured figure; `at_most` or `at_least` is the bar. Ratios are firm, the others are this machine's."""

    name: str
    value: float
    unit: str
    at_most: float | None = None
    at_least: float | None = None
    ratio: bool = False
    detail: str = ""

    @property
    def holds(self) -> bool | None:
        """None: there is no bar."""
        if self.at_most is not None:
            return self.value <= self.at_most
        if self.at_least is not None:
            return self.value >= self.at_least
        return None


def spread(values: Sequence[float]) -> str:
    """The range beside a median, for people."""
    return f"min {min(values):.3g}, max {max(values):.3g}, n {len(values)}"


def middle(values: Sequence[float]) -> float:
    return float(median(values))
