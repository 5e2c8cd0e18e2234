"""What to make a catalogue of."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog
from pydantic import TypeAdapter, ValidationError

from retrieval.encoding import EncoderId

_NOTE = "load.json"
_FEW = 500  # products
_SMALL_BYTES = 256 << 10
_PACKED = (b"PK\x03\x04", b"PAR1")  # a small file can hold much


@dataclass(frozen=True)
class Job:
    """A feed with the owner's choices, or the index that the encoder `reindex` made."""

    path: Path = Path()
    mapping: dict[str, str] = field(default_factory=dict)
    currency: str = "USD"
    keep_missing: bool = False
    reindex: EncoderId | None = None
    products: int = 0  # of that index

    @property
    def given(self) -> dict[str, Any]:
        """What is not left at its default, as JSON."""
        found: dict[str, Any] = _JOB.dump_python(self, mode="json", exclude_defaults=True)
        return found

    @property
    def what(self) -> str:
        if self.reindex is not None:
            return f"re-indexing: the stored vectors were made by {self.reindex.model}"
        return f"reading {self.path}"

    def small(self) -> bool:
        """Whether the models that are there do it in passing, sooner than a process of its own would have started."""
        if self.reindex is not None:
            return self.products <= _FEW
        try:
            if not self.path.is_file() or self.path.stat().st_size > _SMALL_BYTES:
                return False
            with self.path.open("rb") as file:
                return not file.read(4).startswith(_PACKED)
        except OSError:
            return True  # reading tells why


def note(home: Path, job: Job) -> None:
    """Keep the job in the home while it runs, so that it can be gone on with. Raises OSError."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = home / f".{_NOTE}.{os.getpid()}"
    fresh.write_bytes(_JOB.dump_json(job))
    fresh.replace(home / _NOTE)


def noted(home: Path) -> Job | None:
    """The job that was broken off, if any."""
    try:
        return _JOB.validate_json((home / _NOTE).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        log.warning("what was being loaded is not known", file=str(home / _NOTE), error=str(error))
        return None


def forget(home: Path) -> None:
    """It is over. Raises OSError."""
    (home / _NOTE).unlink(missing_ok=True)


_JOB = TypeAdapter(Job)
log = structlog.get_logger()
