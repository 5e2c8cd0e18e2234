"""The demo catalogue: products of an invented shop, written and drawn by `python -m ui_assets.demo.generate`."""

from pathlib import Path

CATALOGUE = Path(__file__).parent / "products.jsonl"  # one `retrieval.product.Product` per line
PICTURES = Path(__file__).parent / "pictures"  # the folder that `Product.image` names a file of
