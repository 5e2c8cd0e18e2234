"""Pictures of products are kept once, from the web or from what came with the feed, and none blocks the others."""

from __future__ import annotations

import asyncio
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from serving.events import picture_name
from serving.pictures import Errand, Report, is_address, keep_pictures, keep_pictures_apart
from tests.pictures import BLUE, encoded, half_and_half, near, shown


def test_an_address_is_known_in_any_letters() -> None:
    assert all(map(is_address, ("https://shop.example/a.png", "HTTPS://shop.example/a.png", "file:///etc/passwd")))
    assert not any(map(is_address, ("cup.jpg", "/media/cup.jpg", "media/3:4.jpg", "")))


async def test_a_host_that_gives_no_answer_is_left_alone_and_tried_again_later(
    shop: tuple[str, list[str]], tmp_path: Path
) -> None:
    url, visits = shop
    images = [f"{url}/busy/{number}.png" for number in range(40)]
    errand = Errand(images=images, home=tmp_path, private=True)
    report = await keep_pictures(errand, lambda _: None)
    assert (report.kept, report.missing) == (0, 40)
    first = len(visits)
    assert 3 <= first < 3 + 4  # of those that are asked for at once
    await keep_pictures(errand, lambda _: None)
    assert set(visits[first:]).isdisjoint(visits[:first])
    assert visits[first:]


async def test_files_in_the_feeds_zip_are_found_and_bounded(tmp_path: Path) -> None:
    feed = tmp_path / "export.zip"
    with zipfile.ZipFile(feed, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("shop/products.csv", "id,title\n")
        packed.writestr("shop/media/cup.jpg", encoded(half_and_half(), "JPEG"))
        packed.writestr("shop/large.bmp", b"\0" * 20_000_001)
    (tmp_path / "beside.png").write_bytes(encoded(half_and_half()))
    errand = Errand(
        images=["cup.jpg", "media/cup.jpg", "up.jpg", "large.bmp", "../beside.png", "", "shop/media/"],
        home=tmp_path / "home",
        feed=feed,
    )
    report = await keep_pictures(errand, lambda _: None)
    assert report.kept == 2
    assert dict(report.first)["large.bmp"] == "more than 20,000,000 bytes"
    assert dict(report.first)["../beside.png"] == "no such file in the feed's zip"


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=30) | st.from_regex(r"(?i)\A(https?|ftp|file):/{0,3}[^a-z]{0,20}\Z"), max_size=12))
def test_no_name_of_a_picture_ends_the_others(tmp_path: Path, images: list[str]) -> None:
    (tmp_path / "cup.png").write_bytes(encoded(half_and_half()))
    named = [*images, "a\0b.png", "\ud800.png", "x" * 5_000, "cup.png"]
    errand = Errand.model_construct(images=named, home=tmp_path / "home", feed=tmp_path, private=False)
    report = asyncio.run(keep_pictures(errand, lambda _: None))
    assert (tmp_path / "home" / "pictures" / picture_name("cup.png")).is_file()
    assert report.kept + report.missing == report.total == len(set(named))


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
    assert sorted(visits) == ["/mug.png", "/page"], "neither is asked for again"


async def test_a_process_of_its_own_keeps_them(shop: tuple[str, list[str]], tmp_path: Path) -> None:
    told: list[Report] = []
    errand = Errand(images=[f"{shop[0]}/mug.png"], home=tmp_path, private=True)
    await keep_pictures_apart(errand, told.append)
    assert (told[-1].kept, told[-1].total) == (1, 1)
    assert (tmp_path / "pictures" / picture_name(errand.images[0])).is_file()


async def test_a_process_that_cannot_work_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("no folder")
    with pytest.raises(ChildProcessError, match="ended with 1"):
        await keep_pictures_apart(Errand(images=["cup.png"], home=tmp_path / "home"), lambda _: None)
