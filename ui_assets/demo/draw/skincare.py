"""Jars, bottles and tubes of skincare."""

from __future__ import annotations

from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import BRASS, DARK, RGB, WHITE, WOOD, brightness, darker, lighter, mix, rgb
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import Path, ellipse, rect, rotate, shift, svg, symmetric


def skincare(canvas: Canvas, look: Look) -> None:
    {"jar": _jar, "dropper": _dropper, "pump": _pump, "tube": _tube, "hand": _hand}[look.shape](canvas, look)


def _cap_colour(look: Look) -> RGB:
    return (BRASS, WOOD, rgb("f4f0e8"), darker(look.accent, 0.1))[look.number % 4]


def _gloss(canvas: Canvas, body: Path, strength: float = 0.55) -> None:
    left, right = min(x for x, _ in body), max(x for x, _ in body)
    top, bottom = min(y for _, y in body), max(y for _, y in body)
    wide = right - left
    with canvas.clip(body):
        canvas.blur(rect(left + wide * 0.1, top + 8, left + wide * 0.18, bottom - 10, 5), WHITE, 4, strength)
        canvas.blur(rect(right - wide * 0.1, top, right + 4, bottom), DARK, 8, 0.25)


def _label(canvas: Canvas, look: Look, x0: float, y0: float, x1: float, y1: float) -> None:
    """Lines for words, and a sprig for what it smells of."""
    paper = rgb("fbf8f2") if brightness(look.colour) < 0.88 else mix(look.accent, WHITE, 0.75)
    canvas.gradient(rect(x0, y0, x1, y1, 3), paper, darker(paper, 0.05), 0)
    ink = darker(look.accent, 0.25)
    cx, width, height = (x0 + x1) / 2, x1 - x0, y1 - y0
    canvas.fill(rect(cx - width * 0.3, y0 + height * 0.14, cx + width * 0.3, y0 + height * 0.14 + 4, 2), ink)
    canvas.fill(rect(cx - width * 0.2, y0 + height * 0.14 + 9, cx + width * 0.2, y0 + height * 0.14 + 11, 1), ink, 0.6)
    cy = y0 + height * 0.62
    if look.get("sprig") == "rose":
        for k in range(5):
            canvas.fill(rotate(ellipse(cx, cy - 7, 5.5, 7), 72 * k, (cx, cy)), rgb("dd8fa0"))
        canvas.dot(cx, cy, 3.4, rgb("f3d27a"))
    elif look.get("sprig") == "leaf":
        canvas.line(svg(f"M{cx} {cy + 14} C{cx} {cy + 4} {cx + 1} {cy - 6} {cx + 2} {cy - 14}"), rgb("7b9a62"), 1.6)
        for dy in (-8, 0, 8):
            for s in (-1, 1):
                canvas.fill(rotate(ellipse(cx + s * 8, cy + dy, 8, 3.4), -30 * s, (cx + s * 2, cy + dy)), rgb("8fae74"))
    else:
        canvas.line([*ellipse(cx, cy, 10), (cx + 10, cy)], ink, 1.4)
        canvas.line(
            svg(
                f"M{cx - 5} {cy + 3} C{cx - 3} {cy - 7} {cx + 3} {cy - 7} {cx + 5} "
                f"{cy + 3} C{cx + 3} {cy + 7} {cx - 3} {cy + 7} {cx - 5} {cy + 3}"
            ),
            ink,
            1.4,
        )


def _jar(canvas: Canvas, look: Look) -> None:
    main, cap = look.colour, _cap_colour(look)
    canvas.ground(160, 256, 92, 10)
    body = rect(76, 162, 244, 256, 24)
    if look.number % 2:
        canvas.fill(body, lighter(main, 0.35), 0.75)
        with canvas.clip(body):
            canvas.form(rect(88, 158, 232, 242, 16), main, 30, 0.8)
        canvas.relief(body, darker(main, 0.6), 0.6)
    else:
        canvas.form(body, main, 20, 1.1)
    _label(canvas, look, 112, 176, 208, 244)
    _gloss(canvas, body, 0.7)
    lid = rect(72, 116, 248, 166, 10)
    canvas.form(lid, cap, 10, 1.1)
    if cap == WOOD:
        with canvas.clip(lid):
            for k in range(4):
                canvas.line(
                    svg(f"M72 {124 + k * 11} C130 {120 + k * 11} 190 {130 + k * 11} 248 {122 + k * 11}"),
                    darker(WOOD, 0.22),
                    1.1,
                    0.7,
                )
    _gloss(canvas, lid, 0.5)
    canvas.form(ellipse(160, 118, 86, 9), lighter(cap, 0.16), 60, 0.7)


def _dropper(canvas: Canvas, look: Look) -> None:
    amber = look.number % 3 == 0
    glass = rgb("8a5a34") if amber else mix(look.colour, WHITE, 0.25)
    canvas.ground(160, 282, 62, 9)
    body = symmetric(
        svg("M160 136 L140 136 L140 148 C118 152 108 160 108 176 L108 268 C108 278 114 282 124 282 L160 282")
    )
    canvas.fill(body, glass, 0.88)
    with canvas.clip(body):
        canvas.gradient(rect(108, 186, 212, 284), lighter(glass, 0.12), darker(glass, 0.15), 90, 0.7)
        canvas.line([(160, 100), (160, 262)], WHITE, 5, 0.45)
    canvas.relief(body, darker(glass, 0.6), 0.6)
    _label(canvas, look, 118, 196, 202, 266)
    _gloss(canvas, body, 0.8)
    canvas.form(rect(134, 112, 186, 140, 4), BRASS if look.number % 2 else DARK, 0, 1.2)
    for x in range(140, 184, 6):
        canvas.line([(x, 114), (x, 138)], darker(BRASS if look.number % 2 else DARK, 0.3), 1.1, 0.6)
    bulb = symmetric(svg("M160 48 C148 48 144 58 144 70 L142 112 L160 112"))
    canvas.form(bulb, rgb("f0ece4") if amber or look.number % 2 else DARK, 20, 1.2)
    drop = svg(
        "M232 214 C222 230 218 238 218 246 C218 256 224 262 232 262 C240 262 246 256 246 246 C246 238 242 230 232 214 Z"
    )
    canvas.fill(drop, mix(glass, rgb("ffe2a8"), 0.35), 0.8)
    canvas.relief(drop, darker(glass, 0.5), 0.5, 4)
    canvas.blur(ellipse(227, 244, 3, 6), WHITE, 2, 0.8)


def _pump(canvas: Canvas, look: Look) -> None:
    main, cap = look.colour, _cap_colour(look)
    canvas.ground(160, 284, 62, 9)
    body = rect(104, 130, 216, 284, 20)
    canvas.form(body, main, 15, 1.1)
    _label(canvas, look, 118, 168, 202, 256)
    _gloss(canvas, body, 0.6)
    canvas.form(rect(136, 108, 184, 132, 5), cap, 0, 1.1)
    canvas.form(rect(154, 82, 166, 110, 2), lighter(cap, 0.1), 0, 1.0)
    head = svg(
        "M128 62 L184 62 C192 62 194 70 190 76 L186 84 L146 84 C136 84 128 82 116 90 L106 84 C114 70 120 64 128 62 Z"
    )
    canvas.form(head, cap, 50, 1.1)
    foam = ((84, 262, 15), (66, 270, 10), (98, 274, 9))
    if look.number % 2:
        for x, y, r in foam:
            canvas.fill(ellipse(x, y, r), WHITE, 0.65)
            canvas.relief(ellipse(x, y, r), rgb("8aa0b0"), 0.4, 3)


def _tube(canvas: Canvas, look: Look) -> None:
    main, cap = look.colour, _cap_colour(look)
    canvas.ground(160, 288, 54, 8)
    body = symmetric(svg("M160 52 L100 52 L104 130 C108 190 120 230 126 250 L160 250"))
    canvas.form(body, main, 15, 1.1)
    canvas.form(rect(98, 44, 222, 60, 2), lighter(main, 0.12), 0, 0.7)
    for x in range(104, 220, 6):
        canvas.line([(x, 46), (x, 58)], darker(main, 0.2), 1, 0.6)
    canvas.form(rect(124, 248, 196, 286, 7), cap, 0, 1.1)
    sun = (160.0, 122.0)
    gold = rgb("f0b84c")
    canvas.form(ellipse(*sun, 21), gold, 60, 0.9)
    for k in range(12):
        canvas.line(rotate([(sun[0], sun[1] - 27), (sun[0], sun[1] - 36)], 30 * k, sun), gold, 3.2)
    ink = darker(look.accent, 0.3) if brightness(main) > 0.5 else WHITE
    canvas.fill(rect(130, 176, 190, 181, 2), ink)
    canvas.fill(rect(140, 188, 180, 191, 1), ink, 0.6)
    if look.get("sprig"):
        _label(canvas, look, 132, 198, 188, 240)
    _gloss(canvas, body, 0.6)


def _hand(canvas: Canvas, look: Look) -> None:
    main, cap = look.colour, _cap_colour(look)
    canvas.ground(160, 234, 126, 9, 0.3)
    turn = -14.0
    tube: Path = svg("M58 116 L62 204 L206 192 C222 188 232 180 236 172 L236 148 C232 140 222 132 206 128 Z")
    body = rotate(tube, turn)
    canvas.form(body, main, 80, 1.2)
    canvas.form(rotate(rect(48, 112, 66, 208, 2), turn), lighter(main, 0.15), 80, 0.7)
    canvas.form(rotate(rect(234, 140, 276, 180, 5), turn), cap, 80, 1.1)
    ink = darker(look.accent, 0.25) if brightness(main) > 0.45 else WHITE
    canvas.line(rotate([(100, 146), (176, 148)], turn), ink, 4.6)
    canvas.line(rotate([(100, 160), (150, 161)], turn), ink, 2, 0.7)
    canvas.line(rotate([(100, 170), (136, 170)], turn), ink, 2, 0.7)
    with canvas.clip(body):
        canvas.blur(rotate(rect(60, 124, 226, 134, 5), turn), WHITE, 4, 0.6)
    cream = svg(
        "M66 236 C60 222 76 214 86 220 C90 208 108 208 110 220 C122 220 124 236 112 240 C96 246 74 246 66 236 Z"
    )
    canvas.form(shift(cream, 10, 6), rgb("fdf9f2"), 70, 0.8)
