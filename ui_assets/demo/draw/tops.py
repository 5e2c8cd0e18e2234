"""Shirts, T-shirts and knitwear, laid flat."""

from __future__ import annotations

from ui_assets.demo.draw import garments, patterns
from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import LEATHER, RGB, WHITE, WOOD, brightness, contrast, darker, lighter
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import Path, arc, band, ellipse, mirror, rect, rotate, svg, symmetric


def shirt(canvas: Canvas, look: Look) -> None:
    main, sleeve = look.colour, look.get("sleeves", "long")
    body = garments.bodice(256, waist=96, hem=94) if look.shape not in ("shirt", "linen") else _shirt_body()
    for arm in garments.sleeves(canvas, sleeve, main):
        with canvas.clip(arm):
            _cloth(canvas, look)
    if look.shape != "tee":
        garments.cuffs(canvas, sleeve, darker(main, 0.06))
    canvas.form(body, main, 70, 0.85)
    with canvas.clip(body):
        _cloth(canvas, look)
        garments.folds(canvas, main, 256)
    {"tee": _tee, "polo": _polo}.get(look.shape, _button_front)(canvas, look)


def _shirt_body() -> Path:
    return symmetric(
        svg(
            "M136 66 C124 72 112 75 104 80 C98 100 95 116 96 134 C97 180 94 "
            "220 92 244 C104 262 130 266 142 258 C148 254 154 252 160 252"
        )
    )


def _cloth(canvas: Canvas, look: Look) -> None:
    main = look.colour
    line = look.accent if brightness(main) > 0.55 else lighter(look.accent, 0.2)
    pattern = look.get("pattern")
    if pattern == "stripes":
        blue: RGB = (84, 112, 158)
        patterns.stripes(canvas, blue if brightness(main) > 0.6 else WHITE, 11, 3, 90, 0.75)
    elif pattern == "breton":
        patterns.stripes(canvas, (52, 68, 104) if brightness(main) > 0.5 else (240, 234, 222), 17, 7, 0, 0.9)
    elif pattern == "check":
        patterns.check(canvas, line if brightness(main) > 0.3 else lighter(line, 0.1), 34)


def _button_front(canvas: Canvas, look: Look) -> None:
    main = look.colour
    placket = rect(153, 76, 167, 252)
    canvas.form(placket, lighter(main, 0.07), 0, 0.6)
    if look.get("pattern"):
        with canvas.clip(placket):
            _cloth(canvas, look)
    for x in (153, 167):
        canvas.line([(x, 78), (x, 251)], darker(main, 0.24), 0.9, 0.8)
    button = (250, 247, 240) if brightness(main) < 0.8 else darker(main, 0.28)
    garments.buttons(canvas, [(160, 92 + i * 27) for i in range(6)], button, 2.8)
    if look.has("pocket"):
        garments.patch_pocket(canvas, main, 180, 116, 32, 36)
    if look.get("collar") == "band":
        garments.neck_hole(canvas, main, 16, 22)
        ring = svg("M137 62 C140 78 150 84 157 85 M163 85")
        for path in (ring, mirror(ring)):
            canvas.fill(band(path[:-1], 8), lighter(main, 0.06))
            canvas.line(path[:-1], darker(main, 0.22), 0.9)
    else:
        garments.collar(canvas, main)


def _tee(canvas: Canvas, look: Look) -> None:
    main = look.colour
    v = look.get("neck") == "v"
    garments.neck_hole(canvas, main, 40 if v else 24, 24, v)
    if v:
        for path in (svg("M135 66 C140 78 150 96 160 108"), mirror(svg("M135 66 C140 78 150 96 160 108"))):
            canvas.fill(band(path, 5), darker(main, 0.1))
            canvas.line(path, darker(main, 0.28), 0.8)
    else:
        ring = symmetric(svg("M135 66 C136 84 148 91 160 91"))
        canvas.fill(band(ring, 5.5), darker(main, 0.1))
        canvas.line(ring, darker(main, 0.28), 0.8)
    canvas.stitch(svg("M98 248 C130 254 190 254 222 248"), darker(main, 0.25), 0.9)
    if look.has("pocket"):
        garments.patch_pocket(canvas, main, 182, 116, 30, 34)
    if look.has("print"):
        _sun(canvas, look)


def _sun(canvas: Canvas, look: Look) -> None:
    ink = look.accent if abs(brightness(look.accent) - brightness(look.colour)) > 0.2 else contrast(look.colour, 0.6)
    canvas.fill(arc(160, 150, 22, 22, 180, 360), ink)
    for k in range(7):
        ray = rotate([(132, 149), (120, 149)], 30 * k, (160, 150))
        canvas.line(ray, ink, 3.4)
    for i in range(3):
        canvas.line(
            svg(
                f"M{128 + i * 6} {158 + i * 8} C{144 + i * 2} {154 + i * 8} {150} {162 + i * 8} 160 "
                f"{158 + i * 8} C{170} {154 + i * 8} {176 - i * 2} {162 + i * 8} {192 - i * 6} {158 + i * 8}"
            ),
            ink,
            2.6,
        )


def _polo(canvas: Canvas, look: Look) -> None:
    main = look.colour
    canvas.form(rect(152, 76, 168, 134, 2), lighter(main, 0.05), 0, 0.7)
    garments.buttons(canvas, [(160, 98), (160, 112), (160, 126)], (248, 245, 238), 2.6)
    garments.collar(canvas, main, 22)
    if look.has("tipped"):
        edge = svg("M130 74 L145 96 L160 78")
        for path in (edge, mirror(edge)):
            canvas.line(path, look.accent, 2)
        for path in (svg("M62 136 C72 146 86 152 101 152"), mirror(svg("M62 136 C72 146 86 152 101 152"))):
            canvas.line(path, look.accent, 2.4)


def knitwear(canvas: Canvas, look: Look) -> None:
    main = look.colour
    vest, cardigan = look.shape == "vest", look.shape == "cardigan"
    body = garments.bodice(252, waist=90, hem=92, shoulder=100 if not vest else 112)
    if not vest:
        for number, arm in enumerate(garments.sleeves(canvas, "long", main)):
            with canvas.clip(arm):
                _knit(canvas, look, sleeve=1 + number)
        garments.cuffs(canvas, "long", darker(main, 0.08))
    canvas.form(body, main, 70, 0.9)
    with canvas.clip(body):
        _knit(canvas, look, sleeve=0)
        garments.folds(canvas, main, 252)
    hem = symmetric(svg("M91 234 C112 242 140 243 160 243 L160 262 C138 262 112 260 96 254 C92 250 91 242 91 234 Z"))
    canvas.form(hem, darker(main, 0.08), 90, 0.8)
    with canvas.clip(hem):
        patterns.rib(canvas, main, 5)
    if vest or cardigan:
        _deep_neck(canvas, look)
    elif look.shape == "turtle":
        _turtle(canvas, look)
    else:
        garments.neck_hole(canvas, main, 24, 24)
        ring = symmetric(svg("M134 65 C135 84 147 92 160 92"))
        canvas.fill(band(ring, 9), darker(main, 0.1))
        canvas.line(ring, darker(main, 0.24), 0.9)


def _knit(canvas: Canvas, look: Look, sleeve: int) -> None:
    main = look.colour
    knit = look.get("knit", "plain")
    if knit == "cable":
        patterns.cables(canvas, main, ((112.0, 160.0, 208.0), (78.0,), (242.0,))[sleeve])
    elif knit == "rib":
        patterns.rib(canvas, main, 7)
    elif knit == "moss":
        patterns.moss(canvas, main)
    elif knit == "stripe":
        patterns.stripes(canvas, look.accent, 30, 14, 0, 0.92)
    elif knit == "argyle":
        patterns.argyle(canvas, main, look.accent)
    elif knit == "yoke":
        _yoke(canvas, look)
    if knit in ("plain", "stripe", "yoke"):
        patterns.stripes(canvas, darker(main, 0.2), 4.5, 0.9, 90, 0.35)


def _yoke(canvas: Canvas, look: Look) -> None:
    light = look.accent if abs(brightness(look.accent) - brightness(look.colour)) > 0.22 else contrast(look.colour, 0.7)
    for k, r in enumerate((44, 58, 84)):
        ring = arc(160, 56, r * 1.22, r, 0, 180)
        if k < 2:
            canvas.line(ring, light, 3 if k else 2)
            continue
    for degrees in range(4, 180, 11):
        x, y = arc(160, 56, 71 * 1.22, 71, degrees, degrees + 0.1)[0]
        star = [(x, y - 8), (x + 5, y), (x, y + 8), (x - 5, y)]
        canvas.fill(rotate(star, degrees - 90, (x, y)), light)
        x, y = arc(160, 56, 86 * 1.22, 86, degrees + 5.5, degrees + 5.6)[0]
        canvas.fill(rotate([(x, y - 5), (x + 3, y + 3), (x - 3, y + 3)], degrees + 90, (x, y)), light)


def _turtle(canvas: Canvas, look: Look) -> None:
    main = look.colour
    roll = symmetric(svg("M132 78 C128 62 130 46 136 40 C144 36 152 36 160 36 L160 84 C148 84 138 82 132 78 Z"))
    canvas.form(roll, darker(main, 0.03), 80, 1.0)
    with canvas.clip(roll):
        patterns.rib(canvas, main, 6)
    canvas.line(svg("M132 78 C140 84 150 85 160 85 C170 85 180 84 188 78"), darker(main, 0.4), 1.6)
    canvas.fill(ellipse(160, 40, 22, 4.5), darker(main, 0.45))


def _deep_neck(canvas: Canvas, look: Look) -> None:
    main = look.colour
    depth = 132 if look.shape == "cardigan" else 118
    hole = symmetric(svg(f"M136 66 C138 84 150 {depth - 22} 160 {depth}"))
    canvas.fill(hole, darker(main, 0.5))
    canvas.fill(symmetric(svg("M136 66 C142 74 150 76 160 76 L160 62 L136 64 Z")), darker(main, 0.22))
    edge = svg(f"M134 65 C136 86 149 {depth - 22} 160 {depth + 2}")
    if look.shape == "cardigan":
        edge = svg(f"M134 65 C136 86 148 {depth - 24} 158 {depth} L158 261")
        canvas.line([(163, depth), (163, 261)], darker(main, 0.4), 1.2)
    for path in (mirror(edge), edge):
        canvas.fill(band(path, 10), darker(main, 0.16))
        canvas.line(path, darker(main, 0.3), 0.8)
    if look.shape == "vest":
        for arm in (svg("M112 80 C102 100 98 120 92 136"), mirror(svg("M112 80 C102 100 98 120 92 136"))):
            canvas.fill(band(arm, 8), darker(main, 0.16))
        return
    wood = WOOD if look.get("buttons") == "wood" else darker(LEATHER, 0.35)
    garments.buttons(canvas, [(158, depth + 10 + i * 28) for i in range(5)], wood, 4.6)
    if look.has("pockets"):
        for x in (102, 182):
            garments.patch_pocket(canvas, main, x, 188, 36, 40)
