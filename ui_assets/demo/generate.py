"""Write the demo catalogue: `python -m ui_assets.demo.generate`. The same code writes the same bytes."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track

from retrieval.product import Product
from ui_assets.demo import CATALOGUE, PICTURES
from ui_assets.demo.draw import encode, picture
from ui_assets.demo.products import Item, build_items


def to_lines(products: Iterable[Product]) -> str:
    """The records as JSON Lines."""
    return "".join(product.model_dump_json(exclude_none=True) + "\n" for product in products)


def drawn(item: Item) -> tuple[str, bytes]:
    """The file name and the file of a product's picture."""
    return f"{item.product.image}", encode(picture(item.look, item.tint))


def main(folder: Annotated[Path, typer.Option(help="Where to write.")] = CATALOGUE.parent) -> None:
    """Write products.jsonl and pictures/ anew; a picture that no product has is removed."""
    items = build_items()
    pictures = folder / PICTURES.name
    pictures.mkdir(parents=True, exist_ok=True)
    (folder / CATALOGUE.name).write_text(to_lines(item.product for item in items), encoding="utf-8")
    with ProcessPoolExecutor() as pool:
        for name, data in track(pool.map(drawn, items, chunksize=8), "Drawing", total=len(items)):
            (pictures / name).write_bytes(data)
    kept = {item.product.image for item in items}
    for stray in pictures.glob("*.webp"):
        if stray.name not in kept:
            stray.unlink()
    size = sum(file.stat().st_size for file in pictures.glob("*.webp"))
    typer.echo(f"{len(items)} products, pictures of {size / 1e6:.1f} MB in {pictures}")


if __name__ == "__main__":
    typer.run(main)
