"""Which reader a file is for, told by what it holds and not by its name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import islice

from retrieval.feeds import archive, jsonl, records
from retrieval.feeds.base import REASON, Column, FeedError, Form, Problem, Raw, Reader, Row, Source
from retrieval.feeds.google import is_google, read_google, read_google_xml, read_items
from retrieval.feeds.icecat import is_icecat, read_icecat
from retrieval.feeds.magento import is_magento, read_magento
from retrieval.feeds.mapping import propose
from retrieval.feeds.pages import is_page, read_page
from retrieval.feeds.plain import read_plain
from retrieval.feeds.schema_org import read_schema_org
from retrieval.feeds.sheets import read_parquet, read_xlsx
from retrieval.feeds.shopify import is_shopify, read_shopify
from retrieval.feeds.survey import Survey
from retrieval.feeds.table import Lines, read_csv
from retrieval.feeds.woocommerce import is_woocommerce, read_woocommerce
from retrieval.feeds.xml_items import without_prologue

_ROOT = re.compile(r"<([\w:.-]+)")
_LINES = 20  # that are looked at
_SAMPLE = 100  # rows or objects that a mapping is proposed from

Layout = Callable[[Source, Lines], Iterator[Row]]

_LAYOUTS: tuple[tuple[str, Callable[[set[str]], bool], Layout], ...] = (
    ("Shopify", is_shopify, read_shopify),
    ("WooCommerce", is_woocommerce, read_woocommerce),
    ("Magento", is_magento, read_magento),
    ("Google Merchant", is_google, read_google),
)


@dataclass(frozen=True)
class Format:
    """How a file is read, and by `raw` as what rows. `columns` are those of a plain table."""

    kind: str  # "Shopify", "table", "JSON lines"
    reader: Reader
    form: Form
    raw: Raw
    columns: tuple[Column, ...] = ()


def recognise(source: Source, looked: Survey, mapping: Mapping[str, str]) -> Format:
    """The format of a file that is no archive. Raises FeedError where it has none."""
    if looked.kind == "xlsx":
        archive.check(source.path)
        return table(source, "XLSX", read_xlsx, mapping)
    if looked.kind == "parquet":
        return objects(source, "Parquet", read_parquet, mapping)
    if looked.kind == "zip":
        raise FeedError(f"{source.path} is a zip in a zip. Unpack the outer one.")
    head = looked.head.decode(source.encoding, "ignore").replace("\0", "").strip()
    if head[:1] in ("[", "{"):
        return _json(source, head, mapping)
    if head[:1] == "<":
        _no_mapping(source, "XML or HTML", mapping)
        root = found[1].lower() if (found := _ROOT.match(without_prologue(head))) else ""
        if root in ("rss", "feed", "channel", "rdf:rdf"):
            return Format("Google Merchant", read_google_xml, "items", read_items)
        if is_page(head):
            return Format("schema.org", lambda source: read_schema_org(source, read_page(source)), "objects", read_page)
        raise FeedError(f"{source.path} is XML of a kind that is not known. Export it for Google Merchant, or as CSV.")
    if source.path.suffix.lower() in (".json", ".jsonl", ".ndjson"):
        opener = partial(_without_reason_field, jsonl.lines)
        return Format("JSON lines", partial(_native, opener), "objects", opener)
    return table(source, "table", read_csv, mapping)


def table(source: Source, kind: str, opener: Callable[[Source], Lines], mapping: Mapping[str, str]) -> Format:
    """The layout of a table, told by its header. `kind`: what a table of no special layout is called."""
    opener = partial(_without_reason, opener)
    with closing(opener(source)) as lines:  # type: ignore[type-var]
        sample = [cells for _, cells in islice(lines, _SAMPLE + 1)]
    if not sample:
        raise FeedError(f"{source.path} is empty.")
    header = {cell.strip().lower() for cell in sample[0]}
    for name, fits, layout in _LAYOUTS:
        if fits(header):
            _no_mapping(source, name, mapping)
            return Format(name, partial(_laid_out, layout, opener), "table", opener)
    columns, problems = propose(sample[0], sample[1:], mapping, str(source.path))
    reader = partial(_plain, opener=opener, columns=columns, problems=problems)
    return Format(kind, reader, "table", opener, tuple(columns))


def objects(source: Source, kind: str, opener: records.Opener, mapping: Mapping[str, str]) -> Format:
    """The format of JSON objects, told by the first of them."""
    opener = partial(_without_reason_field, opener)
    with closing(opener(source)) as values:  # type: ignore[type-var]
        sample = [value for _, value in islice(values, _SAMPLE)]
    first = [value for value in sample if isinstance(value, dict)]
    if not first or any(map(jsonl.is_native, first)):
        _no_mapping(source, "Daogou's own JSON", mapping)
        return Format(kind, partial(_native, opener), "objects", opener)
    if is_icecat(first[0]):
        _no_mapping(source, "Icecat", mapping)
        return Format("Icecat", lambda source: read_icecat(source, opener(source)), "objects", opener)
    columns, problems = records.columns_of(first, mapping, str(source.path))
    reader = partial(_records, opener=opener, columns=columns, problems=problems)
    return Format(kind, reader, "objects", opener, tuple(columns))


def _json(source: Source, head: str, mapping: Mapping[str, str]) -> Format:
    if head[0] == "[":
        return objects(source, "JSON array", jsonl.elements(()), mapping)
    if "\n" not in head:
        head = jsonl.first_line(source)
    whole = [line for line in islice((line for line in head.split("\n") if line.strip()), _LINES) if _is_object(line)]
    path = jsonl.array_at(head)
    if whole and (path is None or "\n" in head or {"title", "name"} & json.loads(head).keys()):
        return objects(source, "JSON lines", jsonl.lines, mapping)
    return objects(source, "JSON object", jsonl.elements(path), mapping)


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _no_mapping(source: Source, name: str, mapping: Mapping[str, str]) -> None:
    if mapping:
        raise FeedError(f"{source.path} is in the form of {name}, whose columns are known. Leave the mapping out.")


def _without_reason(opener: Callable[[Source], Lines], source: Source) -> Lines:
    """The rows of a table without the column that we add to those we leave out."""
    lines = opener(source)
    for number, header in islice(lines, 1):
        place = next((at for at, cell in enumerate(header) if cell.strip() == REASON), None)
        yield number, header if place is None else header[:place] + header[place + 1 :]
        for number, cells in lines:
            yield number, cells if place is None else cells[:place] + cells[place + 1 :]


def _without_reason_field(opener: records.Opener, source: Source) -> records.Objects:
    for number, value in opener(source):
        if isinstance(value, dict):
            value.pop(REASON, None)
        yield number, value


def _laid_out(layout: Layout, opener: Callable[[Source], Lines], source: Source) -> Iterator[Row]:
    return layout(source, opener(source))


def _native(opener: records.Opener, source: Source) -> Iterator[Row]:
    return jsonl.read_native(source, opener(source))


def _records(
    source: Source, *, opener: records.Opener, columns: list[Column], problems: list[Problem]
) -> Iterator[Row]:
    return records.read_records(source, opener(source), columns, problems)


def _plain(
    source: Source, *, opener: Callable[[Source], Lines], columns: list[Column], problems: list[Problem]
) -> Iterator[Row]:
    return read_plain(source, opener(source), columns, problems)
