"""What to make a catalogue of."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from retrieval.encoding import EncoderId

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
