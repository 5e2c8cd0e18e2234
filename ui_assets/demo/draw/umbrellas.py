"""Open umbrellas."""

from __future__ import annotations

from itertools import pairwise

from ui_assets.demo.draw import patterns
from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import DARK, LEATHER, METAL, WOOD, brightness, contrast, darker, lighter, rgb
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import Path, Point, mirror, rect, rotate, shift, svg

_TILT = 14.0
_HANDLES = {"wood": WOOD, "bamboo": rgb("d2b074"), "leather": LEATHER, "plain": DARK}


def umbrella(canvas: Canvas, look: Look) -> None:
    deep = look.shape == "dome"
    top, edge = (52.0, 176.0) if deep else (70.0, 158.0)
    half = 104.0 if deep else 124.0
    tilt = 0.0 if deep or look.number % 2 else _TILT
    _shaft(canvas, look, top, edge, tilt)
    tips = [160 - half + half * k / 3 for k in range(7)]
    canopy = _canopy(tips, top, edge, half)
    under = _turn(_dip(tips, edge, 6), tilt)
    canvas.fill(under, darker(look.colour, 0.55))
    turned = _turn(canopy, tilt)
    canvas.form(turned, look.colour, 70, 1.0)
    with canvas.clip(turned):
        _panels(canvas, look, tips, top, edge, tilt)
        _print(canvas, look, turned, tips, top, edge, tilt)
        for k, x in enumerate(tips[1:-1]):
            seam = _turn(_rib(x, top, edge), tilt)
            canvas.line(seam, darker(look.colour, 0.3), 1.4, 0.75)
            canvas.line(shift(seam, 1.4, 0), lighter(look.colour, 0.25), 0.9, 0.5)
            canvas.blur(
                _turn(
                    svg(
                        f"M160 {top} C{x - 10} {top + 30} {x - 16} {edge - 30} {x - 14} "
                        f"{edge + 8} L{x} {edge + 8} C{x} {edge - 30} {x} {top + 30} 160 {top} Z"
                    ),
                    tilt,
                ),
                darker(look.colour, 0.7),
                4,
                0.18 + 0.02 * k,
            )
    for x in tips:
        end = _turn([(x, edge), (x, edge + 4)], tilt)
        canvas.line(end, METAL, 3)
    spike = _turn([(160, top + 2), (160, top - (14 if look.shape != "folding" else 7))], tilt)
    canvas.line(spike, darker(METAL, 0.3) if look.shape != "parasol" else WOOD, 5)


def _turn(path: Path, degrees: float) -> Path:
    return rotate(path, degrees, (160, 160))


def _rib(x: float, top: float, edge: float) -> Path:
    return svg(f"M160 {top} C{160 + (x - 160) * 0.62} {top + 4} {x} {top + (edge - top) * 0.42} {x} {edge}")


def _canopy(tips: list[float], top: float, edge: float, half: float) -> Path:
    left = _rib(tips[0], top, edge)[::-1]
    scallops: Path = []
    for a, b in pairwise(tips[::-1]):
        scallops += svg(f"M{a} {edge} C{a - 8} {edge - 11} {b + 8} {edge - 11} {b} {edge}")
    return left + _rib(160 + half, top, edge) + scallops


def _dip(tips: list[float], edge: float, depth: float) -> Path:
    return svg(
        f"M{tips[0] + 6} {edge - 4} C120 {edge - 26} 200 {edge - 26} {tips[-1] - 6} "
        f"{edge - 4} C220 {edge + depth} 100 {edge + depth} {tips[0] + 6} {edge - 4} Z"
    )


def _panels(canvas: Canvas, look: Look, tips: list[float], top: float, edge: float, tilt: float) -> None:
    if look.get("pattern") != "panels":
        return
    stripe = look.accent if abs(brightness(look.accent) - brightness(look.colour)) > 0.2 else contrast(look.colour, 0.7)
    for k in (0, 2, 4):
        gore = _rib(tips[k], top, edge + 4) + _rib(tips[k + 1], top, edge + 4)[::-1]
        canvas.fill(_turn(gore, tilt), stripe)


def _print(canvas: Canvas, look: Look, turned: Path, tips: list[float], top: float, edge: float, tilt: float) -> None:
    clear = (
        look.accent if abs(brightness(look.accent) - brightness(look.colour)) > 0.22 else contrast(look.colour, 0.75)
    )
    pattern = look.get("pattern")
    if pattern == "dots":
        patterns.dots(canvas, clear, 21, 4.4)
    elif pattern == "floral":
        patterns.flowers(canvas, look.colour, clear, look.number, 7)
    elif pattern == "border":
        for a, b in pairwise(tips):
            hem: list[Point] = svg(f"M{a} {edge - 6} C{a + 8} {edge - 18} {b - 8} {edge - 18} {b} {edge - 6}")
            canvas.line(_turn(hem, tilt), clear, 7)
    canvas.blur(shift(turned, -14, 62), darker(look.colour, 0.8), 16, 0.22)


def _shaft(canvas: Canvas, look: Look, top: float, edge: float, tilt: float) -> None:
    style = look.get("handle", "plain")
    grip = _HANDLES[style] if look.shape != "folding" else DARK
    long = look.shape != "folding"
    bottom = 262.0 if long else 238.0
    pole = METAL if look.shape != "parasol" else WOOD
    canvas.line(_turn([(160, top), (160, bottom)], tilt), darker(pole, 0.25), 5)
    canvas.line(_turn([(159, top), (159, bottom)], tilt), lighter(pole, 0.3), 1.8)
    if not long:
        canvas.form(_turn(rect(151, bottom - 12, 169, bottom + 28, 7), tilt), grip, 0, 1.0)
        loop = svg(
            f"M160 {bottom + 27} C146 {bottom + 44} 150 {bottom + 58} 160 "
            f"{bottom + 56} C170 {bottom + 56} 172 {bottom + 42} 162 {bottom + 28}"
        )
        canvas.line(_turn(loop, tilt), look.colour, 2.6)
        canvas.dot(*_turn([(160, bottom)], tilt)[0], 3, look.accent)
        return
    if look.shape == "parasol":
        canvas.form(_turn(rect(154, bottom - 36, 166, bottom + 22, 6), tilt), grip, 0, 1.0)
    else:
        crook = svg(f"M160 {bottom - 34} L160 {bottom + 6} C160 {bottom + 34} 122 {bottom + 34} 122 {bottom + 8}")
        crook = crook if look.number % 3 else mirror(crook)
        canvas.line(_turn(crook, tilt), darker(grip, 0.25), 11)
        canvas.line(shift(_turn(crook, tilt), -1.2, -1), lighter(grip, 0.14), 5)
        if style == "leather":
            canvas.stitch(_turn(crook, tilt), lighter(grip, 0.5), 1, 2.5, 3)
        if style == "bamboo":
            for i in (2, 9, 14):
                x, y = _turn(crook, tilt)[i]
                canvas.dot(x, y, 6.4, darker(grip, 0.3), 0.8)
                canvas.dot(x - 0.5, y - 1.4, 5.6, grip)
    canvas.form(_turn(rect(154, bottom - 42, 166, bottom - 34, 2), tilt), METAL, 0, 1.0)
