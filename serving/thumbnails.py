"""Pictures of products as others made them, as small WebP ones of our own."""

from __future__ import annotations

import io

from PIL import Image, ImageOps

SIDE = 640  # pixels of the longer one at most
_MOST_PIXELS = 50_000_000
_TOO_LARGE = f"more than {_MOST_PIXELS:,} pixels"
_FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "AVIF")
_INDEXED = ("P", "PA", "1")
_QUALITY = 80


class PictureError(ValueError):
    """Not a picture that can be shown; the message says why."""


def thumbnail(content: bytes) -> bytes:
    """The first frame as WebP: upright, on white, without anything but its pixels. Raises PictureError.

    The content tells what it is, whatever its name said.
    """
    try:
        with Image.open(io.BytesIO(content), formats=_FORMATS) as picture:
            width, height = picture.size
            if width * height > _MOST_PIXELS:
                raise PictureError(_TOO_LARGE)
            picture.draft("RGB", (SIDE, SIDE))  # a JPEG is read no larger than needed
            small = picture if picture.mode not in _INDEXED else picture.convert("RGBA")  # indices do not mix
            small.thumbnail((SIDE, SIDE))
            ImageOps.exif_transpose(small, in_place=True)
            return _as_webp(_on_white(small))
    except PictureError:
        raise
    except Image.DecompressionBombError as error:
        raise PictureError(_TOO_LARGE) from error
    except Exception as error:
        raise PictureError(f"not a picture that can be read ({type(error).__name__})") from error


def _on_white(picture: Image.Image) -> Image.Image:
    if picture.mode in ("I;16", "I;16B", "I;16L", "I", "F"):  # 16 bits of grey
        picture = picture.convert("I").point(lambda value: value / 256).convert("L")
    if picture.mode not in ("RGB", "L", "CMYK", "YCbCr") or "transparency" in picture.info:
        own = picture.convert("RGBA")
        white = Image.new("RGBA", own.size, "white")
        white.alpha_composite(own)
        picture = white
    return picture.convert("RGB")


def _as_webp(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "WEBP", quality=_QUALITY, method=4)
    return out.getvalue()
