"""The embedded profile's own models, loaded once."""

from __future__ import annotations

from pathlib import Path

import pytest

from serving.models.embedder import Embedder
from serving.models.weights import prepare
from serving.profiles import PROFILES


@pytest.fixture(scope="session")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    spec = PROFILES["embedded"].embedder
    return Embedder(spec, prepare(spec, tmp_path_factory.mktemp("weights")))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty one for a checkpoint."""
    made = tmp_path / "checkpoint"
    made.mkdir()
    return made
