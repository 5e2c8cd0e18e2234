"""Drawings of the demo catalogue's products: one way to draw for each category, moved by the product's own traits."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

from PIL import Image

from ui_assets.demo.draw import (
    bags,
    bottles,
    brewers,
    cookware,
    dresses,
    eyewear,
    footwear,
    handbags,
    hats,
    headphones,
    jackets,
    keyboards,
    lamps,
    mugs,
    skincare,
    tents,
    tops,
    toys,
    umbrellas,
    watches,
    yoga,
)
from ui_assets.demo.draw.canvas import Canvas
from ui_assets.demo.draw.colours import rgb
from ui_assets.demo.draw.look import Look

MOST_BYTES = 8_000  # of a picture's file

_DRAWINGS: dict[str, Callable[[Canvas, Look], None]] = {
    "RS": footwear.running_shoe,
    "HB": footwear.hiking_boot,
    "JK": jackets.jacket,
    "DR": dresses.dress,
    "SH": tops.shirt,
    "KN": tops.knitwear,
    "TR": dresses.trousers,
    "HT": hats.hat,
    "BP": bags.backpack,
    "HG": handbags.handbag,
    "SG": eyewear.sunglasses,
    "WT": watches.watch,
    "UM": umbrellas.umbrella,
    "HP": headphones.headphones,
    "KB": keyboards.keyboard,
    "LA": lamps.lamp,
    "WB": bottles.bottle,
    "MG": mugs.mug,
    "CW": cookware.cookware,
    "CT": brewers.brewer,
    "YM": yoga.yoga_mat,
    "TE": tents.tent,
    "TY": toys.toy,
    "SK": skincare.skincare,
}


def picture(look: Look, tint: str) -> Image.Image:
    """The product's picture: 320 by 320, mode RGB, on a backdrop of the tint "rrggbb"."""
    canvas = Canvas()
    _DRAWINGS[look.category](canvas, look)
    return canvas.finish(rgb(tint))


def encode(image: Image.Image) -> bytes:
    """The picture as WebP, as good as fits in `MOST_BYTES`."""
    for quality in (86, 80, 72, 62, 50, 35):
        file = BytesIO()
        image.save(file, "WEBP", quality=quality, method=6)
        if file.tell() <= MOST_BYTES:
            break
    return file.getvalue()
