"""Products as JSON in the form of `retrieval.product.Product`: one on each line, or all in one array."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal

from pydantic import ValidationError

from retrieval.feeds.base import FeedError, Row, Source, invalid
from retrieval.product import Product


def read_lines(source: Source) -> Iterator[Row]:
    """A row for each line that is not blank, numbered as an editor numbers it."""
    with source.path.open(encoding=source.encoding, newline="\n") as lines:
        for number, line in enumerate(lines, 1):
            if text := line.strip():
                try:
                    yield Row(number, Product.model_validate_json(text))
                except ValidationError as error:
                    yield invalid(number, error)


def read_array(source: Source) -> Iterator[Row]:
    """A row for each element, numbered from 1. Raises FeedError if the file is not one JSON array."""
    try:
        text = source.path.read_text(source.encoding)
        elements = json.loads(text, parse_float=Decimal)  # 24.90 stays 24.90
    except json.JSONDecodeError as error:
        raise FeedError(
            f"{source.path} begins like a JSON array and is not one: line {error.lineno}, column {error.colno}: "
            f"{error.msg}. Was the file cut off? Export it again, or put one product on each line."
        ) from error
    except UnicodeDecodeError:  # `read` tells of it
        raise
    except ValueError as error:  # a number of thousands of digits
        raise FeedError(f"{source.path} holds what cannot be a product: {error}. Export it again.") from error
    except RecursionError as error:
        raise FeedError(f"{source.path} is nested too deep to be a list of products. Export it again.") from error
    for number, element in enumerate(elements, 1):
        try:
            yield Row(number, Product.model_validate(element))
        except ValidationError as error:
            yield invalid(number, error)
