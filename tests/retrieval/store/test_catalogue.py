"""Each encoder finds its own index; those of others are listed, to re-index from."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.store.base import StoreError
from retrieval.store.catalogue import Catalogue
from tests.products import HashEncoder, products

ENCODER = HashEncoder()
OLD = replace(ENCODER.id, revision="0")


async def test_an_index_is_found_again_by_its_encoder_and_by_no_other(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path)
    old, new = await catalogue.open(OLD), await catalogue.open(ENCODER.id)
    items = products(3)
    await old.upsert(items, ENCODER.encode([item.id for item in items]))
    await old.close()
    again = await catalogue.open(OLD)
    assert (await again.count(), await new.count()) == (3, 0)
    await again.close()
    await new.close()


async def test_others_are_listed_while_open_and_the_best_source_comes_first(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path)
    assert await catalogue.others(ENCODER.id) == []
    empty, small, large = (replace(ENCODER.id, revision=f"r{number}") for number in range(3))
    for encoder, count in ((small, 2), (large, 5)):
        store, items = await catalogue.open(encoder), products(count)
        await store.upsert(items, ENCODER.encode([item.id for item in items]))
        await store.mark(complete=True, source="feed.csv")
        await store.close()
    own, unfinished = await catalogue.open(ENCODER.id), await catalogue.open(empty)
    found = [(info.encoder, info.count, info.complete) for info in await catalogue.others(ENCODER.id)]
    assert found == [(large, 5, True), (small, 2, True), (empty, 0, False)]
    await own.close()
    await unfinished.close()


async def test_an_unreadable_index_of_another_is_left_out(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path)
    await (await catalogue.open(OLD)).close()
    (catalogue.folder(OLD) / "manifest.json").write_text("{")
    assert await catalogue.others(ENCODER.id) == []
    with pytest.raises(StoreError):
        await catalogue.open(OLD)


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
async def test_with_an_address_nothing_is_made_at_home(tmp_path: Path, unused_tcp_port: int) -> None:
    catalogue = Catalogue(tmp_path, f"http://127.0.0.1:{unused_tcp_port}", "secret")
    for call in (catalogue.open, catalogue.others):
        with pytest.raises(StoreError, match="cannot be reached"):
            await call(ENCODER.id)
    assert os.listdir(tmp_path) == []
    assert "secret" not in repr(catalogue)
