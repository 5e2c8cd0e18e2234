"""Yoga mats."""

from __future__ import annotations

import math
from random import Random

from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import METAL, RGB, WHITE, brightness, contrast, darker, lighter, rgb
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import Path, Point, ellipse, rect, rotate, shift, svg

_CORK: RGB = rgb("c79a6b")


def yoga_mat(canvas: Canvas, look: Look) -> None:
    {"rolled": _rolled, "folded": _folded, "set": _set}[look.shape](canvas, look)


def _cork_grain(canvas: Canvas, path: Path, seed: int) -> None:
    rng = Random(seed)
    xs, ys = [p[0] for p in path], [p[1] for p in path]
    with canvas.clip(path):
        for _ in range(int((max(xs) - min(xs)) * (max(ys) - min(ys)) / 70)):
            x, y = rng.uniform(min(xs), max(xs)), rng.uniform(min(ys), max(ys))
            tone = darker(_CORK, 0.35) if rng.random() < 0.6 else lighter(_CORK, 0.35)
            canvas.fill(ellipse(x, y, rng.uniform(0.6, 2.2), rng.uniform(0.5, 1.1)), tone, 0.8)


def _spiral(canvas: Canvas, cx: float, cy: float, r: float, look: Look, turns: int) -> None:
    """The end of the roll."""
    top = _CORK if look.has("cork") else look.colour
    under = (
        darker(look.colour, 0.4)
        if look.get("edge") == "dark"
        else (look.colour if look.has("cork") else lighter(look.colour, 0.35))
    )
    canvas.form(ellipse(cx, cy, r * 0.62, r), top, 60, 1.0)
    points: list[Point] = []
    for i in range(turns * 40):
        a = i / 40 * 2 * math.pi
        k = 1 - i / (turns * 40) * 0.94
        points.append((cx + r * 0.58 * k * math.cos(a), cy + r * 0.95 * k * math.sin(a)))
    canvas.line(points, under, r * 0.42 / turns)
    canvas.line(points, darker(top, 0.5), r * 0.1 / turns + 0.5, 0.7)


def _rolled(canvas: Canvas, look: Look) -> None:
    main = _CORK if look.has("cork") else look.colour
    r = {"thin": 34.0, "thick": 50.0}.get("thin" if look.has("thin") else "thick" if look.has("thick") else "", 42.0)
    canvas.ground(150, 246, 136, 10)
    sheet = svg("M84 224 L286 196 L300 236 L74 252 Z")
    canvas.form(sheet, main, 20, 0.9)
    with canvas.clip(sheet):
        if look.has("lines"):
            for k in range(5):
                canvas.line([(90 + k * 44, 220 - k * 6), (96 + k * 46, 256 - k * 4)], contrast(main, 0.5), 1.6)
        if look.has("mandala"):
            _mandala(canvas, 236, 222, 30, contrast(main, 0.5), 0.42)
    if look.has("cork"):
        _cork_grain(canvas, sheet, look.number)
    cy = 244 - r
    body = svg(
        f"M74 {cy - r} L262 {cy - r - 22} C{262 + r * 0.62} {cy - r - 22} "
        f"{262 + r * 0.62} {cy + r - 30} 262 {cy + r - 26} L74 {cy + r} Z"
    )
    canvas.form(body, main, 90, 1.4)
    if look.has("cork"):
        _cork_grain(canvas, body, look.number + 1)
    with canvas.clip(body):
        if look.has("lines"):
            for k in range(4):
                x = 106 + k * 44
                canvas.line(
                    svg(f"M{x} {cy - r - 20} C{x + r * 0.5} {cy - r} {x + r * 0.5} {cy + r} {x} {cy + r + 8}"),
                    contrast(main, 0.5),
                    1.8,
                )
            canvas.dot(196, cy - 12, 10, contrast(main, 0.5), 0.9)
        if look.has("mandala"):
            _mandala(canvas, 176, cy - 10, r * 0.86, contrast(main, 0.55), 1.0)
        canvas.blur(
            svg(f"M60 {cy - r * 0.72} L270 {cy - r * 0.72 - 22} L270 {cy - r * 0.4 - 22} L60 {cy - r * 0.4} Z"),
            WHITE,
            6,
            0.3,
        )
    _spiral(canvas, 74, cy, r, look, 3 if look.has("thick") else 5 if look.has("thin") else 4)
    if look.has("strap"):
        for x in (120, 222):
            lift = (x - 74) * -0.117
            belt = svg(
                f"M{x} {cy - r + lift} C{x + r * 0.56} {cy - r * 0.6 + lift} "
                f"{x + r * 0.56} {cy + r * 0.6 + lift} {x} {cy + r + lift * 0.8}"
            )
            canvas.line(belt, darker(look.accent, 0.15), 9)
            canvas.line(shift(belt, -1, 0), lighter(look.accent, 0.1), 5)
        sling = svg(f"M122 {cy - r - 6} C124 {cy - r - 66} 216 {cy - r - 88} 222 {cy - r - 18}")
        canvas.line(sling, darker(look.accent, 0.15), 9)
        canvas.line(shift(sling, 0, -1.4), lighter(look.accent, 0.1), 5)


def _mandala(canvas: Canvas, cx: float, cy: float, r: float, ink: RGB, squeeze: float) -> None:
    for count, far, size in ((8, 0.42, 0.2), (14, 0.78, 0.16)):
        for k in range(count):
            turn = 360 / count * k
            petal = svg(
                f"M{cx} {cy - r * (far - size)} C{cx + r * size * 0.7} "
                f"{cy - r * far} {cx + r * size * 0.4} {cy - r * (far + size)} {cx} "
                f"{cy - r * (far + size * 1.3)} C{cx - r * size * 0.4} {cy - r * (far + size)} "
                f"{cx - r * size * 0.7} {cy - r * far} {cx} {cy - r * (far - size)}"
            )
            path = [(x, cy + (y - cy) * squeeze) for x, y in rotate(petal, turn, (cx, cy))]
            canvas.line(path, ink, 1.5)
    canvas.line([*ellipse(cx, cy, r * 0.2, r * 0.2 * squeeze)], ink, 1.6)


def _folded(canvas: Canvas, look: Look) -> None:
    main = look.colour
    canvas.ground(160, 250, 104, 10)
    side = svg("M244 158 L276 116 C282 132 282 186 278 202 L248 242 Z")
    canvas.form(side, darker(main, 0.22), 90, 0.9)
    for i in range(1, 5):
        canvas.line([(250, 158 + i * 17), (280, 116 + i * 17)], darker(main, 0.5), 1.2, 0.6)
    for i in range(5):
        y = 236 - i * 17
        tone = main if i % 2 == 0 else darker(main, 0.16)
        layer = svg(
            f"M64 {y - 12} L248 {y - 12} C262 {y - 12} 262 {y + 6} 248 "
            f"{y + 6} L64 {y + 6} C54 {y + 6} 54 {y - 12} 64 {y - 12} Z"
        )
        canvas.form(layer, tone, 90, 0.9)
        canvas.line([(64, y + 5), (248, y + 5)], darker(main, 0.5), 1.2, 0.6)
    top = svg("M62 158 L100 116 L276 116 L250 158 Z")
    canvas.form(top, lighter(main, 0.08), 70, 0.8)
    with canvas.clip(top):
        ink = contrast(main, 0.5) if brightness(main) > 0.4 else lighter(main, 0.6)
        if look.has("waves"):
            for i in range(6):
                y = 118 + i * 8
                canvas.line(
                    svg(
                        f"M50 {y} C80 {y - 8} 100 {y + 8} 130 {y} C160 {y - 8} "
                        f"180 {y + 8} 210 {y} C240 {y - 8} 260 {y + 8} 290 {y}"
                    ),
                    ink,
                    1.8,
                )
        else:
            for i in range(16):
                canvas.line([(60 + i * 14, 158), (92 + i * 14, 116)], darker(main, 0.16), 0.9, 0.6)
    band = svg("M146 158 L166 116 L184 116 L166 158 L166 244 L146 244 Z")
    canvas.form(band, look.accent, 80, 0.9)
    canvas.form(rect(142, 192, 170, 210, 3), WHITE, 80, 0.6)


def _set(canvas: Canvas, look: Look) -> None:
    main = look.colour
    block = _CORK if look.get("blocks") == "cork" else lighter(main, 0.18)
    canvas.ground(160, 262, 128, 10)
    roll = svg("M86 88 L152 88 L152 250 C152 266 86 266 86 250 Z")
    canvas.form(roll, main, 0, 1.4)
    canvas.form(ellipse(119, 88, 33, 15), darker(main, 0.1), 60, 0.9)
    for k in range(4):
        ring = ellipse(119 + k, 88 + k * 0.6, 29 - k * 7, 12.4 - k * 3)
        canvas.line([*ring, ring[0]], darker(main, 0.5) if look.get("edge") == "dark" else lighter(main, 0.5), 1.8)
    if look.has("strap"):
        for y in (132, 214):
            canvas.line(svg(f"M86 {y} C100 {y + 10} 138 {y + 10} 152 {y}"), darker(look.accent, 0.12), 8)
            canvas.form(rect(112, y + 2, 128, y + 13, 2), METAL, 80, 1.0)
    for x, y, w, h in ((166, 206, 106, 56), (176, 148, 92, 54)):
        front = rect(x, y, x + w, y + h, 7)
        lid = svg(f"M{x + 6} {y + 1} L{x + 18} {y - 13} L{x + w + 8} {y - 13} L{x + w - 4} {y + 1} Z")
        side = svg(f"M{x + w - 5} {y + 2} L{x + w + 9} {y - 13} L{x + w + 9} {y + h - 18} L{x + w - 4} {y + h - 3} Z")
        canvas.form(side, darker(block, 0.2), 90, 0.8)
        canvas.form(lid, lighter(block, 0.2), 80, 0.7)
        canvas.form(front, block, 60, 1.0)
        if look.get("blocks") == "cork":
            _cork_grain(canvas, front, look.number + int(x))
        canvas.line(
            svg(
                f"M{x + w / 2 - 12} {y + h / 2} C{x + w / 2 - 6} {y + h / 2 - 12} "
                f"{x + w / 2 + 6} {y + h / 2 - 12} {x + w / 2 + 12} {y + h / 2}"
            ),
            darker(block, 0.25),
            2,
        )
        canvas.line([(x + w / 2, y + h / 2 - 4), (x + w / 2, y + h / 2 + 10)], darker(block, 0.25), 2)
