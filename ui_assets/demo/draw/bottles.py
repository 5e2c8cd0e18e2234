"""Water bottles."""

from __future__ import annotations

from ui_assets.demo.draw import patterns
from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import DARK, RGB, WHITE, WOOD, brightness, contrast, darker, lighter, mix
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import SIDES, Path, ellipse, rect, scale, shift, svg, symmetric

_STEEL: RGB = (196, 200, 204)
_WATER: RGB = (196, 222, 230)


def bottle(canvas: Canvas, look: Look) -> None:
    canvas.ground(160, 284, 54, 8)
    {"insulated": _insulated, "sport": _sport, "glass": _glass, "kids": _kids}[look.shape](canvas, look)


def _gloss(canvas: Canvas, body: Path, strength: float = 0.55) -> None:
    left, right = min(x for x, _ in body), max(x for x, _ in body)
    top, bottom = min(y for _, y in body), max(y for _, y in body)
    wide = right - left
    with canvas.clip(body):
        canvas.blur(rect(left + wide * 0.14, top + 8, left + wide * 0.26, bottom - 14, 6), WHITE, 4, strength)
        canvas.blur(rect(right - wide * 0.1, top, right, bottom), DARK, 7, 0.28)


def _insulated(canvas: Canvas, look: Look) -> None:
    main, lid = look.colour, look.get("lid", "loop")
    slim = look.number % 2
    w = 40 if slim else 46
    body = symmetric(
        svg(
            f"M160 98 L{160 - w + 14} 98 C{160 - w} 108 {160 - w} 118 {160 - w} 128 "
            f"L{160 - w} 268 C{160 - w} 280 {160 - w + 6} 284 {160 - w + 16} 284 L160 284"
        )
    )
    canvas.form(rect(160 - w + 12, 88, 160 + w - 12, 104, 3), _STEEL, 0, 1.1)
    canvas.form(body, main, 10, 1.2)
    _gloss(canvas, body, 0.28 if look.has("matt") else 0.6)
    with canvas.clip(body):
        canvas.form(rect(160 - w, 274, 160 + w, 290), _STEEL if not look.has("matt") else darker(main, 0.3), 0, 0.8)
        if look.has("matt"):
            patterns.moss(canvas, main, 3.4)
        elif look.number % 3 == 0:
            canvas.fill(rect(160 - w, 196, 160 + w, 206), look.accent)
            canvas.fill(rect(160 - w, 210, 160 + w, 214), look.accent)
    mark = lighter(main, 0.5) if brightness(main) < 0.7 else darker(main, 0.35)
    canvas.line([(160, 176), (160, 186)], mark, 2.4)
    canvas.line(svg("M154 182 C154 192 166 192 166 182"), mark, 2)
    _lid(canvas, look, lid, w)


def _lid(canvas: Canvas, look: Look, lid: str, w: float) -> None:
    cap = darker(look.colour, 0.25) if look.number % 2 else DARK
    if lid == "loop":
        loop = svg("M136 70 C136 32 184 32 184 70")
        canvas.line(loop, darker(cap, 0.1), 10)
        canvas.line(shift(loop, -1, -1), lighter(cap, 0.2), 3.6)
        canvas.form(rect(160 - w + 10, 62, 160 + w - 10, 92, 7), cap, 10, 1.1)
        for x in range(int(160 - w + 18), int(160 + w - 12), 8):
            canvas.line([(x, 72), (x, 88)], darker(cap, 0.4), 1.4, 0.7)
    elif lid == "straw":
        canvas.form(rect(160 - w + 8, 68, 160 + w - 8, 92, 7), cap, 10, 1.1)
        spout = svg("M148 68 C148 48 158 40 180 36 L184 46 C170 48 164 54 164 68 Z")
        canvas.form(spout, lighter(look.accent, 0.1), 40, 1.0)
        canvas.form(rect(128, 58, 150, 70, 4), cap, 10, 1.0)
    else:
        canvas.form(
            symmetric(
                svg(
                    f"M160 44 L{160 - w + 18} 44 C{160 - w + 10} 46 {160 - w + 10} "
                    f"54 {160 - w + 10} 60 L{160 - w + 8} 94 L160 94"
                )
            ),
            cap if look.number % 2 else _STEEL,
            10,
            1.1,
        )
        canvas.line([(160 - w + 9, 84), (160 + w - 9, 84)], darker(cap, 0.4), 1.4, 0.6)


def _sport(canvas: Canvas, look: Look) -> None:
    main = look.colour
    body = symmetric(
        svg(
            "M160 104 L128 104 C114 112 112 126 112 140 C112 156 122 160 122 172 "
            "C122 184 112 190 112 204 L114 270 C114 280 122 284 132 284 L160 284"
        )
    )
    if look.has("clear"):
        canvas.fill(body, mix(main, WHITE, 0.55), 0.6)
        with canvas.clip(body):
            canvas.gradient(rect(100, 150, 220, 290), mix(main, _WATER, 0.5), mix(main, _WATER, 0.2), 90, 0.75)
            canvas.fill(ellipse(160, 150, 50, 6), lighter(main, 0.6), 0.8)
        canvas.relief(body, darker(main, 0.5), 0.6)
    else:
        canvas.form(body, main, 10, 1.2)
    _gloss(canvas, body)
    for k in range(4):
        canvas.line(
            [(188, 214 + k * 15), (202, 214 + k * 15)],
            contrast(main, 0.4) if not look.has("clear") else WHITE,
            1.8,
            0.8,
        )
    canvas.fill(rect(128, 228, 168, 236, 4), look.accent, 0.9)
    canvas.form(
        symmetric(svg("M160 76 L136 76 C126 78 122 90 122 106 L160 106")),
        darker(look.accent, 0.1) if brightness(look.accent) < 0.6 else DARK,
        10,
        1.1,
    )
    nozzle = symmetric(svg("M160 44 L150 44 C146 50 150 54 150 60 L146 76 L160 76"))
    canvas.form(nozzle, lighter(main, 0.1), 10, 1.1)


def _glass(canvas: Canvas, look: Look) -> None:
    main = look.colour
    body = symmetric(svg("M160 84 L138 84 C138 104 114 112 114 138 L114 270 C114 280 120 284 130 284 L160 284"))
    canvas.fill(body, (226, 238, 240), 0.75)
    with canvas.clip(body):
        canvas.gradient(rect(100, 118, 220, 290), _WATER, darker(_WATER, 0.12), 90, 0.7)
        canvas.fill(ellipse(160, 119, 40, 5), WHITE, 0.8)
    canvas.relief(body, (70, 110, 120), 0.6)
    sleeve = rect(111, 158, 209, 286, 12)
    canvas.form(sleeve, main, 10, 1.1)
    with canvas.clip(sleeve):
        if look.get("sleeve") == "felt":
            patterns.moss(canvas, main, 3.6)
            canvas.stitch([(112, 166), (208, 166)], contrast(main, 0.4), 1.4)
            canvas.stitch([(184, 158), (184, 286)], contrast(main, 0.4), 1.4)
        else:
            for row in range(6):
                for column in range(5):
                    x, y = 124 + column * 18 + (row % 2) * 9, 172 + row * 19
                    canvas.fill(rect(x - 4, y - 6, x + 4, y + 6, 4), darker(main, 0.16))
    canvas.blur(rect(122, 100, 130, 156, 4), WHITE, 2, 0.8)
    canvas.form(rect(134, 50, 186, 86, 6), WOOD, 10, 1.1)
    for x in (146, 158, 172):
        canvas.line(svg(f"M{x} 52 C{x + 3} 62 {x - 2} 74 {x + 1} 85"), darker(WOOD, 0.25), 1, 0.7)
    canvas.line(svg("M150 50 C150 34 170 34 170 50"), look.accent, 4)


def _kids(canvas: Canvas, look: Look) -> None:
    main = look.colour
    body = symmetric(svg("M160 112 L124 112 C114 116 110 126 110 138 L112 268 C112 280 120 284 132 284 L160 284"))
    for flip in SIDES:
        handle = svg("M112 136 C84 138 80 196 114 200")
        canvas.line(flip(handle), darker(look.accent, 0.15), 10)
        canvas.line(flip(shift(handle, -1, -1)), lighter(look.accent, 0.15), 4)
    canvas.form(body, main, 10, 1.2)
    with canvas.clip(body):
        _print(canvas, look)
    _gloss(canvas, body, 0.5)
    canvas.form(symmetric(svg("M160 80 L132 80 C122 82 118 96 118 114 L160 114")), look.accent, 10, 1.1)
    straw = svg("M150 80 C150 56 162 46 188 44 L190 54 C172 56 166 64 166 80 Z")
    canvas.form(straw, mix(WHITE, main, 0.25), 40, 1.0)


def _print(canvas: Canvas, look: Look) -> None:
    ink = lighter(main, 0.72) if brightness(main := look.colour) < 0.8 else darker(main, 0.3)
    motif = look.get("print")
    if motif == "stars":
        star = [(0, -10), (3, -3), (10, -3), (4, 2), (6, 9), (0, 5), (-6, 9), (-4, 2), (-10, -3), (-3, -3)]
        for x, y, s in (
            (136, 150, 1.2),
            (178, 172, 1.6),
            (142, 206, 1.5),
            (182, 232, 1.1),
            (140, 256, 1.0),
            (178, 136, 0.8),
        ):
            canvas.fill(shift(scale(star, s, s, (0, 0)), x, y), ink)
    elif motif == "dino":
        dino = svg(
            "M120 250 C116 232 128 214 148 214 C150 196 148 176 158 168 C172 "
            "160 188 166 190 178 C190 188 176 188 170 190 C172 206 184 214 "
            "186 232 C200 236 208 230 214 222 C212 242 200 252 184 252 L182 262 L170 262 L168 "
            "252 L148 252 L146 262 L134 262 L132 252 Z"
        )
        canvas.fill(dino, ink)
        for x, y in ((150, 184), (144, 200), (134, 214)):
            canvas.fill([(x - 9, y), (x + 2, y - 6), (x + 2, y + 7)], look.accent)
        canvas.dot(176, 176, 2.6, DARK)
    else:
        whale = svg(
            "M116 226 C116 196 142 184 166 188 C190 192 198 206 206 200 C206 190 202 184 196 178 C206 176 212 182 212 "
            "188 C216 182 222 180 228 184 C222 190 218 198 214 206 C208 232 186 246 156 246 C132 246 116 240 116 226 Z"
        )
        canvas.fill(whale, ink)
        canvas.line(svg("M122 230 C136 238 152 236 162 228"), darker(ink, 0.25), 1.8)
        canvas.dot(136, 214, 3, DARK)
        for path in (svg("M150 184 C148 172 140 168 136 172"), svg("M150 184 C152 172 160 168 164 172")):
            canvas.line(path, ink, 3)
