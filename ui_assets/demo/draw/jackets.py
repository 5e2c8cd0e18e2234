"""Jackets and coats, laid flat."""

from __future__ import annotations

from ui_assets.demo.draw import garments, patterns
from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import BRASS, METAL, RGB, contrast, darker, lighter, mix
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import Path, band, mirror, rect, shift, svg, symmetric


def jacket(canvas: Canvas, look: Look) -> None:
    main = look.colour
    bottom = {"parka": 284.0, "bomber": 238.0, "denim": 240.0}.get(look.shape, 258.0)
    body = garments.bodice(bottom, waist=92, hem=90 if look.shape != "parka" else 86)
    if look.has("hood"):
        _hood(canvas, look)
    arms = garments.sleeves(canvas, "long", main)
    for arm in arms:
        with canvas.clip(arm):
            _surface(canvas, look, sleeve=True)
    canvas.form(body, main, 70, 0.9)
    with canvas.clip(body):
        _surface(canvas, look, sleeve=False)
        garments.folds(canvas, main, bottom)
    _ends(canvas, look, bottom)
    _front(canvas, look, bottom)
    _pockets(canvas, look, bottom)
    _neck(canvas, look)


def _surface(canvas: Canvas, look: Look, sleeve: bool) -> None:
    main = look.colour
    if look.shape == "puffer":
        for i in range(9):
            y = 62 + i * 25
            slant = 8 if sleeve else 5
            channel = svg(
                f"M30 {y + slant} C100 {y - slant} 220 {y - slant} 290 {y + slant} L290 "
                f"{y + 25 + slant} C220 {y + 25 - slant} 100 {y + 25 - slant} 30 {y + 25 + slant} Z"
            )
            canvas.relief(channel, darker(main, 0.7), 0.55, 6)
            canvas.line(
                svg(f"M30 {y + slant} C100 {y - slant} 220 {y - slant} 290 {y + slant}"), darker(main, 0.35), 1.4
            )
    elif look.has("pile"):
        patterns.pile(canvas, main, look.number + int(sleeve), 8)
    if look.has("sheen"):
        for path in (
            svg("M104 84 C96 130 98 180 112 240 C104 180 104 130 116 90 Z"),
            svg("M216 90 C206 140 206 190 214 240 C222 190 222 140 226 96 Z"),
        ):
            canvas.blur(path, (255, 255, 255), 5, 0.5)
    if look.has("storm") and not sleeve:
        yoke = svg("M60 60 L260 60 L260 116 C220 126 100 126 60 116 Z")
        canvas.fill(yoke, darker(main, 0.1) if look.number % 2 else mix(main, look.accent, 0.5))
        canvas.line(svg("M60 116 C100 126 220 126 260 116"), darker(main, 0.4), 1.2)
    if look.shape == "denim":
        seam = mix(BRASS, (255, 220, 160), 0.3)
        if not sleeve:
            canvas.stitch(svg("M92 124 C120 128 146 128 158 126"), seam, 1.3)
            canvas.stitch(svg("M228 124 C200 128 174 128 162 126"), seam, 1.3)
            for s in (1, -1):
                canvas.stitch([(160 - s * 40, 128), (160 - s * 22, 236)], seam, 1.2)
                canvas.stitch([(160 - s * 56, 128), (160 - s * 54, 236)], seam, 1.2)


def _hood(canvas: Canvas, look: Look) -> None:
    main = look.colour
    hood = symmetric(svg("M118 84 C104 52 122 24 160 22"))
    canvas.form(hood, darker(main, 0.06), 90, 1.0)
    inside = symmetric(svg("M130 86 C120 58 134 38 160 37"))
    canvas.fill(inside, darker(main, 0.5))
    canvas.blur(symmetric(svg("M140 88 C136 70 146 58 160 58")), darker(main, 0.9), 7, 0.6)
    if look.has("fur"):
        fur: RGB = (214, 194, 164)
        rim = svg("M120 84 C110 54 126 28 160 27 C194 28 210 54 200 84")
        for k, (size, tone) in enumerate(((11, 0.25), (8, 0.08), (5, 0.0))):
            for i in range(0, len(rim), 2):
                x, y = rim[i]
                canvas.dot(x + (i * 7 + k * 3) % 5 - 2, y + (i * 5 + k) % 5 - 2, size, darker(fur, tone))


def _ends(canvas: Canvas, look: Look, bottom: float) -> None:
    """Cuffs and hem."""
    main = look.colour
    if look.shape in ("bomber", "fleece"):
        trim = darker(main, 0.25) if look.shape == "bomber" else look.accent
        garments.cuffs(canvas, "long", trim)
        hem = symmetric(
            svg(
                f"M92 {bottom - 12} C110 {bottom - 6} 140 {bottom - 5} 160 {bottom - 5} "
                f"L160 {bottom + 10} C136 {bottom + 10} 112 {bottom + 8} 96 {bottom + 2} Z"
            )
        )
        canvas.form(hem, trim, 90, 0.8)
        if look.shape == "bomber":
            for path in (hem, garments.SLEEVES["long"]):
                with canvas.clip(path if path is hem else rect(0, 0, 1, 1)):
                    patterns.rib(canvas, trim, 5)
    elif look.shape == "denim":
        garments.cuffs(canvas, "long", darker(main, 0.1))
        hem = symmetric(
            svg(
                f"M91 {bottom - 12} C112 {bottom - 6} 140 {bottom - 5} 160 {bottom - 5} "
                f"L160 {bottom + 8} C136 {bottom + 8} 112 {bottom + 6} 92 {bottom} Z"
            )
        )
        canvas.form(hem, darker(main, 0.1), 90, 0.8)
    elif look.shape in ("rain", "parka"):
        garments.cuffs(canvas, "long", darker(main, 0.12))
        for x in (96, 224):
            canvas.line([(x, bottom - 10), (160, bottom - 5)], darker(main, 0.3), 1)


def _front(canvas: Canvas, look: Look, bottom: float) -> None:
    main = look.colour
    end = bottom + (8 if look.shape in ("bomber", "fleece", "denim") else 3)
    if look.shape == "denim":
        canvas.form(rect(154, 78, 168, end - 1), lighter(main, 0.05), 0, 0.7)
        garments.buttons(canvas, [(161, 92 + i * 28) for i in range(6)], BRASS, 3.4)
    elif look.shape in ("rain", "parka"):
        flap = rect(152, 74, 170, end - 1, 2)
        canvas.form(flap, lighter(main, 0.04), 0, 0.8)
        garments.buttons(canvas, [(161, 96 + i * 38) for i in range(int((bottom - 90) / 38))], mix(METAL, main, 0.2), 3)
    else:
        garments.zipper(canvas, main if look.shape != "fleece" else look.accent, 74, end)
    if look.shape == "parka":
        canvas.line(svg("M92 178 C120 184 200 184 228 178"), darker(main, 0.3), 1.4)
        for s in (-1, 1):
            canvas.line(
                svg(f"M{160 + s * 14} 180 C{160 + s * 16} 190 {160 + s * 12} 196 {160 + s * 14} 204"),
                contrast(main, 0.6),
                2,
            )


def _pockets(canvas: Canvas, look: Look, bottom: float) -> None:
    main = look.colour
    style = look.get("pockets")
    edge = look.accent if look.shape in ("fleece", "rain") and look.number % 2 else darker(main, 0.42)
    if style == "slant":
        slit = svg(f"M122 {bottom - 78} C118 {bottom - 62} 112 {bottom - 48} 106 {bottom - 36}")
        for path in (slit, mirror(slit)):
            canvas.line(path, edge, 3.2)
            canvas.line(shift(path, -1, -1), lighter(main, 0.25), 0.8, 0.7)
    if style in ("flap", "four"):
        for x in (102, 180):
            garments.patch_pocket(canvas, main, x, bottom - 66, 38, 42, flap=True)
    if style in ("chest", "four"):
        for x in (106, 182):
            garments.patch_pocket(canvas, main, x, 128 if style == "chest" else 120, 32, 34, flap=True)
            if style == "chest":
                garments.buttons(canvas, [(x + 16, 136)], BRASS, 2.4)
    if look.has("chest"):
        canvas.form(rect(184, 116, 214, 150, 3), look.accent, 90, 0.7)
        canvas.line([(186, 122), (212, 122)], darker(look.accent, 0.5), 2.2)


def _neck(canvas: Canvas, look: Look) -> None:
    main = look.colour
    if look.shape == "denim":
        garments.collar(canvas, main, 24)
        return
    if look.has("hood"):
        lapel = svg("M130 66 C132 80 142 90 158 96 L158 78 C148 78 140 72 136 62 Z")
        for path in (lapel, mirror(lapel)):
            canvas.form(path, darker(main, 0.06), 70, 0.9)
        for s in (-1, 1):
            cord = svg(f"M{160 + s * 16} 90 C{160 + s * 20} 106 {160 + s * 15} 116 {160 + s * 17} 128")
            canvas.line(cord, contrast(look.accent, 0.1), 2)
            canvas.fill(rect(160 + s * 17 - 2.5, 126, 160 + s * 17 + 2.5, 136, 2), darker(main, 0.6))
        return
    trim = darker(main, 0.25) if look.shape == "bomber" else main
    stand = symmetric(svg("M130 72 C128 58 134 46 142 42 C148 40 154 40 160 40 L160 84 C148 84 136 80 130 72 Z"))
    canvas.form(stand, trim, 80, 1.0)
    inner = symmetric(svg("M140 46 C146 42 154 42 160 42 L160 54 C152 54 145 52 140 46 Z"))
    canvas.fill(inner, darker(main, 0.5))
    with canvas.clip(stand):
        if look.shape == "puffer":
            canvas.line(svg("M124 66 C140 74 180 74 196 66"), darker(main, 0.35), 1.4)
        if look.shape == "bomber":
            patterns.rib(canvas, trim, 5)
        if look.has("pile"):
            patterns.pile(canvas, main, look.number, 8)
    zip_colour = look.accent if look.shape == "fleece" else main
    seam: Path = band([(160, 55), (160, 86)], 4.4)
    canvas.fill(seam, darker(zip_colour, 0.45))
