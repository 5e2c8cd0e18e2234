"""Backpacks, seen from the front."""

from __future__ import annotations

from ui_assets.demo.draw import patterns
from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import DARK, LEATHER, METAL, RGB, WHITE, contrast, darker, lighter, mix
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import SIDES, Path, ellipse, rect, rotate, shift, svg, symmetric


def backpack(canvas: Canvas, look: Look) -> None:
    canvas.ground(160, 280, 92, 10)
    {"laptop": _laptop, "hiking": _hiking, "roll": _roll, "kids": _kids}[look.shape](canvas, look)


def _straps(canvas: Canvas, main: RGB, out: float = 74, top: float = 92, bottom: float = 236) -> None:
    for flip in SIDES:
        strap = flip(
            svg(
                f"M112 {top} C{out - 6} {top + 14} {out - 12} {top + 70} {out + 2} "
                f"{bottom - 26} L{out + 16} {bottom} L{out + 30} {bottom - 8} L96 {top + 60} Z"
            )
        )
        canvas.form(strap, darker(main, 0.38), 90, 0.9)


def _handle(canvas: Canvas, colour: RGB, y: float = 66, width: float = 22) -> None:
    loop = svg(f"M{160 - width} {y + 10} C{160 - width} {y - 18} {160 + width} {y - 18} {160 + width} {y + 10}")
    canvas.line(loop, darker(colour, 0.1), 8)
    canvas.line(shift(loop, -0.6, -1), lighter(colour, 0.12), 3)


def _zip_line(canvas: Canvas, path: Path, main: RGB, pull: tuple[float, float] | None = None) -> None:
    canvas.line(path, darker(main, 0.5), 4.2)
    canvas.stitch(path, lighter(main, 0.35), 1.3, 1.4, 2)
    if pull:
        canvas.fill(rect(pull[0] - 3, pull[1], pull[0] + 3, pull[1] + 17, 2.5), LEATHER)


def _pocket(canvas: Canvas, main: RGB, box: tuple[float, float, float, float], r: float = 14) -> None:
    x0, y0, x1, y1 = box
    path = rect(x0, y0, x1, y1, r)
    canvas.blur(shift(path, 1, 4), darker(main, 0.8), 4, 0.45)
    canvas.form(path, main, 80, 1.0)


def _canvas_weave(canvas: Canvas, look: Look, path: Path) -> None:
    if look.has("canvas"):
        with canvas.clip(path):
            for angle in (0, 90):
                patterns.stripes(canvas, lighter(look.colour, 0.25), 4, 1, angle, 0.22)


def _laptop(canvas: Canvas, look: Look) -> None:
    main = look.colour
    trim = LEATHER if look.has("canvas") else look.accent
    _straps(canvas, main)
    _handle(canvas, trim if look.has("canvas") else darker(main, 0.3), 62)
    body = symmetric(svg("M160 64 C118 64 92 78 88 116 L84 248 C84 270 98 280 118 280 L160 280"))
    canvas.form(body, main, 65, 1.0)
    _canvas_weave(canvas, look, body)
    _zip_line(canvas, svg("M98 172 C98 108 112 84 160 84 C208 84 222 108 222 172"), main, (98, 168))
    if look.get("pockets") == "2":
        _pocket(canvas, darker(main, 0.03), (108, 126, 212, 176), 10)
        _zip_line(canvas, [(118, 140), (202, 140)], main, (198, 140))
    _pocket(canvas, lighter(main, 0.03), (100, 186, 220, 270), 16)
    _zip_line(canvas, [(112, 204), (208, 204)], main, (204, 204))
    patch = rect(144, 228, 176, 246, 3)
    canvas.form(patch, trim, 80, 0.7)
    canvas.stitch([(147, 231), (173, 231)], lighter(trim, 0.4), 0.8, 2, 2)
    if look.has("canvas"):
        for x in (94, 200):
            canvas.form(rect(x, 262, x + 26, 279, 6), LEATHER, 90, 0.8)
    if look.get("pockets") != "2":
        canvas.line(svg("M126 118 L194 118"), trim, 5)
        for i in range(4):
            canvas.line([(132 + i * 18, 115), (132 + i * 18, 121)], darker(trim, 0.4), 1.5)


def _hiking(canvas: Canvas, look: Look) -> None:
    main, trim = look.colour, look.accent
    _straps(canvas, main, 72, 96, 240)
    for flip in SIDES:
        belt = flip(svg("M92 236 C70 236 48 244 40 258 C44 270 60 272 74 268 L98 262 Z"))
        canvas.form(belt, darker(main, 0.3), 90, 1.0)
        side = flip(svg("M90 190 C76 196 74 220 76 250 C80 264 90 268 100 268 L104 196 Z"))
        canvas.form(side, darker(main, 0.2), 80, 1.0)
    if look.number % 2:
        bottle = rect(66, 140, 88, 214, 7)
        canvas.form(bottle, trim, 0, 1.0)
        canvas.form(rect(70, 128, 84, 142, 3), DARK, 0, 1.0)
        canvas.form(svg("M90 196 C70 198 68 220 72 250 C80 264 90 268 100 268 L104 196 Z"), darker(main, 0.2), 80, 1.0)
    body = symmetric(svg("M160 92 C116 92 96 96 92 122 C88 170 88 220 92 258 C96 274 112 278 128 278 L160 278"))
    canvas.form(body, main, 65, 1.0)
    _pocket(canvas, darker(main, 0.06), (110, 170, 210, 266), 16)
    _zip_line(canvas, svg("M120 196 C140 190 180 190 200 196"), main, (198, 196))
    for y in (146, 158):
        canvas.line([(94, y), (226, y)], darker(main, 0.45), 3)
    for s in (-1, 1):
        strap = [(160 + s * 34, 120), (160 + s * 34, 176)]
        canvas.line(strap, trim, 6)
        canvas.form(rect(160 + s * 34 - 7, 152, 160 + s * 34 + 7, 168, 3), DARK, 80, 1.0)
        canvas.line([(160 + s * 56, 176), (160 + s * 60, 262)], darker(main, 0.45), 2.5)
    lid = symmetric(svg("M160 56 C118 56 98 64 92 84 C88 100 90 118 98 126 C118 132 140 133 160 133"))
    canvas.blur(shift(lid, 1, 5), darker(main, 0.8), 5, 0.4)
    canvas.form(lid, lighter(main, 0.04), 65, 1.1)
    _zip_line(canvas, svg("M106 108 C130 114 190 114 214 108"), main, (206, 110))
    canvas.form(rect(146, 76, 174, 92, 3), trim, 80, 0.7)
    _handle(canvas, darker(main, 0.3), 58, 13)
    for s in (-1, 1):
        canvas.line(svg(f"M{160 + s * 40} 230 C{160 + s * 44} 240 {160 + s * 36} 250 {160 + s * 40} 258"), trim, 2.4)


def _roll(canvas: Canvas, look: Look) -> None:
    main = look.colour
    trim = LEATHER if look.has("canvas") else look.accent
    _straps(canvas, main, 74, 100, 238)
    body = symmetric(svg("M160 96 C130 96 106 96 96 98 L90 258 C90 272 102 280 118 280 L160 280"))
    canvas.form(body, main, 65, 1.0)
    _canvas_weave(canvas, look, body)
    roll = rect(86, 70, 234, 102, 15)
    canvas.blur(shift(roll, 0, 7), darker(main, 0.8), 5, 0.45)
    canvas.form(roll, lighter(main, 0.03), 90, 1.3)
    with canvas.clip(roll):
        for y in (80, 90):
            canvas.line([(86, y), (234, y)], darker(main, 0.25), 1.2)
    for x in (92, 228):
        canvas.fill(ellipse(x, 86, 5, 14), darker(main, 0.3))
        canvas.fill(ellipse(x, 86, 2.4, 8), darker(main, 0.5))
    strap = rect(152, 62, 168, 196, 3)
    canvas.form(strap, trim, 0, 0.9)
    buckle = rect(146, 150, 174, 170, 4)
    canvas.form(buckle, METAL if look.has("canvas") else DARK, 80, 1.0)
    canvas.fill(rect(153, 156, 167, 164, 2), darker(trim, 0.3))
    _pocket(canvas, lighter(main, 0.02), (108, 200, 212, 268), 10)
    _zip_line(canvas, [(118, 216), (202, 216)], main, (198, 216))
    if look.has("canvas"):
        for x in (91, 203):
            canvas.form(rect(x, 258, x + 26, 279, 5), LEATHER, 90, 0.8)
    else:
        canvas.fill(rect(120, 240, 200, 245, 2), lighter(trim, 0.3))
    _handle(canvas, darker(main, 0.3), 62, 14)


def _kids(canvas: Canvas, look: Look) -> None:
    main, animal = look.colour, look.get("animal", "bear")
    inner = mix(lighter(main, 0.45), (255, 220, 210), 0.4)
    _straps(canvas, main, 70, 120, 240)
    _ears(canvas, animal, main, inner)
    _handle(canvas, darker(main, 0.3), 84, 14)
    body = symmetric(svg("M160 86 C112 86 84 112 82 160 L80 240 C80 268 100 280 124 280 L160 280"))
    canvas.form(body, main, 65, 1.0)
    _zip_line(canvas, svg("M92 190 C88 126 116 102 160 102 C204 102 232 126 228 190"), main, (228, 186))
    _pocket(canvas, inner if animal != "fox" else lighter(main, 0.06), (104, 206, 216, 270), 22)
    _zip_line(canvas, [(122, 222), (198, 222)], main if animal != "fox" else darker(main, 0.2), (194, 222))
    _face(canvas, animal, main, inner)


def _ears(canvas: Canvas, animal: str, main: RGB, inner: RGB) -> None:
    for flip in SIDES:
        if animal == "rabbit":
            outer = rotate(ellipse(128, 66, 17, 48), -8, (128, 110))
            core = rotate(ellipse(128, 68, 8, 34), -8, (128, 110))
        elif animal == "bear":
            outer, core = ellipse(104, 104, 28), ellipse(104, 104, 15)
        else:
            outer = svg("M86 140 C82 104 84 80 92 66 C112 76 132 92 144 108 Z")
            core = svg("M96 122 C94 102 94 92 98 82 C110 90 120 98 128 108 Z")
        canvas.form(flip(outer), main, 65, 1.0)
        canvas.fill(flip(core), inner)


def _face(canvas: Canvas, animal: str, main: RGB, inner: RGB) -> None:
    ink: RGB = (58, 48, 46)
    for x in (134, 186):
        canvas.dot(x, 150, 7, ink)
        canvas.dot(x - 2.2, 147.6, 2.3, WHITE)
        canvas.blur(ellipse(x + (x - 160) * 0.7, 168, 10, 6), (240, 120, 110), 4, 0.5)
    if animal == "fox":
        for flip in SIDES:
            canvas.fill(
                flip(svg("M82 168 C100 160 134 160 160 178 L160 190 C136 204 100 196 83 204 Z")), (250, 246, 240)
            )
    else:
        canvas.form(ellipse(160, 174, 24, 17), lighter(inner, 0.4), 80, 0.6)
    canvas.fill(ellipse(160, 167, 7, 5), ink)
    canvas.line(svg("M160 170 C160 182 150 184 145 178"), ink, 2)
    canvas.line(svg("M160 170 C160 182 170 184 175 178"), ink, 2)
    if animal == "cat":
        for s in (-1, 1):
            for dy in (-4, 4):
                canvas.line([(160 + s * 34, 174 + dy * 0.6), (160 + s * 62, 172 + dy * 2)], contrast(main, 0.6), 1.6)
