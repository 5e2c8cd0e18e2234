"""Outlines as lists of points, in a drawing space of 320 by 320 units, y pointing down."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

Point = tuple[float, float]
Path = list[Point]

_TOKEN = re.compile(r"[MLCQZ]|-?\d+(?:\.\d+)?")
_STEPS = 18  # points per curve; at 4 pixels per unit the corners are smaller than a pixel


def svg(text: str) -> Path:
    """The outline of an SVG path made of absolute M, L, C, Q and Z commands. Raises ValueError on any other."""
    points: Path = []
    command = ""
    numbers: list[float] = []
    for token in _TOKEN.findall(text):
        if token.isalpha():
            command, numbers = token, []
            continue
        numbers.append(float(token))
        if len(numbers) == {"M": 2, "L": 2, "C": 6, "Q": 4}.get(command, 0):
            pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
            points.extend(pairs if len(pairs) == 1 else _bezier([points[-1], *pairs]))
            numbers = []
    if numbers or not points:
        raise ValueError(f"not a path of M, L, C, Q and Z commands: {text!r}")
    return points


def _bezier(control: Sequence[Point]) -> Path:
    degree = len(control) - 1
    weights = [math.comb(degree, k) for k in range(degree + 1)]
    path: Path = []
    for step in range(1, _STEPS + 1):
        t = step / _STEPS
        terms = [w * t**k * (1 - t) ** (degree - k) for k, w in enumerate(weights)]
        path.append(
            (
                sum(a * p[0] for a, p in zip(terms, control, strict=True)),
                sum(a * p[1] for a, p in zip(terms, control, strict=True)),
            )
        )
    return path


def smooth(points: Sequence[Point], closed: bool = False) -> Path:
    """A Catmull-Rom curve through the points."""
    n = len(points)
    path: Path = [points[0]]
    for i in range(n if closed else n - 1):
        before = points[(i - 1) % n] if closed or i > 0 else points[i]
        a, b = points[i], points[(i + 1) % n]
        after = points[(i + 2) % n] if closed or i + 2 < n else b
        c1 = (a[0] + (b[0] - before[0]) / 6, a[1] + (b[1] - before[1]) / 6)
        c2 = (b[0] - (after[0] - a[0]) / 6, b[1] - (after[1] - a[1]) / 6)
        path.extend(_bezier([a, c1, c2, b]))
    return path


def arc(cx: float, cy: float, rx: float, ry: float, start: float, end: float) -> Path:
    """A piece of an ellipse; degrees, 0 to the right, growing clockwise."""
    steps = max(12, int(abs(end - start) / 4))
    angles = [math.radians(start + (end - start) * i / steps) for i in range(steps + 1)]
    return [(cx + rx * math.cos(a), cy + ry * math.sin(a)) for a in angles]


def ellipse(cx: float, cy: float, rx: float, ry: float | None = None) -> Path:
    return arc(cx, cy, rx, rx if ry is None else ry, 0, 360)


def rect(x0: float, y0: float, x1: float, y1: float, r: float = 0) -> Path:
    """A rectangle with corners rounded by radius `r`."""
    r = min(r, (x1 - x0) / 2, (y1 - y0) / 2)
    if r <= 0:
        return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    return (
        arc(x1 - r, y0 + r, r, r, -90, 0)
        + arc(x1 - r, y1 - r, r, r, 0, 90)
        + arc(x0 + r, y1 - r, r, r, 90, 180)
        + arc(x0 + r, y0 + r, r, r, 180, 270)
    )


def mirror(path: Iterable[Point], about: float = 160) -> Path:
    return [(2 * about - x, y) for x, y in path]


SIDES: tuple[Callable[[Iterable[Point]], Path], ...] = (list, mirror)  # the left side as drawn, and the right one


def symmetric(half: Path, about: float = 160) -> Path:
    """A closed outline from its left half: an open line from top to bottom, or a closed part that lies on the axis."""
    axis = [i for i, (x, _) in enumerate(half) if abs(x - about) < 0.01]
    if axis and 0 not in axis and len(half) - 1 not in axis:
        half = half[axis[-1] :] + half[: axis[0] + 1]
    return half + mirror(reversed(half), about)


def shift(path: Iterable[Point], dx: float, dy: float = 0) -> Path:
    return [(x + dx, y + dy) for x, y in path]


def scale(path: Iterable[Point], sx: float, sy: float | None = None, about: Point = (160, 160)) -> Path:
    sy = sx if sy is None else sy
    return [(about[0] + (x - about[0]) * sx, about[1] + (y - about[1]) * sy) for x, y in path]


def rotate(path: Iterable[Point], degrees: float, about: Point = (160, 160)) -> Path:
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [
        (about[0] + (x - about[0]) * cos - (y - about[1]) * sin, about[1] + (x - about[0]) * sin + (y - about[1]) * cos)
        for x, y in path
    ]


def along(path: Sequence[Point], gap: float, offset: float = 0) -> list[tuple[Point, float]]:
    """Points every `gap` units along an open path, each with the direction of the path there in degrees."""
    found: list[tuple[Point, float]] = []
    due = offset
    for a, b in pairwise(path):
        length = math.dist(a, b)
        while length > 0 and due <= length:
            t = due / length
            found.append(
                (
                    (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t),
                    math.degrees(math.atan2(b[1] - a[1], b[0] - a[0])),
                )
            )
            due += gap
        due -= length
    return found


def band(path: Sequence[Point], width: float, end_width: float | None = None) -> Path:
    """The outline of a ribbon along an open path, `width` wide at its start and `end_width` at its end."""
    end_width = width if end_width is None else end_width
    left: Path = []
    right: Path = []
    last = len(path) - 1
    for i, (x, y) in enumerate(path):
        ahead, behind = path[min(i + 1, last)], path[max(i - 1, 0)]
        dx, dy = ahead[0] - behind[0], ahead[1] - behind[1]
        length = math.hypot(dx, dy) or 1.0
        half = (width + (end_width - width) * i / max(last, 1)) / 2
        left.append((x - dy / length * half, y + dx / length * half))
        right.append((x + dy / length * half, y - dx / length * half))
    return left + right[::-1]
