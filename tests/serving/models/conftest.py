"""The embedded profile's own models, loaded once, and a tiny model for the engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from serving.models.embedder import Embedder
from serving.models.weights import prepare
from serving.profiles import PROFILES
from tests.serving.models import checkpoints


@pytest.fixture(scope="session")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    spec = PROFILES["embedded"].embedder
    return Embedder(spec, prepare(spec, tmp_path_factory.mktemp("weights")))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = checkpoints.qwen3(tmp_path_factory.mktemp("qwen3"))
    # Random weights end wherever they like; the tests need texts of a known length.
    (folder / "generation_config.json").write_text('{"eos_token_id": []}')
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty one for a checkpoint."""
    made = tmp_path / "checkpoint"
    made.mkdir()
    return made
