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
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from pydantic import BaseModel

from serving import child
from serving.catalogue_api import FOLDER
from serving.events import picture_name
from serving.fetching import Bounds, FetchError, NoAnswerError, fetch, fetching_client
from serving.idle import be_idle
from serving.picture_files import PictureFiles
from serving.thumbnails import PictureError, thumbnail

_AT_ONCE = 4
_LISTED = 10
_MOST_PICTURES = 200_000
_FAILED = "failed.json"
_AGAIN_SECONDS = 24 * 3600.0  # after which what could not be had is tried again
_TELL_EVERY = 25
_PATIENCE = 3  # times in a row that a host may give no answer


@dataclass
class Report:
    """How many are kept, and of those that could not be had the first with the reason."""

    kept: int = 0
    missing: int = 0
    total: int = 0
    first: list[tuple[str, str]] = field(default_factory=list)


class Errand(BaseModel):
    """`images`: as products name them. `feed`: a file, folder or zip, with which paths come; None: there is none."""

    images: list[str]
    home: Path
    feed: Path | None = None
    private: bool = False


def is_address(image: str) -> bool:
    """Whether a product names a place on the web so, and not a file that came with the feed."""
    return ":" in image.split("/", 1)[0]


async def keep_pictures(errand: Errand, tell: Callable[[Report], None]) -> Report:
    """See that `home` holds a thumbnail of each picture, and no others. One that cannot be had is told and left.

    Raises OSError where the home cannot be written or the feed's zip not be read.
    """
    folder = errand.home / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    images = list(dict.fromkeys(errand.images))[:_MOST_PICTURES]
    report, failed = Report(total=len(images)), _failed(folder)
    wanted = iter(images)
    with contextlib.closing(PictureFiles(errand.feed)) as files:
        async with fetching_client() as client:
            keeper = _Keeper(folder, failed, client, files, Bounds(private=errand.private))

            async def some() -> None:
                for image in wanted:
                    reason = await keeper.keep(image)
                    report.kept += reason == ""
                    if reason:
                        report.missing += 1
                        report.first += [(image[:200], reason)] if len(report.first) < _LISTED else []
                    if (report.kept + report.missing) % _TELL_EVERY == 0:
                        tell(report)

            await asyncio.gather(*(some() for _ in range(_AT_ONCE)))
    names = {picture_name(image) for image in images}
    _remember(folder, {name: failed[name] for name in failed.keys() & names})
    _remove_others(folder, names)
    return report


class _Keeper:
    """What those that work at once share. A host that gives no answer is left alone for the rest of the errand."""

    def __init__(
        self,
        folder: Path,
        failed: dict[str, tuple[float, str]],
        client: httpx.AsyncClient,
        files: PictureFiles,
        bounds: Bounds,
    ) -> None:
        self._folder, self._failed, self._client, self._files, self._bounds = folder, failed, client, files, bounds
        self._silent: Counter[str] = Counter()  # by host: how often in a row
        self._decoding = asyncio.Lock()  # a large one takes some 400 MB

    async def keep(self, image: str) -> str:
        """Why it cannot be had; empty where it is there."""
        name = picture_name(image)
        if (self._folder / name).exists():
            return ""
        tried, reason = self._failed.get(name, (0.0, ""))
        if time.time() - tried < _AGAIN_SECONDS:
            return reason
        try:
            content = await self._content(image)
            async with self._decoding:
                _write(self._folder / name, await asyncio.to_thread(thumbnail, content))
        except _LeftAloneError as error:
            return str(error)
        except (FetchError, PictureError, OSError, ValueError) as error:
            self._failed[name] = time.time(), str(error)
            return str(error)
        self._failed.pop(name, None)
        return ""

    async def _content(self, image: str) -> bytes:
        if not is_address(image):
            return self._files.read(image, self._bounds.most_bytes)
        host = image.split("/", 3)[2].lower() if image.count("/") > 2 else ""
        if self._silent[host] >= _PATIENCE:
            raise _LeftAloneError("its host gives no answer")
        try:
            content = await fetch(self._client, image, self._bounds)
        except NoAnswerError:
            self._silent[host] += 1
            raise
        except FetchError:
            self._silent.pop(host, None)
            raise
        self._silent.pop(host, None)
        return content


class _LeftAloneError(FetchError):
    """It was not tried, and is not remembered as failed."""


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


def _remove_others(folder: Path, wanted: set[str]) -> None:
    """Only names of the form that we give; what the shop put there itself stays."""
    ours = len(picture_name(""))
    for file in folder.glob("*.webp"):
        stem = file.name.removesuffix(".webp")
        if len(file.name) == ours and set(stem) <= set("0123456789abcdef") and file.name not in wanted:
            file.unlink(missing_ok=True)


async def keep_pictures_apart(errand: Errand, tell: Callable[[Report], None]) -> None:
    """`keep_pictures` in a process of its own; cancelled, it is ended. Raises OSError where it ends before its work."""
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
        if code := await process.wait():
            raise ChildProcessError(f"the process that keeps them ended with {code}")
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
