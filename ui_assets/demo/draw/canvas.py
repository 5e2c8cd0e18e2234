"""A small painter: filled outlines with soft shading, drawn at four times the size and scaled down."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from ui_assets.demo.draw.colours import INK, RGB, WHITE, darker, lighter
from ui_assets.demo.draw.paths import Path, Point, along, ellipse, rotate, shift

SIZE = 320  # pixels of a finished picture, and units of the drawing space
SCALE = 4
FULL = SIZE * SCALE
Box = tuple[int, int, int, int]
Mask = Image.Image  # mode "L"
Shares = NDArray[np.float32]
_ALL: Box = (0, 0, FULL, FULL)


def _hires(path: Sequence[Point]) -> list[Point]:
    return [(x * SCALE, y * SCALE) for x, y in path]


def _box(path: Sequence[Point], margin: float = 1) -> Box:
    """The part of the sheet, in pixels on whole units, that the outline and a margin of units cover."""
    xs, ys = [p[0] for p in path], [p[1] for p in path]
    return (
        max(0, math.floor(min(xs) - margin)) * SCALE,
        max(0, math.floor(min(ys) - margin)) * SCALE,
        min(SIZE, math.ceil(max(xs) + margin)) * SCALE,
        min(SIZE, math.ceil(max(ys) + margin)) * SCALE,
    )


def _mask(path: Sequence[Point], box: Box, factor: int) -> Mask:
    """The outline filled, at `factor` pixels per unit, of the part of the sheet in the box."""
    left, top, right, bottom = (edge * factor // SCALE for edge in box)
    mask = Image.new("L", (right - left, bottom - top), 0)
    ImageDraw.Draw(mask).polygon([(x * factor - left, y * factor - top) for x, y in path], fill=255)
    return mask


def _shares(mask: Mask) -> Shares:
    return np.asarray(mask, dtype=np.float32) / np.float32(255)


class Canvas:
    """Paint on a transparent sheet; `finish` puts it on a backdrop with its shadow."""

    def __init__(self) -> None:
        self._layer = Image.new("RGBA", (FULL, FULL))
        self._shadows: list[tuple[Path, float, float]] = []

    # -- plain painting

    def fill(self, path: Sequence[Point], colour: RGB, alpha: float = 1.0) -> None:
        self._paint(path, colour, alpha, None)

    def gradient(self, path: Sequence[Point], first: RGB, last: RGB, angle: float = 90, alpha: float = 1.0) -> None:
        """From `first` to `last` across the outline; 0 degrees runs to the right, 90 down."""
        self._paint(path, first, alpha, (last, angle))

    def _paint(self, path: Sequence[Point], colour: RGB, alpha: float, ramp: tuple[RGB, float] | None) -> None:
        box = _box(path)
        width, height = box[2] - box[0], box[3] - box[1]
        if width <= 0 or height <= 0:
            return
        mask = Image.new("L", (width, height), 0)
        outline = [(x - box[0], y - box[1]) for x, y in _hires(path)]
        ImageDraw.Draw(mask).polygon(outline, fill=round(255 * alpha))
        sheet = Image.new("RGBA", (width, height), (*colour, 255))
        if ramp:
            sheet.paste((*ramp[0], 255), (0, 0), _ramp(width, height, ramp[1]))
        sheet.putalpha(mask)
        self._layer.alpha_composite(sheet, box[:2])

    def line(self, points: Sequence[Point], colour: RGB, width: float, alpha: float = 1.0) -> None:
        """A stroke with round ends and joints; `width` in units."""
        self.lines([points], colour, width, alpha)

    def lines(self, paths: Sequence[Sequence[Point]], colour: RGB, width: float, alpha: float = 1.0) -> None:
        """Many strokes at once, as thick where they cross as elsewhere."""
        box = _box([point for path in paths for point in path], width)
        mask = Image.new("L", (max(0, box[2] - box[0]), max(0, box[3] - box[1])), 0)
        pen = ImageDraw.Draw(mask)
        r = width * SCALE / 2
        for path in paths:
            moved = [(x - box[0], y - box[1]) for x, y in _hires(path)]
            pen.line(moved, fill=255, width=max(1, round(width * SCALE)), joint="curve")
            for x, y in (moved[0], moved[-1]):
                pen.ellipse((x - r, y - r, x + r, y + r), fill=255)
        self._lay(mask, box, colour, alpha)

    def dots(self, spots: Sequence[Point], r: float, colour: RGB, alpha: float = 1.0) -> None:
        """Many equal dots at once."""
        box = _box(spots, r + 1)
        mask = Image.new("L", (max(0, box[2] - box[0]), max(0, box[3] - box[1])), 0)
        pen = ImageDraw.Draw(mask)
        for x, y in spots:
            cx, cy, far = x * SCALE - box[0], y * SCALE - box[1], r * SCALE
            pen.ellipse((cx - far, cy - far, cx + far, cy + far), fill=255)
        self._lay(mask, box, colour, alpha)

    def _lay(self, mask: Mask, box: Box, colour: RGB, alpha: float) -> None:
        if not all(mask.size):
            return
        sheet = Image.new("RGBA", mask.size, (*colour, 255))
        sheet.putalpha(mask.point(lambda v: v * alpha) if alpha < 1 else mask)
        self._layer.alpha_composite(sheet, box[:2])

    def dot(self, x: float, y: float, r: float, colour: RGB, alpha: float = 1.0) -> None:
        self.fill(ellipse(x, y, r), colour, alpha)

    def stitch(self, points: Sequence[Point], colour: RGB, width: float = 1.0, dash: float = 4, gap: float = 3) -> None:
        """A dashed seam along an open path."""
        for (x, y), angle in along(points, dash + gap, gap):
            self.line(rotate([(x - dash / 2, y), (x + dash / 2, y)], angle, (x, y)), colour, width)

    # -- soft painting

    def form(self, path: Sequence[Point], colour: RGB, angle: float = 70, depth: float = 1.0) -> None:
        """A body with volume: lit from the upper left, darker to the lower right, softly shaded along its edges."""
        self.gradient(path, lighter(colour, 0.10 * depth), darker(colour, 0.13 * depth), angle)
        self.relief(path, darker(colour, 0.6), 0.5 * depth)

    def relief(self, path: Sequence[Point], shade: RGB = INK, strength: float = 0.4, reach: float = 7) -> None:
        """Shade the lower right edge inside the outline and lighten the upper left one."""
        box = _box(path, reach * 2)
        mask = _mask(path, box, SCALE)
        inside = mask.resize((mask.width // SCALE, mask.height // SCALE), Image.Resampling.BOX)
        small = _shares(inside)
        soft = _shares(inside.filter(ImageFilter.GaussianBlur(reach)))
        step = round(reach * 0.7)
        for colour, power, by in ((shade, strength, -step), (WHITE, strength * 0.55, step)):
            moved = np.roll(soft, (by, by), axis=(0, 1))
            self._veil(np.clip(small - moved, 0, 1, dtype=np.float32) * np.float32(power), colour, box, mask)

    def blur(self, path: Sequence[Point], colour: RGB, radius: float, alpha: float = 1.0) -> None:
        """The outline as a soft cloud of colour."""
        box = _box(path, radius * 2.5)
        if box[0] < box[2] and box[1] < box[3]:
            cloud = _mask(path, box, 1).filter(ImageFilter.GaussianBlur(radius))
            self._veil(_shares(cloud) * np.float32(alpha), colour, box, None)

    def _veil(self, amount: Shares, colour: RGB, box: Box, within: Mask | None) -> None:
        """Lay colour over the box; `amount`, one value per unit from 0 to 1, says how much."""
        size = (box[2] - box[0], box[3] - box[1])
        veil = Image.fromarray((amount * 255).astype(np.uint8)).resize(size, Image.Resampling.BILINEAR)
        if within is not None:
            veil = ImageChops.multiply(veil, within)
        sheet = Image.new("RGBA", size, (*colour, 255))
        sheet.putalpha(veil)
        self._layer.alpha_composite(sheet, box[:2])

    @contextmanager
    def clip(self, path: Sequence[Point]) -> Iterator[None]:
        """What is painted in this block shows only inside the outline."""
        below, self._layer = self._layer, Image.new("RGBA", (FULL, FULL))
        try:
            yield
        finally:
            box = _box(path)
            painted, self._layer = self._layer.crop(box), below
            painted.putalpha(ImageChops.multiply(painted.getchannel("A"), _mask(path, box, SCALE)))
            self._layer.alpha_composite(painted, box[:2])

    # -- the finished picture

    def ground(self, cx: float, cy: float, rx: float, ry: float = 9, strength: float = 0.34) -> None:
        """Where the object stands: a soft shadow on the floor."""
        self._shadows.append((ellipse(cx, cy, rx, ry), ry * 0.62, strength))

    def finish(self, tint: RGB) -> Image.Image:
        """The picture, mode RGB: the thing in the middle of a backdrop, with its shadow."""
        picture = _backdrop(tint)
        thing, dx, dy = self._centred()
        shade = darker(tint, 0.62)
        for path, radius, strength in self._shadows:
            soft = _mask(shift(path, dx, dy), _ALL, 1).filter(ImageFilter.GaussianBlur(radius))
            picture.paste(shade, (0, 0), soft.point(lambda v, s=strength: v * s))
        if not self._shadows:
            alpha = ImageChops.offset(thing.getchannel("A"), 3, 7)
            for radius, strength in ((10, 0.30), (3, 0.16)):
                soft = alpha.filter(ImageFilter.GaussianBlur(radius))
                picture.paste(shade, (0, 0), soft.point(lambda v, s=strength: v * s))
        picture.paste(thing.convert("RGB"), (0, 0), thing.getchannel("A"))
        return picture

    def _centred(self) -> tuple[Image.Image, float, float]:
        """The drawing in the picture's size, and how far it was moved to stand in the middle."""
        left, top, right, bottom = self._layer.getbbox() or (0, 0, FULL, FULL)
        dx, dy = (FULL - left - right) // 2, (FULL - top - bottom) // 2
        moved = Image.new("RGBA", (FULL, FULL))
        moved.paste(self._layer, (dx, dy))
        return moved.resize((SIZE, SIZE), Image.Resampling.BOX), dx / SCALE, dy / SCALE


def _ramp(width: int, height: int, angle: float) -> Mask:
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    x = np.linspace(-0.5, 0.5, width, dtype=np.float32)[None, :] * (width * cos)
    y = np.linspace(-0.5, 0.5, height, dtype=np.float32)[:, None] * (height * sin)
    reach = abs(width * cos) + abs(height * sin) or 1.0
    return Image.fromarray((np.clip((x + y) / reach + 0.5, 0, 1) * 255).astype(np.uint8))


def _backdrop(tint: RGB) -> Image.Image:
    """A studio wall: brightest a little above the middle."""
    y, x = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32) / SIZE
    away = np.clip(np.hypot(x - 0.48, (y - 0.42) * 0.95) / 0.72, 0, 1) ** 1.6
    ends = np.array([lighter(tint, 0.42), darker(tint, 0.045)], dtype=np.float32)
    return Image.fromarray((ends[0] + (ends[1] - ends[0]) * away[..., None]).round().astype(np.uint8))
