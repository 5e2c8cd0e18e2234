"""Mugs and cups."""

from __future__ import annotations

from random import Random

from ui_assets.demo.draw import patterns
from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import DARK, RGB, WHITE, brightness, contrast, darker, lighter, mix
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import Path, ellipse, rect, rotate, shift, svg, symmetric

_COFFEE: RGB = (92, 60, 42)
_CREMA: RGB = (176, 124, 80)


def mug(canvas: Canvas, look: Look) -> None:
    {"classic": _classic, "espresso": _espresso, "travel": _travel, "enamel": _enamel}[look.shape](canvas, look)


def _handle(canvas: Canvas, path: Path, colour: RGB, width: float) -> None:
    canvas.line(path, darker(colour, 0.26), width)
    canvas.line(shift(path, -1.4, -1.4), darker(colour, 0.02), width * 0.62)
    canvas.line(shift(path, -2.6, -2.8), lighter(colour, 0.35), width * 0.16, 0.8)


def _mouth(canvas: Canvas, cx: float, y: float, rx: float, ry: float, wall: RGB, drink: RGB) -> None:
    canvas.form(ellipse(cx, y, rx, ry), lighter(wall, 0.12), 90, 0.6)
    canvas.fill(ellipse(cx, y + 1, rx - 6, ry - 3.4), darker(wall, 0.32))
    pool = ellipse(cx, y + 4, rx - 9, ry - 5)
    with canvas.clip(ellipse(cx, y + 1, rx - 6, ry - 3.4)):
        canvas.gradient(pool, drink, lighter(drink, 0.18), 20)
        canvas.line([*pool, pool[0]], lighter(drink, 0.35), 1.6, 0.7)


def _steam(canvas: Canvas, cx: float, y: float) -> None:
    for dx in (-16, 4, 22):
        wisp = svg(
            f"M{cx + dx} {y} C{cx + dx - 9} {y - 14} {cx + dx + 9} {y - 24} {cx + dx} {y - 40} "
            f"L{cx + dx + 4} {y - 40} C{cx + dx + 14} {y - 22} {cx + dx - 3} {y - 14} {cx + dx + 5} {y} Z"
        )
        canvas.blur(wisp, WHITE, 2.4, 0.6)


def _classic(canvas: Canvas, look: Look) -> None:
    main = look.colour
    canvas.ground(160, 264, 84, 9)
    big = 10 if look.has("big") else 0
    top = 112 - big * 1.6
    shape = look.number % 3
    outlines = (
        f"M80 {top} L84 232 C86 252 98 262 118 262 L148 262",
        f"M78 {top} C78 160 78 200 92 236 C98 254 108 262 124 262 L148 262",
        f"M92 {top} C84 140 70 170 74 206 C78 240 96 262 122 262 L148 262",
    )
    body = symmetric(svg(outlines[shape]), 148)
    grip = svg("M214 146 C262 134 272 226 208 226") if shape != 2 else svg("M214 150 C258 150 262 220 210 228")
    clay: RGB = (214, 188, 154) if look.get("glaze") != "plain" else main
    _handle(canvas, grip, main, 15)
    canvas.form(body, main, 15, 1.15)
    with canvas.clip(body):
        _decor(canvas, look)
        if look.get("glaze") == "dip":
            edge = svg(
                f"M60 {232 + look.number % 4 * 3} C100 224 120 240 150 232 C180 224 210 240 240 230 L240 280 L60 280 Z"
            )
            canvas.form(edge, clay, 15, 1.0)
        canvas.blur(svg(f"M92 {top + 16} L106 {top + 18} L108 236 L100 236 Z"), WHITE, 4, 0.5)
        canvas.blur(svg("M196 100 L240 100 L240 270 L180 270 Z"), darker(main, 0.8), 12, 0.22)
    rx = 68.0 if shape == 0 else (70.0 if shape == 1 else 56.0)
    _mouth(canvas, 148, top, rx, 15, main, _COFFEE if look.number % 2 else (190, 120, 60))
    _steam(canvas, 148, top - 8)


def _decor(canvas: Canvas, look: Look) -> None:
    main = look.colour
    ink = look.accent if abs(brightness(look.accent) - brightness(main)) > 0.2 else contrast(main, 0.65)
    pattern = look.get("pattern")
    if pattern == "stripes":
        for i, y in enumerate((150, 164, 178, 206)):
            canvas.fill(
                svg(
                    f"M60 {y} C110 {y + 9} 190 {y + 9} 240 {y} L240 {y + 7 - i} "
                    f"C190 {y + 16 - i} 110 {y + 16 - i} 60 {y + 7 - i} Z"
                ),
                ink,
            )
    elif pattern == "dots":
        patterns.dots(canvas, ink, 24, 5.6)
    elif pattern == "leaf":
        canvas.line(svg("M120 236 C136 206 146 180 150 148"), ink, 2.6)
        for k in range(5):
            x, y = 126 + k * 5.6, 222 - k * 16
            for side in (-1, 1):
                leaf = rotate(
                    svg(
                        f"M{x} {y} C{x + 6} {y - 9} {x + 20} {y - 10} {x + 26} "
                        f"{y - 3} C{x + 18} {y + 4} {x + 8} {y + 5} {x} {y} Z"
                    ),
                    -40 if side > 0 else -130,
                    (x, y),
                )
                canvas.fill(leaf, ink)
    if look.get("glaze") == "speckle":
        rng = Random(look.number)
        for _ in range(150):
            canvas.dot(rng.uniform(70, 230), rng.uniform(100, 264), rng.uniform(0.6, 1.7), darker(main, 0.55), 0.8)


def _espresso(canvas: Canvas, look: Look) -> None:
    main = look.colour
    canvas.ground(160, 256, 122, 9)
    for cx, y, tone in ((210, -34, darker(main, 0.04)), (118, 12, main)):
        canvas.blur(ellipse(cx + 2, 238 + y, 78, 13), darker(main, 0.8), 6, 0.25)
        canvas.form(ellipse(cx, 230 + y, 78, 16), tone, 60, 1.0)
        canvas.fill(ellipse(cx, 228 + y, 50, 9), darker(tone, 0.16))
        _handle(
            canvas, svg(f"M{cx + 40} {170 + y} C{cx + 72} {164 + y} {cx + 70} {206 + y} {cx + 32} {206 + y}"), tone, 9
        )
        cup = symmetric(
            svg(f"M{cx - 46} {158 + y} C{cx - 46} {190 + y} {cx - 36} {222 + y} {cx - 22} {228 + y} L{cx} {229 + y}"),
            cx,
        )
        canvas.form(cup, tone, 15, 1.2)
        with canvas.clip(cup):
            if look.get("glaze") == "dip":
                canvas.form(
                    svg(
                        f"M{cx - 60} {206 + y} C{cx - 20} {198 + y} {cx + 20} {212 + y} "
                        f"{cx + 60} {202 + y} L{cx + 60} {240 + y} L{cx - 60} {240 + y} Z"
                    ),
                    (214, 188, 154),
                    15,
                    0.9,
                )
            canvas.blur(rect(cx - 36, 166 + y, cx - 28, 212 + y, 4), WHITE, 3, 0.55)
        _mouth(canvas, cx, 158 + y, 46, 11, tone, _CREMA)
    _steam(canvas, 118, 156)


def _travel(canvas: Canvas, look: Look) -> None:
    main = look.colour
    canvas.ground(160, 284, 52, 8)
    tall = 14 if look.has("big") else 0
    top = 104 - tall
    body = symmetric(svg(f"M160 {top} L110 {top} L122 272 C123 282 130 284 138 284 L160 284"))
    if look.number % 2:
        _handle(canvas, svg("M206 132 C250 128 250 210 198 212"), DARK, 12)
    canvas.form(body, main, 10, 1.2)
    with canvas.clip(body):
        canvas.blur(svg(f"M124 {top + 8} L134 {top + 8} L140 270 L132 270 Z"), WHITE, 4, 0.5)
        canvas.blur(svg(f"M196 {top} L214 {top} L204 290 L184 290 Z"), DARK, 7, 0.25)
        if look.number % 2 == 0:
            canvas.form(rect(100, 168, 220, 222, 0), darker(look.accent, 0.05), 10, 0.9)
            for y in (180, 190, 200, 210):
                canvas.line([(100, y), (220, y)], darker(look.accent, 0.3), 1.4, 0.5)
        canvas.form(rect(100, 272, 220, 290), (190, 194, 198), 10, 0.8)
    lid = symmetric(svg(f"M160 {top - 24} L118 {top - 24} C108 {top - 24} 106 {top - 14} 106 {top + 4} L160 {top + 4}"))
    canvas.form(lid, DARK, 10, 1.2)
    canvas.form(rect(136, top - 34, 184, top - 22, 5), lighter(DARK, 0.08), 10, 1.0)
    canvas.fill(rect(168, top - 31, 178, top - 26, 2), mix(look.accent, WHITE, 0.1))


def _enamel(canvas: Canvas, look: Look) -> None:
    main = look.colour
    rim = DARK if brightness(main) > 0.5 else (36, 44, 70)
    canvas.ground(160, 258, 84, 9)
    _handle(canvas, svg("M212 142 C266 138 262 222 210 222"), main, 10)
    body = symmetric(svg("M76 118 L80 244 C82 254 90 256 100 256 L148 256"), 148)
    canvas.form(body, main, 15, 1.2)
    with canvas.clip(body):
        rng = Random(look.number)
        fleck = WHITE if brightness(main) < 0.7 else darker(main, 0.4)
        for _ in range(110):
            canvas.dot(rng.uniform(70, 226), rng.uniform(126, 256), rng.uniform(0.6, 1.6), fleck, 0.85)
        canvas.blur(rect(92, 132, 104, 240, 4), WHITE, 4, 0.55)
        canvas.fill(rect(60, 250, 240, 262), rim)
    _mouth(canvas, 148, 118, 72, 14, main, _COFFEE)
    for shade, width in ((rim, 4.6), (lighter(rim, 0.3), 1.2)):
        ring = ellipse(148, 118, 72, 14)
        canvas.line([*ring, ring[0]], shade, width)
    _steam(canvas, 148, 110)
