"""What retrieval asks of models: "texts to vectors" and "a query and texts to scores". Serving hands them in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class EncoderId:
    """What made a vector. Vectors of different ids never share an index."""

    model: str  # hub id or package name
    revision: str
    dimension: int
    template: str  # version of the texts and words of a product, `retrieval.text.TEMPLATE`

    @property
    def key(self) -> str:
        """A short name, safe as a folder or collection name."""
        digest = sha256(repr(sorted(asdict(self).items())).encode()).hexdigest()[:12]
        name = "".join(c if c.isalnum() else "-" for c in self.model.rsplit("/", 1)[-1].lower())
        return f"{name[:40]}-{self.dimension}-{digest}"


class Encoder(Protocol):
    """Texts to unit vectors."""

    @property
    def id(self) -> EncoderId: ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), float32, rows of length 1; `[]` gives shape (0, dimension)."""
        ...


class Scorer(Protocol):
    """How well texts answer a query; higher is better, the scores of one query are comparable."""

    def score(self, asked: Sequence[tuple[str, Sequence[str]]]) -> list[NDArray[np.float32]]:
        """For each query and its texts the scores, shape (len(texts),)."""
        ...
