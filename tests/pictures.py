"""Pictures for tests."""

from __future__ import annotations

import io

from PIL import Image

RED, BLUE = (200, 20, 20), (20, 20, 200)


def encoded(picture: Image.Image, form: str = "PNG", **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, form, **options)
    return out.getvalue()


def half_and_half(width: int = 40, height: int = 20) -> Image.Image:
    """Red on the left, blue on the right."""
    picture = Image.new("RGB", (width, height), RED)
    picture.paste(BLUE, (width // 2, 0, width, height))
    return picture


def shown(content: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(content))
    assert picture.format == "WEBP"
    return picture.convert("RGB")


def near(pixel: object, colour: tuple[int, int, int]) -> bool:
    assert isinstance(pixel, tuple)
    return all(abs(own - wanted) < 40 for own, wanted in zip(pixel, colour, strict=True))
