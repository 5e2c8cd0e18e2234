"""A new catalogue is made beside the one that answers; marking it complete is the switch. The same on both engines."""

from __future__ import annotations

import shutil
from pathlib import Path
from unittest.mock import AsyncMock

import pytest
from qdrant_client import AsyncQdrantClient

from retrieval.store.base import StoreError
from retrieval.store.catalogue import Catalogue
from tests.products import HashEncoder, products

ENCODER = HashEncoder()
ITEMS = products(30)
VECTORS = ENCODER.encode([item.id for item in ITEMS])


@pytest.fixture(params=["edge", "server"])
def catalogue(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Catalogue:
    if request.param == "edge":
        return Catalogue(tmp_path)
    server = AsyncQdrantClient(":memory:")
    server.close = AsyncMock()  # type: ignore[method-assign]
    for module in ("server", "catalogue"):
        monkeypatch.setattr(f"retrieval.store.{module}.connect", lambda *_: server)
    return Catalogue(tmp_path, "http://127.0.0.1:6333")


async def first(catalogue: Catalogue, *, complete: bool = True) -> None:
    store = await catalogue.open(ENCODER.id)
    await store.upsert(ITEMS, VECTORS)
    await store.mark(complete=complete, source="one.csv", source_digest="1")
    await store.close()


async def test_what_is_staged_is_a_copy_and_counts_once_it_is_complete(catalogue: Catalogue) -> None:
    await first(catalogue)
    old = await catalogue.open(ENCODER.id)
    await catalogue.stage(old)
    new = await catalogue.open_staged(ENCODER.id)
    info = await new.info()
    assert (info.count, info.complete, info.source_digest) == (30, False, "")
    assert await new.query(VECTORS, 3) == await old.query(VECTORS, 3), "with its vectors"
    assert await new.query_text(["running shoes"], 3) == await old.query_text(["running shoes"], 3), "and its words"
    await new.delete([ITEMS[0].id])
    await new.close()

    again = await catalogue.open(ENCODER.id) if catalogue.url else old
    assert await again.count() == 30, "it does not count yet"
    new = await catalogue.open_staged(ENCODER.id)
    await new.mark(complete=True, source="two.csv")
    await new.close()
    newest = await catalogue.open(ENCODER.id)
    assert (await newest.info()).source == "two.csv"
    assert (await old.count(), await newest.count()) == (30, 29), "the one before answers who began with it"
    assert await catalogue.staged(ENCODER.id) is None
    await old.close()
    await catalogue.tidy(ENCODER.id)
    await newest.close()
    newest = await catalogue.open(ENCODER.id)
    assert await newest.count() == 29
    await newest.close()


async def test_a_broken_off_load_is_found_and_gone_on_with(catalogue: Catalogue) -> None:
    await first(catalogue)
    old = await catalogue.open(ENCODER.id)
    await catalogue.stage(old)
    staged = await catalogue.open_staged(ENCODER.id)
    await staged.mark(complete=False, source="two.csv")
    await staged.delete([item.id for item in ITEMS[:20]])
    await staged.close()
    await catalogue.stage(old)
    found = await catalogue.staged(ENCODER.id)
    assert found is not None
    assert (found.source, found.complete) == ("two.csv", False)
    staged = await catalogue.open_staged(ENCODER.id)
    assert await staged.count() == 10, "what it had done is kept"
    await staged.close()
    await catalogue.discard(ENCODER.id)
    assert await catalogue.staged(ENCODER.id) is None
    await catalogue.discard(ENCODER.id)
    await old.close()


async def test_an_index_is_not_copied_over_another(catalogue: Catalogue) -> None:
    await first(catalogue)
    store = await catalogue.open(ENCODER.id)
    await store.copy("elsewhere")
    with pytest.raises(StoreError, match="already"):
        await store.copy("elsewhere")
    await store.close()


async def test_a_copy_that_was_broken_off_is_made_anew(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path)
    await first(catalogue)
    old = await catalogue.open(ENCODER.id)
    await catalogue.stage(old)
    folder = catalogue.folder(ENCODER.id, 2)
    (folder / "manifest.json").unlink()  # it comes last
    shutil.rmtree(next(path for path in (folder / "shard").rglob("*") if path.is_dir()))
    await catalogue.stage(old)
    staged = await catalogue.open_staged(ENCODER.id)
    assert await staged.query(VECTORS, 3) == await old.query(VECTORS, 3)
    await staged.close()
    await old.close()
