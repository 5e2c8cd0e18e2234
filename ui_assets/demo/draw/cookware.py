"""Pans and pots, seen from the side and a little from above."""

from __future__ import annotations

from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import BRASS, DARK, RGB, WHITE, WOOD, darker, lighter, mix, rgb
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import SIDES, Path, ellipse, rect, shift, svg, symmetric

_STEEL: RGB = rgb("c4c8cc")
_IRON: RGB = rgb("3b3c40")


def cookware(canvas: Canvas, look: Look) -> None:
    {"frying": _frying, "pot": _pot, "saucepan": _saucepan, "wok": _wok, "stock": _stock}[look.shape](canvas, look)


def _grip(canvas: Canvas, look: Look, path: Path, hole: tuple[float, float] | None = None) -> None:
    grip = {"wood": WOOD, "soft": mix(look.accent, DARK, 0.2)}.get(look.get("grip"), _STEEL)
    canvas.form(path, grip, 80, 1.1)
    if look.get("grip") == "wood":
        with canvas.clip(path):
            for k in range(4):
                canvas.line(
                    svg(f"M190 {128 + k * 7} C220 {124 + k * 7} 260 {118 + k * 7} 310 {108 + k * 7}"),
                    darker(WOOD, 0.25),
                    1,
                    0.6,
                )
    if hole:
        canvas.fill(ellipse(*hole, 5, 3), darker(grip, 0.55))


def _sheen(canvas: Canvas, body: Path, strength: float = 0.5) -> None:
    left, right = min(x for x, _ in body), max(x for x, _ in body)
    top, bottom = min(y for _, y in body), max(y for _, y in body)
    wide = right - left
    with canvas.clip(body):
        canvas.blur(rect(left + wide * 0.12, top, left + wide * 0.2, bottom - 10, 6), WHITE, 5, strength)
        canvas.blur(rect(left + wide * 0.66, top, left + wide * 0.7, bottom, 4), WHITE, 4, strength * 0.5)
        canvas.blur(rect(right - wide * 0.1, top, right + 4, bottom), DARK, 9, 0.3)


def _frying(canvas: Canvas, look: Look) -> None:
    coat = look.get("coat", "ceramic")
    outside = look.colour
    inside = {
        "ceramic": mix(lighter(outside, 0.75), (238, 232, 220), 0.5),
        "iron": darker(_IRON, 0.2),
        "steel": lighter(_STEEL, 0.2),
    }[coat]
    canvas.ground(128, 226, 106, 11)
    handle = svg("M206 150 C240 138 270 128 304 112 C312 110 316 118 310 124 C280 142 246 156 214 168 Z")
    _grip(canvas, look, handle, (300, 119))
    body = svg("M24 156 C28 196 48 222 80 226 L176 226 C208 222 228 196 232 156 Z")
    canvas.form(body, outside, 30, 1.1)
    _sheen(canvas, body, 0.45 if coat != "iron" else 0.2)
    canvas.form(ellipse(128, 156, 105, 38), lighter(outside, 0.18), 90, 0.8)
    canvas.gradient(ellipse(128, 157, 99, 34), darker(inside, 0.18), lighter(inside, 0.12), 80)
    canvas.gradient(ellipse(128, 166, 80, 24), lighter(inside, 0.08), darker(inside, 0.05), 80)
    if coat == "steel":
        for r in (72, 58, 44, 30, 16):
            ring = ellipse(128, 166, r, r * 0.3)
            canvas.line([*ring, ring[0]], darker(inside, 0.12), 1, 0.7)
    if coat == "iron":
        canvas.form(svg("M24 150 C14 150 10 162 20 168 L30 164 Z"), outside, 60, 1.0)
    for x, y in ((200, 158), (212, 154)):
        canvas.dot(x, y + 4, 3, lighter(_STEEL, 0.1) if coat != "iron" else lighter(_IRON, 0.15))
    if look.number % 3 == 0:
        _egg(canvas, 116, 166)
    elif look.number % 3 == 1:
        _egg(canvas, 92, 168)
        _egg(canvas, 158, 162)


def _egg(canvas: Canvas, x: float, y: float) -> None:
    white = svg(
        f"M{x - 38} {y} C{x - 36} {y - 14} {x - 10} {y - 14} {x + 6} "
        f"{y - 16} C{x + 26} {y - 16} {x + 44} {y - 6} {x + 36} "
        f"{y + 4} C{x + 28} {y + 14} {x + 4} {y + 10} {x - 10} {y + 14} "
        f"C{x - 26} {y + 16} {x - 40} {y + 10} {x - 38} {y} Z"
    )
    canvas.form(white, (252, 250, 244), 80, 0.6)
    canvas.form(ellipse(x + 2, y - 2, 15, 9), (246, 188, 66), 60, 1.0)
    canvas.fill(ellipse(x - 3, y - 5, 4.5, 2), WHITE, 0.75)


def _lid(canvas: Canvas, cx: float, y: float, rx: float, colour: RGB, knob: RGB, dome: float = 30) -> None:
    lid = symmetric(
        svg(
            f"M{cx} {y - dome} C{cx - rx * 0.7} {y - dome} {cx - rx} {y - dome * 0.4} "
            f"{cx - rx} {y} C{cx - rx} {y + 7} {cx - rx * 0.5} {y + 12} {cx} {y + 12}"
        ),
        cx,
    )
    canvas.form(lid, colour, 40, 1.1)
    with canvas.clip(lid):
        canvas.blur(
            svg(
                f"M{cx - rx * 0.7} {y - 2} C{cx - rx * 0.5} {y - dome * 0.7} "
                f"{cx - rx * 0.2} {y - dome * 0.9} {cx} {y - dome * 0.9} "
                f"L{cx} {y - dome * 0.7} C{cx - rx * 0.2} {y - dome * 0.6} "
                f"{cx - rx * 0.4} {y - dome * 0.4} {cx - rx * 0.55} {y} Z"
            ),
            WHITE,
            4,
            0.45,
        )
    canvas.form(rect(cx - 6, y - dome - 9, cx + 6, y - dome + 3, 2), darker(knob, 0.2), 0, 1.0)
    canvas.form(ellipse(cx, y - dome - 12, 17, 8), knob, 60, 1.2)


def _ears(canvas: Canvas, colour: RGB, left: float, y: float, wire: bool) -> None:
    for flip in SIDES:
        if wire:
            loop = svg(f"M{left} {y} C{left - 34} {y - 8} {left - 34} {y + 30} {left} {y + 22}")
            canvas.line(flip(loop), darker(colour, 0.25), 9)
            canvas.line(flip(shift(loop, -0.5, -1.4)), lighter(colour, 0.3), 3.6)
        else:
            ear = svg(
                f"M{left + 4} {y} L{left - 18} {y + 2} C{left - 30} {y + 6} {left - 28} {y + 20} {left - 16} {y + 22} "
                f"L{left + 4} {y + 24} L{left + 4} {y + 16} L{left - 10} {y + 15} "
                f"L{left - 10} {y + 9} L{left + 4} {y + 8} Z"
            )
            canvas.form(flip(ear), colour, 80, 1.1)


def _pot(canvas: Canvas, look: Look) -> None:
    main = look.colour
    canvas.ground(160, 258, 104, 10)
    _ears(canvas, main, 64, 164, wire=False)
    body = symmetric(svg("M160 148 L62 148 L64 214 C66 244 84 258 110 258 L160 258"))
    canvas.gradient(body, main, darker(main, 0.32), 90)
    canvas.relief(body, darker(main, 0.6), 0.6)
    _sheen(canvas, body, 0.4)
    canvas.form(rect(56, 142, 264, 156, 6), darker(main, 0.06), 0, 1.0)
    _lid(canvas, 160, 138, 104, main, BRASS if look.get("knob") == "brass" else _STEEL, 38)
    for dx in (-52, -26, 0, 26, 52):
        canvas.line(
            svg(f"M{160 + dx * 1.5} 132 C{160 + dx * 1.2} 120 {160 + dx * 0.6} 110 {160 + dx * 0.4} 106"),
            darker(main, 0.2),
            1.2,
            0.4,
        )


def _saucepan(canvas: Canvas, look: Look) -> None:
    coat = look.get("coat", "steel")
    outside = look.colour
    canvas.ground(132, 250, 92, 10)
    _grip(
        canvas,
        look,
        svg("M214 160 C246 154 276 150 304 150 C314 150 314 164 304 164 C276 166 248 172 216 178 Z"),
        (300, 157),
    )
    body = symmetric(svg("M132 150 L50 150 L54 232 C56 246 64 250 78 250 L132 250"), 132)
    canvas.form(body, outside, 20, 1.1)
    _sheen(canvas, body, 0.65 if coat != "enamel" else 0.4)
    if coat == "steel":
        canvas.line([(53, 236), (211, 236)], darker(_STEEL, 0.25), 1.4)
    if coat == "copper":
        canvas.fill(rect(50, 148, 214, 156), _STEEL)
    if coat == "enamel":
        canvas.fill(rect(48, 146, 216, 153, 3), darker(outside, 0.45))
    lid = outside if coat == "enamel" else (_STEEL if coat == "steel" else outside)
    _lid(canvas, 132, 142, 84, lid, WOOD if look.get("grip") == "wood" else darker(_STEEL, 0.1), 30)
    for x in (212, 222):
        canvas.dot(x, 168, 2.8, lighter(_STEEL, 0.2))


def _wok(canvas: Canvas, look: Look) -> None:
    coat = look.get("coat", "iron")
    outside = look.colour
    inside = darker(_IRON, 0.25) if coat == "iron" else mix(lighter(outside, 0.75), (238, 232, 220), 0.5)
    canvas.ground(140, 244, 78, 10)
    _grip(canvas, look, svg("M230 148 C256 138 282 128 306 118 C316 116 318 126 310 130 C286 142 260 154 236 164 Z"))
    small = svg("M34 146 C6 140 6 172 40 172")
    canvas.line(small, darker(WOOD, 0.2), 9)
    canvas.line(shift(small, 0, -1.6), lighter(WOOD, 0.15), 3.6)
    body = svg("M22 146 C36 206 84 244 112 244 L168 244 C196 244 244 206 258 146 Z")
    canvas.form(body, outside, 30, 1.2)
    _sheen(canvas, body, 0.3)
    canvas.form(ellipse(140, 146, 119, 36), lighter(outside, 0.2), 90, 0.8)
    canvas.gradient(ellipse(140, 147, 113, 32), darker(inside, 0.25), lighter(inside, 0.16), 75)
    canvas.blur(ellipse(146, 162, 66, 12), lighter(inside, 0.3), 8, 0.5)
    if look.number % 3 != 2:
        greens = (rgb("6f9a4a"), rgb("d9603f"), rgb("f0c04c"), rgb("8fb45e"))
        for i in range(13):
            x, y = 92 + (i * 37) % 100, 148 + (i * 11) % 18
            canvas.form(ellipse(x, y, 10 - i % 3, 5), greens[i % 4], 70, 0.8)


def _stock(canvas: Canvas, look: Look) -> None:
    steel = look.colour
    canvas.ground(160, 276, 94, 10)
    _ears(canvas, steel, 76, 150, wire=True)
    body = rect(74, 112, 246, 276, 12)
    canvas.form(body, steel, 10, 1.2)
    _sheen(canvas, body, 0.75)
    for y in (262, 130):
        canvas.line([(75, y), (245, y)], darker(steel, 0.25), 1.5)
    for x, y in ((78, 156), (78, 168), (242, 156), (242, 168)):
        canvas.dot(x, y, 3, lighter(steel, 0.3))
    if look.number % 2:
        _lid(canvas, 160, 106, 90, lighter(steel, 0.05), DARK, 28)
    else:
        _lid(canvas, 160, 106, 90, rgb("d5e2e4"), WOOD, 28)
