"""A message while it is read: what one reader has understood, the next no longer sees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import regex

from retrieval.understand.plain import plain

_MOST = 1_000  # characters that are read for limits; nobody states one after more
_TAKEN = "\0"  # stands in for what was understood: no letter, no figure, no blank


@dataclass(frozen=True)
class Span:
    """Where in the message something was said; `kind` is the name of the constraint."""

    kind: str
    start: int
    end: int


@dataclass
class Reading:
    """`text`: the plain message. `left`: with the parts that were understood blotted out, as long as the message."""

    left: str
    text: str
    spans: list[Span] = field(default_factory=list)

    @classmethod
    def of(cls, text: str) -> Reading:
        text = plain(text[:_MOST])
        return cls(text, text)

    def take(self, kind: str, start: int, end: int) -> None:
        self.spans.append(Span(kind, start, end))
        self.blot(start, end)

    def blot(self, start: int, end: int) -> None:
        """Hide a part that means nothing that is looked for."""
        self.left = self.left[:start] + _TAKEN * (end - start) + self.left[end:]

    def show(self, start: int, end: int) -> None:
        """Undo `blot`."""
        self.left = self.left[:start] + self.text[start:end] + self.left[end:]

    def all(self, pattern: regex.Pattern[str], kind: str | None = None) -> Iterator[regex.Match[str]]:
        """Every match, from the left; it is taken as `kind`, or blotted out where that is None, as it is handed on."""
        for match in pattern.finditer(self.left):
            if kind is None:
                self.blot(*match.span())
            else:
                self.take(kind, *match.span())
            yield match

    def first(self, pattern: regex.Pattern[str], kind: str) -> regex.Match[str] | None:
        """The first match, taken as `kind` with all that say the same again."""
        return next(iter([*self.all(pattern, kind)]), None)
