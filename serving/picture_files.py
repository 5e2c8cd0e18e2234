"""Pictures that came with a feed: in its zip, or in its folder and below."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from pathlib import Path

from serving.fetching import FetchError

_MEDIA = ("", "media", "media/catalog/product", "pub/media/catalog/product", "images")  # where exports keep files
_BROKEN = (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error, lzma.LZMAError)


class PictureFiles:
    """Of the feed at `feed`, a file, a folder or a zip; None: there are none. Raises OSError."""

    def __init__(self, feed: Path | None) -> None:
        self._folder = self._zip = None
        self._members: dict[str, list[str]] = {}  # of the zip, by the last part of their names
        if feed is None:
            return
        if feed.is_file() and zipfile.is_zipfile(feed):
            try:
                self._zip = zipfile.ZipFile(feed)
            except _BROKEN as error:
                raise OSError(f"{feed} cannot be unpacked: {error}") from error
            for name in self._zip.namelist():
                self._members.setdefault(name.rpartition("/")[2], []).append(name)
        elif feed.exists():
            self._folder = (feed if feed.is_dir() else feed.parent).resolve()

    def read(self, image: str, most_bytes: int) -> bytes:
        """The content of what a product names so. Raises FetchError, OSError; ValueError where it is no name."""
        path = image.lstrip("/")
        found = self._packed(path, most_bytes) if self._zip else self._beside(path, most_bytes)
        if len(found) > most_bytes:
            raise FetchError(f"more than {most_bytes:,} bytes")
        return found

    def close(self) -> None:
        if self._zip is not None:
            self._zip.close()

    def _packed(self, path: str, most_bytes: int) -> bytes:
        """The first whose name ends so, since a shop's files may lie in a folder of the zip."""
        assert self._zip is not None
        name = next((n for n in self._members.get(path.rpartition("/")[2], ()) if f"/{n}".endswith(f"/{path}")), None)
        if name is None:
            raise FetchError("no such file in the feed's zip")
        try:
            with self._zip.open(name) as file:
                return file.read(most_bytes + 1)
        except _BROKEN as error:
            raise FetchError(f"it cannot be unpacked: {error}"[:200]) from error

    def _beside(self, path: str, most_bytes: int) -> bytes:
        if self._folder is None:
            raise FetchError("no folder for it")
        for place in _MEDIA:
            file = (self._folder / place / path).resolve()
            if file.is_relative_to(self._folder) and file.is_file():
                with file.open("rb") as opened:
                    return opened.read(most_bytes + 1)
        raise FetchError("no such file beside the feed")
