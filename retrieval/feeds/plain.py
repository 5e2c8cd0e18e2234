"""A plain table: one product a row, columns in any order, by names in many languages (see `mapping`).

Columns without a role are attributes. `title_zh`, `colour_en` and so on give the language of a text; without it the
text tells whether it is Chinese.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from retrieval.feeds import cells
from retrieval.feeds.base import Column, Problem, Row, Source, shown
from retrieval.feeds.draft import Draft
from retrieval.feeds.mapping import ATTRIBUTE, IGNORED
from retrieval.feeds.table import Lines
from retrieval.product import Localized, Money, Product

_TEXTS = ("title", "description", "category")

Named = tuple[Column, str]  # a cell that is not empty, with its column


def read_plain(
    source: Source, lines: Lines, columns: Sequence[Column], problems: Iterable[Problem] = ()
) -> Iterator[Row]:
    """`lines` with their header, `columns` as proposed for it."""
    next(lines)
    first = list(problems)
    once: set[str] = set()
    nameless = all(column.role != "id" for column in columns)
    for number, given in lines:
        if not any(cell.strip() for cell in given):
            continue
        draft = Draft(number, source, once, first)
        first = []
        if len(given) > len(columns):
            extra = shown(" | ".join(given[len(columns) :]))
            draft.note("", extra, "more cells than the header has", "the rest left out")
        product = assemble(
            draft, [(column, cell.strip()) for column, cell in zip(columns, given, strict=False)], nameless
        )
        yield Row(number, product, tuple(draft.problems))


def assemble(draft: Draft, named: Sequence[Named], nameless: bool = False) -> Product | None:
    """A product from cells whose roles are known; the title is the id where the table is `nameless`."""
    plain: dict[str, Named] = {}
    texts: dict[str, Localized] = {}
    attributes: list[tuple[str, str, str | None]] = []
    for column, cell in named:
        if not cell or column.role == IGNORED:
            continue
        if column.role == ATTRIBUTE:
            attributes.append((column.name, cell, column.lang))
        elif column.role in _TEXTS:
            if column.role == "category":  # a line for each level
                cell = " > ".join(line.strip() for line in cell.splitlines() if line.strip())
            for lang, text in draft.localized(column.role, cell, column.lang).items():
                texts.setdefault(column.role, {}).setdefault(lang, text)
        else:
            plain.setdefault(column.role, (column, cell))

    def cell_of(role: str) -> str:
        return plain[role][1] if role in plain else ""

    return draft.build(
        id=next(iter(texts.get("title", {}).values()), "")[:200] if nameless else cell_of("id"),
        **texts,
        brand=draft.text("brand", cell_of("brand"), 200),
        price=_price(draft, plain),
        stock=draft.stock("stock", cell_of("stock")),
        rating=draft.read("rating", cell_of("rating"), cells.rating),
        rating_count=draft.read("rating_count", cell_of("rating_count"), cells.count) or 0,
        attributes=draft.attributes(attributes),
        image=draft.image("image", cell_of("image")),
        url=draft.url("url", cell_of("url")),
    )


def _price(draft: Draft, plain: dict[str, Named]) -> Money | None:
    stated = None
    if "currency" in plain:
        stated = draft.read("currency", plain["currency"][1], cells.currency)
        if stated is None:
            return None  # an amount in nobody knows what is no price
    prices = []
    for role in ("price", "sale_price", "list_price"):
        column, cell = plain.get(role, (None, ""))
        if column and cells.names_cents(column.header) and not cells.names_cents(cell):
            cell += " cents"
        prices.append(draft.price(role, cell, stated or (column.currency if column else None)))
    regular, sale, list_price = prices
    if regular is None or (sale and sale.currency == regular.currency and sale.amount < regular.amount):
        return sale or regular or list_price
    return regular
