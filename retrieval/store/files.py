"""Copies of an index's files, which are mostly holes."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

_PIECE = 1 << 20


def copy_folder(source: Path, target: Path) -> None:
    """Copy a folder; what was never written in its files takes no room in the copy either. Raises OSError."""
    shutil.copytree(source, target, copy_function=_copy_file)


def _copy_file(source: str, target: str) -> None:
    with open(source, "rb") as old, open(target, "wb") as new:
        size = os.fstat(old.fileno()).st_size
        new.truncate(size)
        end = 0
        while end < size:
            try:
                start = os.lseek(old.fileno(), end, os.SEEK_DATA)
            except OSError as error:
                if error.errno == errno.ENXIO:  # a hole up to the end
                    return
                raise
            end = os.lseek(old.fileno(), start, os.SEEK_HOLE)
            old.seek(start)
            new.seek(start)
            while start < end:
                piece = old.read(min(_PIECE, end - start))
                new.write(piece)
                start += len(piece)
