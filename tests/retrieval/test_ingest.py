"""A load makes the store hold the feed, does no work twice, and goes on after a kill."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
import pytest_asyncio

from retrieval.encoding import Encoder, RemoteIndexEncoder, Vectors
from retrieval.feeds.detect import read
from retrieval.ingest import Ingested, ingest, reindex
from retrieval.product import Product
from retrieval.store.base import ProductStore, StoreError
from retrieval.store.catalogue import Catalogue
from retrieval.store.edge import EdgeStore
from retrieval.text import product_text
from tests.products import HashEncoder, products

CATALOGUE = products(150)


@pytest.fixture
def encoder() -> HashEncoder:
    return HashEncoder()


@pytest_asyncio.fixture
async def store(tmp_path: Path, encoder: HashEncoder) -> AsyncIterator[EdgeStore]:
    store = EdgeStore.open(tmp_path / "index", encoder.id)
    yield store
    await store.close()


async def load(
    items: Sequence[Product], store: ProductStore, encoder: Encoder | RemoteIndexEncoder, digest: str
) -> Ingested:
    return await ingest(items, store, encoder, source="feed", source_digest=digest, progress=lambda *_: None)


async def held(store: ProductStore) -> list[Product]:
    return sorted([item async for part in store.scan() for item in part], key=lambda item: item.id)


async def test_a_load_fills_the_store_and_tells_how_far_it_is(store: EdgeStore, encoder: HashEncoder) -> None:
    told: list[tuple[int, int]] = []
    done = await ingest(
        CATALOGUE, store, encoder, source="feed.csv", source_digest="1", progress=lambda *step: told.append(step)
    )
    assert done == Ingested(total=150, written=150, updated=0, unchanged=0, removed=0)
    assert await held(store) == CATALOGUE
    assert told == [(32, 150), (64, 150), (96, 150), (128, 150), (150, 150)]
    info = await store.info()
    assert (info.complete, info.count, info.source, info.source_digest) == (True, 150, "feed.csv", "1")


async def test_what_is_found_is_what_the_text_says(store: EdgeStore, encoder: HashEncoder) -> None:
    await load(CATALOGUE, store, encoder, "1")
    for item in CATALOGUE[::40]:
        (hits,) = await store.query(encoder.encode([product_text(item)]), 1)
        assert hits[0].product == item


async def test_the_same_feed_again_is_no_work(store: EdgeStore, encoder: HashEncoder) -> None:
    await load(CATALOGUE, store, encoder, "1")
    told: list[tuple[int, int]] = []
    again = await ingest(
        CATALOGUE, store, encoder, source="feed", source_digest="1", progress=lambda *step: told.append(step)
    )
    assert again == Ingested(150, 0, 0, 150, 0)
    assert told == [(150, 150)]
    assert encoder.encoded == 150


async def test_only_what_changed_is_encoded_and_what_is_gone_is_removed(store: EdgeStore, encoder: HashEncoder) -> None:
    await load(CATALOGUE, store, encoder, "1")
    changed = CATALOGUE[10].model_copy(update={"stock": 3333})
    feed = [*CATALOGUE[:10], changed, *CATALOGUE[11:140], *products(155)[150:]]
    assert await load(feed, store, encoder, "2") == Ingested(145, 5, 1, 139, 10)
    assert await held(store) == feed
    assert encoder.encoded == 155, "a stock is nothing that a model reads"
    assert (await store.info()).source_digest == "2"


async def test_a_load_that_broke_off_goes_on_where_it_was(store: EdgeStore, encoder: HashEncoder) -> None:
    def breaking() -> Iterator[Product]:
        yield from CATALOGUE[:100]
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="disk is gone"):
        await ingest(breaking(), store, encoder, source="feed", source_digest="1", progress=lambda *_: None)
    info = await store.info()
    assert (info.complete, info.count) == (False, 96)
    assert await load(CATALOGUE, store, encoder, "1") == Ingested(150, 54, 0, 96, 0)
    assert encoder.encoded == 150
    assert (await store.info()).complete


async def test_while_a_changed_feed_is_loaded_the_index_is_not_complete(store: EdgeStore, encoder: HashEncoder) -> None:
    await load(CATALOGUE, store, encoder, "1")
    seen = []

    async def slowly() -> AsyncIterator[Product]:
        for number, item in enumerate(CATALOGUE):
            if number == 100:
                seen.append((await store.info()).complete)
            yield item

    await ingest(slowly(), store, encoder, source="feed", source_digest="2", progress=lambda *_: None)
    assert seen == [False]
    assert (await store.info()).complete


async def test_of_two_products_with_one_id_the_first_counts(store: EdgeStore, encoder: HashEncoder) -> None:
    near = CATALOGUE[0].model_copy(update={"brand": "Near"})  # in the same batch
    far = CATALOGUE[1].model_copy(update={"brand": "Far"})  # in another
    done = await load([CATALOGUE[0], near, *CATALOGUE[1:], far], store, encoder, "1")
    assert done == Ingested(150, 150, 0, 0, 0)
    assert await held(store) == CATALOGUE


async def test_a_feed_without_products_empties_no_shop(store: EdgeStore, encoder: HashEncoder) -> None:
    await load(CATALOGUE, store, encoder, "1")
    with pytest.raises(StoreError, match="holds no product; the catalogue stays as it is"):
        await load([], store, encoder, "2")
    assert (await store.info()).complete
    assert await store.count() == 150


async def test_vectors_of_another_encoder_are_refused(store: EdgeStore) -> None:
    with pytest.raises(StoreError, match="for vectors of hash"):
        await load(CATALOGUE, store, HashEncoder(model="other"), "1")


async def test_others_have_their_turn_between_batches(store: EdgeStore) -> None:
    """The encoder computes in the loop, a batch at a time: questions wait for one batch and not for the feed."""
    turns: list[str] = []

    class Noting(HashEncoder):
        def encode(self, texts: Sequence[str]) -> Vectors:
            assert len(texts) <= 32
            turns.append("batch")
            return super().encode(texts)

    async def ask() -> None:
        while True:
            turns.append("question")
            await asyncio.sleep(0)

    asking = asyncio.create_task(ask())
    assert (await load(CATALOGUE, store, Noting(), "1")).written == 150
    asking.cancel()
    batches = [position for position, turn in enumerate(turns) if turn == "batch"]
    assert len(batches) == 5
    assert all("question" in turns[one:other] for one, other in pairwise(batches))


async def test_an_encoder_elsewhere_is_waited_for(store: EdgeStore) -> None:
    class Elsewhere:
        id = HashEncoder().id

        async def encode(self, texts: Sequence[str]) -> Vectors:
            await asyncio.sleep(0)
            return HashEncoder().encode(texts)

    assert (await load(CATALOGUE, store, Elsewhere(), "1")).written == 150


async def test_a_file_becomes_a_catalogue(store: EdgeStore, encoder: HashEncoder, tmp_path: Path) -> None:
    path = tmp_path / "feed.jsonl"
    path.write_text("\n".join(item.model_dump_json() for item in CATALOGUE))
    feed = read(path)
    told: list[tuple[int, int]] = []
    await ingest(
        feed.products,
        store,
        encoder,
        source=str(path),
        source_digest=feed.digest,
        progress=lambda *step: told.append(step),
    )
    assert await held(store) == CATALOGUE
    assert told[-1] == (150, 150)


async def test_another_encoder_is_fed_from_the_index_that_is_there(tmp_path: Path, encoder: HashEncoder) -> None:
    catalogue, newer = Catalogue(tmp_path), HashEncoder(dimension=24, model="newer")
    old = await catalogue.open(encoder.id)
    await load(CATALOGUE, old, encoder, "1")
    await old.close()

    new = await catalogue.open(newer.id)
    (other,) = await catalogue.others(newer.id)
    old = await catalogue.open(other.encoder)
    told: list[tuple[int, int]] = []
    done = await reindex(old, new, newer, lambda *step: told.append(step))
    assert done == Ingested(150, 150, 0, 0, 0)
    assert told[-1] == (150, 150)
    assert await held(new) == await held(old) == CATALOGUE
    assert (await new.info()).source_digest == "1"
    (hits,) = await new.query(newer.encode([product_text(CATALOGUE[5])]), 1)
    assert hits[0].product == CATALOGUE[5]
    await old.close()
    await new.close()


async def test_an_unfinished_index_feeds_no_other(tmp_path: Path, encoder: HashEncoder, store: EdgeStore) -> None:
    await store.upsert(CATALOGUE[:5], encoder.encode([item.id for item in CATALOGUE[:5]]))
    newer = HashEncoder(model="newer")
    new = EdgeStore.open(tmp_path / "new", newer.id)
    with pytest.raises(StoreError, match=r"not loaded to its end\. Load the catalogue file"):
        await reindex(store, new, newer, lambda *_: None)
    assert await new.count() == 0
    await new.close()


async def test_what_the_feed_does_not_hold_may_stay_until_it_is_loaded_without(
    store: EdgeStore, encoder: HashEncoder
) -> None:
    async def again(*, keep_missing: bool) -> Ingested:
        return await ingest(
            CATALOGUE[:100],
            store,
            encoder,
            source="feed",
            source_digest="2",
            progress=lambda *_: None,
            keep_missing=keep_missing,
        )

    await load(CATALOGUE, store, encoder, "1")
    assert await again(keep_missing=True) == Ingested(100, 0, 0, 100, 0)
    assert await store.count() == 150
    assert await again(keep_missing=False) == Ingested(100, 0, 0, 100, 50)
    assert await store.count() == 100
