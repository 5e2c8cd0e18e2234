"""A catalogue's pictures, fetched or read, and kept as thumbnails in the home.

By a process of its own that gets the processor when nobody else wants it: `python -m serving.child serving.pictures`,
an `Errand` as one JSON line on its input, a `Report` on its output from time to time and at the end.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from pydantic import BaseModel

from serving import child
from serving.catalogue_api import FOLDER
from serving.events import picture_name
from serving.fetching import Bounds, FetchError, fetch, fetching_client
from serving.idle import be_idle
from serving.thumbnails import PictureError, thumbnail

_AT_ONCE = 4
_LISTED = 10
_MOST_PICTURES = 200_000
_FAILED = "failed.json"
_AGAIN_SECONDS = 24 * 3600.0  # after which what could not be had is tried again
_TELL_EVERY = 25
_MEDIA = ("", "media", "media/catalog/product", "pub/media/catalog/product", "images")  # where exports keep files


@dataclass
class Report:
    """How many are kept, and of those that could not be had the first with the reason."""

    kept: int = 0
    missing: int = 0
    total: int = 0
    first: list[tuple[str, str]] = field(default_factory=list)


class Errand(BaseModel):
    """`images`: as products name them. `base`: the folder that paths are in; None: there is none."""

    images: list[str]
    home: Path
    base: Path | None = None
    private: bool = False


async def keep_pictures(errand: Errand, tell: Callable[[Report], None]) -> Report:
    """See that `home` holds a thumbnail of each picture, and no others. One that cannot be had is told and left."""
    folder = errand.home / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    images = list(dict.fromkeys(errand.images))[:_MOST_PICTURES]
    report, failed = Report(total=len(images)), _failed(folder)
    wanted = iter(images)
    async with fetching_client() as client:

        async def some() -> None:
            for image in wanted:
                reason = await _keep(client, image, errand, folder, failed)
                report.kept += reason == ""
                if reason:
                    report.missing += 1
                    report.first += [(image[:200], reason)] if len(report.first) < _LISTED else []
                if (report.kept + report.missing) % _TELL_EVERY == 0:
                    tell(report)

        await asyncio.gather(*(some() for _ in range(_AT_ONCE)))
    _remember(folder, failed)
    _remove_others(folder, images)
    return report


async def _keep(
    client: httpx.AsyncClient, image: str, errand: Errand, folder: Path, failed: dict[str, tuple[float, str]]
) -> str:
    """Why it cannot be had; empty where it is there."""
    name = picture_name(image)
    if (folder / name).exists():
        return ""
    tried, reason = failed.get(name, (0.0, ""))
    if time.time() - tried < _AGAIN_SECONDS:
        return reason
    try:
        content = await _content(client, image, errand)
        _write(folder / name, await asyncio.to_thread(thumbnail, content))
    except (FetchError, PictureError, OSError) as error:
        failed[name] = time.time(), str(error)
        return str(error)
    failed.pop(name, None)
    return ""


async def _content(client: httpx.AsyncClient, image: str, errand: Errand) -> bytes:
    bounds = Bounds(private=errand.private)
    if ":" in image.split("/", 1)[0]:
        return await fetch(client, image, bounds)
    if errand.base is None:
        raise FetchError("no folder for it")
    base = errand.base.resolve()
    for place in _MEDIA:
        file = (base / place / image.lstrip("/")).resolve()
        if file.is_relative_to(base) and file.is_file():
            if file.stat().st_size > bounds.most_bytes:
                raise FetchError(f"more than {bounds.most_bytes:,} bytes")
            return file.read_bytes()
    raise FetchError("no such file beside the feed")


def _write(file: Path, content: bytes) -> None:
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    fresh.write_bytes(content)
    fresh.replace(file)


def _failed(folder: Path) -> dict[str, tuple[float, str]]:
    try:
        return _Failed.model_validate_json((folder / _FAILED).read_bytes()).names
    except (OSError, ValueError):  # then they are tried again
        return {}


def _remember(folder: Path, failed: dict[str, tuple[float, str]]) -> None:
    _write(folder / _FAILED, _Failed(names=failed).model_dump_json().encode())


class _Failed(BaseModel):
    names: dict[str, tuple[float, str]]


def _remove_others(folder: Path, images: Iterable[str]) -> None:
    """Only names of the form that we give; what the shop put there itself stays."""
    wanted = {picture_name(image) for image in images}
    ours = len(picture_name(""))
    for file in folder.glob("*.webp"):
        stem = file.name.removesuffix(".webp")
        if len(file.name) == ours and set(stem) <= set("0123456789abcdef") and file.name not in wanted:
            file.unlink(missing_ok=True)


async def keep_pictures_apart(errand: Errand, tell: Callable[[Report], None]) -> None:
    """`keep_pictures` in a process of its own; cancelled, it is ended."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "serving.child", "serving.pictures"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {child.PARENT_VARIABLE: str(os.getpid())},
        limit=1 << 20,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(errand.model_dump_json().encode() + b"\n")
        await process.stdin.drain()
        while line := await process.stdout.readline():
            tell(_Line.model_validate_json(line).report)
        await process.wait()
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()


class _Line(BaseModel):
    report: Report


def main() -> None:
    """Carry out the errand on the input."""
    be_idle()
    errand = Errand.model_validate_json(sys.stdin.readline())

    def tell(report: Report) -> None:
        sys.stdout.write(_Line(report=report).model_dump_json() + "\n")
        sys.stdout.flush()

    tell(asyncio.run(keep_pictures(errand, tell)))


if __name__ == "__main__":
    main()
