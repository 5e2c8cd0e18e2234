"""Handbags, seen from the front."""

from __future__ import annotations

from ui_assets.demo.draw import patterns
from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import BRASS, LEATHER, RGB, WHITE, brightness, darker, lighter, mix
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import Path, along, ellipse, rect, rotate, shift, svg, symmetric


def handbag(canvas: Canvas, look: Look) -> None:
    canvas.ground(160, 266, 104, 10)
    {"tote": _tote, "crossbody": _crossbody, "satchel": _satchel, "bucket": _bucket, "clutch": _clutch}[look.shape](
        canvas, look
    )


def _seam(look: Look) -> RGB:
    return lighter(look.colour, 0.35) if brightness(look.colour) < 0.6 else darker(look.colour, 0.3)


def _surface(canvas: Canvas, look: Look, path: Path) -> None:
    with canvas.clip(path):
        if look.has("canvas"):
            for angle in (0, 90):
                patterns.stripes(canvas, darker(look.colour, 0.3), 3.4, 0.9, angle, 0.25)
        if look.has("suede"):
            patterns.moss(canvas, look.colour, 3.6)
        if look.has("quilt"):
            _quilt(canvas, look.colour)
        if look.has("sheen"):
            canvas.blur(svg("M70 120 C130 150 120 220 80 260 L120 260 C170 220 160 150 110 110 Z"), WHITE, 10, 0.5)
            canvas.blur(svg("M210 110 C230 150 226 220 200 260 L216 260 C246 220 250 150 230 110 Z"), WHITE, 8, 0.4)


def _quilt(canvas: Canvas, main: RGB) -> None:
    for slope in (-1, 1):
        for i in range(-14, 30):
            a, b = (i * 22 - 11, 60), (i * 22 - 11 + slope * 240, 300)
            canvas.line([a, b], darker(main, 0.32), 1.5)
            canvas.line(shift([a, b], 1.6 * slope, 1.6), lighter(main, 0.28), 1, 0.6)


def _strap_handle(canvas: Canvas, path: Path, colour: RGB, width: float = 8) -> None:
    canvas.line(path, darker(colour, 0.22), width)
    canvas.line(shift(path, -0.7, -0.9), lighter(colour, 0.06), width * 0.62)
    canvas.stitch(path, lighter(colour, 0.4), 0.8, 3, 3)


def _tote(canvas: Canvas, look: Look) -> None:
    main = look.colour
    trim = main if look.has("leather") else (LEATHER if look.has("canvas") else darker(main, 0.3))
    back = svg("M116 130 C116 52 204 52 204 130")
    canvas.line(shift(back, 6, -4), darker(trim, 0.42), 8)
    wide = 74 + look.number % 3 * 6
    body = symmetric(
        svg(
            f"M{160 - wide} 122 C{160 - wide - 4} 170 {160 - wide - 12} 220 {160 - wide - 14} 250 "
            f"C{160 - wide - 14} 260 {160 - wide - 6} 264 {160 - wide + 6} 264 L160 264 L160 122 Z"
        )
    )
    canvas.form(body, main, 65, 1.0)
    _surface(canvas, look, body)
    rim = symmetric(svg(f"M{160 - wide} 121 L160 121 L160 134 L{160 - wide - 1} 134 Z"))
    canvas.form(rim, darker(trim, 0.1), 90, 0.8)
    if look.has("canvas"):
        base = svg(
            f"M{160 - wide - 11} 222 L{160 + wide + 11} 222 "
            f"L{160 + wide + 14} 254 C{160 + wide + 10} 262 {160 + wide} 264 "
            f"{160 + wide - 6} 264 L{160 - wide + 6} 264 C{160 - wide - 8} 264 "
            f"{160 - wide - 12} 260 {160 - wide - 14} 254 Z"
        )
        canvas.form(base, trim, 90, 0.9)
    _strap_handle(canvas, svg("M114 150 C112 60 208 60 206 150"), trim, 8.5)
    for x in (114, 206):
        tab = svg(f"M{x - 9} 134 L{x + 9} 134 L{x + 8} 168 L{x} 176 L{x - 8} 168 Z")
        canvas.form(tab, darker(trim, 0.05), 80, 0.9)
        for dy in (144, 162):
            canvas.dot(x, dy, 2.2, BRASS)
    canvas.stitch([(160 - wide, 258), (160 + wide, 258)], _seam(look), 1)
    if look.number % 2 and look.has("leather"):
        canvas.form(rotate(rect(196, 178, 214, 206, 4), 6, (205, 150)), look.accent, 70, 0.9)
        canvas.line([(206, 160), (206, 182)], look.accent, 2)


def _crossbody(canvas: Canvas, look: Look) -> None:
    main = look.colour
    strap = svg("M88 160 C60 90 110 40 160 40 C210 40 260 90 232 160")
    if look.get("strap") == "chain":
        for number, ((x, y), angle) in enumerate(along(strap, 8)):
            link = rotate(ellipse(x, y, 6, 3.4 if number % 2 else 2), angle, (x, y))
            canvas.line([*link, link[0]], darker(BRASS, 0.08), 2.2)
    else:
        _strap_handle(canvas, strap, darker(main, 0.08), 7)
        canvas.line([*rect(75, 90, 91, 106, 3), (75, 92)], BRASS, 2.4)
    body = rect(76, 142, 244, 264, 24)
    canvas.form(body, main, 65, 1.0)
    _surface(canvas, look, body)
    if look.has("zip"):
        canvas.line(svg("M88 166 L232 166"), darker(main, 0.5), 4.4)
        canvas.stitch([(88, 166), (232, 166)], BRASS, 1.6, 1.6, 2)
        canvas.form(rect(216, 166, 224, 196, 3), look.accent, 80, 0.8)
        pocket = rect(92, 186, 228, 252, 16)
        canvas.relief(pocket, darker(main, 0.6), 0.5)
        canvas.stitch(svg("M104 188 L216 188"), _seam(look), 1)
    else:
        flap = svg(
            "M76 160 C76 148 86 142 98 142 L222 142 C234 142 244 148 244 "
            "160 L244 196 C226 220 196 226 160 226 C124 226 94 220 76 196 Z"
        )
        canvas.blur(shift(flap, 1, 5), darker(main, 0.85), 5, 0.5)
        canvas.form(flap, lighter(main, 0.03), 70, 1.0)
        _surface(canvas, look, flap)
        canvas.stitch(svg("M80 192 C98 214 130 220 160 220 C190 220 222 214 240 192"), _seam(look), 1)
        canvas.form(rect(146, 206, 174, 226, 5), BRASS, 70, 1.0)
        canvas.form(rect(156, 210, 164, 222, 3), darker(BRASS, 0.2), 70, 1.0)
    for x in (86, 234):
        canvas.line([*ellipse(x, 152, 6), (x + 6, 152)], BRASS, 2.6)


def _satchel(canvas: Canvas, look: Look) -> None:
    main = look.colour
    trim = darker(main, 0.16) if not look.has("suede") else mix(LEATHER, main, 0.4)
    _strap_handle(canvas, svg("M122 118 C122 62 198 62 198 118"), trim, 10)
    for x in (122, 198):
        canvas.line([*ellipse(x, 118, 6), (x + 6, 118)], BRASS, 2.8)
    body = symmetric(svg("M160 120 L84 120 C74 120 70 126 70 134 L62 248 C62 260 68 264 78 264 L160 264"))
    canvas.form(body, main, 65, 1.0)
    _surface(canvas, look, body)
    pocket = rect(92, 196, 228, 256, 8)
    canvas.form(pocket, lighter(main, 0.02), 80, 0.9)
    flap = symmetric(svg("M160 120 L80 120 C72 120 70 126 69 134 L65 190 C66 204 76 208 88 208 L160 208"))
    canvas.blur(shift(flap, 1, 5), darker(main, 0.85), 5, 0.5)
    canvas.form(flap, lighter(main, 0.04), 70, 1.0)
    _surface(canvas, look, flap)
    canvas.stitch(svg("M72 186 C74 200 80 202 90 202 L230 202 C240 202 246 200 248 186"), _seam(look), 1)
    for x in (108, 212):
        canvas.form(rect(x - 8, 124, x + 8, 238, 7), trim, 0, 0.9)
        canvas.line([*rect(x - 12, 212, x + 12, 230, 3), (x - 12, 214)], BRASS, 2.8)
        canvas.line([(x, 221), (x + 10, 221)], BRASS, 2)
        for y in (150, 162, 174):
            canvas.dot(x, y, 1.2, darker(trim, 0.6))


def _bucket(canvas: Canvas, look: Look) -> None:
    main = look.colour
    trim = darker(main, 0.14)
    _strap_handle(canvas, svg("M100 132 C96 40 224 40 220 132"), trim, 8)
    body = symmetric(svg("M160 118 C130 118 106 122 96 128 C92 170 92 220 98 252 C104 264 130 268 160 268"))
    canvas.form(body, main, 50, 1.1)
    _surface(canvas, look, body)
    canvas.fill(ellipse(160, 126, 64, 11), darker(main, 0.45))
    with canvas.clip(body):
        for i in range(9):
            x = 100 + i * 15
            canvas.blur(
                svg(
                    f"M{x} 126 C{x + 2} 150 {x + 4} 170 {x + 2} 190 L{x + 7} 190 C{x + 9} 170 {x + 6} 150 {x + 5} 126 Z"
                ),
                darker(main, 0.7),
                3,
                0.45,
            )
        canvas.form(svg("M80 236 C120 248 200 248 240 236 L240 280 L80 280 Z"), trim, 80, 0.9)
        canvas.stitch(svg("M92 242 C130 252 190 252 228 242"), _seam(look), 1)
    for x in range(106, 222, 18):
        canvas.dot(x, 152 + 4 - abs(x - 160) * 0.06, 3.6, BRASS)
        canvas.dot(x, 152 + 4 - abs(x - 160) * 0.06, 1.8, darker(main, 0.7))
    canvas.line(svg("M96 154 C130 162 190 162 224 154"), darker(trim, 0.2), 3)
    for s in (-1, 1):
        cord = svg(f"M160 158 C{160 + s * 10} 172 {160 + s * 8} 190 {160 + s * 14} 206")
        canvas.line(cord, darker(trim, 0.2), 3)
        canvas.form(
            rect(160 + s * 14 - 4, 202, 160 + s * 14 + 4, 222, 3),
            look.accent if brightness(look.accent) > 0.3 else BRASS,
            80,
            0.9,
        )
    canvas.form(rect(150, 150, 170, 164, 5), trim, 80, 1.0)


def _clutch(canvas: Canvas, look: Look) -> None:
    main = look.colour
    body = symmetric(svg("M160 140 L78 140 C66 140 60 148 58 158 L48 246 C48 260 58 266 70 266 L160 266"))
    canvas.form(body, main, 60, 1.1)
    _surface(canvas, look, body)
    with canvas.clip(body):
        for i in range(-7, 8):
            canvas.line([(160 + i * 12, 150), (160 + i * 15.5, 268)], darker(main, 0.24), 1.1, 0.6)
    metal = BRASS if brightness(main) < 0.55 or look.number % 2 else (196, 200, 206)
    frame = rect(70, 130, 250, 150, 9)
    canvas.form(frame, metal, 80, 1.1)
    for x, tilt in ((152, -20), (168, 20)):
        canvas.form(rotate(ellipse(x, 122, 7, 10), tilt, (x, 130)), metal, 70, 1.2)
    chain = svg("M80 140 C40 170 40 220 66 282")
    if look.number % 2:
        for number, (spot, angle) in enumerate(along(chain, 7)):
            link = rotate(ellipse(*spot, 5, 2.8 if number % 2 else 1.8), angle, spot)
            canvas.line([*link, link[0]], metal, 1.9)
