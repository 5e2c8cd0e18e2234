"""What changes single products, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from retrieval.feeds.base import Problem

MOST = 1_000  # products of one change


@dataclass(frozen=True)
class Change:
    """`put`: records, whole, in the form of `Product`. `patch`: an id and the fields that change. `delete`: ids.

    A patch's price may be an amount alone, in the currency that the product has.
    """

    put: list[dict[str, Any]] = field(default_factory=list)
    patch: list[dict[str, Any]] = field(default_factory=list)
    delete: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Applied:
    """How many products were changed, and what could not be taken: `row` counts the items of the change from 1."""

    put: int = 0
    patched: int = 0
    deleted: int = 0
    problems: list[Problem] = field(default_factory=list)
