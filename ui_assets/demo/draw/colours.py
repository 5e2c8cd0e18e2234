"""Colour arithmetic for soft, warm shading."""

from __future__ import annotations

RGB = tuple[int, int, int]

WHITE: RGB = (255, 255, 255)
INK: RGB = (30, 30, 44)  # shadows lean to blue, which keeps colours alive where black would grey them
METAL: RGB = (186, 190, 196)
BRASS: RGB = (206, 170, 98)
DARK: RGB = (52, 53, 60)
WOOD: RGB = (190, 143, 98)
LEATHER: RGB = (150, 98, 62)


def rgb(hexadecimal: str) -> RGB:
    value = int(hexadecimal.lstrip("#"), 16)
    return value >> 16, value >> 8 & 255, value & 255


def mix(a: RGB, b: RGB, t: float) -> RGB:
    """`a` at t=0, `b` at t=1."""
    return (
        round(a[0] + (b[0] - a[0]) * t),
        round(a[1] + (b[1] - a[1]) * t),
        round(a[2] + (b[2] - a[2]) * t),
    )


def lighter(c: RGB, t: float) -> RGB:
    return mix(c, WHITE, t)


def darker(c: RGB, t: float) -> RGB:
    return mix(c, INK, t)


def brightness(c: RGB) -> float:
    """0 for black to 1 for white, as the eye weighs it."""
    return (0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2]) / 255


def contrast(c: RGB, t: float) -> RGB:
    """Away from `c`: lighter where it is dark, darker where it is light."""
    return lighter(c, t) if brightness(c) < 0.32 else darker(c, t)
