"""Watches, seen from the front."""

from __future__ import annotations

import math

from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import DARK, RGB, WHITE, brightness, darker, lighter, rgb
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import SIDES, Path, ellipse, rect, rotate, svg

_CASES = {"steel": rgb("c3c7cc"), "gold": rgb("d9b668"), "rose": rgb("dda68e"), "black": rgb("3a3b40")}
_DIALS = {
    "white": rgb("f6f4ef"),
    "navy": rgb("2c3e60"),
    "cream": rgb("efe4cc"),
    "green": rgb("34584a"),
    "black": rgb("2a2b30"),
}
_CENTRE = (160.0, 160.0)


def watch(canvas: Canvas, look: Look) -> None:
    {"digital": _digital, "square": _square}.get(look.shape, _round)(canvas, look)


def _strap(canvas: Canvas, look: Look, half: float) -> None:
    material = look.get("strap", "leather")
    colour = look.colour if material != "steel" else _CASES["steel"]
    end = half * 0.78
    for up in (True, False):
        path = svg(
            f"M{160 - half} 132 C{160 - half} 96 {160 - end} 60 {160 - end} 26 C{160 - end} 18 "
            f"{160 + end} 18 {160 + end} 26 C{160 + end} 60 {160 + half} 96 {160 + half} 132 Z"
        )
        path = path if up else [(x, 320 - y) for x, y in path]
        canvas.form(path, colour, 0, 1.1)
        with canvas.clip(path):
            _strap_detail(canvas, look, material, colour, up, end)


def _strap_detail(canvas: Canvas, look: Look, material: str, colour: RGB, up: bool, end: float) -> None:
    if material == "steel":
        for i in range(12):
            y = 22 + i * 11 if up else 298 - i * 11
            canvas.line([(90, y), (230, y)], darker(colour, 0.45), 1.6)
        for x in (160 - end * 0.42, 160 + end * 0.42):
            canvas.line([(x, 0), (x, 320)], darker(colour, 0.3), 1.3)
        canvas.blur(rect(156, 0, 164, 320), WHITE, 4, 0.6)
        return
    seam = lighter(colour, 0.4) if brightness(colour) < 0.7 else darker(colour, 0.3)
    if material in ("leather", "canvas"):
        for s in (-1, 1):
            x = 160 + s * (end - 3)
            canvas.stitch([(x, 24), (x, 130)] if up else [(x, 190), (x, 300)], seam, 1.2, 4, 3)
    if material == "rubber":
        for i in range(7):
            y = 40 + i * 13 if up else 280 - i * 13
            canvas.line([(140, y), (180, y)], darker(colour, 0.35), 4)
    if not up:
        for y in (236, 254, 272):
            canvas.fill(ellipse(160, y, 3, 2.4), darker(colour, 0.6))
    elif look.has("holes"):
        for y in (46, 68, 90):
            canvas.fill(ellipse(160, y, 5.5), darker(colour, 0.6))


def _round(canvas: Canvas, look: Look) -> None:
    metal = _CASES[look.get("case", "steel")]
    dive = look.shape == "diver"
    _strap(canvas, look, 37)
    for flip in SIDES:
        for up in (1, -1):
            lug = svg("M112 118 C110 104 116 94 124 92 L130 120 Z")
            canvas.form(flip(lug if up == 1 else [(x, 320 - y) for x, y in lug]), metal, 60, 1.1)
    canvas.form(rect(220, 152, 234, 168, 3), metal, 90, 1.2)
    if look.shape == "chrono":
        for y in (128, 192):
            canvas.form(rotate(rect(218, y - 6, 230, y + 6, 3), (y - 160) * 0.8, (160, 160)), metal, 90, 1.2)
    canvas.form(ellipse(160, 160, 66), metal, 50, 1.3)
    if dive:
        _bezel(canvas, look.colour)
    r = 50.0 if dive else 58.0
    dial = darker(look.colour, 0.55) if dive else _DIALS[look.get("dial", "white")]
    canvas.fill(ellipse(160, 160, r + 1.5), darker(metal, 0.35))
    canvas.gradient(ellipse(160, 160, r), lighter(dial, 0.1), darker(dial, 0.12), 60)
    ink: RGB = (52, 52, 58) if brightness(dial) > 0.5 else (240, 238, 230)
    _markers(canvas, r, ink, bold=dive)
    if look.shape == "chrono":
        for dx, dy in ((-24, 0), (24, 0), (0, 24)):
            canvas.fill(
                ellipse(160 + dx, 160 + dy, 13), darker(dial, 0.14) if brightness(dial) > 0.5 else lighter(dial, 0.14)
            )
            canvas.line([*ellipse(160 + dx, 160 + dy, 13)], ink, 1, 0.7)
            canvas.line([(160 + dx, 160 + dy), (160 + dx + 5, 160 + dy - 8)], look.accent, 1.8)
    _hands(canvas, r, ink if not dive else WHITE, look, bold=dive)
    if look.shape == "classic" and look.number % 2:
        canvas.fill(rect(188, 154, 202, 166, 1), WHITE)
        canvas.fill(rect(192, 157, 198, 163, 1), DARK)
    canvas.blur(svg("M118 138 C126 116 146 106 166 106 L138 190 C122 180 114 160 118 138 Z"), WHITE, 6, 0.22)


def _bezel(canvas: Canvas, colour: RGB) -> None:
    canvas.form(ellipse(160, 160, 63), darker(colour, 0.1), 50, 1.1)
    for i in range(12):
        a = math.radians(i * 30 - 90)
        size = 2.4 if i % 3 else 3.4
        canvas.dot(160 + 56.5 * math.cos(a), 160 + 56.5 * math.sin(a), size, (244, 240, 230))
    canvas.fill([(160, 110), (154, 99), (166, 99)], (244, 240, 230))


def _markers(canvas: Canvas, r: float, ink: RGB, bold: bool) -> None:
    for i in range(60):
        a = math.radians(i * 6 - 90)
        hour = i % 5 == 0
        outer, inner = r - 4, r - (14 if hour else 6)
        width = (4.2 if bold else 2.6) if hour else 0.8
        canvas.line(
            [
                (160 + outer * math.cos(a), 160 + outer * math.sin(a)),
                (160 + inner * math.cos(a), 160 + inner * math.sin(a)),
            ],
            ink,
            width,
            1.0 if hour else 0.6,
        )


def _hand(degrees: float, length: float, width: float) -> Path:
    blade = [
        (160 - width, 168),
        (160 - width, 160),
        (160 - width * 0.5, 160 - length),
        (160, 160 - length - 3),
        (160 + width * 0.5, 160 - length),
        (160 + width, 160),
        (160 + width, 168),
    ]
    return rotate(blade, degrees, _CENTRE)


def _hands(canvas: Canvas, r: float, ink: RGB, look: Look, bold: bool) -> None:
    wide = 4.4 if bold else 2.6
    for path in (_hand(-54, r * 0.5, wide), _hand(54, r * 0.72, wide * 0.85)):
        canvas.fill([(x + 1.2, y + 2) for x, y in path], DARK, 0.3)
        canvas.fill(path, ink)
    second = look.accent if brightness(look.accent) > 0.25 else rgb("d9654f")
    canvas.fill(_hand(200, r * 0.76, 0.9), second)
    canvas.dot(160, 160, 4.2, second)
    canvas.dot(160, 160, 1.6, WHITE)


def _square(canvas: Canvas, look: Look) -> None:
    metal, dial = _CASES[look.get("case", "steel")], _DIALS[look.get("dial", "white")]
    _strap(canvas, look, 34)
    canvas.form(rect(210, 153, 222, 167, 3), metal, 90, 1.2)
    canvas.form(rect(108, 96, 212, 224, 12), metal, 50, 1.3)
    canvas.fill(rect(116, 104, 204, 216, 7), darker(metal, 0.35))
    face = rect(118, 106, 202, 214, 6)
    canvas.gradient(face, lighter(dial, 0.15), darker(dial, 0.08), 60)
    ink: RGB = (60, 52, 46)
    canvas.line([*rect(132, 122, 188, 198, 2), (132, 124)], ink, 0.9, 0.7)
    for i in range(12):
        a = math.radians(i * 30 - 90)
        stretch = 1 / max(abs(math.cos(a)) / 36, abs(math.sin(a)) / 48)
        x, y = 160 + stretch * math.cos(a), 160 + stretch * math.sin(a)
        canvas.line([(x, y), (160 + (x - 160) * 0.84, 160 + (y - 160) * 0.86)], ink, 2.6)
    for path in (_hand(-54, 22, 2.2), _hand(48, 34, 1.8)):
        canvas.fill(path, ink)
    canvas.dot(160, 160, 3.4, metal)
    canvas.blur(svg("M122 112 L160 108 L132 200 L122 190 Z"), WHITE, 5, 0.3)


_SEGMENTS = {
    "0": "abcdef",
    "1": "bc",
    "2": "abged",
    "3": "abgcd",
    "4": "fgbc",
    "5": "afgcd",
    "6": "afgedc",
    "7": "abc",
    "8": "abcdefg",
    "9": "abcdfg",
}


def _digit(canvas: Canvas, digit: str, x: float, y: float, size: float, ink: RGB) -> None:
    w, h = size * 0.5, size
    ends = {
        "a": ((0, 0), (w, 0)),
        "b": ((w, 0), (w, h / 2)),
        "c": ((w, h / 2), (w, h)),
        "d": ((0, h), (w, h)),
        "e": ((0, h / 2), (0, h)),
        "f": ((0, 0), (0, h / 2)),
        "g": ((0, h / 2), (w, h / 2)),
    }
    for name in _SEGMENTS[digit]:
        (x0, y0), (x1, y1) = ends[name]
        inset = size * 0.07
        dx, dy = (inset, 0) if y0 == y1 else (0, inset)
        canvas.line([(x + x0 + dx, y + y0 + dy), (x + x1 - dx, y + y1 - dy)], ink, size * 0.11)


def _digital(canvas: Canvas, look: Look) -> None:
    main = look.colour
    _strap(canvas, Look(look.category, look.shape, main, look.accent, {"strap": "rubber"}, look.number), 38)
    case = svg("M118 96 L202 96 L226 120 L226 200 L202 224 L118 224 L94 200 L94 120 Z")
    for y in (134, 178):
        for flip in SIDES:
            canvas.form(flip(rect(86, y, 98, y + 16, 3)), (150, 152, 158), 90, 1.1)
    canvas.form(case, darker(main, 0.06), 60, 1.2)
    canvas.form(
        svg("M124 104 L196 104 L218 126 L218 194 L196 216 L124 216 L102 194 L102 126 Z"), darker(main, 0.5), 60, 1.0
    )
    canvas.line(svg("M128 112 L192 112"), look.accent, 3)
    screen = rect(112, 126, 208, 188, 5)
    canvas.gradient(screen, rgb("cfd8c0"), rgb("a9b69c"), 70)
    ink: RGB = (46, 54, 46)
    minutes = f"{(look.number * 7) % 50 + 10}"
    for digit, x in zip("10" + minutes, (119, 138, 166, 185), strict=True):
        _digit(canvas, digit, x, 146, 28, ink)
    for y in (155, 166):
        canvas.dot(158.5, y, 1.8, ink)
    for i in range(4):
        canvas.fill(rect(118 + i * 10, 132, 125 + i * 10, 136, 1), ink, 0.8 if i < look.number % 4 + 1 else 0.2)
    canvas.line([(172, 134), (200, 134)], ink, 2, 0.6)
    canvas.blur(svg("M114 128 L140 128 L120 184 L114 184 Z"), WHITE, 3, 0.4)
    for s in (-1, 1):
        for y in (118, 202):
            canvas.dot(160 + s * 50, y, 2.4, (170, 172, 178))
    canvas.line(svg("M136 204 L184 204"), look.accent, 4, 0.9)
