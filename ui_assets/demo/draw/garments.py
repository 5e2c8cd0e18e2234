"""The parts that clothes are cut from: sleeves, bodies, collars, pockets, buttons."""

from __future__ import annotations

from collections.abc import Sequence

from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import RGB, contrast, darker, lighter
from ui_assets.demo.draw.paths import Path, Point, mirror, shift, svg, symmetric

SLEEVES: dict[str, Path] = {
    "long": svg("M112 78 C92 82 80 96 73 126 C64 168 56 208 50 240 C58 248 74 250 83 246 C90 214 100 176 108 142 Z"),
    "short": svg("M112 78 C92 82 78 98 60 142 C68 152 86 160 99 160 L108 132 Z"),
}
_CUFFS: dict[str, Path] = {
    "long": svg("M54 224 C50 234 49 240 48 246 C58 254 76 256 85 252 L89 232 C78 234 64 232 54 224 Z"),
    "short": svg("M64 132 L58 145 C68 156 86 164 100 163 L102 150 C88 150 74 144 64 132 Z"),
}


def bodice(bottom: float = 262, waist: float = 94, hem: float = 92, neck: float = 136, shoulder: float = 104) -> Path:
    """A torso from the shoulders to `bottom`; `waist` and `hem` are the x of its left side there."""
    middle = 140 + (bottom - 140) * 0.45
    return symmetric(
        svg(
            f"M{neck} 66 C{neck - 12} 72 {shoulder + 8} 75 {shoulder} 80 C98 100 {waist - 1} 116 {waist} 134 "
            f"C{waist + 1} {middle - 20} {waist} {middle} {waist} {middle} "
            f"C{hem + 1} {bottom - 30} {hem} {bottom - 10} {hem} {bottom - 4} "
            f"C{hem + 22} {bottom + 3} 138 {bottom + 4} 160 {bottom + 4}"
        )
    )


def sleeves(canvas: Canvas, length: str, colour: RGB) -> list[Path]:
    """Paint both sleeves of this length; returns their outlines."""
    if length not in SLEEVES:
        return []
    left = SLEEVES[length]
    for path, angle in ((left, 100.0), (mirror(left), 60.0)):
        canvas.form(path, darker(colour, 0.05), angle, 0.9)
    return [left, mirror(left)]


def cuffs(canvas: Canvas, length: str, colour: RGB) -> None:
    if length in _CUFFS:
        for path in (_CUFFS[length], mirror(_CUFFS[length])):
            canvas.form(path, colour, 90, 0.7)


def folds(canvas: Canvas, colour: RGB, bottom: float = 262) -> None:
    """Soft creases below the arms and above the hem; call clipped to the body."""
    shade = darker(colour, 0.5)
    for path in (
        svg("M96 140 C112 150 124 164 128 184 C118 168 106 156 94 152 Z"),
        svg(
            f"M122 {bottom} C128 {bottom - 40} 126 {bottom - 60} 122 "
            f"{bottom - 80} C134 {bottom - 50} 134 {bottom - 30} 130 {bottom} Z"
        ),
    ):
        for p in (path, mirror(path)):
            canvas.blur(p, shade, 3, 0.28)


def neck_hole(canvas: Canvas, colour: RGB, depth: float = 22, width: float = 24, v: bool = False) -> None:
    """The inside of the back, seen through the neck of a garment laid flat."""
    top = 66
    if v:
        hole = symmetric(
            svg(f"M{160 - width} {top} C{160 - width * 0.7} {top + 8} 152 {top + depth * 0.8} 160 {top + depth}")
        )
    else:
        hole = symmetric(
            svg(
                f"M{160 - width} {top} C{160 - width} {top + depth * 0.8} "
                f"{160 - width * 0.5} {top + depth} 160 {top + depth}"
            )
        )
    canvas.fill(hole, darker(colour, 0.45))
    back = symmetric(
        svg(
            f"M{160 - width} {top} C{160 - width * 0.6} {top + 8} {160 - width * 0.3} "
            f"{top + 9} 160 {top + 9} L160 {top - 3} L{160 - width} {top - 1} Z"
        )
    )
    canvas.fill(back, darker(colour, 0.2))
    canvas.fill(
        shift([(156, top + 8), (164, top + 8), (164, top + 14), (156, top + 14)], 0, 0), lighter(colour, 0.6), 0.9
    )


def collar(canvas: Canvas, colour: RGB, points: float = 26) -> None:
    """A turned-down collar with its two leaves."""
    canvas.fill(symmetric(svg("M137 62 C140 54 150 50 160 50 L160 74 L142 74 Z")), darker(colour, 0.4))
    leaf = svg(f"M138 58 C132 62 130 68 130 74 L{148 - points * 0.1} {74 + points} L160 78 C150 74 142 68 138 58 Z")
    for path in (leaf, mirror(leaf)):
        canvas.form(path, lighter(colour, 0.05), 70, 0.9)
        canvas.line([*path, path[0]], darker(colour, 0.3), 0.9, 0.6)
    band = symmetric(svg("M138 58 C144 50 152 48 160 48 L160 56 C152 56 146 58 142 64 Z"))
    canvas.fill(band, darker(colour, 0.12))


def rib_collar(canvas: Canvas, colour: RGB, height: float = 10, depth: float = 20, width: float = 25) -> None:
    """A knitted ring around a round neck."""
    outer = symmetric(
        svg(
            f"M{160 - width - 4} 64 C{160 - width - 4} {74 + depth * 0.7} {160 - width * 0.5} "
            f"{68 + depth + height * 0.6} 160 {68 + depth + height * 0.6}"
        )
    )
    canvas.line(outer[: len(outer)], darker(colour, 0.1), height * 0.75)
    canvas.line(outer, darker(colour, 0.28), 0.9, 0.6)


def buttons(canvas: Canvas, spots: Sequence[Point], colour: RGB, r: float = 3.2) -> None:
    for x, y in spots:
        canvas.dot(x + 0.5, y + 1, r, darker(colour, 0.5), 0.6)
        canvas.dot(x, y, r, colour)
        for dx in (-1, 1):
            canvas.dot(x + dx, y, 0.55, contrast(colour, 0.5))


def patch_pocket(canvas: Canvas, colour: RGB, x: float, y: float, w: float, h: float, flap: bool = False) -> None:
    pocket = svg(f"M{x} {y} L{x + w} {y} L{x + w} {y + h - 6} L{x + w / 2} {y + h} L{x} {y + h - 6} Z")
    canvas.form(pocket, colour, 90, 0.8)
    canvas.line([*pocket, pocket[0]], darker(colour, 0.3), 1, 0.7)
    if flap:
        lid = svg(
            f"M{x - 1} {y - 3} L{x + w + 1} {y - 3} L{x + w + 1} {y + 7} L{x + w / 2} {y + 12} L{x - 1} {y + 7} Z"
        )
        canvas.form(lid, lighter(colour, 0.06), 90, 0.8)
        canvas.line([*lid, lid[0]], darker(colour, 0.35), 1, 0.7)


def zipper(canvas: Canvas, colour: RGB, top: float, bottom: float, x: float = 160) -> None:
    canvas.line([(x, top), (x, bottom)], darker(colour, 0.45), 4.4)
    y = top
    while y < bottom - 2:
        canvas.line([(x - 1, y), (x + 1, y)], lighter(colour, 0.5), 1.1)
        y += 3
    canvas.fill([(x - 2.6, top + 4), (x + 2.6, top + 4), (x + 2, top + 17), (x - 2, top + 17)], lighter(colour, 0.55))
