"""Tents, pitched."""

from __future__ import annotations

from random import Random

from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import DARK, METAL, WHITE, WOOD, darker, lighter, mix, rgb
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import SIDES, Path, Point, ellipse, rect, rotate, svg, symmetric


def tent(canvas: Canvas, look: Look) -> None:
    _grass(canvas, look)
    {"dome": _dome, "tunnel": _tunnel, "ridge": _bell, "ultralight": _trek, "beach": _beach}[look.shape](canvas, look)


def _grass(canvas: Canvas, look: Look) -> None:
    sand = look.shape == "beach"
    tone = rgb("e3cfa6") if sand else rgb("a9b88c")
    canvas.ground(160, 262, 140, 12, 0.3)
    patch = svg(
        "M14 256 C40 240 100 236 160 238 C224 236 284 240 306 256 C300 274 220 280 160 280 C90 280 24 276 14 256 Z"
    )
    canvas.form(patch, tone, 90, 0.8)
    rng = Random(look.number)
    for _ in range(26):
        x, y = rng.uniform(28, 292), rng.uniform(248, 274)
        if sand:
            canvas.dot(x, y, 1.2, darker(tone, 0.25))
        else:
            for dx in (-3, 0, 3):
                canvas.line([(x, y), (x + dx, y - rng.uniform(5, 9))], darker(tone, 0.3), 1.4)


def _guy(canvas: Canvas, a: Point, b: Point) -> None:
    canvas.line([a, b], lighter(DARK, 0.3), 1.2, 0.8)
    canvas.line([(b[0] - 2, b[1] - 5), (b[0] + 2, b[1] + 3)], METAL, 2.4)


def _door(canvas: Canvas, outline: Path, look: Look, flap: Path) -> None:
    inside = darker(mix(look.colour, (255, 210, 140), 0.2), 0.6)
    canvas.fill(outline, inside)
    with canvas.clip(outline):
        xs, ys = [p[0] for p in outline], [p[1] for p in outline]
        canvas.blur(ellipse((min(xs) + max(xs)) / 2, max(ys) - 12, 34, 26), rgb("ffce86"), 14, 0.75)
    canvas.form(flap, lighter(look.colour, 0.22), 60, 0.9)
    canvas.line([*outline, outline[0]], darker(look.colour, 0.45), 1.6, 0.8)


def _dome(canvas: Canvas, look: Look) -> None:
    main, trim = look.colour, look.accent
    wide = 108 if look.has("small") else 124
    top = 122 if look.has("small") else 104
    _guy(canvas, (160 - wide * 0.6, 168), (160 - wide - 22, 258))
    _guy(canvas, (160 + wide * 0.6, 168), (160 + wide + 22, 258))
    shell = symmetric(svg(f"M160 {top} C{160 - wide * 0.5} {top} {160 - wide * 0.86} 180 {160 - wide} 256 L160 262"))
    canvas.form(shell, main, 40, 1.1)
    with canvas.clip(shell):
        canvas.gradient(
            svg(
                f"M160 {top} C{160 + wide * 0.4} {top} {160 + wide} 190 "
                f"{160 + wide + 6} 264 L210 264 C204 200 186 140 160 {top} Z"
            ),
            darker(main, 0.12),
            darker(main, 0.28),
            60,
        )
        canvas.fill(
            svg(f"M120 {top - 10} L200 {top - 10} L196 {top + 22} C180 {top + 30} 140 {top + 30} 124 {top + 22} Z"),
            trim,
            0.95,
        )
        canvas.line(svg(f"M124 {top + 22} C140 {top + 30} 180 {top + 30} 196 {top + 22}"), darker(trim, 0.3), 1.4)
    for flip in SIDES:
        pole = svg(f"M{160 - wide} 258 C{160 - wide * 0.72} 170 {160 - 20} {top - 6} {160 + wide * 0.42} 262")
        canvas.line(flip(pole), darker(main, 0.42), 2.6, 0.8)
    door = svg(f"M160 {top + 44} C140 {top + 60} 124 214 118 260 L202 260 C196 214 180 {top + 60} 160 {top + 44} Z")
    _door(
        canvas,
        door,
        look,
        svg(
            f"M160 {top + 44} C180 {top + 60} 196 214 202 260 L184 260 C190 230 "
            f"176 200 186 180 C180 {top + 76} 170 {top + 52} 160 {top + 44} Z"
        ),
    )


def _tunnel(canvas: Canvas, look: Look) -> None:
    main, trim = look.colour, look.accent
    long = look.has("long")
    _guy(canvas, (52, 150), (20, 262))
    _guy(canvas, (280, 170), (304, 256))
    body = svg("M40 262 C38 150 66 108 112 104 L226 112 C268 118 290 176 292 254 L288 258 Z")
    canvas.form(body, main, 50, 1.1)
    with canvas.clip(body):
        for x in (150, 196, 242) if long else (168, 226):
            canvas.line(svg(f"M{x} 262 C{x - 2} 180 {x - 8} 124 {x - 24} 98"), darker(main, 0.35), 2.6, 0.8)
            canvas.blur(
                svg(
                    f"M{x} 262 C{x - 2} 180 {x - 8} 124 {x - 24} 98 "
                    f"L{x - 8} 98 C{x + 8} 130 {x + 14} 180 {x + 16} 262 Z"
                ),
                darker(main, 0.7),
                6,
                0.25,
            )
        for x in (172, 218) if long else (190,):
            window = svg(f"M{x} 176 L{x + 26} 178 L{x + 27} 206 L{x - 1} 206 Z")
            canvas.fill(window, rgb("cfe2e6"), 0.9)
            canvas.line([*window, window[0]], darker(main, 0.35), 1.8)
    face = svg("M36 262 C34 150 60 106 98 104 C136 104 158 152 158 262 Z")
    canvas.form(face, lighter(main, 0.07), 60, 1.0)
    canvas.line(svg("M36 262 C34 150 60 106 98 104 C136 104 158 152 158 262"), trim, 5)
    door = svg("M98 134 C72 140 62 196 60 260 L136 260 C134 196 124 140 98 134 Z")
    _door(
        canvas,
        door,
        look,
        svg("M98 134 C124 140 134 196 136 260 L116 260 C126 226 108 204 118 180 C114 152 106 138 98 134 Z"),
    )


def _bell(canvas: Canvas, look: Look) -> None:
    main = look.colour
    for flip in SIDES:
        a, b = flip([(92, 190), (14, 260)])
        _guy(canvas, a, b)
    wall = symmetric(svg("M160 204 L58 206 L54 258 C90 264 130 266 160 266"))
    canvas.form(wall, darker(main, 0.08), 90, 0.9)
    roof = symmetric(svg("M160 62 C152 110 112 170 46 206 C84 216 130 218 160 218"))
    canvas.form(roof, main, 40, 1.1)
    with canvas.clip(roof):
        for x in (70, 112, 208, 250):
            canvas.line(
                svg(f"M160 62 C{160 + (x - 160) * 0.1} 110 {160 + (x - 160) * 0.5} 170 {x} 220"),
                darker(main, 0.22),
                1.4,
                0.8,
            )
            canvas.blur(
                svg(
                    f"M160 62 C{160 + (x - 160) * 0.1} 110 {160 + (x - 160) * 0.5} 170 "
                    f"{x} 220 L{x + 14} 220 C{172 + (x - 160) * 0.5} 170 164 100 160 62 Z"
                ),
                darker(main, 0.7),
                5,
                0.22,
            )
    door = svg("M160 116 C150 160 136 210 132 262 L188 262 C184 210 170 160 160 116 Z")
    _door(
        canvas,
        door,
        look,
        svg("M160 116 C170 160 184 210 188 262 L210 262 C204 220 196 214 186 200 C176 180 166 140 160 116 Z"),
    )
    canvas.form(
        svg("M160 116 C150 160 136 210 132 262 L112 262 C116 220 124 214 134 200 C144 180 154 140 160 116 Z"),
        lighter(main, 0.2),
        60,
        0.9,
    )
    canvas.line([(160, 44), (160, 66)], WOOD, 4)
    flag = svg("M161 44 L182 50 L161 57 Z")
    canvas.fill(flag, look.accent)
    bunting = svg("M62 206 C90 220 130 226 160 224 C190 226 230 220 258 206")
    for number, index in enumerate(range(3, len(bunting) - 3, 4)):
        left, top = bunting[index]
        canvas.fill(
            [(left - 6, top), (left + 6, top), (left, top + 11)],
            (look.accent, lighter(main, 0.5), rgb("d9654f"))[number % 3],
        )


def _trek(canvas: Canvas, look: Look) -> None:
    main = look.colour
    _guy(canvas, (160, 116), (34, 262))
    _guy(canvas, (170, 116), (300, 256))
    low = 40 if look.has("small") else 24
    left = svg(f"M160 112 L{low} 258 L160 264 Z")
    right = svg(f"M160 112 L{320 - low} 254 L160 264 Z")
    canvas.form(left, main, 40, 1.0)
    canvas.form(right, darker(main, 0.2), 60, 0.9)
    with canvas.clip(left):
        canvas.line(svg(f"M160 112 C140 160 {low + 60} 220 {low + 40} 262"), darker(main, 0.25), 1.3, 0.7)
        canvas.fill(svg("M160 112 L140 136 L160 144 Z"), look.accent)
    door = svg("M160 140 L112 262 L160 264 Z")
    _door(canvas, door, look, svg("M160 140 L112 262 L96 261 C116 220 136 180 160 140 Z"))
    canvas.line([(160, 96), (160, 264)], METAL, 3.4)
    canvas.form(rect(155, 86, 165, 104, 4), DARK, 0, 1.0)


def _beach(canvas: Canvas, look: Look) -> None:
    main, trim = look.colour, look.accent
    shell = svg(
        "M44 258 C50 160 110 104 176 104 C240 106 278 170 284 254 "
        "L230 250 C220 200 190 160 150 152 C112 160 78 204 70 262 Z"
    )
    inside = svg("M70 262 C78 204 112 160 150 152 C190 160 220 200 230 250 Z")
    canvas.fill(inside, darker(mix(main, WHITE, 0.3), 0.25))
    with canvas.clip(inside):
        canvas.form(svg("M60 266 L236 250 L220 230 L90 238 Z"), lighter(main, 0.5), 90, 0.7)
        towel = svg("M118 258 L176 252 L184 236 L134 240 Z")
        canvas.form(towel, trim, 80, 0.7)
    canvas.form(shell, main, 50, 1.1)
    with canvas.clip(shell):
        for k in (0, 2):
            canvas.fill(
                svg(
                    f"M{84 + k * 50} 280 C{96 + k * 44} 180 {140 + k * 20} 130 176 98 "
                    f"L{186 + k * 4} 98 C{170 + k * 22} 130 {130 + k * 46} 180 {116 + k * 52} 280 Z"
                ),
                trim,
                0.9,
            )
    canvas.line(svg("M70 262 C78 204 112 160 150 152 C190 160 220 200 230 250"), darker(main, 0.35), 3)
    ball = ellipse(262, 256, 17)
    canvas.form(ball, WHITE, 60, 0.9)
    with canvas.clip(ball):
        for angle in (0, 120, 240):
            canvas.fill(
                rotate(svg("M262 256 C266 246 270 240 274 236 L284 250 C276 252 268 254 262 256 Z"), angle, (262, 256)),
                rgb("d9654f"),
            )
