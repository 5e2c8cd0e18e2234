"""XML of items with fields, read piece by piece: whatever is in it, only one item is in memory.

No tree is built, so that one field of any length costs only its own item. What the file declares itself is cut off
before it is parsed: no entity is ever resolved, and nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lxml import etree

from retrieval.feeds.spill import Cells

_ITEMS = frozenset({"item", "entry"})
_MOST_FIELDS = 200  # of an item
_LONGEST = 100_001  # characters of a field that are kept, one more than are looked at
_DEEPEST = 1_000
_PIECE = r"\"[^\"]*\"|'[^']*'|<!--.*?-->|<\?.*?\?>|(?!<!--|<\?)"  # what brackets may be in, or what is none of it
_DOCTYPE = rf"<!DOCTYPE(?>{_PIECE}[^\[>\"']|\[(?>{_PIECE}[^\]\"'])*+\])*+>"
_PROLOGUE = re.compile(rf"(?>\s|<\?.*?\?>|<!--.*?-->|{_DOCTYPE})*+", re.DOTALL | re.IGNORECASE)


def without_prologue(text: str) -> str:
    """A document's first piece without its XML declaration (it is decoded already) and its document type."""
    return text[found.end() :] if (found := _PROLOGUE.match(text)) else text


class XmlItems:
    """A parser that is fed with text and gives the items in it: texts by the local names of their elements.

    Of several elements with one name the first counts. A `product_detail` is one called `detail:` and its name.
    """

    def __init__(self) -> None:
        self.size = 0  # elements and texts so far
        self._parser: Any = etree.XMLParser(
            target=self, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, recover=True
        )
        self._done: list[Cells] = []
        self._level = 0  # of the open element
        self._item = 0  # level of the open item, 0 outside
        self._cells: Cells = {}
        self._field = ""  # what the open element below the item is called
        self._texts: dict[str, _Text] = {}  # its own and those of its parts
        self._open: list[_Text] = []  # those of them that are not complete

    def feed(self, text: str) -> None:
        """Raises ValueError where it is nothing that can be a list of items."""
        self._parser.feed(text.encode("utf-8", "replace"))

    def taken(self) -> list[Cells]:
        """The items that are complete, each once."""
        done, self._done = self._done, []
        return done

    def finish(self) -> None:
        """Raises ValueError where elements are still open."""
        try:
            self._parser.close()
        except etree.XMLSyntaxError as error:
            raise ValueError(str(error)) from error
        if self._level:
            faults = [fault for fault in self._parser.feed_error_log if fault.type_name == "ERR_TAG_NOT_FINISHED"]
            raise ValueError(f"line {faults[0].line}: {faults[0].message}" if faults else "an element is never closed")

    # What the parser calls.

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        raise ValueError("it declares a document type that cannot be left out")

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.size += 1
        self._level += 1
        if self._level > _DEEPEST:
            raise ValueError("it is nested too deep")
        name = tag.rpartition("}")[2]
        if name in _ITEMS:
            self._end_item()  # one that was never closed
            self._item = self._level
        elif self._item and self._level == self._item + 1:
            self._field, whole = name, _Text(attributes.get("href", ""))
            self._texts, self._open = {"": whole}, [whole]
        elif self._item and self._level == self._item + 2 and len(self._texts) < _MOST_FIELDS:
            self._open = [self._texts[""], self._texts.setdefault(name, _Text())]

    def data(self, text: str) -> None:
        self.size += 1
        for part in self._open:
            part.add(text)

    def end(self, tag: str) -> None:
        if self._item and self._level == self._item + 2:
            self._open = self._open[:1]
        elif self._item and self._level == self._item + 1:
            self._end_field()
        elif self._level == self._item:
            self._end_item()
        self._level -= 1

    def close(self) -> None:
        """Nothing is given at the end that was not given before."""

    def _end_field(self) -> None:
        texts = {name: text.whole() for name, text in self._texts.items()}
        self._texts, self._open, name, text = {}, [], self._field, texts.get("", "")
        if name == "product_detail":
            name, text = f"detail:{texts.get('attribute_name', '')}", texts.get("attribute_value", "")
        if text and len(self._cells) < _MOST_FIELDS:
            self._cells.setdefault(name, text)

    def _end_item(self) -> None:
        if self._item:
            self._done.append(self._cells)
            self._item, self._cells, self._texts, self._open = 0, {}, {}, []


class _Text:
    """A text that comes in pieces; `other` stands for it where it is empty."""

    def __init__(self, other: str = "") -> None:
        self._parts: list[str] = []
        self._room = _LONGEST
        self._other = other

    def add(self, text: str) -> None:
        if self._room > 0:
            self._parts.append(text[: self._room])
            self._room -= len(text)

    def whole(self) -> str:
        return "".join(self._parts).strip() or self._other
