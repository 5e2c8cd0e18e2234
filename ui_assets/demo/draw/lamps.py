"""Lamps, alight."""

from __future__ import annotations

from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import BRASS, DARK, METAL, RGB, WHITE, WOOD, brightness, darker, lighter, mix, rgb
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import Path, ellipse, rect, shift, svg, symmetric

_LIGHT: RGB = (255, 226, 164)
_MARBLE: RGB = (232, 228, 222)


def lamp(canvas: Canvas, look: Look) -> None:
    {"desk": _desk, "table": _table, "floor": _floor, "portable": _portable}[look.shape](canvas, look)


def _beam(canvas: Canvas, path: Path, strength: float = 0.5) -> None:
    canvas.blur(path, _LIGHT, 9, strength)


def _rod(canvas: Canvas, path: Path, colour: RGB, width: float = 6) -> None:
    canvas.line(path, darker(colour, 0.2), width)
    canvas.line(shift(path, -width * 0.14, -width * 0.12), lighter(colour, 0.22), width * 0.36)


def _desk(canvas: Canvas, look: Look) -> None:
    main = look.colour
    arm = look.get("arm", "joint")
    canvas.ground(196 if arm == "joint" else 190, 276, 66, 8)
    _beam(canvas, svg("M70 128 L142 112 L176 268 L36 268 Z"), 0.5)
    if arm == "joint":
        _rod(canvas, [(206, 262), (236, 172)], METAL if look.number % 2 else main)
        _rod(canvas, [(236, 172), (140, 92)], METAL if look.number % 2 else main)
        _rod(canvas, [(214, 252), (228, 190)], BRASS, 2.6)
        for x, y in ((236, 172), (206, 258)):
            canvas.form(ellipse(x, y, 9), main, 60, 1.1)
            canvas.dot(x, y, 3, BRASS)
    elif arm == "goose":
        path = svg("M206 262 C206 190 236 120 190 84 C168 68 144 76 132 96")
        canvas.line(path, darker(main, 0.2), 9)
        for spot in path[2:]:
            canvas.dot(spot[0] - 0.8, spot[1] - 0.6, 2.6, lighter(main, 0.2), 0.8)
    else:
        _rod(canvas, svg("M206 262 L206 150 C206 96 176 74 132 92"), BRASS if look.number % 2 else main, 7)
    head = svg("M136 76 C152 80 160 96 154 112 L70 134 C66 100 96 70 136 76 Z")
    canvas.form(head, main, 70, 1.2)
    canvas.fill(svg("M70 134 L154 112 C152 122 144 126 128 130 C104 138 80 142 70 134 Z"), lighter(_LIGHT, 0.4))
    canvas.form(ellipse(112, 128, 12, 7), WHITE, 90, 0.2)
    canvas.form(rect(170, 258, 244, 276, 9), main, 80, 1.1)
    canvas.dot(226, 266, 2.6, lighter(look.accent, 0.1))
    cord = svg("M240 270 C262 272 272 260 286 268")
    canvas.line(cord, darker(main, 0.35), 2.4)


def _shade(canvas: Canvas, path: Path, colour: RGB, seams: int = 0) -> None:
    """A fabric shade with the bulb shining through."""
    cloth = mix(colour, (246, 236, 214), 0.35) if brightness(colour) > 0.3 else lighter(colour, 0.08)
    canvas.form(path, cloth, 30, 0.9)
    with canvas.clip(path):
        xs, ys = [p[0] for p in path], [p[1] for p in path]
        cx, cy = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
        canvas.blur(ellipse(cx, cy + 8, (max(xs) - min(xs)) * 0.3, (max(ys) - min(ys)) * 0.32), _LIGHT, 15, 0.85)
        for k in range(seams):
            x = min(xs) + (max(xs) - min(xs)) * (k + 0.5) / seams
            canvas.line([(cx + (x - cx) * 0.7, min(ys)), (x, max(ys))], darker(cloth, 0.25), 1, 0.35)
    canvas.blur(shift(path, 0, 3), _LIGHT, 14, 0.1)


def _table(canvas: Canvas, look: Look) -> None:
    main = look.colour
    base = look.get("base", "ceramic")
    canvas.ground(160, 280, 64, 8)
    _beam(canvas, svg("M96 150 L224 150 L250 276 L70 276 Z"), 0.34)
    canvas.form(rect(155, 130, 165, 186, 2), BRASS, 0, 1.0)
    style = look.number % 3
    profiles = (
        "M160 172 C144 172 140 182 142 190 C120 204 110 232 120 258 C126 272 140 278 160 278",
        "M160 172 C146 172 142 178 144 184 C150 200 124 214 122 240 C120 262 132 278 160 278",
        "M160 172 C140 172 132 178 132 190 L126 264 C126 274 136 278 160 278",
    )
    body = symmetric(svg(profiles[style]))
    tone = main if base != "wood" else WOOD
    canvas.form(body, tone, 40, 1.3)
    with canvas.clip(body):
        if base == "glass":
            for x in range(108, 216, 9):
                canvas.line([(x, 170), (x - (160 - x) * 0.1, 280)], lighter(tone, 0.5), 1.8, 0.6)
            canvas.blur(ellipse(160, 200, 30, 26), _LIGHT, 12, 0.45)
        elif base == "wood":
            for k in range(5):
                canvas.line(
                    svg(f"M{124 + k * 17} 170 C{130 + k * 16} 210 {118 + k * 18} 240 {128 + k * 16} 282"),
                    darker(WOOD, 0.25),
                    1.3,
                    0.6,
                )
        else:
            canvas.blur(svg("M138 196 C130 212 128 236 132 256 L140 254 C138 236 140 212 146 200 Z"), WHITE, 3, 0.7)
            if look.number % 2:
                canvas.fill(svg("M90 250 C120 242 200 258 230 248 L230 290 L90 290 Z"), lighter(tone, 0.55), 0.7)
    shade = symmetric(
        svg("M112 66 L88 152 C110 160 140 161 160 161 L160 58 C140 58 124 60 112 66 Z")
        if style != 1
        else svg("M126 62 C110 92 92 128 82 152 C106 160 140 161 160 161 L160 56 C146 56 134 58 126 62 Z")
    )
    _shade(canvas, shade, main if base == "wood" else (240, 230, 208), 9 if style == 2 else 0)
    canvas.line(
        svg("M88 152 C110 160 210 160 232 152") if style != 1 else svg("M82 152 C106 160 214 160 238 152"),
        darker(main, 0.1),
        2.4,
    )


def _floor(canvas: Canvas, look: Look) -> None:
    main, legs = look.colour, look.get("legs", "pole")
    if legs == "arc":
        canvas.ground(226, 292, 54, 7)
        _beam(canvas, svg("M54 112 L146 112 L168 288 L30 288 Z"), 0.36)
        _rod(canvas, svg("M232 282 L232 120 C232 40 140 8 100 58"), BRASS, 6)
        dome = svg("M54 112 C54 76 76 56 100 56 C124 56 146 76 146 112 Z")
        canvas.form(dome, main, 50, 1.2)
        canvas.fill(ellipse(100, 112, 46, 7), lighter(_LIGHT, 0.35))
        canvas.form(rect(190, 272, 274, 292, 6), _MARBLE, 80, 1.0)
        for path in (svg("M198 276 C212 284 226 278 240 290"), svg("M236 274 C246 282 258 280 266 288")):
            canvas.line(path, darker(_MARBLE, 0.25), 1.2, 0.7)
        return
    canvas.ground(160, 292, 62, 7)
    _beam(canvas, svg("M92 122 L228 122 L250 288 L70 288 Z"), 0.26)
    if legs == "tripod":
        for x0, x1 in ((160, 166), (154, 100), (166, 222)):
            leg = svg(f"M{x0 - 4} 110 L{x0 + 4} 110 L{x1 + 3} 292 L{x1 - 3} 292 Z")
            canvas.form(leg, WOOD, 0, 1.0)
        canvas.line([(132, 204), (192, 204)], darker(WOOD, 0.3), 3)
    else:
        _rod(canvas, [(160, 110), (160, 284)], METAL if look.number % 2 else BRASS, 6)
        canvas.form(ellipse(160, 286, 46, 8), main, 60, 1.1)
        canvas.line(svg("M176 116 L176 150"), BRASS, 1.6)
        canvas.dot(176, 152, 3, BRASS)
    shade = symmetric(svg("M116 34 L94 118 C114 126 140 127 160 127 L160 28 C142 28 126 30 116 34 Z"))
    _shade(canvas, shade, main if legs == "tripod" or look.number % 2 else (240, 230, 208), 0)
    canvas.line(svg("M94 118 C114 126 206 126 226 118"), darker(main, 0.12), 2.2)


def _portable(canvas: Canvas, look: Look) -> None:
    main = look.colour
    canvas.ground(160, 262, 66, 8)
    _beam(canvas, svg("M84 168 L236 168 L246 258 L74 258 Z"), 0.5)
    if look.number % 2:
        stem = symmetric(svg("M160 164 L146 164 C144 200 134 236 112 252 C108 258 114 262 124 262 L160 262"))
        cap = symmetric(svg("M74 172 C74 116 114 90 160 90 L160 182 C120 182 86 182 74 172 Z"))
    else:
        stem = symmetric(svg("M160 160 L132 160 L126 254 C126 260 130 262 138 262 L160 262"))
        cap = symmetric(svg("M86 168 L104 108 C110 98 124 94 160 94 L160 176 C126 176 98 176 86 168 Z"))
    canvas.form(stem, main, 30, 1.2)
    canvas.form(cap, main, 60, 1.2)
    rim = ellipse(160, 174 if look.number % 2 else 170, 84 if look.number % 2 else 72, 9)
    canvas.fill(rim, lighter(_LIGHT, 0.45))
    canvas.blur(ellipse(160, 190, 40, 16), _LIGHT, 9, 0.7)
    canvas.dot(160, 244, 3.4, rgb("f4e6c8"))
    canvas.dot(160, 244, 1.6, DARK)
    with canvas.clip(cap):
        canvas.blur(svg("M98 150 C102 124 122 106 146 100 L150 108 C130 114 114 130 110 152 Z"), WHITE, 5, 0.45)
