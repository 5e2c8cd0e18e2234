"""What the columns of a plain table mean: a proposal with a confidence, which the shop may change."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence

from retrieval.feeds import cells
from retrieval.feeds.base import Column, FeedError, Problem, shown
from retrieval.feeds.names import NAMES
from retrieval.product import Lang

ATTRIBUTE = "attribute"
IGNORED = "ignored"

ROLES = tuple(role for role in NAMES if role != IGNORED)
_ROLE = {name: (role, place) for role, names in NAMES.items() for place, name in enumerate(names.split())}
_TEXTS = frozenset({"title", "description", "category"})
_SUFFIX = re.compile(r"^(?P<name>.+)[_-](?P<lang>en|zh)$", re.IGNORECASE)
_UNIT = re.compile(r"[(（\[]\s*([^()（）\[\]]+?)\s*[)）\]]\s*$")
_CURRENCY_AT_END = re.compile(r"(?:[_\s-]|(?<=[a-z]))(USD|Usd|usd|EUR|Eur|eur|GBP|Gbp|gbp|CNY|Cny|cny|JPY|Jpy|jpy)$")
_PICTURE = re.compile(r"\.(?:jpe?g|png|webp|gif|avif)(?:\?|$)", re.IGNORECASE)

_REVIEW = frozenset({"review", "reviewtext", "reviewer", "reviewbody", "评论内容", "评价内容"})

_BY_NAME, _BY_PART, _BY_CONTENT = 0.95, 0.7, 0.5
_ENOUGH = 0.8  # of the sampled cells


def propose(
    header: Sequence[str], sample: Sequence[Sequence[str]], confirmed: Mapping[str, str], file: str
) -> tuple[list[Column], list[Problem]]:
    """A column for each cell of `header`, from their names and from the cells of a few rows.

    `confirmed` maps roles to headers; an empty header says that there is none. Raises FeedError where a role or a
    header of it does not exist, or where no column is a title.
    """
    _check(header, confirmed, file)
    columns = [
        _guess(cell.strip(), [row[place] for row in sample if place < len(row)]) for place, cell in enumerate(header)
    ]
    columns = [_confirmed(column, confirmed) for column in columns]
    kept, problems = _one_each(columns)
    roles = {column.role for column in kept}
    if "price" not in roles and _REVIEW & {normal(cell) for cell in header}:
        raise FeedError(f"{file} holds reviews, no products.")
    nameless = "id" not in roles and bool(roles & {"price", "image", "stock", "url"})
    if missing := [wanted for wanted in ("id", "title") if wanted not in roles and not (wanted == "id" and nameless)]:
        raise FeedError(
            f"{file} has no column {' and no column '.join(missing)}. Its first row reads: "
            f"{shown(', '.join(header))}. Name the columns id (or sku), title, description, price and so on."
        )
    if nameless:
        problems.append(Problem(1, "id", "", "no column is an id", "titles taken for it"))
    return kept, problems


def guess(header: Sequence[str], sample: Sequence[Sequence[str]]) -> list[Column]:
    """As `propose`, of a table that may be anything."""
    return _one_each(
        _guess(cell.strip(), [row[place] for row in sample if place < len(row)]) for place, cell in enumerate(header)
    )[0]


def normal(header: str) -> str:
    """`Rating count`, `rating_count` and `RatingCount` are one name."""
    text = unicodedata.normalize("NFKC", header).casefold()
    return "".join(character for character in text if character.isalnum())


def readable(key: str) -> str:
    """`strap_bags` and `warrantyInformation` as words."""
    words = re.sub(r"[_.\s]+", " ", key).strip()
    return re.sub(r"(?<=[a-z])[A-Z](?=[a-z])", lambda found: f" {found[0].lower()}", words)


def _check(header: Sequence[str], confirmed: Mapping[str, str], file: str) -> None:
    names = [cell.strip() for cell in header]
    for role, column in confirmed.items():
        if role not in ROLES:
            raise FeedError(f"{role!r} is nothing that a column can be. Use one of: {', '.join(ROLES)}.")
        if column and column not in names:
            raise FeedError(f"{file} has no column {column!r}. Its columns are: {shown(', '.join(names))}.")


def _confirmed(column: Column, confirmed: Mapping[str, str]) -> Column:
    for role, header in confirmed.items():
        if header and column.header == header:
            return Column(header, role, role, 1.0, None, column.currency)
    if column.role in confirmed:  # another column has this role, or none
        return Column(column.header, ATTRIBUTE, readable(column.header), 1.0)
    return column


def _guess(header: str, sample: Sequence[str]) -> Column:
    if not header:
        return Column("", IGNORED, "", 1.0)
    suffix = _SUFFIX.match(header)
    base, lang = (suffix["name"], suffix["lang"].lower()) if suffix else (header, None)
    bare, currency = _without_unit(base)
    for name, confidence in ((base, _BY_NAME), (bare, _BY_NAME - 0.05)):
        if found := _ROLE.get(normal(name)):
            role, place = found
            if role not in _TEXTS and suffix:
                continue
            return Column(header, role, role, round(confidence - place / 1000, 3), lang, currency)
    filled = [cell.strip() for cell in sample if cell.strip()]
    if likely := _by_part(normal(bare), filled):
        return Column(header, likely, likely, _BY_PART, lang, currency)
    if likely := _by_content(filled):
        return Column(header, likely, likely, _BY_CONTENT, None, currency)
    return Column(header, ATTRIBUTE, readable(base), 0.5, lang)


def _without_unit(header: str) -> tuple[str, str | None]:
    """`price (EUR)` and `priceUsd`: the name without the currency, and the currency."""
    unit = _UNIT.search(header) or _CURRENCY_AT_END.search(header)
    if unit is None:
        return header, None
    try:
        return header[: unit.start()], cells.currency(unit[1])
    except ValueError:
        return header[: unit.start()] if header[unit.start()] in "(（[" else header, None


def _by_part(name: str, sample: Sequence[str]) -> str | None:
    """A role whose name is part of the header's, where the cells can be that."""
    fits: dict[str, Callable[[str], bool]] = {
        "price": _is_price,
        "image": _is_picture,
        "stock": _is_whole,
        "title": _is_text,
    }
    for role, fit in fits.items():
        known = [part for part, (of, place) in _ROLE.items() if of == role and place < 30 and len(part) > 1]
        if any(part in name and (len(part) > 3 or not part.isascii()) for part in known) and _mostly(fit, sample):
            return role
    return None


def _by_content(sample: Sequence[str]) -> str | None:
    if _mostly(_is_picture, sample):
        return "image"
    if _mostly(_is_marked_price, sample):
        return "price"
    return "url" if _mostly(lambda cell: cell.startswith(("http://", "https://")), sample) else None


def _mostly(fits: Callable[[str], bool], sample: Sequence[str]) -> bool:
    return bool(sample) and sum(map(fits, sample)) >= _ENOUGH * len(sample)


def _is_price(cell: str) -> bool:
    try:
        cells.money(cell, None, "USD")
    except ValueError:
        return False
    return True


def _is_marked_price(cell: str) -> bool:
    return not cell[:1].isalpha() and not cell.replace(".", "").replace(",", "").isdigit() and _is_price(cell)


def _is_picture(cell: str) -> bool:
    return _PICTURE.search(cell) is not None


def _is_whole(cell: str) -> bool:
    return re.fullmatch(r"-?\d{1,9}", cell) is not None


def _is_text(cell: str) -> bool:
    return sum(map(str.isalpha, cell)) > 2 and len(cell) < 300


def _one_each(columns: Iterable[Column]) -> tuple[list[Column], list[Problem]]:
    """Each role and language once, by the surest column; an attribute is spelt as its first column spells it."""
    columns = list(columns)
    best: dict[tuple[str, Lang | None], int] = {}
    spelling: dict[str, str] = {}
    for place, column in enumerate(columns):
        if column.role == ATTRIBUTE:
            name = spelling.setdefault(column.name.lower(), column.name)
            columns[place] = column = Column(column.header, ATTRIBUTE, name, column.confidence, column.lang)
        key = (column.name if column.role == ATTRIBUTE else f" {column.role}", column.lang)
        if column.role != IGNORED and (key not in best or columns[best[key]].confidence < column.confidence):
            best[key] = place
    problems = []
    kept = set(best.values())
    for place, column in enumerate(columns):
        if column.role != IGNORED and place not in kept:
            problems.append(Problem(1, shown(column.header), "", "another column has this meaning", "column left out"))
            columns[place] = Column(column.header, IGNORED, column.name, column.confidence)
    return columns, problems
