"""Shoes and boots, seen from the side, toe to the right."""

from __future__ import annotations

from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import BRASS, DARK, METAL, RGB, WHITE, brightness, contrast, darker, lighter, mix
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import Path, along, band, ellipse, rotate, shift, smooth, svg

_SHOE = svg(
    "M52 214 C48 190 46 158 54 130 C57 120 70 115 78 122 C88 138 104 146 119 139 C126 132 129 118 136 108 "
    "C143 99 156 100 161 110 C177 140 206 164 240 178 C270 188 290 198 293 218 L293 226 L52 226 Z"
)
_SHOE_LACES = ((150, 118), (204, 162))  # from the collar to the toe
_BOOT = {
    "high": svg(
        "M70 222 C64 196 68 170 74 140 C78 112 76 88 74 62 C74 54 "
        "84 50 92 53 C110 60 126 60 142 52 C150 49 156 52 158 60 "
        "C160 86 164 112 178 134 C196 156 228 164 254 176 C276 186 286 200 286 226 L70 226 Z"
    ),
    "mid": svg(
        "M68 222 C62 196 64 172 70 146 C74 124 72 108 71 94 C71 86 "
        "82 82 90 86 C106 95 122 95 136 86 C144 81 152 84 155 92 "
        "C160 112 166 128 180 142 C200 160 228 166 254 177 C276 187 286 200 286 226 L68 226 Z"
    ),
    "low": svg(
        "M60 222 C56 198 56 168 62 140 C65 130 76 126 84 132 C94 146 108 150 121 143 C128 137 131 124 138 116 "
        "C146 108 157 110 162 119 C178 142 206 158 238 170 C268 180 286 196 287 226 L60 226 Z"
    ),
}
_BOOT_LACES = {
    "high": ((150, 72), (160, 100), (170, 126), (186, 146), (208, 160)),
    "mid": ((148, 100), (158, 122), (171, 138), (188, 151), (209, 161)),
    "low": ((152, 128), (166, 142), (182, 152), (200, 161)),
}


def running_shoe(canvas: Canvas, look: Look) -> None:
    main, accent = look.colour, look.accent
    canvas.ground(172, 262, 128, 10)
    _running_sole(canvas, look)
    canvas.fill(
        svg("M56 134 C64 122 112 124 124 136 C132 118 140 102 156 104 L160 126 C130 168 80 168 56 150 Z"),
        darker(main, 0.55),
    )
    canvas.form(_SHOE, main, 75, 0.9)
    with canvas.clip(_SHOE):
        if look.has("mesh"):
            _mesh(canvas, main)
        if look.has("knit"):
            _knit(canvas, main)
        canvas.gradient(
            svg("M150 104 L222 166 L196 182 C170 168 148 148 136 122 Z"), darker(main, 0.22), darker(main, 0.3), 40
        )
        _side_mark(canvas, look)
        heel = svg("M50 226 L46 118 L76 112 C92 146 104 170 96 226 Z")
        canvas.fill(heel, mix(accent, main, 0.25) if look.has("heel") else darker(main, 0.16), 0.95)
        if look.has("toe") or look.number % 2:
            canvas.fill(
                svg("M300 230 L300 180 L256 172 C240 190 236 208 240 230 Z"),
                darker(main, 0.4) if look.has("toe") else darker(main, 0.12),
            )
        canvas.blur(svg("M40 222 L300 222 L300 236 L40 236 Z"), darker(main, 0.7), 5, 0.3)
    canvas.line(svg("M60 126 C72 112 84 120 88 128 C98 142 110 144 121 137"), lighter(main, 0.22), 5)
    canvas.fill(rotate(ellipse(64, 116, 5, 10), -12, (64, 116)), accent)
    _laces(canvas, look)


def _running_sole(canvas: Canvas, look: Look) -> None:
    depth = {"thick": 42, "thin": 24}.get(look.get("sole"), 33)
    top, bottom = 262 - depth, 258
    foam: RGB = (246, 244, 239) if brightness(look.colour) < 0.86 or look.number % 3 else lighter(look.accent, 0.45)
    if look.shape == "race":
        foam = lighter(look.accent, 0.25)
    body = svg(
        f"M48 {top - 4} C40 {top + 14} 42 {bottom - 4} 62 {bottom} "
        f"L214 {bottom} C252 {bottom} 284 {bottom - 10} 298 {top - 6} "
        f"C298 {top - 12} 292 {top - 14} 284 {top - 12} C250 {top + 2} 200 {top + 2} 160 {top} "
        f"C116 {top - 4} 80 {top - 8} 48 {top - 4} Z"
    )
    tread = DARK if look.has("lug") or look.number % 2 else mix(look.accent, DARK, 0.3)
    if look.has("lug"):
        for (x, y), angle in along(
            svg(f"M60 {bottom} L214 {bottom} C246 {bottom} 272 {bottom - 8} 288 {top + 8}"), 15, 4
        ):
            canvas.fill(rotate([(x - 5, y - 5), (x + 6, y - 5), (x + 4, y + 6), (x - 4, y + 6)], angle, (x, y)), tread)
    canvas.fill(shift(body, 0, 3), tread)
    canvas.form(body, foam, 90, 0.8)
    with canvas.clip(body):
        groove = svg(
            f"M40 {top + depth * 0.42} C110 {top + depth * 0.62} 190 {top + depth * 0.2} 300 {top + depth * 0.05}"
        )
        canvas.line(groove, darker(foam, 0.14), 2)
        if look.get("sole") == "thick":
            canvas.fill(
                svg(
                    f"M40 {top + 14} C90 {top + 30} 130 {top + 18} 170 {top + 20} "
                    f"L170 {top + 24} C130 {top + 24} 90 {top + 38} 40 {top + 20} Z"
                ),
                look.accent,
            )
        if look.shape == "race":
            canvas.line(svg(f"M44 {top + 8} C110 {top + 30} 210 {top + 26} 300 {top - 4}"), DARK, 3)


def _side_mark(canvas: Canvas, look: Look) -> None:
    """A mark on the quarter that tells the lines of the maker apart."""
    colour = look.accent
    style = look.number % 4
    if style == 0:
        for i in range(2):
            canvas.line(
                svg(f"M{112 + i * 20} 232 C{132 + i * 18} 208 {150 + i * 18} 190 {156 + i * 18} 158"), colour, 8
            )
    elif style == 1:
        canvas.line(svg("M88 196 C120 172 140 226 168 204 C186 190 196 186 222 192"), colour, 6)
    elif style == 2:
        for i in range(3):
            x = 120 + i * 24
            canvas.line([(x, 184), (x + 16, 198), (x, 212)], colour, 5)
    else:
        canvas.fill(svg("M116 232 C112 200 124 176 150 160 L166 170 C142 186 138 204 146 232 Z"), colour)


def _mesh(canvas: Canvas, main: RGB) -> None:
    holes = [
        (170 + column * 7.5 + (row % 2) * 3.75 - row * 1.5, 150.0 + row * 7) for row in range(9) for column in range(16)
    ]
    canvas.dots(holes, 1.35, contrast(main, 0.22), 0.75)


def _knit(canvas: Canvas, main: RGB) -> None:
    for i in range(20):
        canvas.line(
            svg(f"M{90 + i * 11} 100 C{96 + i * 11} 140 {84 + i * 11} 180 {92 + i * 11} 230"),
            contrast(main, 0.2),
            1.6,
            0.5,
        )


def _laces(canvas: Canvas, look: Look) -> None:
    lace = WHITE if brightness(look.colour) < 0.75 else darker(look.accent, 0.1)
    if look.number % 3 == 0:
        lace = lighter(look.accent, 0.15)
    (x0, y0), (x1, y1) = _SHOE_LACES
    for i in range(5):
        t = i / 4
        x, y = x0 + (x1 - x0) * t, y0 + (y1 - y0) * t
        canvas.line(smooth([(x - 17, y + 13), (x - 6, y + 2), (x + 7, y - 3)]), darker(lace, 0.3), 5.4, 0.5)
        canvas.line(smooth([(x - 17, y + 12), (x - 6, y + 1), (x + 7, y - 4)]), lace, 4.4)


def hiking_boot(canvas: Canvas, look: Look) -> None:
    main = look.colour
    shape = "high" if look.shape == "snow" else look.shape
    body = _BOOT[shape]
    canvas.ground(176, 264, 126, 10)
    _boot_sole(canvas, look)
    tongue = shift([p for p in body if 126 < p[0] < 176 and p[1] < 130], 7, -5)
    if len(tongue) > 2:
        canvas.fill(smooth(tongue, closed=True), darker(main, 0.35))
    canvas.form(body, main, 75, 1.0)
    with canvas.clip(body):
        _boot_panels(canvas, look, shape)
        canvas.blur(svg("M40 218 L310 218 L310 236 L40 236 Z"), darker(main, 0.75), 5, 0.3)
    _boot_collar(canvas, look, shape)
    _boot_laces(canvas, look, shape)


def _boot_panels(canvas: Canvas, look: Look, shape: str) -> None:
    main = look.colour
    if look.has("mesh"):
        canvas.fill(
            svg("M96 226 C92 186 96 150 104 118 L150 128 C160 160 180 186 214 190 L206 226 Z"), contrast(main, 0.16)
        )
        holes = [(100.0 + column * 8 + row % 2 * 4, 128.0 + row * 8) for row in range(12) for column in range(14)]
        canvas.dots(holes, 1.2, contrast(main, 0.42), 0.6)
    trim = darker(main, 0.22)
    canvas.fill(svg("M40 232 L44 150 C70 156 96 176 104 206 L108 232 Z"), trim)
    canvas.fill(
        svg("M300 232 L300 176 L250 172 C230 186 224 206 226 232 Z"), darker(main, 0.5) if look.shape != "low" else trim
    )
    canvas.fill(band(svg(_EYESTAY[shape]), 18), darker(main, 0.14))
    seam = lighter(mix(main, look.accent, 0.6), 0.1)
    if look.has("leather"):
        canvas.stitch(svg("M48 146 C76 154 100 176 108 206 L112 232"), seam, 1.3)
        canvas.stitch(svg("M246 170 C226 186 219 206 221 232"), seam, 1.3)
        canvas.stitch(shift(svg(_EYESTAY[shape]), -12, 5), seam, 1.3)
    if look.has("shell"):
        rubber = svg("M40 240 L40 178 C90 196 120 176 170 182 C210 186 260 168 300 176 L300 240 Z")
        canvas.form(rubber, darker(main, 0.55), 80, 0.9)
        canvas.line(svg("M40 178 C90 196 120 176 170 182 C210 186 260 168 300 176"), lighter(main, 0.1), 2)
    canvas.line(svg("M116 226 C118 206 132 192 158 194"), look.accent, 3.5, 0.9)


_EYESTAY = {
    "high": "M142 60 C146 92 152 120 168 142 C182 158 196 166 214 172",
    "mid": "M138 92 C146 116 156 136 170 148 C184 160 198 168 216 172",
    "low": "M140 120 C150 138 168 152 184 160 C194 166 204 168 214 170",
}
_COLLAR = {
    "high": "M76 60 C92 62 122 68 150 56",
    "mid": "M74 92 C92 96 118 102 146 89",
    "low": "M66 136 C78 132 90 146 102 149 C114 150 124 142 130 130",
}


def _boot_collar(canvas: Canvas, look: Look, shape: str) -> None:
    collar = svg(_COLLAR[shape])
    if look.has("fur"):
        wool: RGB = (240, 232, 216)
        for (x, y), _ in along(collar, 8):
            canvas.dot(x, y - 3, 9, darker(wool, 0.08))
        for (x, y), _ in along(collar, 7, 3):
            canvas.dot(x - 1, y - 5, 6.5, wool)
        return
    canvas.line(collar, darker(look.colour, 0.34), 12 if shape != "low" else 8)
    canvas.line(shift(collar, 0, -2), darker(look.colour, 0.2), 5)
    x, y = collar[0]
    canvas.line(svg(f"M{x - 2} {y + 4} C{x - 8} {y - 12} {x + 4} {y - 16} {x + 6} {y - 2}"), look.accent, 3.6)


def _boot_laces(canvas: Canvas, look: Look, shape: str) -> None:
    lace = lighter(look.accent, 0.1) if brightness(look.accent) > 0.4 else lighter(look.accent, 0.5)
    ring = BRASS if look.has("leather") else METAL
    spots = _BOOT_LACES[shape]
    for x, y in spots:
        canvas.line(smooth([(x - 9, y + 9), (x, y + 3), (x + 11, y - 3)]), darker(lace, 0.45), 5, 0.45)
        canvas.line(smooth([(x - 9, y + 8), (x, y + 2), (x + 11, y - 4)]), lace, 3.8)
    for x, y in spots:
        canvas.dot(x - 10, y + 9, 3.6, darker(ring, 0.2))
        canvas.dot(x - 10.5, y + 8.5, 2.4, lighter(ring, 0.3))
    x, y = spots[0]
    for side in (-1, 1):
        canvas.line(
            smooth([(x + 2, y), (x + 12 + side * 3, y - 9 * side - 2), (x + 17, y + 2), (x + 3, y + 1)]), lace, 2.8
        )
    canvas.line(smooth([(x + 4, y + 1), (x + 11, y + 14), (x + 9, y + 26)]), lace, 2.8)


def _boot_sole(canvas: Canvas, look: Look) -> None:
    tread: RGB = (60, 54, 50) if look.has("leather") else DARK
    heel, toe = 60, 292
    outline: Path = svg(
        f"M{heel} 218 C54 236 56 254 62 256 L118 256 L124 249 L150 249 L156 256 L250 256 C274 254 290 240 {toe} 218 Z"
    )
    for (x, y), angle in along(svg("M64 257 L250 257 C268 255 282 244 288 234"), 13, 4):
        if not 118 < x < 156:
            canvas.fill(
                rotate([(x - 4.5, y - 5), (x + 5, y - 5), (x + 4, y + 5), (x - 3.5, y + 5)], angle, (x, y)), tread
            )
    canvas.form(outline, tread, 90, 1.0)
    rand = svg(
        f"M{heel - 2} 218 C{heel - 4} 226 {heel - 2} 232 {heel} 234 "
        f"C130 240 220 240 274 234 C286 230 292 224 {toe} 216 Z"
    )
    middle = lighter(look.accent, 0.1) if look.shape in ("mid", "low") else mix(tread, look.colour, 0.35)
    canvas.form(rand, middle, 90, 0.7)
    if look.has("leather"):
        canvas.stitch(svg("M64 226 C130 232 220 232 284 224"), lighter(tread, 0.65), 1.4, 3.5, 3)
