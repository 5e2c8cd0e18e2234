"""Text out of what shops keep in cells: HTML, entities, hidden characters."""

from __future__ import annotations

import html
from typing import Any

import regex
from lxml import etree

_PLAIN = regex.compile(r"(?:[A-Za-z0-9\"'(#*/.][ -%'-9;=-~]*)?")  # ASCII without & : <, no formula
_TAG = regex.compile(r"<[a-zA-Z/!?]")
_ACTIVE = regex.compile(r"<\s*(?:script|iframe|object|embed)\b|\bjavascript\s*:|<[^>]*\son\w+\s*=", regex.IGNORECASE)
# Control characters, marks of direction, spaces of no width and tag letters. Joiners stay: scripts and emoji need them.
_HIDDEN = regex.compile(
    r"[\p{Cc}\p{Cs}--\t\n\r\u0085]|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]",
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
    """The cell without characters that nobody sees."""
    return _HIDDEN.sub("", cell)


def to_text(cell: str) -> str:
    """HTML as text, a line for each block; scripts and styles are left out. What holds no tag is only unescaped."""
    if not _TAG.search(cell):
        return html.unescape(cell) if "&" in cell else cell
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    tree = etree.fromstring(f"<div>{visible(cell)}</div>".encode("utf-8", "replace"), parser)
    if tree is None:
        return ""
    return "\n".join(line for line in (" ".join(line.split()) for line in _words(tree).split("\n")) if line)


def _words(tree: Any) -> str:
    parts: list[str] = []
    silent = 0  # how deep in elements that are not text
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        name = element.tag if isinstance(element.tag, str) else ""
        if name in _BLOCKS:
            parts.append("\n")
        if event == "start":
            silent += name in _SILENT
            text = element.text
        else:
            silent -= name in _SILENT
            text = element.tail
        if text and not silent:
            parts.append(text.replace("\n", " "))
    return "".join(parts)
