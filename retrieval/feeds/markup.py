"""Text out of what shops keep in cells: HTML, entities, hidden characters."""

from __future__ import annotations

import html
from collections.abc import Mapping

import regex
from lxml import etree

_PLAIN = regex.compile(r"(?:[A-Za-z0-9\"'(#*/.][ -%'-9;=-~]*)?")  # ASCII without & : <, no formula
_TAG = regex.compile(r"<[a-zA-Z/!?]")
_ACTIVE = regex.compile(r"<\s*(?:script|iframe|object|embed)\b|\bjavascript\s*:|<[^<>]*\son\w+\s*=", regex.IGNORECASE)
# Control characters, marks of direction, spaces of no width and tag letters. Joiners stay: scripts and emoji need them.
_HIDDEN = regex.compile(
    r"[\p{Cc}\p{Cs}--\t\n\r]|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]",
    regex.V1,
)
_SILENT = frozenset({"script", "style", "template", "noscript", "iframe", "object", "embed", "svg", "head", "title"})
_BLOCKS = frozenset(
    """address article aside blockquote br dd div dl dt figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre
    section table td th tr ul""".split()  # noqa: SIM905
)


def is_plain(cell: str) -> bool:
    """Whether the cell is so simple that nothing of all this can be in it."""
    return _PLAIN.fullmatch(cell) is not None


def is_active(cell: str) -> bool:
    """Whether the cell holds what a browser would run."""
    return _ACTIVE.search(cell) is not None


def visible(cell: str) -> str:
    """The cell without characters that nobody sees; a mainframe's line break is one of ours."""
    return _HIDDEN.sub("", cell.replace("\u0085", "\n"))


def to_text(cell: str) -> str:
    """HTML as text, a line for each block; scripts and styles are left out. What holds no tag is only unescaped."""
    if not _TAG.search(cell):
        return html.unescape(cell) if "&" in cell else cell
    parser = etree.HTMLParser(encoding="utf-8", target=_Words())
    words = etree.fromstring(f"<div>{visible(cell)}</div>".encode("utf-8", "replace"), parser)
    return "\n".join(line for line in (" ".join(line.split()) for line in words.split("\n")) if line)


class _Words:
    """The text of the elements that a parser meets. (It builds no tree: trees may be only so deep.)"""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._silent = 0  # how deep in elements that are not text

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._silent += tag in _SILENT
        self._edge(tag)

    def end(self, tag: str) -> None:
        self._silent -= tag in _SILENT
        self._edge(tag)

    def data(self, text: str) -> None:
        if not self._silent:
            self._parts.append(text.replace("\n", " "))

    def close(self) -> str:
        return "".join(self._parts)

    def _edge(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._parts.append("\n")
