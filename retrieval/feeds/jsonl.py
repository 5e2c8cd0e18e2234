"""JSON: objects one on each line, in one array, or in the first array of an object; and our own records in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from io import StringIO
from typing import Any, TextIO

import ijson
from pydantic import ValidationError

from retrieval.feeds.base import FeedError, Row, Source, invalid
from retrieval.feeds.native import cleaned
from retrieval.feeds.records import Objects
from retrieval.product import Product

Path = tuple[str, ...]

_LONGEST = 2**24  # characters of a line, or of an element
_DEEPEST = 50  # containers in containers
_OPENING = frozenset({"start_map", "start_array"})
_CLOSING = frozenset({"end_map", "end_array"})


def read_native(source: Source, objects: Objects) -> Iterator[Row]:
    """Objects in the form of `retrieval.product.Product`."""
    for number, value in objects:
        try:
            yield cleaned(number, Product.model_validate(_small(value)), source)
        except ValidationError as error:
            yield invalid(number, error)


def is_native(value: Any) -> bool:
    """Whether the object means to be one of ours: its title is by language, or its money is in our form."""
    if not isinstance(value, dict):
        return False
    return isinstance(value.get("title"), dict) or (
        isinstance(value.get("price"), dict) and {*value["price"]} == {"amount", "currency"}
    )


def lines(source: Source) -> Objects:
    """A value for each line that is not blank, numbered as an editor numbers it; None for what is no JSON."""
    with source.path.open(encoding=source.encoding, errors=source.errors, newline="\n") as file:
        number = 0
        while line := file.readline(_LONGEST):
            number += 1
            if len(line) == _LONGEST:
                yield number, None
                while len(line) == _LONGEST:
                    line = file.readline(_LONGEST)
            elif text := line.strip().removeprefix("\ufeff"):
                yield number, _loaded(text)


def first_line(source: Source) -> str:
    """As much of it as a line may have, and the line break if there is one."""
    with source.path.open(encoding=source.encoding, errors=source.errors, newline="\n") as file:
        return file.readline(_LONGEST).removeprefix("\ufeff")


def elements(path: Path | None) -> Callable[[Source], Objects]:
    """An opener for the elements of the array under the keys of `path`, numbered from 1; None: the file is one value.

    It raises FeedError if the file is not JSON to its end.
    """

    def opened(source: Source) -> Objects:
        with source.path.open(encoding=source.encoding, errors=source.errors, newline="") as file:
            number = 0
            try:
                for number, value in enumerate(_values(file, path), 1):
                    yield number, value
            except ijson.JSONError as error:
                raise FeedError(
                    f"{source.path} begins like JSON and is not to its end: {_first_line(error)}, after element "
                    f"{number}. Was the file cut off? Export it again, or put one product on each line."
                ) from error
            except RecursionError as error:
                raise FeedError(
                    f"{source.path} is nested too deep to be a list of products. Export it again."
                ) from error
            except UnicodeDecodeError:  # `read` tells of it
                raise
            except ValueError as error:  # a number of thousands of digits, an endless element
                raise FeedError(f"{source.path} holds what cannot be a product: {error}. Export it again.") from error

    return opened


def array_at(text: str) -> Path | None:
    """The keys that lead to the first array of objects in a text that may be cut off; None where there is none."""
    keys: list[str] = []
    containers: list[str] = []
    try:
        for event, value in ijson.basic_parse(_Utf8(StringIO(text))):
            if event == "map_key":
                keys[len(containers) - 1 :] = [value]
            elif event in _OPENING:
                if event == "start_map" and containers[-1:] == ["start_array"] and "start_array" not in containers[:-1]:
                    return tuple(keys[: len(containers) - 1])
                containers.append(event)
                if len(containers) > _DEEPEST:
                    return None
            elif event in _CLOSING:
                containers.pop()
    except (ijson.JSONError, ValueError):
        return None
    return None


def _values(file: TextIO, path: Path | None) -> Iterator[Any]:
    """Raises RecursionError for what is nested beyond all sense."""
    base = 0 if path is None else len(path) + 1  # containers that are open around an element
    inside = path is None
    keys: dict[int, str] = {}
    depth, builder = 0, ijson.ObjectBuilder()
    read, since = _Utf8(file), 0
    for event, value in ijson.basic_parse(read):
        depth -= event in _CLOSING
        if depth > _DEEPEST:
            raise RecursionError
        if inside and depth < base:
            inside = False
        elif inside:
            if read.size - since > _LONGEST:
                raise ValueError(f"an element of more than {_LONGEST >> 20} MB")
            builder.event(event, value)
            if depth == base and event not in _OPENING and event != "map_key":
                yield builder.value
                builder, since = ijson.ObjectBuilder(), read.size
        elif event == "map_key":
            keys[depth] = value
        elif event == "start_array" and path is not None and depth + 1 == base:
            inside, since = tuple(keys.get(level) for level in range(1, base)) == path, read.size
        depth += event in _OPENING


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, parse_float=Decimal)  # 24.90 stays 24.90
    except (ValueError, RecursionError):
        return None


def _small(value: Any, deep: int = 0) -> Any:
    """The value without what fills memory or stack when it is written out: huge numbers, endless nesting."""
    if deep > _DEEPEST:
        return None
    if isinstance(value, dict):
        return {key: _small(field, deep + 1) for key, field in value.items()}
    if isinstance(value, list):
        return [_small(field, deep + 1) for field in value]
    return None if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) > 40 else value


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]


class _Utf8:
    """A text file as the bytes that a JSON parser reads."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self.size = 0  # characters so far

    def read(self, size: int = -1) -> bytes:
        text = self._file.read(size)
        self.size += len(text)
        return text.encode("utf-8", "surrogatepass")
