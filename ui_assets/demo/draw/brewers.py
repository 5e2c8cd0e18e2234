"""Kettles, coffee makers and teapots."""

from __future__ import annotations

from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import BRASS, DARK, METAL, RGB, WHITE, WOOD, darker, lighter, mix, rgb
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import Path, ellipse, rect, shift, svg, symmetric

_COFFEE: RGB = rgb("4f3325")
_TEA: RGB = rgb("c98a3c")
_GLASS: RGB = rgb("dfe9ea")


def brewer(canvas: Canvas, look: Look) -> None:
    {"electric": _electric, "press": _press, "moka": _moka, "teapot": _teapot, "dripper": _dripper}[look.shape](
        canvas, look
    )


def _hold(look: Look) -> RGB:
    """The colour of what is gripped, so that two kettles of bare steel are not the same."""
    return (WOOD, DARK, look.accent)[look.number % 3]


def _tube(canvas: Canvas, path: Path, colour: RGB, width: float) -> None:
    canvas.line(path, darker(colour, 0.24), width)
    canvas.line(shift(path, -width * 0.1, -width * 0.12), lighter(colour, 0.14), width * 0.5)


def _gloss(canvas: Canvas, body: Path, strength: float = 0.5) -> None:
    left, right = min(x for x, _ in body), max(x for x, _ in body)
    top, bottom = min(y for _, y in body), max(y for _, y in body)
    wide = right - left
    with canvas.clip(body):
        canvas.blur(rect(left + wide * 0.16, top + 12, left + wide * 0.25, bottom - 14, 6), WHITE, 4, strength)
        canvas.blur(rect(right - wide * 0.12, top, right + 4, bottom), DARK, 9, 0.28)


def _electric(canvas: Canvas, look: Look) -> None:
    main = look.colour
    goose = look.get("spout") == "goose"
    canvas.ground(160, 280, 90, 9)
    canvas.form(rect(86, 264, 234, 280, 8), DARK, 90, 1.0)
    if look.has("display"):
        canvas.fill(rect(140, 267, 180, 276, 2), rgb("20242a"))
        for i in range(3):
            canvas.fill(rect(146 + i * 10, 269, 152 + i * 10, 274, 1), rgb("ffc27a"))
    grip = svg("M214 120 C272 112 276 230 222 240")
    hold = _hold(look)
    _tube(canvas, grip, hold, 15)
    if goose:
        _tube(canvas, svg("M104 236 C66 236 84 150 52 124 C46 120 40 124 36 130"), main, 10)
    else:
        canvas.form(svg("M104 128 L70 116 C74 136 84 148 98 156 Z"), main, 40, 1.1)
    body = symmetric(svg("M160 104 L116 104 C106 116 92 200 90 252 C90 260 96 264 104 264 L160 264"))
    canvas.form(body, main, 15, 1.2)
    _gloss(canvas, body, 0.45 if look.has("enamel") else 0.75)
    canvas.line([(96, 236), (224, 236)], darker(main, 0.25), 1.2, 0.6)
    lid = symmetric(svg("M160 88 C136 88 118 94 114 106 L160 108"))
    canvas.form(lid, darker(main, 0.05), 60, 1.0)
    canvas.form(ellipse(160, 84, 13, 8), hold, 60, 1.2)


def _press(canvas: Canvas, look: Look) -> None:
    main = look.colour
    steel = look.get("wall") == "steel"
    canvas.ground(150, 280, 68, 9)
    _tube(canvas, svg("M196 140 C262 132 262 246 198 244"), main if not steel else _hold(look), 13)
    body = rect(98, 116, 202, 278, 9)
    if steel:
        canvas.form(body, main, 10, 1.2)
        _gloss(canvas, body, 0.75)
    else:
        canvas.fill(body, _GLASS, 0.8)
        with canvas.clip(body):
            canvas.gradient(rect(98, 168, 202, 280), _COFFEE, darker(_COFFEE, 0.3), 90, 0.95)
            canvas.fill(rect(98, 162, 202, 172), rgb("b98c5c"))
            canvas.fill(rect(98, 150, 202, 156), METAL)
        canvas.relief(body, rgb("5c7070"), 0.6)
        canvas.line([(150, 80), (150, 152)], METAL, 4)
        _gloss(canvas, body, 0.8)
        for x in (98, 202, 132, 168):
            canvas.line([(x, 118), (x, 276)], main, 5 if x in (98, 202) else 3.4)
        for y in (122, 256, 276):
            canvas.form(rect(94, y - 4, 206, y + 4, 2), main, 90, 0.9)
    canvas.form(svg("M100 118 L84 106 L106 100 Z"), main if steel else METAL, 60, 1.0)
    lid = symmetric(svg("M150 96 C122 96 100 100 96 116 L150 118"), 150)
    canvas.form(lid, main, 50, 1.1)
    canvas.line([(150, 62), (150, 98)], METAL, 4)
    canvas.form(ellipse(150, 58, 13, 11), _hold(look), 60, 1.2)


def _moka(canvas: Canvas, look: Look) -> None:
    main = look.colour
    canvas.ground(150, 282, 68, 9)
    base = svg("M96 196 L204 196 L216 274 C216 280 212 282 206 282 L94 282 C88 282 84 280 84 274 Z")
    top = svg("M84 96 L212 96 L198 186 L102 186 Z")
    silver = METAL
    canvas.form(svg("M86 100 L62 90 C66 112 76 126 92 136 Z"), main, 40, 1.1)
    grip = svg(
        "M206 112 C252 104 262 120 258 150 L252 196 C250 204 240 204 238 196 L242 148 C242 134 232 130 204 134 Z"
    )
    canvas.form(grip, DARK if not look.number % 2 else WOOD, 70, 1.1)
    for path, tone in ((base, silver), (top, main)):
        canvas.form(path, tone, 10, 1.0)
        with canvas.clip(path):
            for k, share in enumerate((0.0, 0.26, 0.5, 0.74)):
                x0, x1 = 84 + 130 * share, 84 + 130 * (share + 0.26)
                shade = (0.06, -0.18, 0.02, 0.22)[k]
                facet = [(x0, 90), (x1, 90), (x1, 290), (x0, 290)]
                canvas.fill(facet, WHITE if shade < 0 else DARK, abs(shade))
            canvas.blur(rect(120, 90, 134, 290), WHITE, 4, 0.4)
    canvas.form(rect(96, 184, 204, 198, 3), darker(silver, 0.1), 0, 1.0)
    for x in range(102, 204, 9):
        canvas.line([(x, 186), (x, 196)], darker(silver, 0.3), 1.2, 0.6)
    canvas.dot(184, 238, 6, BRASS)
    canvas.dot(184, 238, 2.6, darker(BRASS, 0.4))
    lid = svg("M82 98 C100 78 196 78 214 98 Z")
    canvas.form(lid, darker(main, 0.06), 50, 1.1)
    canvas.form(ellipse(148, 74, 10, 10), DARK if not look.number % 2 else WOOD, 60, 1.2)
    for dx in (-20, 0):
        wisp = svg(
            f"M{54 + dx} 84 C{44 + dx} 70 {62 + dx} 60 {54 + dx} 44 "
            f"L{58 + dx} 44 C{68 + dx} 60 {52 + dx} 70 {60 + dx} 84 Z"
        )
        canvas.blur(wisp, WHITE, 2.4, 0.6)


def _teapot(canvas: Canvas, look: Look) -> None:
    main, wall = look.colour, look.get("wall", "stone")
    glass, iron = wall == "glass", wall == "iron"
    canvas.ground(160, 258, 92, 10)
    if iron:
        bail = svg("M92 150 C76 40 244 40 228 150")
        canvas.line(bail, DARK, 7)
        canvas.line(shift(bail, -0.8, -1), lighter(DARK, 0.3), 2.4)
    else:
        _tube(canvas, svg("M234 154 C296 134 300 236 230 230"), main if not glass else WOOD, 14)
    spout = svg("M92 216 C56 204 62 160 34 144 L48 130 C84 138 92 170 112 176 Z")
    if glass:
        canvas.fill(spout, mix(_GLASS, _TEA, 0.35), 0.85)
        canvas.relief(spout, rgb("5c7070"), 0.5)
    else:
        canvas.form(spout, main, 60, 1.1)
    body = symmetric(svg("M160 124 C118 124 78 148 76 192 C74 232 106 258 136 258 L160 258"))
    if glass:
        canvas.fill(body, _GLASS, 0.85)
        with canvas.clip(body):
            canvas.gradient(rect(60, 168, 260, 262), lighter(_TEA, 0.15), darker(_TEA, 0.12), 90, 0.9)
            canvas.fill(ellipse(160, 168, 84, 9), lighter(_TEA, 0.4))
            canvas.fill(rect(136, 128, 184, 220, 8), METAL, 0.45)
            for i in range(9):
                canvas.fill(ellipse(146 + (i * 13) % 30, 206 + (i * 7) % 12, 6, 2.6), rgb("5a6a34"), 0.85)
        canvas.relief(body, rgb("5c7070"), 0.6)
    else:
        canvas.form(body, main, 40, 1.2)
        with canvas.clip(body):
            if iron:
                for row in range(9):
                    for column in range(22):
                        canvas.dot(74 + column * 9 + row % 2 * 4.5, 160 + row * 9, 2.3, darker(main, 0.3), 0.7)
                        canvas.dot(73.4 + column * 9 + row % 2 * 4.5, 159.4 + row * 9, 1.2, lighter(main, 0.3), 0.7)
            elif look.number % 2:
                canvas.form(
                    svg("M60 226 C110 216 130 234 170 224 C210 216 230 232 270 222 L270 270 L60 270 Z"),
                    rgb("d6bc9a"),
                    30,
                    0.9,
                )
            else:
                for y in (176, 186):
                    canvas.line(svg(f"M60 {y} C110 {y + 12} 210 {y + 12} 260 {y}"), lighter(main, 0.5), 2.4, 0.8)
    _gloss(canvas, body, 0.6)
    lid = symmetric(svg("M160 108 C138 108 120 114 116 128 C130 134 146 135 160 135"))
    canvas.form(lid, darker(main, 0.06), 50, 1.1)
    canvas.form(ellipse(160, 102, 11, 9), WOOD if glass else (BRASS if iron else main), 60, 1.2)


def _dripper(canvas: Canvas, look: Look) -> None:
    main = look.colour
    canvas.ground(160, 284, 68, 9)
    jug = symmetric(svg("M160 176 L128 176 C128 196 96 214 94 250 C92 274 104 284 122 284 L160 284"))
    handle = svg("M206 214 C256 208 252 268 218 268")
    canvas.line(handle, mix(_GLASS, rgb("8aa0a4"), 0.6), 9)
    canvas.line(shift(handle, -1, -1), WHITE, 3)
    canvas.fill(jug, _GLASS, 0.85)
    with canvas.clip(jug):
        canvas.gradient(rect(80, 232, 240, 290), lighter(_COFFEE, 0.1), darker(_COFFEE, 0.2), 90, 0.95)
        canvas.fill(ellipse(160, 232, 66, 8), rgb("8a5f40"))
    canvas.relief(jug, rgb("5c7070"), 0.6)
    _gloss(canvas, jug, 0.8)
    canvas.line([(160, 178), (160, 230)], _COFFEE, 2.2)
    _tube(canvas, svg("M218 92 C262 92 258 140 200 142"), main, 10)
    paper = svg("M92 74 L228 74 L214 96 L106 96 Z")
    canvas.form(paper, rgb("f6efdf"), 60, 0.7)
    cone = svg("M96 84 L224 84 L182 160 L138 160 Z")
    canvas.form(cone, main, 20, 1.2)
    with canvas.clip(cone):
        for k in range(-3, 4):
            canvas.line([(160 + k * 18, 84), (160 + k * 6, 164)], darker(main, 0.18), 1.6, 0.6)
    _gloss(canvas, cone, 0.4)
    canvas.form(rect(116, 158, 204, 170, 5), main, 60, 1.1)
    canvas.fill(ellipse(160, 82, 66, 8), rgb("f9f3e6"))
    canvas.fill(ellipse(160, 83, 56, 5.6), rgb("7a5238"))
    for dx in (-14, 8, 26):
        wisp = svg(
            f"M{156 + dx} 76 C{146 + dx} 62 {164 + dx} 52 {156 + dx} 36 "
            f"L{160 + dx} 36 C{170 + dx} 52 {154 + dx} 62 {162 + dx} 76 Z"
        )
        canvas.blur(wisp, WHITE, 2.4, 0.6)
