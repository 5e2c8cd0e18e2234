"""Pictures of products: fetched with bounds and from no private network, checked by content, kept small and upright."""

from __future__ import annotations

import io
import struct
import threading
import time
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from PIL import Image

from serving.events import picture_name
from serving.fetching import Bounds, FetchError, fetch, fetching_client, is_public
from serving.pictures import Errand, Report, keep_pictures, keep_pictures_apart
from serving.thumbnails import SIDE, PictureError, thumbnail

RED, BLUE = (200, 20, 20), (20, 20, 200)


def encoded(picture: Image.Image, form: str = "PNG", **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, form, **options)
    return out.getvalue()


def half_and_half(width: int = 40, height: int = 20) -> Image.Image:
    """Red on the left, blue on the right."""
    picture = Image.new("RGB", (width, height), RED)
    picture.paste(BLUE, (width // 2, 0, width, height))
    return picture


def shown(content: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(content))
    assert picture.format == "WEBP"
    return picture.convert("RGB")


def near(pixel: object, colour: tuple[int, int, int]) -> bool:
    assert isinstance(pixel, tuple)
    return all(abs(own - wanted) < 40 for own, wanted in zip(pixel, colour, strict=True))


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


def test_of_a_long_animation_the_first_frame_is_taken() -> None:
    frames = [Image.new("P", (8, 8), number % 2) for number in range(2_000)]
    content = encoded(half_and_half(8, 8), "GIF", save_all=True, append_images=frames)
    assert near(shown(thumbnail(content)).getpixel((1, 4)), RED)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.215.14", True),
        ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:93.184.215.14", True),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::1", False),
        ("ff02::1", False),
    ],
)
def test_private_addresses_are_known_in_every_notation(address: str, public: bool) -> None:
    assert is_public(address) is public


class _Shop(BaseHTTPRequestHandler):
    """A server of pictures, good and bad."""

    visits: list[str]
    picture = encoded(half_and_half())

    def do_GET(self) -> None:
        type(self).visits.append(self.path)
        if self.path == "/endless":
            self._answer(200)
            try:
                while True:
                    self.wfile.write(b"x" * 100_000)
            except OSError:
                return
        elif self.path == "/slow":
            self._answer(200)
            self.wfile.flush()
            time.sleep(2)
        elif self.path == "/loop":
            self._answer(302, Location="/loop")
        elif self.path == "/moved":
            self._answer(302, Location="/mug.png")
        elif self.path == "/to-file":
            self._answer(302, Location="file:///etc/passwd")
        elif self.path == "/gone":
            self._answer(404)
        else:
            self._answer(200)
            self.wfile.write(self.picture if self.path.startswith("/mug") else b"<html>")

    def _answer(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def shop() -> Iterator[tuple[str, list[str]]]:
    handler = type("Shop", (_Shop,), {"visits": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", handler.visits  # type: ignore[attr-defined]
        server.shutdown()


async def got(url: str, bounds: Bounds) -> bytes:
    async with fetching_client() as client:
        return await fetch(client, url, bounds)


async def test_a_private_network_is_not_asked_unless_it_is_allowed(shop: tuple[str, list[str]]) -> None:
    url, visits = shop
    port = url.rpartition(":")[2]
    for address in (url, f"https://127.0.0.1:{port}/mug.png", f"https://localhost:{port}/", f"https://[::1]:{port}/"):
        with pytest.raises(FetchError, match=r"private network|https address|not known"):
            await got(address, Bounds())
    for address in (
        "ftp://shop.example/a.png",
        "file:///etc/passwd",
        "https://user:word@shop.example/a.png",
        "https:///a",
    ):
        with pytest.raises(FetchError, match="not an"):
            await got(address, Bounds(private=address.startswith("https")))
    assert visits == []
    assert await got(f"{url}/mug.png", Bounds(private=True)) == _Shop.picture


async def test_what_is_fetched_has_bounds(shop: tuple[str, list[str]]) -> None:
    url, visits = shop
    bounds = Bounds(most_bytes=1_000_000, seconds=0.5, private=True)
    assert await got(f"{url}/moved", bounds) == _Shop.picture
    for path, told in (
        ("/endless", "more than 1,000,000 bytes"),
        ("/slow", "took longer"),
        ("/loop", "more than 3 redirects"),
        ("/to-file", "not an http"),
        ("/gone", "answers 404"),
    ):
        with pytest.raises(FetchError, match=told):
            await got(url + path, bounds)
    assert visits.count("/loop") == 4


async def test_pictures_are_kept_once_and_what_cannot_be_had_is_told(
    shop: tuple[str, list[str]], tmp_path: Path
) -> None:
    url, visits = shop
    base, home = tmp_path / "feed", tmp_path / "home"
    (base / "media").mkdir(parents=True)
    (base / "media" / "cup.jpg").write_bytes(encoded(half_and_half(), "JPEG"))
    (tmp_path / "secret.png").write_bytes(encoded(half_and_half()))
    (base / "link.png").symlink_to(tmp_path / "secret.png")
    (home / "pictures").mkdir(parents=True)
    (home / "pictures" / "own.webp").write_bytes(b"the shop's own")
    (home / "pictures" / picture_name("long gone")).write_bytes(b"of a product that is gone")
    images = [f"{url}/mug.png", f"{url}/page", "/cup.jpg", "../secret.png", "link.png", "nowhere.png"]
    errand = Errand(images=[*images, images[0]], home=home, feed=base, private=True)
    told: list[Report] = []
    report = await keep_pictures(errand, told.append)
    assert (report.kept, report.missing, report.total) == (2, 4, 6)
    assert dict(report.first)["nowhere.png"] == "no such file beside the feed"
    assert "not a picture" in dict(report.first)[f"{url}/page"]
    kept = {path.name for path in (home / "pictures").glob("*.webp")}
    assert kept == {"own.webp", picture_name(images[0]), picture_name("/cup.jpg")}
    assert near(shown((home / "pictures" / picture_name("/cup.jpg")).read_bytes()).getpixel((35, 10)), BLUE)

    again = await keep_pictures(errand, told.append)
    assert (again.kept, again.missing) == (2, 4)
    assert visits == ["/mug.png", "/page"], "neither is asked for again"


async def test_a_process_of_its_own_keeps_them(shop: tuple[str, list[str]], tmp_path: Path) -> None:
    told: list[Report] = []
    errand = Errand(images=[f"{shop[0]}/mug.png"], home=tmp_path, private=True)
    await keep_pictures_apart(errand, told.append)
    assert (told[-1].kept, told[-1].total) == (1, 1)
    assert (tmp_path / "pictures" / picture_name(errand.images[0])).is_file()
