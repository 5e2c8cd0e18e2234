"""Toys."""

from __future__ import annotations

from ui_assets.demo.draw import patterns
from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import DARK, RGB, WHITE, WOOD, darker, lighter, mix, rgb
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import SIDES, Path, ellipse, mirror, rect, rotate, shift, svg, symmetric

_CHEERFUL = (rgb("d9654f"), rgb("e9b44c"), rgb("6fa8a0"), rgb("5f86b8"), rgb("a9bf7a"), rgb("d99bb0"))
_INK: RGB = (58, 48, 46)
_PALE: RGB = rgb("ecd3ac")


def toy(canvas: Canvas, look: Look) -> None:
    {"plush": _plush, "train": _train, "rings": _rings, "car": _car, "blocks": _blocks, "rocket": _rocket}[look.shape](
        canvas, look
    )


def _others(look: Look) -> list[RGB]:
    """Cheerful colours, those nearest to the toy's own left out."""

    def far(c: RGB) -> int:
        return -sum(abs(a - b) for a, b in zip(c, look.colour, strict=True))

    return sorted(_CHEERFUL, key=far)[:5]


def _plush(canvas: Canvas, look: Look) -> None:
    main, animal = look.colour, look.get("animal", "bear")
    belly = mix(lighter(main, 0.5), (255, 240, 220), 0.4)
    canvas.ground(160, 282, 84, 9)
    if animal == "cat":
        tail = svg("M206 250 C262 254 262 196 236 190")
        canvas.line(tail, darker(main, 0.18), 17)
        canvas.line(shift(tail, -1, -2), main, 12)
    body = symmetric(svg("M160 150 C124 150 104 186 104 224 C104 258 126 278 160 278"))
    parts: list[Path] = [body]
    parts += [flip(rotate(ellipse(104, 206, 17, 40), 22, (110, 180))) for flip in SIDES]
    parts += [flip(ellipse(116, 264, 31, 20)) for flip in SIDES]
    for path in (*parts[1:3], body, *parts[3:]):
        _fur(canvas, path, main, look.number)
    canvas.form(ellipse(160, 226, 32, 38), belly, 70, 0.7)
    for flip in SIDES:
        canvas.fill(flip(ellipse(108, 265, 13, 11)), mix(belly, (240, 170, 160), 0.35))
    _ears(canvas, look, main, belly)
    head = symmetric(svg("M160 62 C118 62 94 90 94 122 C94 154 124 170 160 170"))
    _fur(canvas, head, main, look.number + 1)
    _face(canvas, look, main, belly)
    if look.number % 2:
        canvas.form(svg("M124 166 C140 176 180 176 196 166 L198 178 C180 188 140 188 122 178 Z"), look.accent, 90, 0.9)
        for flip in SIDES:
            canvas.form(flip(svg("M160 180 L136 170 L136 194 Z")), look.accent, 70, 1.0)
        canvas.form(ellipse(160, 180, 7), darker(look.accent, 0.15), 70, 1.0)


def _fur(canvas: Canvas, path: Path, colour: RGB, seed: int) -> None:
    canvas.form(path, colour, 65, 1.2)
    with canvas.clip(path):
        patterns.pile(canvas, colour, seed, 13)


def _ears(canvas: Canvas, look: Look, main: RGB, belly: RGB) -> None:
    pink = mix(belly, (240, 160, 150), 0.45)
    for number, flip in enumerate(SIDES):
        animal = look.get("animal", "bear")
        if animal == "rabbit":
            ear, core = (
                rotate(ellipse(132, 46, 15, 42), -10, (132, 80)),
                rotate(ellipse(132, 48, 7, 30), -10, (132, 80)),
            )
        elif animal == "cat":
            ear, core = (
                svg("M98 108 C94 78 96 60 102 48 C120 56 138 70 146 82 Z"),
                svg("M106 92 C104 76 106 68 108 62 C118 68 126 74 132 82 Z"),
            )
        elif animal == "elephant":
            ear, core = (
                svg("M104 92 C70 66 38 84 40 122 C42 156 74 166 102 144 Z"),
                svg("M98 104 C74 88 54 98 56 122 C58 144 78 150 98 136 Z"),
            )
        else:
            ear, core = ellipse(106, 76, 24), ellipse(106, 76, 13)
        _fur(canvas, flip(ear), darker(main, 0.04), look.number + 2 + number)
        canvas.fill(flip(core), pink, 0.9)


def _face(canvas: Canvas, look: Look, main: RGB, belly: RGB) -> None:
    animal = look.get("animal", "bear")
    for x in (136, 184):
        canvas.dot(x, 114, 6.2, _INK)
        canvas.dot(x - 1.9, 111.8, 2, WHITE)
        canvas.blur(ellipse(x + (x - 160) * 0.6, 132, 10, 6), (240, 120, 110), 4, 0.5)
    if animal == "elephant":
        trunk = svg("M160 122 C158 150 166 176 146 190 C138 196 128 190 128 182")
        canvas.line(trunk, darker(main, 0.2), 23)
        canvas.line(shift(trunk, -1.4, -1), lighter(main, 0.03), 18)
        for left, top in trunk[4:16:3]:
            canvas.line([(left - 7, top), (left + 6, top + 1)], darker(main, 0.25), 1.3, 0.7)
        return
    canvas.form(ellipse(160, 138, 25, 19), lighter(belly, 0.3), 70, 0.6)
    nose = (214, 120, 120) if animal in ("rabbit", "cat") else _INK
    canvas.fill(ellipse(160, 129, 7.5, 5.4), nose)
    for s in (-1, 1):
        canvas.line(svg(f"M160 134 C160 146 {160 + s * 10} 148 {160 + s * 14} 142"), _INK, 2)
        if animal == "cat":
            for dy in (-4, 4):
                canvas.line([(160 + s * 34, 138 + dy), (160 + s * 62, 136 + dy * 2.4)], darker(main, 0.5), 1.4)


def _wheel(canvas: Canvas, x: float, y: float, r: float, colour: RGB) -> None:
    canvas.form(ellipse(x, y, r), colour, 60, 1.2)
    canvas.form(ellipse(x, y, r * 0.5), WOOD, 60, 0.9)
    canvas.dot(x, y, r * 0.16, darker(WOOD, 0.5))


def _train(canvas: Canvas, look: Look) -> None:
    main, others = look.colour, _others(look)
    canvas.ground(160, 242, 136, 9)
    for x, w, tone in ((16, 72, others[0]), (102, 72, others[1])):
        canvas.line([(x + w - 4, 216), (x + w + 20, 216)], darker(WOOD, 0.4), 4)
        canvas.form(rect(x, 206, x + w, 220, 4), WOOD, 90, 0.9)
        canvas.form(rect(x + 4, 168, x + w - 4, 208, 6), tone, 60, 1.0)
        for k in range(3):
            canvas.form(ellipse(x + 18 + k * 18, 166, 10), others[(k + int(x)) % 5], 60, 1.0)
        canvas.form(rect(x + 4, 174, x + w - 4, 208, 6), tone, 60, 1.0)
        for dx in (18, w - 18):
            _wheel(canvas, x + dx, 228, 14, darker(others[2], 0.1))
    canvas.form(rect(188, 204, 302, 220, 5), WOOD, 90, 0.9)
    canvas.form(rect(192, 128, 238, 206, 6), main, 60, 1.0)
    canvas.form(rect(186, 118, 244, 132, 6), others[0], 80, 1.0)
    canvas.fill(rect(202, 142, 228, 168, 5), rgb("f3ead6"))
    canvas.form(rect(232, 158, 296, 206, 16), main, 90, 1.3)
    canvas.form(svg("M262 158 L266 128 L284 128 L282 158 Z"), others[1], 0, 1.1)
    canvas.form(rect(258, 118, 292, 130, 5), darker(others[1], 0.15), 0, 1.0)
    canvas.dot(292, 182, 7, rgb("f6d98a"))
    for x, r in ((212, 20), (258, 14), (288, 14)):
        _wheel(canvas, x, 242 - r, r, darker(others[2], 0.1))
    for x, y, r in ((272, 96, 12), (258, 76, 15), (282, 56, 18)):
        canvas.blur(ellipse(x, y, r), WHITE, 4, 0.75)


def _rings(canvas: Canvas, look: Look) -> None:
    tones = [*_others(look)[:4], look.colour]
    canvas.ground(160, 282, 92, 9)
    canvas.form(rect(152, 70, 168, 270, 7), WOOD, 0, 1.0)
    canvas.form(svg("M78 262 L242 262 C246 272 240 282 228 282 L92 282 C80 282 74 272 78 262 Z"), WOOD, 90, 1.0)
    for i, tone in enumerate(reversed(tones)):
        half, y = 86 - i * 10, 244 - i * 33
        canvas.form(rect(160 - half, y - 17, 160 + half, y + 17, 17), tone, 80, 1.3)
        canvas.blur(rect(160 - half + 14, y - 11, 160 - half * 0.2, y - 6, 3), WHITE, 3, 0.55)
    canvas.form(ellipse(160, 72, 20), look.colour, 60, 1.2)


def _car(canvas: Canvas, look: Look) -> None:
    main, trim = look.colour, look.accent
    canvas.ground(160, 240, 124, 9)
    if look.get("car") == "race":
        body = svg(
            "M32 214 C32 190 60 178 96 174 L126 146 C140 134 188 134 204 150 L222 172 C262 "
            "176 288 188 292 214 C292 224 284 226 276 226 L46 226 C38 226 32 222 32 214 Z"
        )
        canvas.form(svg("M34 160 L66 160 L70 188 L52 192 Z"), darker(main, 0.2), 60, 1.0)
        canvas.form(rect(22, 150, 84, 163, 5), trim, 80, 1.0)
        canvas.form(body, main, 60, 1.2)
        canvas.form(ellipse(168, 132, 21), _PALE, 60, 0.9)
        canvas.form(svg("M147 130 C147 104 189 104 189 130 Z"), trim, 60, 1.0)
        canvas.line([(150, 132), (188, 132)], darker(trim, 0.3), 3)
        canvas.form(ellipse(112, 200, 19), rgb("f8f1e2"), 70, 0.6)
        canvas.line([(112, 190), (112, 210)], _INK, 4)
        with canvas.clip(body):
            canvas.fill(rect(150, 206, 300, 213), trim)
    else:
        body = svg(
            "M34 214 L38 132 C40 116 50 108 66 108 L210 108 C226 108 234 114 242 128 L262 164 L282 172 "
            "C290 176 292 184 292 196 L292 214 C292 224 286 226 278 226 L46 226 C38 226 34 222 34 214 Z"
        )
        canvas.form(body, main, 60, 1.2)
        with canvas.clip(body):
            canvas.fill(rect(20, 182, 300, 192), trim)
        for x0, x1 in ((58, 102), (114, 158)):
            canvas.form(rect(x0, 124, x1, 164, 8), rgb("f3ead6"), 70, 0.7)
        canvas.form(svg("M172 124 L214 124 C222 124 226 128 230 136 L244 164 L172 164 Z"), rgb("f3ead6"), 70, 0.7)
        canvas.form(rect(60, 92, 200, 104, 5), WOOD, 80, 0.9)
    canvas.dot(284, 202, 6, rgb("f6d98a"))
    for x in (92, 236):
        canvas.fill(ellipse(x, 222, 31, 28), darker(main, 0.5))
        _wheel(canvas, x, 216, 26, DARK)


def _blocks(canvas: Canvas, look: Look) -> None:
    a, b, c, d, e = _others(look)
    main = look.colour
    canvas.ground(160, 274, 122, 10)
    for x in (60, 128, 196):
        canvas.form(rect(x, 210, x + 62, 272, 4), (main, WOOD, a)[(x - 60) // 68], 60, 1.0)
    window = svg("M142 272 L142 244 C142 226 176 226 176 244 L176 272 Z")
    canvas.fill(window, darker(WOOD, 0.45))
    canvas.form(rect(60, 180, 190, 208, 4), b, 70, 1.0)
    canvas.form(rect(196, 150, 224, 208, 4), _PALE, 60, 1.0)
    canvas.form(rect(230, 150, 258, 208, 4), main, 60, 1.0)
    arch = svg("M78 178 L78 126 L174 126 L174 178 L150 178 C150 144 102 144 102 178 Z")
    canvas.form(arch, c, 60, 1.0)
    canvas.form(svg("M78 124 L126 76 L174 124 Z"), main, 60, 1.0)
    canvas.form(svg("M192 148 L227 104 L262 148 Z"), d, 60, 1.0)
    canvas.form(ellipse(30, 252, 20), e, 60, 1.2)
    canvas.form(rotate(rect(262, 234, 302, 274, 4), 0, (282, 254)), _PALE, 60, 1.0)
    for path in (svg("M270 246 C280 242 288 250 296 246"), svg("M268 260 C278 256 288 264 296 258")):
        canvas.line(path, darker(_PALE, 0.25), 1.2, 0.8)


def _rocket(canvas: Canvas, look: Look) -> None:
    main = look.colour
    a, b, *_ = _others(look)
    canvas.ground(150, 288, 78, 8)
    for flip in (list, lambda p: mirror(p, 148)):
        canvas.form(flip(svg("M110 196 C80 210 68 246 70 280 C86 268 104 262 118 262 Z")), a, 60, 1.1)
    body = symmetric(svg("M148 34 C112 74 98 130 100 186 C100 224 108 250 116 266 L148 266"), 148)
    canvas.form(body, _PALE, 20, 1.1)
    with canvas.clip(body):
        canvas.form(svg("M80 108 C110 116 186 116 216 108 L216 20 L80 20 Z"), main, 20, 1.1)
        canvas.fill(svg("M80 222 C120 232 176 232 216 222 L216 238 C176 248 120 248 80 238 Z"), main)
        for k in range(4):
            canvas.line(
                svg(f"M{112 + k * 22} 112 C{108 + k * 24} 160 {110 + k * 22} 200 {114 + k * 20} 266"),
                darker(_PALE, 0.14),
                1,
                0.6,
            )
    canvas.form(ellipse(148, 156, 27), b, 60, 1.1)
    canvas.form(ellipse(148, 156, 19), rgb("cfe2e6"), 60, 0.8)
    canvas.blur(ellipse(142, 150, 7, 5), WHITE, 3, 0.8)
    canvas.form(svg("M118 266 L178 266 L172 284 L124 284 Z"), darker(a, 0.2), 90, 1.0)
    for x, tone in ((226, main), (264, b)):
        canvas.form(
            svg(f"M{x - 14} 286 L{x - 11} 250 C{x - 9} 242 {x + 9} 242 {x + 11} 250 L{x + 14} 286 Z"), tone, 40, 1.1
        )
        canvas.form(ellipse(x, 230, 15), WHITE, 60, 0.9)
        canvas.form(ellipse(x, 232, 10, 9), _PALE, 60, 0.6)
        for s in (-1, 1):
            canvas.dot(x + s * 3.6, 231, 1.5, _INK)
