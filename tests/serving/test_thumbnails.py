"""Pictures as others made them become small, upright ones, whatever they are."""

from __future__ import annotations

import struct
import zlib

import pytest
from PIL import Image

from serving.thumbnails import SIDE, PictureError, thumbnail
from tests.pictures import BLUE, RED, encoded, half_and_half, near, shown


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_stands_upright_whatever_the_camera_held(orientation: int) -> None:
    turned = {1: None, 2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}[orientation]  # how a viewer must not show it
    upright = half_and_half()
    stored = upright if turned is None else upright.transpose(Image.Transpose(turned))
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010E] = "made at home"
    found = shown(thumbnail(encoded(stored, "JPEG", exif=exif, quality=95)))
    assert found.size == (40, 20)
    assert near(found.getpixel((5, 10)), RED)
    assert near(found.getpixel((35, 10)), BLUE)
    assert not found.getexif()


def test_any_kind_of_picture_becomes_small_and_opaque() -> None:
    clear = Image.new("RGBA", (1600, 800), (0, 0, 0, 0))
    palette = Image.new("P", (30, 30), 0)
    palette.putpalette([255, 0, 0] * 256)
    kinds = {
        "clear": encoded(clear),
        "cmyk": encoded(half_and_half().convert("CMYK"), "JPEG"),
        "grey16": encoded(Image.new("I;16", (30, 30), 65535)),
        "palette": encoded(palette, "GIF", transparency=0),
        "bmp": encoded(half_and_half(), "BMP"),
        "webp": encoded(half_and_half(), "WEBP"),
    }
    found = {name: shown(thumbnail(content)) for name, content in kinds.items()}
    assert found["clear"].size == (SIDE, SIDE // 2)
    for name in ("clear", "grey16", "palette"):
        assert near(found[name].getpixel((3, 3)), (255, 255, 255)), name
    for name in ("cmyk", "bmp", "webp"):
        assert near(found[name].getpixel((35, 10)), BLUE), name


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_a_large_picture_of_any_mode_becomes_small(mode: str) -> None:
    large = half_and_half(1500, 900).convert(mode) if mode != "I;16" else Image.new(mode, (1500, 900), 65535)
    found = shown(thumbnail(encoded(large)))
    assert found.size == (SIDE, 384)
    if mode in ("P", "RGB", "RGBA"):
        assert near(found.getpixel((20, 200)), RED)
        assert near(found.getpixel((620, 200)), BLUE)


def test_the_colours_of_a_palette_are_mixed_and_none_is_lost() -> None:
    stripes = Image.new("RGB", (4 * SIDE, 40), RED)
    for left in range(0, stripes.width, 2):
        stripes.paste(BLUE, (left, 0, left + 1, 40))
    found = shown(thumbnail(encoded(stripes.convert("P", palette=Image.Palette.ADAPTIVE))))
    assert near(found.getpixel((300, 5)), (110, 20, 110))


def test_an_animation_of_ten_thousand_frames_costs_one() -> None:
    frames = [Image.new("P", (4, 4), number % 2) for number in range(10_000)]
    content = encoded(half_and_half(4, 4), "GIF", save_all=True, append_images=frames, optimize=False)
    assert near(shown(thumbnail(content)).getpixel((0, 2)), RED)


def bomb() -> bytes:
    """A PNG of 50,000 x 50,000 pixels in a few bytes."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", 50_000, 50_000, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"<html><script>alert(1)</script></html>", "not a picture"),
        (b'<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>', "not a picture"),
        (encoded(half_and_half(), "JPEG")[:300], "not a picture"),
        (b"\x89PNG\r\n\x1a\n", "not a picture"),
        (b"", "not a picture"),
        (bomb(), "more than 50,000,000 pixels"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\n", "not a picture"),
    ],
    ids=["html", "svg", "cut off", "head only", "empty", "bomb", "postscript"],
)
def test_what_is_no_picture_is_refused(content: bytes, told: str) -> None:
    with pytest.raises(PictureError, match=told):
        thumbnail(content)
