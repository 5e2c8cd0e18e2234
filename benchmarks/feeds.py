"""`python -m benchmarks.feeds`: how fast large feeds are read, in how much memory; exit code 1 where a bar is missed.

Each file is generated and read through in a fresh process. The rows of one product lie as far apart as they can.
"""

from __future__ import annotations

import csv
import multiprocessing
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console

from retrieval.feeds.detect import read

_ROWS = (10_000, 100_000)
_MILLION = 1_000_000
_BAR = 1.3  # of the peak for 100,000 rows to that for 10,000
_VARIANTS = 10
_WORDS = (
    "warm",
    "light",
    "soft",
    "large",
    "small",
    "blue",
    "red",
    "green",
    "wool",
    "cotton",
    "steel",
    "round",
    "flat",
    "quiet",
)

Rows = Iterator[list[str]]


def main(
    million: Annotated[bool, typer.Option("--million", help="Also read a million rows of each layout.")] = False,
) -> None:
    """Read generated feeds of 10,000 and 100,000 rows and compare what they take."""
    console = Console()
    missed = False
    for name, write in _LAYOUTS.items():
        peaks = {}
        for rows in (*_ROWS, _MILLION) if million else _ROWS:
            products, seconds, peaks[rows] = _measured(write, rows)
            rate = f"{rows / seconds:,.0f} rows/s"
            console.print(f"{name}: {rows:,} rows, {products:,} products: {rate}, peak {peaks[rows]:.0f} MiB")
        ratio = peaks[_ROWS[1]] / peaks[_ROWS[0]]
        missed = missed or ratio > _BAR
        console.print(f"{name}: peak of 100,000 rows to that of 10,000: {ratio:.2f}, at most {_BAR}")
    raise typer.Exit(int(missed))


def _measured(write: Callable[[Path, int], None], rows: int) -> tuple[int, float, float]:
    """How many products a file of so many rows has, seconds to read it, and the peak in MiB."""
    with TemporaryDirectory(prefix="daogou-bench-") as folder:
        path = Path(folder, "feed")
        write(path, rows)
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            return pool.submit(_read, path).result()


def _read(path: Path) -> tuple[int, float, float]:
    start = time.perf_counter()
    feed = read(path)
    seconds = time.perf_counter() - start
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return len(feed.products), seconds, int(peak[1]) / 1024 if peak else 0.0


def _text(number: int, words: int) -> str:
    return " ".join(_WORDS[(number * 7 + place * place) % len(_WORDS)] for place in range(words))


def _plain(rows: int) -> Rows:
    yield ["sku", "title", "description", "brand", "category", "price", "currency", "stock", "image", "colour"]
    for number in range(rows):
        yield [
            f"SKU-{number}",
            f"{_text(number, 4)} {number}",
            f"<p>{_text(number, 60)}</p>",
            f"Brand {number % 50}",
            f"Category {number % 40}",
            f"{number % 900}.{number % 100:02}",
            "EUR",
            str(number % 30),
            f"https://shop.example/{number}.jpg",
            _WORDS[number % len(_WORDS)],
        ]


def _shopify(rows: int) -> Rows:
    """First the first variant of each product, then the second of each, and so on."""
    yield [
        *("Handle", "Title", "Body (HTML)", "Vendor", "Type", "Published", "Option1 Name", "Option1 Value"),
        *("Variant SKU", "Variant Inventory Qty", "Variant Price", "Image Src"),
    ]
    products = rows // _VARIANTS
    for variant in range(_VARIANTS):
        for number in range(products):
            texts = [f"{_text(number, 4)} {number}", f"<p>{_text(number, 60)}</p>", "Acme", "Shirts", "true", "Size"]
            yield [
                f"product-{number}",
                *(texts if variant == 0 else [""] * len(texts)),
                f"size {variant}",
                f"{number}-{variant}",
                str(number % 30),
                f"{number % 900 + variant}.90",
                f"https://shop.example/{number}.jpg" if variant == 0 else "",
            ]


def _write_csv(make: Callable[[int], Rows]) -> Callable[[Path, int], None]:
    def write(path: Path, rows: int) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(make(rows))

    return write


def _write_xml(path: Path, rows: int) -> None:
    """Google Merchant: the items of one group as far apart as Shopify's rows."""
    with path.open("w", encoding="utf-8") as file:
        file.write('<rss xmlns:g="http://base.google.com/ns/1.0"><channel>')
        groups = rows // _VARIANTS
        for number in range(groups * _VARIANTS):
            file.write(
                f"<item><g:id>{number}</g:id><g:item_group_id>G{number % groups}</g:item_group_id>"
                f"<g:title>{_text(number % groups, 4)}</g:title><g:price>{number % 900}.90 EUR</g:price>"
                f"<g:size>{number // groups}</g:size><g:description>&lt;p&gt;{_text(number % groups, 60)}&lt;/p&gt;"
                f"</g:description><g:link>https://shop.example/{number}</g:link></item>"
            )
        file.write("</channel></rss>")


_LAYOUTS = {"table": _write_csv(_plain), "Shopify": _write_csv(_shopify), "Google Merchant XML": _write_xml}


if __name__ == "__main__":
    typer.run(main)
