"""What retrieval asks of models: "texts to vectors" and "a query and texts to scores". Serving hands them in."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Scores = NDArray[np.float32]
Asked = Sequence[tuple[str, Sequence[str]]]  # queries, each with the texts to score

T = TypeVar("T")


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

    def score(self, asked: Asked) -> list[Scores]:
        """For each query and its texts the scores, shape (len(texts),)."""
        ...


class RemoteEncoder(Protocol):
    """An `Encoder` that is reached elsewhere."""

    async def encode(self, texts: Sequence[str]) -> Vectors: ...


class RemoteIndexEncoder(RemoteEncoder, Protocol):
    """One that says what its vectors are."""

    @property
    def id(self) -> EncoderId: ...


class RemoteScorer(Protocol):
    """A `Scorer` that is reached elsewhere."""

    async def score(self, asked: Asked) -> list[Scores]: ...


async def answered(function: Callable[[T], Any], argument: T) -> Any:
    """What a model answers. One elsewhere is waited for; one that is here computes here and now.

    A thread would cost more than a small model's work (two changes of thread, 0.2 ms), and nothing else may use the
    model meanwhile: whoever must go on while models compute belongs into another process.
    """
    if inspect.iscoroutinefunction(function):
        return await function(argument)
    return function(argument)
