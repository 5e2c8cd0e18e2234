"""Sunglasses, seen from the front, temples folded out behind."""

from __future__ import annotations

from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import DARK, RGB, WHITE, WOOD, darker, lighter, mix, rgb
from ui_assets.demo.draw.look import Look
from ui_assets.demo.draw.paths import SIDES, Path, ellipse, mirror, rect, scale, shift, svg

_LENSES: dict[str, tuple[RGB, RGB]] = {
    "grey": (rgb("3c4048"), rgb("6a7078")),
    "brown": (rgb("5a3c28"), rgb("d0a67c")),
    "green": (rgb("33493c"), rgb("6f8a72")),
    "mirror": (rgb("3f7fc0"), rgb("9fd8e8")),
    "rose": (rgb("b8647a"), rgb("f0c4c0")),
}
_SHAPES: dict[str, Path] = {
    "round": ellipse(102, 162, 48, 48),
    "aviator": svg(
        "M54 134 C60 124 126 122 148 130 C156 140 150 176 132 196 C112 212 78 210 64 188 C54 172 50 146 54 134 Z"
    ),
    "square": svg(
        "M54 130 C58 124 142 122 148 130 C152 146 150 176 144 192 C134 202 72 204 62 194 C54 178 50 146 54 130 Z"
    ),
    "cateye": svg(
        "M40 118 C60 122 120 128 146 138 C152 156 148 180 132 192 C108 204 72 200 58 180 C50 164 48 138 40 118 Z"
    ),
}


def sunglasses(canvas: Canvas, look: Look) -> None:
    canvas.ground(160, 232, 124, 9, 0.26)
    if look.shape == "sport":
        _sport(canvas, look)
        return
    frame = look.colour
    wire = look.has("wire")
    _temples(canvas, look, wire)
    lens = _SHAPES[look.shape]
    rim = 5.0 if wire else {"square": 12.0, "cateye": 11.0}.get(look.shape, 10.0)
    middle = (102.0, 162.0)
    for flip in SIDES:
        outer = flip(scale(lens, 1 + rim / 52, 1 + rim / 44, middle))
        inner = flip(lens)
        if not wire:
            canvas.form(outer, frame, 65, 1.1)
        _glass(canvas, look, inner)
        if wire:
            canvas.line([*inner, inner[0]], darker(frame, 0.25), 5)
            canvas.line([*shift(inner, -0.6, -0.8), shift(inner, -0.6, -0.8)[0]], lighter(frame, 0.25), 2.4)
    _bridge(canvas, look, wire)
    if not wire:
        for flip in SIDES:
            spot = flip(rect(45 if look.shape != "cateye" else 42, 132, 53, 138, 2))
            canvas.fill(spot, (226, 222, 210))


def _glass(canvas: Canvas, look: Look, lens: Path) -> None:
    dark, light = _LENSES[look.get("lens", "grey")]
    canvas.gradient(lens, dark, light, 100, 0.93)
    with canvas.clip(lens):
        cx = sum(x for x, _ in lens) / len(lens)
        canvas.blur(shift(svg("M-34 -60 L-14 -60 L-52 60 L-72 60 Z"), cx + 26, 160), WHITE, 2, 0.26)
        canvas.blur(shift(svg("M-8 -60 L-2 -60 L-40 60 L-46 60 Z"), cx + 26, 160), WHITE, 1.5, 0.2)
        if look.get("lens") == "mirror":
            canvas.blur(ellipse(cx + 10, 196, 46, 20), rgb("f0b8d8"), 10, 0.55)
        canvas.blur(shift([*lens], 0, -90), darker(dark, 0.5), 10, 0.35)


def _temples(canvas: Canvas, look: Look, wire: bool) -> None:
    colour = WOOD if look.has("bamboo") else look.colour
    high = {"cateye": 124.0, "aviator": 138.0}.get(look.shape, 140.0)
    for flip in SIDES:
        arm = svg(
            f"M48 {high} C36 {high - 22} 30 {high - 46} 46 {high - 66} C58 {high - 76} 82 {high - 74} 112 {high - 62}"
        )
        canvas.line(flip(arm), darker(colour, 0.32), 4 if wire else 9)
        if not wire:
            canvas.line(flip(shift(arm, -1, -1.6)), lighter(colour, 0.05), 4.5)
        if look.has("bamboo"):
            for x, y in arm[8::8]:
                canvas.dot(x if flip is list else 320 - x, y, 1.6, darker(WOOD, 0.4))


def _bridge(canvas: Canvas, look: Look, wire: bool) -> None:
    frame = look.colour
    if look.shape == "aviator":
        canvas.line(svg("M148 134 C154 128 166 128 172 134"), darker(frame, 0.1), 4)
        canvas.line(svg("M140 126 C150 120 170 120 180 126"), lighter(frame, 0.1), 4)
    elif wire:
        canvas.line(svg("M149 152 C153 140 167 140 171 152"), darker(frame, 0.1), 4.4)
    else:
        bridge = svg("M144 142 C154 132 166 132 176 142 L174 158 C166 148 154 148 146 158 Z")
        canvas.form(bridge, frame, 80, 1.0)
    for flip in SIDES:
        pad = flip(svg("M150 164 C146 172 145 182 147 190 C152 184 154 174 153 166 Z"))
        canvas.fill(pad, (236, 232, 224), 0.75)


def _sport(canvas: Canvas, look: Look) -> None:
    frame = look.colour
    for flip in SIDES:
        arm = flip(
            svg("M40 146 C30 126 26 104 40 86 C50 76 66 78 92 90 L90 98 C66 92 56 92 50 100 C44 114 48 128 56 142 Z")
        )
        canvas.form(arm, frame, 80, 1.0)
        canvas.line(flip(svg("M44 96 C50 86 62 86 80 92")), look.accent, 3.5)
    shield = _shield()
    _glass(canvas, look, shield)
    canvas.relief(shield, DARK, 0.5)
    brow = svg(
        "M34 136 C60 118 130 120 160 126 C190 120 260 118 286 136 "
        "L284 150 C256 136 196 138 160 142 C124 138 64 136 36 150 Z"
    )
    canvas.form(brow, frame, 80, 1.1)
    canvas.line(svg("M60 132 C90 126 130 130 150 133"), mix(look.accent, WHITE, 0.1), 3)
    canvas.line(svg("M260 132 C230 126 190 130 170 133"), mix(look.accent, WHITE, 0.1), 3)
    nose = svg(
        "M146 176 C152 158 168 158 174 176 L180 196 C176 204 170 200 "
        "166 190 C162 184 158 184 154 190 C150 200 144 204 140 196 Z"
    )
    canvas.form(nose, DARK, 80, 1.0)


def _shield() -> Path:
    left = svg(
        "M160 136 C124 130 66 130 38 142 C38 168 52 198 82 208 C112 214 132 204 142 186 C146 172 152 164 160 164"
    )
    return left + mirror(reversed(left))
