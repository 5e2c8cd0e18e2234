"""Surfaces: stripes, dots, checks, flowers and knits, painted over the whole sheet; clip them to the thing."""

from __future__ import annotations

import math
from random import Random

from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import RGB, contrast, darker, lighter
from ui_assets.demo.draw.paths import Path, ellipse, rotate, shift, svg


def stripes(canvas: Canvas, colour: RGB, pitch: float, width: float, angle: float = 0, alpha: float = 1.0) -> None:
    """Parallel lines; 0 degrees lies level, 90 stands upright."""
    y = -40.0
    while y < 360:
        canvas.fill(rotate([(-80, y), (400, y), (400, y + width), (-80, y + width)], angle), colour, alpha)
        y += pitch


def dots(canvas: Canvas, colour: RGB, pitch: float, r: float, alpha: float = 1.0) -> None:
    spots = [
        (column * pitch + (row % 2) * pitch / 2, row * pitch * 0.84)
        for row in range(int(320 / pitch * 1.2))
        for column in range(int(320 / pitch) + 1)
    ]
    canvas.dots(spots, r, colour, alpha)


def check(canvas: Canvas, colour: RGB, pitch: float) -> None:
    """Woven bands that darken where they cross, with a fine line between them."""
    for angle in (0, 90):
        stripes(canvas, colour, pitch, pitch * 0.34, angle, 0.45)
        y = -40 + pitch * 0.68
        while y < 360:
            canvas.line(rotate([(-40, y), (360, y)], angle), colour, 1.2, 0.7)
            y += pitch


def flowers(canvas: Canvas, base: RGB, petal: RGB, seed: int, size: float = 6) -> None:
    """Small blossoms and leaves, never two on one spot."""
    rng = Random(seed)
    leaf = contrast(base, 0.4)
    step = size * 3.3
    for row in range(int(320 / step) + 1):
        for column in range(int(320 / step) + 1):
            x = column * step + (row % 2) * step / 2 + rng.uniform(-3, 3)
            y = row * step + rng.uniform(-3, 3)
            turn = rng.uniform(0, 72)
            for side in (40, 140):
                stalk = rotate(ellipse(x + size * 1.3, y, size * 0.62, size * 0.26), turn + side, (x, y))
                canvas.fill(stalk, leaf, 0.75)
            for k in range(5):
                canvas.fill(ellipse(*_around(x, y, size * 0.55, turn + 72 * k), size * 0.42), petal)
            canvas.dot(x, y, size * 0.3, contrast(petal, 0.5))


def _around(x: float, y: float, r: float, degrees: float) -> tuple[float, float]:
    return x + r * math.cos(math.radians(degrees)), y + r * math.sin(math.radians(degrees))


def rib(canvas: Canvas, base: RGB, pitch: float = 6, angle: float = 90) -> None:
    stripes(canvas, darker(base, 0.22), pitch, 1.3, angle, 0.7)
    canvas_light = lighter(base, 0.16)
    stripes(canvas, canvas_light, pitch, 0.8, angle, 0.4)


def cables(canvas: Canvas, base: RGB, centres: tuple[float, ...]) -> None:
    """Twisted ropes of yarn running down at the given x."""
    dark, light = darker(base, 0.24), lighter(base, 0.14)
    for cx in centres:
        for side in (-13, 13):
            canvas.line([(cx + side, 0), (cx + side, 320)], dark, 1.4, 0.7)
        for i in range(22):
            y = i * 15.0
            strand = svg("M-8 0 C-8 8 8 8 8 16 C8 12 4 6 0 4 C-4 2 -8 -4 -8 -8 Z")
            canvas.fill(shift(strand, cx, y), dark, 0.75)
            canvas.fill(shift(svg("M8 0 C8 8 -8 8 -8 16 C-8 6 8 6 8 -4 Z"), cx, y), light, 0.8)
            canvas.line(shift(svg("M8 -2 C8 7 -8 7 -8 15"), cx, y), dark, 1.2, 0.7)


def moss(canvas: Canvas, base: RGB, pitch: float = 6) -> None:
    dots(canvas, darker(base, 0.22), pitch, pitch * 0.24, 0.6)
    dots(canvas, lighter(base, 0.18), pitch, pitch * 0.12, 0.5)


def argyle(canvas: Canvas, base: RGB, accent: RGB) -> None:
    for row in range(8):
        for column in range(9):
            x, y = 160 + (column - 4) * 34, 40 + row * 52
            for colour, dx, dy in ((accent, 0, 0), (darker(base, 0.25), 17, 26)):
                diamond = [(x + dx, y + dy - 24), (x + dx + 15, y + dy), (x + dx, y + dy + 24), (x + dx - 15, y + dy)]
                canvas.fill(diamond, colour, 0.85)
    for slope in (-1, 1):
        for i in range(-10, 22):
            canvas.line([(i * 34 - 11, 0), (i * 34 - 11 + slope * 210, 320)], lighter(base, 0.4), 1, 0.55)


def pile(canvas: Canvas, base: RGB, seed: int, size: float = 7) -> None:
    """The curls of fleece and plush."""
    rng = Random(seed)
    curls: list[Path] = []
    for _ in range(int(26000 / size**1.6)):
        x, y, r = rng.uniform(20, 300), rng.uniform(20, 300), rng.uniform(size * 0.3, size * 0.6)
        turn = rng.uniform(0, 360)
        curls.append([_around(x, y, r, turn + a) for a in range(0, 200, 25)])
    canvas.lines(curls[::2], darker(base, 0.22), 1.1, 0.6)
    canvas.lines(curls[1::2], lighter(base, 0.2), 1.1, 0.6)
