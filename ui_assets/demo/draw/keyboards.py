"""Keyboards, seen from above."""

from __future__ import annotations

from collections.abc import Iterator

from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import DARK, METAL, RGB, WHITE, brightness, darker, lighter, mix, rgb
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import Path, ellipse, rect, rotate, shift, svg

# widths of the keys of each row in key units; negative numbers are gaps
_ALPHA = (
    (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2),
    (1.5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1.5),
    (1.75, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2.25),
    (2.25, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1.75, 1),
    (1.25, 1.25, 1.25, 6.25, 1, 1, 1, 1, 1),
)
_EDGE = ((1,), (1,), (1,), (1,), (1,))
_TOP = (1, -0.5, 1, 1, 1, 1, -0.25, 1, 1, 1, 1, -0.25, 1, 1, 1, 1)
_NAV = ((-0.4, 1, 1, 1), (-0.4, 1, 1, 1), (), (-1.4, 1), (-0.4, 1, 1, 1))
_PAD = ((-0.4, 1, 1, 1, 1), (-0.4, 1, 1, 1, 1), (-0.4, 1, 1, 1, 1), (-0.4, 1, 1, 1, 1), (-0.4, 2, 1, 1))
_GLOW = {"warm": (rgb("ffd9a0"), rgb("ffd9a0")), "rgb": (rgb("7ad0ff"), rgb("ff8ad8"))}

Row = tuple[float, ...]


def _rows(layout: str) -> list[Row]:
    base: list[Row] = [tuple(row) for row in _ALPHA]
    if layout == "pad":
        return [(1, 1, 1, 1), *(row[1:] for row in _PAD)]
    rows = [row + edge for row, edge in zip(base, _EDGE, strict=True)]
    if layout == "65":
        return rows
    if layout == "75":
        return [(1,) * 16, *rows]
    wide = [row + nav for row, nav in zip(base, _NAV, strict=True)]
    if layout == "tkl":
        return [_TOP, *wide]
    return [_TOP, *(row + pad for row, pad in zip(wide, _PAD, strict=True))]


def _keys(rows: list[Row]) -> Iterator[tuple[int, float, float]]:
    """(row, left, width) of each key in key units."""
    for number, row in enumerate(rows):
        x = 0.0
        for width in row:
            if width > 0:
                yield number, x, width
            x += abs(width)


def keyboard(canvas: Canvas, look: Look) -> None:
    if look.shape == "split":
        _split(canvas, look)
        return
    rows = _rows(look.get("layout", "75"))
    span = max(sum(abs(w) for w in row) for row in rows)
    unit = min(262 / span, 30.0)
    width, height = unit * span, unit * len(rows) * 1.02
    x0, y0 = 160 - width / 2, 160 - height / 2
    rim = 9.0 if look.shape != "slim" else 6.0
    if look.has("cable"):
        canvas.line(svg(f"M160 {y0 - rim} C160 {y0 - 34} 190 {y0 - 26} 196 {y0 - 50}"), mix(look.accent, DARK, 0.3), 4)
        canvas.form(rect(152, y0 - rim - 10, 168, y0 - rim + 2, 2), METAL, 0, 1.0)
    case = rect(x0 - rim, y0 - rim, x0 + width + rim, y0 + height + rim + (3 if look.shape != "slim" else 0), 10)
    _case(canvas, look, case)
    well = rect(x0 - 2, y0 - 2, x0 + width + 2, y0 + height + 2, 4)
    _well(canvas, look, well)
    _caps(canvas, look, rows, (x0, y0), unit)
    if look.has("knob") and look.get("layout") != "pad":
        x, y = x0 + width - unit * 0.5, y0 + unit * 0.5
        canvas.dot(x + 1, y + 2, unit * 0.62, DARK, 0.5)
        canvas.form(ellipse(x, y, unit * 0.6), METAL, 50, 1.3)
        canvas.form(ellipse(x, y, unit * 0.42), lighter(METAL, 0.2), 50, 1.0)
        canvas.line([(x, y - unit * 0.36), (x, y - unit * 0.15)], DARK, 1.3)


def _case(canvas: Canvas, look: Look, case: Path) -> None:
    if look.shape != "slim":
        canvas.fill(shift(case, 0, 5), darker(look.colour, 0.4))
    canvas.form(case, look.colour if brightness(look.colour) > 0.3 else lighter(look.colour, 0.06), 60, 1.0)


def _well(canvas: Canvas, look: Look, well: Path) -> None:
    canvas.fill(well, darker(look.colour, 0.5))
    glow = _GLOW.get(look.get("glow"))
    if glow:
        canvas.gradient(well, *glow, 0, 0.9)


def _caps(canvas: Canvas, look: Look, rows: list[Row], at: tuple[float, float], unit: float) -> None:
    base = lighter(look.colour, 0.16) if brightness(look.colour) > 0.3 else lighter(look.colour, 0.12)
    modifier, accent = mix(look.colour, darker(look.accent, 0.1), 0.45), look.accent
    gap = unit * 0.07
    most = max(sum(abs(w) for w in row) for row in rows)
    for row, left, width in _keys(rows):
        x, y = at[0] + left * unit, at[1] + row * unit * 1.02
        colour = base
        if look.shape == "mechanical":
            special = (width > 1 and width < 6) or left + width > most - 0.01
            if special and (look.has("accents") or look.number % 3 == 0):
                colour = modifier
            if (row, left) == (0, 0.0) or (look.has("accents") and width == 2.25 and row >= len(rows) - 3 and left > 5):
                colour = accent
        _cap(canvas, (x + gap, y + gap, x + width * unit - gap, y + unit - gap), colour, look.shape == "slim")


def _cap(canvas: Canvas, box: tuple[float, float, float, float], colour: RGB, flat: bool) -> None:
    x0, y0, x1, y1 = box
    r = (y1 - y0) * 0.2
    if flat:
        canvas.gradient(rect(x0, y0, x1, y1, r), lighter(colour, 0.1), darker(colour, 0.06), 90)
        return
    canvas.fill(rect(x0, y0 + 0.5, x1, y1 + 0.8, r), darker(colour, 0.34))
    canvas.fill(rect(x0, y0, x1, y1 - 0.6, r), darker(colour, 0.12))
    inset = (y1 - y0) * 0.13
    canvas.gradient(
        rect(x0 + inset, y0 + inset * 0.4, x1 - inset, y1 - inset * 1.9, r), lighter(colour, 0.16), colour, 90
    )
    if x1 - x0 < (y1 - y0) * 1.4:
        mark = darker(colour, 0.5) if brightness(colour) > 0.45 else lighter(colour, 0.55)
        canvas.line([(x0 + inset * 2, y0 + inset * 2), (x0 + inset * 3.1, y0 + inset * 2)], mark, 0.9, 0.75)


def _split(canvas: Canvas, look: Look) -> None:
    unit = 19.0
    half: list[Row] = [(1,) * 6, (1,) * 6, (1,) * 6, (1,) * 6]
    for side in (-1, 1):
        centre = (160 + side * 70, 156)
        turn = 10.0 * -side
        case = svg("M16 94 L146 94 L148 190 C150 214 140 222 124 222 L96 214 L20 210 Z")
        case = shift(case, 8, 0) if side < 0 else [(320 - x - 8, y) for x, y in case]
        case = rotate(case, -turn, centre)
        canvas.fill(shift(case, 0, 5), darker(look.colour, 0.45))
        canvas.form(case, look.colour, 60, 1.0)
        for row, left, width in _keys(half):
            x = 32 + left * unit if side < 0 else 320 - 32 - (left + width) * unit
            y = 102 + row * unit * 1.03 - (4 if left in (2, 3) else 0)
            colour = look.accent if (row, left) in ((0, 0), (2, 0)) else lighter(look.colour, 0.16)
            _turned_cap(canvas, (x, y, unit), -turn, centre, colour)
        for k in range(3):
            x = 84 + k * unit if side < 0 else 320 - 84 - (k + 1) * unit
            _turned_cap(canvas, (x, 184 + k * 4, unit), -turn, centre, mix(look.colour, look.accent, 0.6))
    canvas.line(svg("M142 104 C150 84 170 84 178 104"), DARK, 3.4)
    canvas.line(svg("M142 104 C150 84 170 84 178 104"), WHITE, 0.8, 0.4)


def _turned_cap(
    canvas: Canvas, spot: tuple[float, float, float], turn: float, centre: tuple[float, float], colour: RGB
) -> None:
    x, y, unit = spot
    canvas.fill(rotate(rect(x + 1.2, y + 1.6, x + unit - 1.2, y + unit - 0.6, 3.5), turn, centre), darker(colour, 0.3))
    canvas.gradient(
        rotate(rect(x + 3, y + 1.6, x + unit - 3, y + unit - 5, 3), turn, centre), lighter(colour, 0.18), colour, 90
    )
