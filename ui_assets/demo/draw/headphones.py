"""Headphones and earbuds."""

from __future__ import annotations

from ui_assets.demo.draw import patterns
from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import DARK, METAL, RGB, WHITE, brightness, darker, lighter, mix
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import SIDES, Path, arc, band, ellipse, rect, rotate, shift, svg


def headphones(canvas: Canvas, look: Look) -> None:
    {"over": _over, "onear": _onear, "buds": _buds, "sport": _sport}[look.shape](canvas, look)


def _pad_colour(look: Look) -> RGB:
    return (70, 66, 66) if brightness(look.colour) > 0.4 else darker(look.colour, 0.35)


def _over(canvas: Canvas, look: Look) -> None:
    main, pad = look.colour, _pad_colour(look)
    canvas.ground(160, 278, 100, 9)
    arch = arc(160, 162, 92, 116, 190, 350)
    canvas.line(shift(arch, 0, 7), pad, 17)
    canvas.form(band(arch, 20), main, 30, 1.0)
    canvas.line(arc(160, 158, 92, 113, 215, 280), lighter(main, 0.3), 2.4, 0.6)
    for flip in SIDES:
        canvas.form(flip(rect(62, 138, 74, 186, 5)), METAL, 0, 1.1)
        yoke = svg("M58 168 C48 180 46 220 56 236 L66 232 C58 216 60 188 68 176 Z")
        canvas.form(flip(yoke), METAL if look.number % 2 else look.accent, 60, 1.0)
        cushion = rotate(rect(86, 168, 118, 264, 16), 4, (100, 216))
        canvas.form(flip(cushion), pad, 40, 1.2)
        if look.has("fabric"):
            with canvas.clip(flip(cushion)):
                patterns.moss(canvas, pad, 4)
        shell = rotate(
            svg(
                "M88 166 C66 166 54 190 54 216 C54 244 66 266 88 266 C96 "
                "266 100 262 100 254 L100 178 C100 170 96 166 88 166 Z"
            ),
            4,
            (84, 216),
        )
        canvas.form(flip(shell), main, 60, 1.1)
        disc = rotate(ellipse(74, 216, 12, 30), 4, (84, 216))
        canvas.form(flip(disc), mix(main, look.accent, 0.55), 60, 0.9)
        canvas.line([*flip(disc), flip(disc)[0]], darker(main, 0.35), 1.2, 0.7)
    canvas.dot(92, 250, 2.6, (140, 220, 160))
    for y in (196, 208):
        canvas.fill(rect(218, y, 226, y + 8, 3), darker(main, 0.4))


def _onear(canvas: Canvas, look: Look) -> None:
    main, pad = look.colour, _pad_colour(look)
    canvas.ground(160, 266, 92, 9)
    arch = arc(160, 160, 82, 96, 188, 352)
    canvas.line(arch, darker(METAL, 0.12), 7)
    canvas.line(shift(arch, -0.8, -1), lighter(METAL, 0.4), 3)
    canvas.form(band(arc(160, 160, 84, 98, 228, 312), 15), main, 30, 1.0)
    for flip in SIDES:
        canvas.form(flip(rect(72, 148, 84, 182, 5)), main, 0, 1.0)
        canvas.form(flip(rotate(ellipse(94, 208, 20, 42), 5, (94, 208))), pad, 40, 1.2)
        cup = flip(rotate(ellipse(80, 208, 22, 40), 5, (80, 208)))
        canvas.form(cup, main, 60, 1.2)
        ring = flip(rotate(ellipse(76, 208, 12, 25), 5, (80, 208)))
        canvas.line([*ring, ring[0]], look.accent, 3)
    if look.has("cable"):
        for flip in SIDES:
            canvas.line(flip(svg("M82 248 C84 276 120 278 140 276 C152 276 158 280 160 288")), DARK, 3)
        canvas.line(svg("M160 286 C160 300 176 304 196 302"), DARK, 3.4)
        canvas.form(rect(194, 297, 216, 307, 3), METAL, 90, 1.0)


def _case(canvas: Canvas, look: Look) -> None:
    main = look.colour
    if look.get("case") == "upright":
        body, lid = rect(96, 158, 224, 272, 34), rect(96, 96, 224, 168, 34)
        canvas.form(svg("M100 160 C100 104 116 84 160 84 C204 84 220 104 220 160 Z"), darker(main, 0.05), 70, 1.0)
        canvas.fill(svg("M108 160 C108 114 122 94 160 94 C198 94 212 114 212 160 Z"), darker(main, 0.45))
    else:
        body, lid = rect(72, 176, 248, 272, 46), rect(72, 112, 248, 176, 40)
        canvas.form(svg("M76 180 C76 126 100 104 160 104 C220 104 244 126 244 180 Z"), darker(main, 0.05), 70, 1.0)
        canvas.fill(svg("M86 180 C86 136 108 114 160 114 C212 114 234 136 234 180 Z"), darker(main, 0.45))
    del lid
    top = min(y for _, y in body)
    wide = 52 if look.get("case") == "upright" else 76
    canvas.fill(ellipse(160, top + 12, wide, 15), darker(main, 0.3))
    _bud(canvas, look, 134, top + 2, -1)
    _bud(canvas, look, 186, top + 2, 1)
    front = [(x, y) for x, y in body]
    canvas.form(front, main, 70, 1.2)
    canvas.line(arc(160, top + 6, wide + 6, 12, 20, 160), darker(main, 0.2), 1.4, 0.7)
    canvas.dot(160, top + 48, 3, (140, 220, 160))
    canvas.fill(rect(146, top + 60, 174, top + 64, 2), darker(main, 0.14))


def _bud(canvas: Canvas, look: Look, x: float, y: float, side: int) -> None:
    main = lighter(look.colour, 0.06)
    tip = ellipse(x - side * 13, y - 26, 9, 11)
    canvas.form(tip, _pad_colour(look), 60, 1.0)
    canvas.form(ellipse(x, y - 26, 17, 19), main, 60, 1.2)
    canvas.form(rect(x + side * 8 - 6, y - 32, x + side * 8 + 6, y + 22, 6), main, 0, 1.1)
    canvas.fill(ellipse(x - 2, y - 30, 5, 6), look.accent, 0.9)


def _buds(canvas: Canvas, look: Look) -> None:
    canvas.ground(160, 274, 84, 9)
    _case(canvas, look)


def _sport(canvas: Canvas, look: Look) -> None:
    main = look.colour
    canvas.ground(160, 262, 104, 8, 0.22)
    neck: Path = svg("M74 176 C70 96 110 60 160 60 C210 60 250 96 246 176")
    canvas.line(neck, darker(main, 0.25), 9)
    canvas.line(shift(neck, -1, -1), lighter(main, 0.1), 4)
    for flip in SIDES:
        hook = svg("M76 172 C60 160 44 176 46 200 C48 216 56 226 64 236")
        canvas.line(flip(hook), darker(main, 0.2), 8)
        canvas.line(flip(shift(hook, -0.8, -0.8)), lighter(main, 0.12), 3.4)
        pod = svg("M74 168 C94 164 116 176 118 200 C118 222 100 236 84 230 C70 224 62 176 74 168 Z")
        canvas.form(flip(pod), main, 60, 1.2)
        canvas.form(flip(ellipse(98, 204, 13, 15)), look.accent, 60, 1.0)
        for dy in (-5, 0, 5):
            canvas.line(flip([(92, 204 + dy), (104, 204 + dy)]), darker(look.accent, 0.45), 1.8)
        weight = svg("M56 226 C66 222 76 232 74 248 C72 258 60 260 54 250 C50 242 50 232 56 226 Z")
        canvas.form(flip(weight), darker(main, 0.3), 60, 1.1)
    canvas.dot(64, 244, 2.2, (140, 220, 160))
    canvas.blur(svg("M120 66 C140 58 170 58 190 64 L186 68 C168 62 144 62 124 70 Z"), WHITE, 2, 0.5)
