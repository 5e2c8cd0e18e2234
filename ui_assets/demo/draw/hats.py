"""Hats and caps."""

from __future__ import annotations

from random import Random

from ui_assets.demo.draw import patterns
from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import BRASS, RGB, WHITE, brightness, contrast, darker, lighter, rgb
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import along, arc, ellipse, rect, shift, svg, symmetric

_RIBBON = {"navy": rgb("2f4163"), "red": rgb("b8493e"), "black": rgb("2c2d33")}


def hat(canvas: Canvas, look: Look) -> None:
    {"cap": _cap, "beanie": _beanie, "bucket": _bucket, "straw": _straw}[look.shape](canvas, look)


def _cap(canvas: Canvas, look: Look) -> None:
    main = look.colour
    canvas.ground(152, 232, 126, 10)
    crown = svg("M82 204 C74 132 110 84 172 84 C232 84 262 132 258 200 C214 218 130 220 82 204 Z")
    canvas.fill(svg("M90 196 C130 214 210 216 252 198 L250 214 C206 230 130 228 96 214 Z"), darker(main, 0.6))
    canvas.form(crown, main, 60, 1.0)
    with canvas.clip(crown):
        if look.has("cord"):
            patterns.stripes(canvas, darker(main, 0.25), 5, 1.6, 86, 0.6)
        for seam in (
            svg("M172 84 C132 100 112 150 112 216"),
            svg("M172 84 C214 104 226 150 222 216"),
            svg("M172 84 C168 120 166 170 166 220"),
        ):
            canvas.line(seam, darker(main, 0.3), 1.3, 0.8)
            canvas.stitch(shift(seam, -4, 0), lighter(main, 0.2), 0.9)
            canvas.stitch(shift(seam, 4, 0), lighter(main, 0.2), 0.9)
        canvas.blur(svg("M70 196 C130 216 210 218 264 196 L264 224 L70 224 Z"), darker(main, 0.7), 6, 0.35)
    for x, y in ((137, 122), (196, 120), (240, 134)):
        canvas.dot(x, y, 3.4, darker(main, 0.35))
        canvas.dot(x, y, 1.7, darker(main, 0.65))
    canvas.form(ellipse(172, 84, 9, 5), darker(main, 0.1), 80, 1.0)
    visor = look.accent if look.has("twotone") else darker(main, 0.04)
    brim = svg("M84 196 C58 200 26 216 20 234 C20 242 30 244 48 240 C92 230 152 230 206 216 C174 214 124 212 84 196 Z")
    canvas.form(brim, visor, 100, 1.1)
    with canvas.clip(brim):
        for i in range(4):
            canvas.stitch(
                svg(f"M{78 - i * 8} {202 + i * 4} C{100 - i * 12} {212 + i * 6} {150} {220 + i * 5} 206 {220 + i * 6}"),
                lighter(visor, 0.22),
                0.9,
            )
    if look.has("badge"):
        _badge(canvas, look)


def _badge(canvas: Canvas, look: Look) -> None:
    thread = look.accent if abs(brightness(look.accent) - brightness(look.colour)) > 0.2 else contrast(look.colour, 0.6)
    canvas.fill([(104, 172), (122, 138), (133, 156), (141, 144), (158, 174)], thread)
    canvas.fill([(116, 149), (122, 138), (128, 149), (122, 146)], WHITE)


def _beanie(canvas: Canvas, look: Look) -> None:
    main = look.colour
    canvas.ground(160, 250, 88, 9)
    dome = symmetric(svg("M82 212 C78 128 108 76 160 76"))
    canvas.form(dome, main, 70, 1.0)
    with canvas.clip(dome):
        knit = look.get("knit")
        if knit == "stripe":
            for i in range(4):
                canvas.fill(
                    svg(
                        f"M60 {106 + i * 28} C110 {98 + i * 28} 210 {98 + i * 28} 260 {106 + i * 28} "
                        f"L260 {118 + i * 28} C210 {110 + i * 28} 110 {110 + i * 28} 60 {118 + i * 28} Z"
                    ),
                    look.accent,
                )
        if knit == "cable":
            patterns.cables(canvas, main, (104, 132, 160, 188, 216))
        else:
            for i in range(-8, 9):
                canvas.line(
                    svg(f"M160 70 C{160 + i * 8} 100 {160 + i * 10} 150 {160 + i * 10} 216"),
                    darker(main, 0.24),
                    1.4,
                    0.65,
                )
        canvas.blur(rect(70, 192, 250, 214), darker(main, 0.7), 6, 0.35)
    cuff = svg(
        "M78 196 C78 190 84 188 90 188 C130 196 190 196 230 188 C236 188 242 190 242 196 "
        "L244 236 C244 244 238 248 230 248 C188 256 132 256 90 248 C82 248 76 244 76 236 Z"
    )
    tone = look.accent if look.get("knit") == "stripe" else darker(main, 0.05)
    canvas.form(cuff, tone, 80, 1.1)
    with canvas.clip(cuff):
        patterns.rib(canvas, tone, 9)
    canvas.form(
        rect(186, 212, 214, 228, 2), lighter(look.accent, 0.1) if look.get("knit") != "stripe" else main, 90, 0.6
    )
    if look.has("pompom"):
        _pompom(canvas, look, 160, 66)


def _pompom(canvas: Canvas, look: Look, cx: float, cy: float) -> None:
    wool = look.accent if brightness(look.accent) > 0.35 else lighter(look.colour, 0.45)
    rng = Random(look.number)
    canvas.form(ellipse(cx, cy, 30), darker(wool, 0.12), 70, 1.1)
    for _ in range(170):
        turn, far = rng.uniform(0, 360), 33 * rng.random() ** 0.6
        x, y = arc(cx, cy, far, far, turn, turn + 0.1)[0]
        shade = 0.28 * (y - cy + 30) / 60
        x2, y2 = arc(x, y, 6, 6, turn + rng.uniform(-40, 40), turn + 60)[0]
        canvas.line([(x, y), (x2, y2)], darker(lighter(wool, rng.uniform(0, 0.3)), shade), 1.8)


def _bucket(canvas: Canvas, look: Look) -> None:
    main = look.colour
    canvas.ground(160, 242, 116, 10)
    crown = symmetric(
        svg("M106 116 C100 140 95 166 92 192 C116 204 140 206 160 206 L160 102 C136 102 112 106 106 116 Z")
    )
    brim = symmetric(svg("M96 184 C76 198 54 216 44 232 C56 246 110 254 160 254 L160 196 C136 196 112 192 96 184 Z"))
    canvas.form(brim, darker(main, 0.04), 90, 1.1)
    with canvas.clip(brim):
        _cloth(canvas, look)
        for i in range(5):
            canvas.stitch(
                svg(
                    f"M{88 - i * 10} {196 + i * 9} C120 {210 + i * 10} 200 {210 + i * 10} {232 + i * 10} {196 + i * 9}"
                ),
                contrast(main, 0.3),
                1,
            )
    canvas.form(crown, main, 60, 1.0)
    with canvas.clip(crown):
        _cloth(canvas, look)
        canvas.blur(svg("M90 186 C120 200 200 200 230 186 L232 210 L88 210 Z"), darker(main, 0.7), 5, 0.35)
    canvas.form(ellipse(160, 114, 54, 13), lighter(main, 0.05), 80, 0.7)
    with canvas.clip(ellipse(160, 114, 54, 13)):
        _cloth(canvas, look)
    canvas.stitch(arc(160, 116, 55, 15, 0, 180), contrast(main, 0.3), 1)
    for x in (112, 122):
        canvas.dot(x, 156, 3, BRASS)
        canvas.dot(x, 156, 1.5, darker(main, 0.6))


def _cloth(canvas: Canvas, look: Look) -> None:
    if look.get("pattern") == "check":
        clear = (
            look.accent if abs(brightness(look.accent) - brightness(look.colour)) > 0.2 else contrast(look.colour, 0.5)
        )
        patterns.check(canvas, clear, 24)


def _straw(canvas: Canvas, look: Look) -> None:
    main = look.colour
    canvas.ground(160, 240, 138, 11)
    brim = svg(
        "M22 206 C40 176 100 168 160 168 C220 168 280 176 298 206 C300 224 240 240 160 240 C80 240 20 224 22 206 Z"
    )
    canvas.form(brim, main, 80, 1.1)
    with canvas.clip(brim):
        for i in range(11):
            canvas.line([*ellipse(160, 200, 76 + i * 8, 14 + i * 3.2)], darker(main, 0.2), 1.2, 0.7)
        _plait(canvas, main)
        canvas.blur(ellipse(166, 206, 84, 20), darker(main, 0.8), 8, 0.45)
    crown = symmetric(svg("M92 202 C92 140 106 92 124 88 C136 84 150 90 160 92 L160 218 C130 218 100 212 92 202 Z"))
    canvas.form(crown, lighter(main, 0.04), 60, 1.0)
    with canvas.clip(crown):
        for i in range(16):
            canvas.line(
                svg(f"M80 {92 + i * 8} C120 {104 + i * 8} 200 {104 + i * 8} 240 {92 + i * 8}"),
                darker(main, 0.2),
                1.1,
                0.7,
            )
        _plait(canvas, main)
        ribbon: RGB = _RIBBON[look.get("band", "navy")]
        sash = svg("M80 174 C120 192 200 192 240 174 L240 198 C200 220 120 220 80 198 Z")
        canvas.form(sash, ribbon, 60, 0.9)
    if look.get("band") != "black":
        ribbon = _RIBBON[look.get("band", "navy")]
        for tail in (
            svg("M214 190 C232 196 240 210 246 226 L232 222 L228 232 C226 216 220 206 210 198 Z"),
            svg("M212 188 C226 178 240 178 244 186 C240 196 226 198 212 194 Z"),
        ):
            canvas.form(tail, ribbon, 70, 0.9)


def _plait(canvas: Canvas, main: RGB) -> None:
    rows = [along([(10 + row % 2 * 5, 80 + row * 6.4), (310, 80 + row * 6.4)], 10) for row in range(26)]
    canvas.lines([[(x, y), (x + 4, y + 3)] for spots in rows for (x, y), _ in spots], lighter(main, 0.3), 1.3, 0.55)
