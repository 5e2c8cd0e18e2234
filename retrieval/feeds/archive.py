"""Zips and folders of files: which files are in them, unpacked under names of our own and within limits."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from retrieval.feeds.base import FeedError, Problem, shown
from retrieval.feeds.survey import is_picture

_MOST_FILES = 10_000
_MOST_BYTES = 4 << 30  # unpacked
_MOST_RATIO, _SMALL = 200, 100 << 20  # more than so many times as large, and beyond what any machine can take
_CHUNK = 1 << 20
_BROKEN = (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error, lzma.LZMAError, ValueError)


@dataclass
class Files:
    """Files by the names that people know them by. Those of a zip are there as long as this object is."""

    found: list[tuple[str, Path]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unpacked: list[TemporaryDirectory[str]] = field(default_factory=list)


def of_folder(folder: Path) -> Files:
    """All files in a folder and below, pictures and hidden ones left out. Raises FeedError."""
    files = Files()
    top = folder.resolve()
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if any(part.startswith(".") for part in Path(name).parts) or not path.is_file():
            continue
        if not path.resolve().is_relative_to(top):
            files.problems.append(Problem(0, "", "", "leads out of the folder", "file left out", name))
        elif not is_picture(path):
            files.found.append((name, path))
        if len(files.found) > _MOST_FILES:
            raise FeedError(f"{folder} holds more than {_MOST_FILES:,} files. Name the folder of the catalogue only.")
    return files


def of_zip(path: Path) -> Files:
    """The files of a zip. Raises FeedError where it cannot be unpacked within the limits."""
    files = Files()
    place = TemporaryDirectory(prefix="daogou-feed-")
    files.unpacked.append(place)
    try:
        check(path)
        with zipfile.ZipFile(path) as archive:
            for number, member in enumerate(archive.infolist()):
                folders = [part for part in member.filename.split("/")[:-1] if part not in (".", "..")]
                if member.is_dir() or any(part.startswith((".", "__MACOSX")) for part in folders):
                    continue
                target = Path(place.name, str(number))
                with archive.open(member) as packed, target.open("wb") as file:
                    while chunk := packed.read(_CHUNK):
                        file.write(chunk)
                if not is_picture(target):
                    files.found.append((shown(member.filename), target))
    except _BROKEN as error:
        raise FeedError(f"{path} cannot be unpacked: {error}. Pack it again, without a password.") from error
    return files


def check(path: Path) -> None:
    """Raises FeedError where a zip would fill the disk: nothing unpacks to more than it says it does."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
    size, packed = sum(member.file_size for member in members), path.stat().st_size
    if len(members) > _MOST_FILES or size > _MOST_BYTES or (size > _SMALL and size > _MOST_RATIO * packed):
        raise FeedError(
            f"{path} would unpack to {len(members):,} files of {size >> 20:,} MB, which no catalogue needs. "
            "Pack the catalogue by itself."
        )
