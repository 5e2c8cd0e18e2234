"""What an index says of itself: who made its vectors, how many there are, whether the load was finished."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from retrieval.encoding import EncoderId
from retrieval.store.base import StoreError, StoreInfo

FILE = "manifest.json"


class Manifest(BaseModel):
    """`count` is None while the index is being written: after a crash nobody knows it.

    `layout` says how records lie in the index; it rises with every change that older code would read wrongly.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    layout: Literal[1] = 1
    encoder: EncoderId
    count: int | None = 0
    complete: bool = False
    source: str = ""
    source_digest: str = ""

    def info(self, count: int, **extra: str) -> StoreInfo:
        return StoreInfo(self.encoder, count, self.complete, self.source, self.source_digest, extra)

    def marked(self, count: int, complete: bool, source: str, source_digest: str) -> Manifest:
        """This manifest with what `ProductStore.mark` was told."""
        return self.model_copy(
            update={"count": count, "complete": complete, "source": source, "source_digest": source_digest}
        )


def parse_manifest(text: str | bytes, where: str) -> Manifest:
    """Raises StoreError if `text` is not a manifest of this layout; `where` names the index in the message."""
    try:
        return Manifest.model_validate_json(text)
    except ValidationError as error:
        fields = ", ".join(str(problem["loc"][0]) if problem["loc"] else "JSON" for problem in error.errors())
        raise StoreError(
            f"{where} was written by another version, or its description is damaged ({fields}). "
            "Remove it and load the catalogue again."
        ) from error


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest in `folder`, None if there is none. Raises StoreError if it cannot be read."""
    try:
        return parse_manifest((folder / FILE).read_bytes(), f"The index in {folder}")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{folder / FILE} cannot be read: {error.strerror}.") from error


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest in `folder`; after a crash there is the old one or the new one, never half of one."""
    new = None
    try:
        with tempfile.NamedTemporaryFile("w", dir=folder, prefix=f".{FILE}-", delete=False) as new:
            new.write(manifest.model_dump_json(indent=1))
            new.flush()
            os.fsync(new.fileno())
        os.replace(new.name, folder / FILE)
        _sync_folder(folder)
    except OSError as error:
        if new is not None:
            Path(new.name).unlink(missing_ok=True)
        raise StoreError(f"{folder / FILE} cannot be written: {error.strerror}.") from error


def _sync_folder(folder: Path) -> None:
    """A renamed file is safe only when its folder is on disk too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
