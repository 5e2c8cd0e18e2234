"""The text of a product that models read: one template for the embedder, one for the reranker."""

from __future__ import annotations

from retrieval import keywords
from retrieval.product import Lang, Product, in_language

# What an index was made from; where it changes, the catalogue is indexed anew.
TEMPLATE = f"title-category-brand-attributes-description/1 {keywords.VERSION}"


def product_text(product: Product, lang: Lang = "en", budget: int = 600) -> str:
    """What the product is, most telling parts first, at most `budget` characters, in one language."""
    attributes = product.attributes and "; ".join(
        [f"{key}: {in_language(value, lang)}" for key, value in product.attributes.items()]
    )
    parts = (
        in_language(product.title, lang),
        in_language(product.category, lang),
        product.brand,
        attributes,
        in_language(product.description, lang),
    )
    return ". ".join([part for part in parts if part])[:budget]
