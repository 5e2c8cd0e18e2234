"""Dresses and trousers, laid flat."""

from __future__ import annotations

from ui_assets.demo.draw import garments, patterns
from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import BRASS, METAL, RGB, WHITE, brightness, contrast, darker, lighter, mix
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import SIDES, Path, band, mirror, rect, shift, svg, symmetric

_HEM = {"knee": 246.0, "midi": 270.0, "maxi": 292.0}
_WAIST = 148.0


def dress(canvas: Canvas, look: Look) -> None:
    main = look.colour
    bottom = _HEM[look.get("length", "knee")] + 4
    sleeves = look.get("sleeves", "none")
    for arm in _arms(canvas, sleeves, main):
        with canvas.clip(arm):
            _cloth(canvas, look)
    if sleeves == "strap":
        for front, back in ((svg("M131 92 C132 74 136 60 143 52"), svg("M143 52 C149 62 151 80 151 98")),):
            for flip in SIDES:
                canvas.line(flip(back), darker(main, 0.4), 4.2)
                canvas.line(flip(front), darker(main, 0.1), 4.8)
        canvas.fill(symmetric(svg("M130 92 C140 88 150 87 160 87 L160 102 L130 102 Z")), darker(main, 0.4))
    skirt, top = _skirt(look, bottom), _top(look)
    for part in (skirt, top):
        canvas.form(part, main, 70, 0.9)
        with canvas.clip(part):
            _cloth(canvas, look)
            if part is skirt:
                _drape(canvas, look, bottom)
    _neckline(canvas, look, sleeves)
    _belt(canvas, look)


def _arms(canvas: Canvas, sleeves: str, main: RGB) -> list[Path]:
    if sleeves not in ("long", "short"):
        return []
    left = (
        svg("M120 76 C102 78 92 90 86 116 C80 150 76 180 72 208 C78 214 88 216 95 213 C102 184 108 154 118 126 Z")
        if sleeves == "long"
        else svg("M120 76 C100 76 88 92 80 118 C84 130 100 138 112 136 L122 110 Z")
    )
    for path in (left, mirror(left)):
        canvas.form(path, darker(main, 0.05), 80, 0.9)
    return [left, mirror(left)]


def _top(look: Look) -> Path:
    if look.get("sleeves", "none") == "strap":
        return symmetric(
            svg(
                f"M129 90 C124 100 122 112 126 126 C128 138 130 144 130 "
                f"{_WAIST} L160 {_WAIST + 3} L160 98 C150 98 138 98 129 90 Z"
            )
        )
    return symmetric(
        svg(
            f"M138 66 C130 70 124 72 117 76 C113 92 114 108 121 122 "
            f"C126 134 129 142 129 {_WAIST} L160 {_WAIST + 3} L160 66 Z"
        )
    )


def _skirt(look: Look, bottom: float) -> Path:
    flare = {"evening": 108, "knit": 112, "shirtdress": 96}.get(look.shape, 84)
    if look.has("tiers"):
        flare = 78
    return symmetric(
        svg(
            f"M129 {_WAIST - 1} C120 {_WAIST + 30} {flare + 8} {bottom - 50} {flare} "
            f"{bottom - 6} C{flare + 24} {bottom + 2} 136 {bottom + 4} 160 {bottom + 4}"
        )
    )


def _cloth(canvas: Canvas, look: Look) -> None:
    main = look.colour
    clear = look.accent if abs(brightness(look.accent) - brightness(main)) > 0.25 else contrast(main, 0.75)
    pattern = look.get("pattern")
    if pattern == "floral":
        patterns.flowers(canvas, main, clear, look.number, 4.6 + look.number % 3)
    elif pattern == "dots":
        patterns.dots(canvas, clear, 15, 3, 0.95)
    elif pattern == "stripes":
        patterns.stripes(canvas, clear if brightness(main) > 0.5 else WHITE, 12, 3.6, 90, 0.75)
    elif pattern == "check":
        patterns.check(canvas, clear, 26)
    elif look.has("knit"):
        patterns.rib(canvas, main, 6)


def _drape(canvas: Canvas, look: Look, bottom: float) -> None:
    main = look.colour
    for i, dx in enumerate((-52, -30, -8, 16, 40)):
        fold = svg(
            f"M{160 + dx * 0.4} {_WAIST} C{160 + dx * 0.7} {bottom - 70} "
            f"{160 + dx} {bottom - 40} {160 + dx * 1.1} {bottom + 8} "
            f"L{160 + dx * 1.1 + 12} {bottom + 8} C{160 + dx + 6} {bottom - 50} "
            f"{160 + dx * 0.6} {bottom - 80} {160 + dx * 0.4} {_WAIST} Z"
        )
        canvas.blur(fold, darker(main, 0.6), 3.5, 0.34)
        if look.has("sheen"):
            canvas.blur(shift(fold, -10 - i, 0), WHITE, 4, 0.3)
    canvas.blur(rect(116, _WAIST, 204, _WAIST + 7), darker(main, 0.7), 4, 0.45)
    if look.has("tiers"):
        for y in (_WAIST + 48, _WAIST + 98):
            canvas.blur(rect(60, y, 260, y + 9), darker(main, 0.7), 4, 0.5)
            canvas.line(svg(f"M60 {y} C110 {y + 7} 210 {y + 7} 260 {y}"), darker(main, 0.35), 1.6)
            for x in range(70, 260, 9):
                canvas.line([(x, y + 4), (x - 2, y + 15)], darker(main, 0.35), 1, 0.5)


def _neckline(canvas: Canvas, look: Look, sleeves: str) -> None:
    main = look.colour
    if look.has("collar"):
        canvas.form(rect(154, 80, 166, _WAIST + 2), lighter(main, 0.06), 0, 0.6)
        garments.buttons(canvas, [(160, 90 + i * 16) for i in range(4)], (248, 244, 236), 2.4)
        garments.buttons(canvas, [(160, 170 + i * 22) for i in range(4)], (248, 244, 236), 2.4)
        garments.collar(canvas, main, 20)
    elif look.get("neck") == "high":
        roll = symmetric(svg("M138 74 C134 60 136 48 142 44 L160 42 L160 80 C150 80 143 78 138 74 Z"))
        canvas.form(roll, main, 80, 1.0)
        with canvas.clip(roll):
            patterns.rib(canvas, main, 5)
    elif sleeves == "strap":
        canvas.line(svg("M129 91 C140 99 150 99 160 99 C170 99 180 99 191 91"), darker(main, 0.25), 2)
    elif look.get("neck") == "v":
        garments.neck_hole(canvas, main, 52, 22, v=True)
        canvas.line(svg("M139 66 C144 82 152 104 160 118"), darker(main, 0.2), 3)
        canvas.line(svg(f"M181 66 C176 84 160 116 131 {_WAIST}"), darker(main, 0.2), 3)
    else:
        garments.neck_hole(canvas, main, 26, 21)
        canvas.fill(band(symmetric(svg("M139 66 C139 86 148 92 160 92")), 3.4), darker(main, 0.16))


def _belt(canvas: Canvas, look: Look) -> None:
    main, style = look.colour, look.get("belt")
    sash = symmetric(
        svg(
            f"M128 {_WAIST - 6} C140 {_WAIST - 3} 150 {_WAIST - 2} 160 {_WAIST - 2} "
            f"L160 {_WAIST + 9} C150 {_WAIST + 9} 138 {_WAIST + 8} 127 {_WAIST + 5} Z"
        )
    )
    if style == "tie":
        tone = darker(main, 0.18)
        canvas.form(sash, tone, 90, 0.8)
        for tail in (
            svg(
                f"M134 {_WAIST + 2} C128 {_WAIST + 24} 124 {_WAIST + 42} 126 {_WAIST + 60} "
                f"L135 {_WAIST + 58} C134 {_WAIST + 40} 138 {_WAIST + 22} 141 {_WAIST + 4} Z"
            ),
            svg(
                f"M138 {_WAIST + 2} C142 {_WAIST + 20} 144 {_WAIST + 32} 142 {_WAIST + 46} "
                f"L150 {_WAIST + 45} C152 {_WAIST + 28} 148 {_WAIST + 14} 143 {_WAIST + 2} Z"
            ),
        ):
            canvas.form(tail, tone, 80, 0.9)
        canvas.form(rect(132, _WAIST - 6, 145, _WAIST + 10, 5), darker(tone, 0.08), 80, 1.0)
    elif style == "buckle":
        leather: RGB = (138, 92, 60) if brightness(main) > 0.3 else (196, 150, 104)
        canvas.form(sash, leather, 90, 0.9)
        canvas.line([*rect(152, _WAIST - 5, 168, _WAIST + 12, 3), (152, _WAIST)], BRASS, 2.4)
    elif look.shape in ("summer", "evening"):
        canvas.fill(sash, darker(main, 0.1), 0.8)


_LEGS = {
    "slim": "M104 70 C98 110 100 160 108 200 C112 232 114 258 115 282 L147 284 C150 230 154 180 160 128",
    "straight": "M102 70 C94 110 94 170 96 210 L98 282 L144 285 C148 230 154 180 160 128",
    "wide": "M104 70 C94 110 84 190 72 280 C92 288 124 290 142 286 C148 230 154 180 160 128",
    "shorts": "M102 84 C92 120 82 170 76 216 C96 228 128 230 150 226 C152 200 156 170 160 146",
    "joggers": "M102 70 C92 120 92 180 104 226 C108 244 112 256 114 268 L144 268 C150 220 154 180 160 130",
}


def trousers(canvas: Canvas, look: Look) -> None:
    main = look.colour
    cut = look.shape if look.shape in ("shorts", "joggers") else look.get("cut", "straight")
    half = svg(_LEGS[cut])
    top = half[0][1]
    body = half + mirror(reversed(half))
    canvas.form(body, main, 70, 0.9)
    with canvas.clip(body):
        _leg_shading(canvas, look, top)
    waistband = symmetric(
        svg(
            f"M104 {top - 16} C122 {top - 11} 142 {top - 10} 160 {top - 10} "
            f"L160 {top + 6} C140 {top + 6} 120 {top + 5} 101 {top + 1} Z"
        )
    )
    canvas.fill(
        symmetric(
            svg(f"M106 {top - 17} C124 {top - 23} 144 {top - 24} 160 {top - 24} L160 {top - 8} L110 {top - 12} Z")
        ),
        darker(main, 0.5),
    )
    canvas.form(waistband, darker(main, 0.06), 90, 0.8)
    _closing(canvas, look, top, waistband)
    with canvas.clip(body):
        _trouser_pockets(canvas, look, top)
    if look.has("cargo"):
        for x in (93, 189):
            garments.patch_pocket(canvas, lighter(main, 0.03), x, 164, 38, 46, flap=True)
    if look.shape in ("jeans", "chinos") and look.number % 2 == 0:
        _turn_ups(canvas, main, half)
    if look.shape == "joggers":
        for path in (rect(112, 264, 147, 286, 4), mirror(rect(112, 264, 147, 286, 4))):
            canvas.form(path, darker(main, 0.12), 90, 0.8)
            with canvas.clip(path):
                patterns.rib(canvas, main, 5)


def _turn_ups(canvas: Canvas, main: RGB, half: Path) -> None:
    """Hems rolled once, showing the pale inside."""
    bottom = max(y for _, y in half)
    xs = [x for x, y in half if y > bottom - 12]
    for flip in SIDES:
        canvas.form(flip(rect(min(xs) - 3, bottom - 14, max(xs) + 3, bottom + 4, 3)), lighter(main, 0.4), 90, 0.9)


def _leg_shading(canvas: Canvas, look: Look, top: float) -> None:
    main = look.colour
    canvas.blur(svg("M152 128 L168 128 L172 300 L148 300 Z"), darker(main, 0.8), 5, 0.3)
    if look.shape == "jeans":
        for x in (126, 194):
            canvas.blur(rect(x - 10, 110, x + 10, 230, 10), lighter(main, 0.5), 9, 0.4)
    for path in (
        svg(
            f"M160 {top + 52} C146 {top + 60} 128 {top + 64} 112 "
            f"{top + 66} C130 {top + 70} 150 {top + 72} 160 {top + 60} Z"
        ),
    ):
        for p in (path, mirror(path)):
            canvas.blur(p, darker(main, 0.7), 2.5, 0.3)
    seam = mix(BRASS, WHITE, 0.2) if look.shape == "jeans" else darker(main, 0.25)
    canvas.stitch(svg(f"M160 {top + 4} L160 {top + 58}"), seam, 1.2)
    if look.shape in ("jeans", "chinos", "cargo", "shorts"):
        fly = svg(f"M172 {top + 4} C172 {top + 30} 170 {top + 44} 160 {top + 50}")
        canvas.stitch(fly, seam, 1.2)
    if look.shape == "chinos":
        for x in (126, 194):
            canvas.line(svg(f"M{x} {top + 20} C{x - 2} 160 {x + 1} 220 {x} 284"), lighter(main, 0.2), 1.2, 0.7)


def _closing(canvas: Canvas, look: Look, top: float, waistband: Path) -> None:
    main = look.colour
    if look.has("cord") or look.shape == "joggers":
        with canvas.clip(waistband):
            patterns.rib(canvas, main, 4)
        for s in (-1, 1):
            cord = svg(
                f"M{160 + s * 3} {top} C{160 + s * 12} {top + 12} {160 + s * 6} {top + 24} {160 + s * 10} {top + 38}"
            )
            canvas.line(cord, contrast(main, 0.75) if brightness(main) < 0.6 else (250, 246, 238), 2.6)
        return
    for x in (114, 138, 182, 206):
        canvas.fill(rect(x - 2.5, top - 16, x + 2.5, top + 9, 1), darker(main, 0.18))
    garments.buttons(canvas, [(163, top - 2)], METAL if look.shape == "jeans" else darker(main, 0.4), 4)


def _trouser_pockets(canvas: Canvas, look: Look, top: float) -> None:
    main = look.colour
    seam = mix(BRASS, WHITE, 0.2) if look.shape == "jeans" else darker(main, 0.35)
    for flip in (False, True):
        curve = (
            svg(f"M134 {top + 6} C132 {top + 24} 120 {top + 34} 98 {top + 34}")
            if look.shape == "jeans"
            else svg(f"M124 {top + 6} L106 {top + 46}")
        )
        path = mirror(curve) if flip else curve
        canvas.line(path, darker(main, 0.4), 1.6)
        canvas.stitch(shift(path, 0, 3), seam, 1.1)
