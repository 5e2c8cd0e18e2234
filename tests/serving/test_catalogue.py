"""A cell's catalogue from its start: first load, another embedder, a broken-off load, a feed that is none."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from unittest.mock import AsyncMock

import pytest
from qdrant_client import AsyncQdrantClient

from retrieval.encoding import Vectors
from retrieval.product import Product
from retrieval.store.catalogue import Catalogue
from serving.catalogue import CatalogueKeeper
from serving.job import Job, note
from serving.settings import Settings
from serving.stages.base import StageError
from tests.products import HashEncoder


def feed(path: Path, *titles: str) -> Path:
    lines = [Product(id=f"P{n}", title={"en": title}).model_dump_json() for n, title in enumerate(titles)]
    path.write_text("\n".join(lines))
    return path


def settings(tmp_path: Path, catalogue: Path) -> Settings:
    return Settings(home=tmp_path / "home", catalogue=catalogue, _env_file=None)


async def loaded(keeper: CatalogueKeeper) -> CatalogueKeeper:
    """Once what it began is over."""
    async with asyncio.timeout(60):
        while keeper.part.state == "loading":
            await asyncio.sleep(0.01)
    return keeper


async def started(setup: Settings) -> CatalogueKeeper:
    """On its home, once its first load is over."""
    keeper = CatalogueKeeper(setup, HashEncoder(revision="1"))
    await keeper.open()
    return await loaded(keeper)


async def test_the_first_start_loads_and_the_second_finds_it_done(tmp_path: Path) -> None:
    setup = settings(tmp_path, feed(tmp_path / "a.jsonl", "Red mug", "Blue mug"))
    keeper = CatalogueKeeper(setup, HashEncoder(revision="1"))
    await keeper.open()
    await loaded(keeper)
    assert (keeper.part.state, keeper.part.facts["count"]) == ("ready", 2)
    await keeper.close()

    (tmp_path / "a.jsonl").unlink()  # not needed any more
    again = CatalogueKeeper(setup, HashEncoder(revision="1"))
    await again.open()
    await loaded(again)
    assert (again.part.state, again.part.facts["count"]) == ("ready", 2)
    await again.close()


async def test_another_embedder_re_indexes_the_shops_records_and_says_so(tmp_path: Path) -> None:
    shop = feed(tmp_path / "shop.jsonl", "Red mug", "Blue mug", "Green mug")
    first = CatalogueKeeper(settings(tmp_path, shop), HashEncoder(revision="1"))
    await first.open()
    await loaded(first)
    await first.close()

    other = feed(tmp_path / "demo.jsonl", "Something else")
    second = CatalogueKeeper(settings(tmp_path, other), HashEncoder(revision="2"))
    await second.open()
    told = set()
    async with asyncio.timeout(60):
        while second.part.state == "loading":
            told.add(second.part.detail)
            await asyncio.sleep(0.002)
    assert any("re-indexing: the stored vectors were made by hash" in detail for detail in told)
    assert second.part.facts["count"] == 3
    assert second.store is not None
    assert second.store.encoder == HashEncoder(revision="2").id
    await second.close()
    assert Catalogue(tmp_path / "home").folder(HashEncoder(revision="1").id).exists(), "the old index stays"


async def broken_off(home: Path, source: Path) -> None:
    """Leave behind what a load leaves that is killed when it has begun to write."""
    catalogue, encoder = Catalogue(home), HashEncoder(revision="1")
    current = await catalogue.open(encoder.id)
    await catalogue.stage(current)
    await current.close()
    staged = await catalogue.open_staged(encoder.id)
    await staged.mark(complete=False, source=str(source), source_digest=sha256(b"x").hexdigest())
    await staged.close()
    note(home, Job(source))


async def test_a_load_that_was_broken_off_is_gone_on_with_not_replaced_by_the_demo(tmp_path: Path) -> None:
    shop = feed(tmp_path / "shop.jsonl", "Red mug", "Blue mug")
    await broken_off(tmp_path / "home", shop)

    keeper = CatalogueKeeper(settings(tmp_path, feed(tmp_path / "demo.jsonl", "Demo lamp")), HashEncoder(revision="1"))
    await keeper.open()
    await loaded(keeper)
    assert keeper.store is not None
    assert {product.title["en"] for product in await keeper.store.get(["P0", "P1"])} == {"Red mug", "Blue mug"}
    await keeper.close()


async def test_a_broken_off_load_whose_file_is_gone_keeps_what_is_stored(tmp_path: Path) -> None:
    demo = feed(tmp_path / "demo.jsonl", "Demo lamp")
    shop = settings(tmp_path, feed(tmp_path / "shop.jsonl", "Red mug", "Blue mug"))
    keeper = CatalogueKeeper(shop, HashEncoder(revision="1"))
    await keeper.open()
    await loaded(keeper)
    await keeper.close()
    await broken_off(tmp_path / "home", tmp_path / "gone.csv")

    again = CatalogueKeeper(settings(tmp_path, demo), HashEncoder(revision="1"))
    await again.open()
    await loaded(again)
    assert (again.part.state, again.part.facts["count"]) == ("ready", 2)
    assert "gone.csv" in again.part.detail
    assert "load the catalogue again" in again.part.detail
    assert {"currency", "source", "index"} <= set(again.part.facts)
    await again.load(Job(demo))
    await loaded(again)
    assert (again.part.state, again.part.detail, again.part.facts["count"]) == ("ready", "", 1)
    await again.close()


async def test_the_currency_is_that_of_the_products_that_are_there(tmp_path: Path) -> None:
    table = tmp_path / "shop.csv"
    table.write_text("id,title,price,currency\n1,Mug,5,CNY\n2,Cup,6,CNY\n")
    keeper = await started(settings(tmp_path, table))
    assert keeper.part.facts["currency"] == "CNY"
    await keeper.load(Job(feed(tmp_path / "b.jsonl", "Blue mug without a price")))
    await loaded(keeper)
    assert (keeper.part.facts["count"], keeper.part.facts["currency"]) == (1, "")
    await keeper.close()


async def test_rows_that_were_left_out_are_told(tmp_path: Path) -> None:
    table = tmp_path / "shop.csv"
    table.write_text("id,title,price\n1,Mug,5\n1,Mug again,6\n2,Lamp,dear\n3,Chair,7\n")
    keeper = await started(settings(tmp_path, table))
    facts = keeper.part.facts
    assert facts["problems"] == len(facts["first_problems"]) >= 2
    assert any("dear" in problem for problem in facts["first_problems"])
    await keeper.load(Job(feed(tmp_path / "b.jsonl", "Blue mug")))
    await loaded(keeper)
    assert "problems" not in keeper.part.facts
    await keeper.close()


async def test_a_new_feed_replaces_the_old_one_and_an_unusable_one_leaves_it(tmp_path: Path) -> None:
    keeper = CatalogueKeeper(settings(tmp_path, feed(tmp_path / "a.jsonl", "Red mug")), HashEncoder(revision="1"))
    await keeper.open()
    await loaded(keeper)
    for wrong in (tmp_path / "missing.jsonl", feed(tmp_path / "empty.jsonl")):
        with pytest.raises(StageError, match=wrong.name):
            await keeper.load(Job(wrong))
    assert (keeper.part.state, keeper.part.facts["count"]) == ("ready", 1)

    over = await keeper.load(Job(feed(tmp_path / "b.jsonl", "Blue mug", "Green mug")))
    assert over or keeper.part.state == "loading", "whoever asks next sees that it loads"
    await loaded(keeper)
    assert (keeper.part.state, keeper.part.facts["count"]) == ("ready", 2)
    await keeper.close()


async def test_a_first_feed_that_is_missing_fails_with_its_name(tmp_path: Path) -> None:
    keeper = CatalogueKeeper(settings(tmp_path, tmp_path / "nowhere.csv"), HashEncoder(revision="1"))
    await keeper.open()
    await loaded(keeper)
    assert keeper.part.state == "failed"
    assert "nowhere.csv" in keeper.part.detail
    await keeper.close()


async def test_of_two_loads_at_once_the_second_is_refused(tmp_path: Path) -> None:
    keeper = CatalogueKeeper(settings(tmp_path, feed(tmp_path / "a.jsonl", "Red mug")), HashEncoder())
    await keeper.open()
    await loaded(keeper)
    feeds = [feed(tmp_path / f"{name}.jsonl", *(f"{name} {n}" for n in range(50))) for name in "bc"]
    ends = await asyncio.gather(*(keeper.load(Job(path)) for path in feeds), return_exceptions=True)
    assert ends[0] in (True, False)
    assert isinstance(ends[1], StageError)
    assert "another load is running" in str(ends[1])
    await loaded(keeper)
    assert keeper.store is not None
    assert keeper.part.facts["count"] == 50
    assert {product.title["en"] for product in await keeper.store.get(["P0", "P49"])} == {"b 0", "b 49"}
    await keeper.load(Job(feeds[1]))
    await loaded(keeper)
    assert {product.title["en"] for product in await keeper.store.get(["P0", "P49"])} == {"c 0", "c 49"}
    await keeper.close()


async def test_whatever_an_encoder_raises_ends_the_load_and_is_told(tmp_path: Path) -> None:
    class Broken(HashEncoder):
        def encode(self, texts: Sequence[str]) -> Vectors:
            raise RuntimeError("out of memory")

    keeper = CatalogueKeeper(settings(tmp_path, feed(tmp_path / "a.jsonl", "Red mug")), Broken())
    await keeper.open()
    await loaded(keeper)
    assert (keeper.part.state, keeper.part.detail) == ("failed", "not loaded: RuntimeError: out of memory")
    await keeper.close()


async def test_nothing_outlives_closing(tmp_path: Path) -> None:
    first = feed(tmp_path / "a.jsonl", *(f"old {n}" for n in range(40)))
    keeper = CatalogueKeeper(settings(tmp_path, first), HashEncoder())
    before = asyncio.all_tasks()
    await keeper.open()
    await loaded(keeper)
    await keeper.load(Job(feed(tmp_path / "b.jsonl", *(f"new {n}" for n in range(8)))))
    await loaded(keeper)
    await keeper.close()
    assert asyncio.all_tasks() == before


async def test_a_catalogue_that_one_cell_loads_is_told_by_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = AsyncQdrantClient(":memory:")  # a server's place: both cells have the same collections
    end_of_test, server.close = server.close, AsyncMock()  # type: ignore[method-assign]
    for module in ("server", "catalogue"):
        monkeypatch.setattr(f"retrieval.store.{module}.connect", lambda *_: server)
    monkeypatch.setattr("serving.catalogue._FOLLOW_SECONDS", 0.01)
    table = tmp_path / "shop.csv"
    table.write_text("id,title,price,currency,category\n1,Mug,5,CNY,Kitchen\n2,Cup,6,CNY,Kitchen\n")
    setup = Settings(home=tmp_path / "home", catalogue=table, qdrant_url="http://127.0.0.1:6333", _env_file=None)
    one, two = await started(setup), await started(setup)
    assert two.part.facts["currency"] == "CNY"
    assert "Kitchen" in two.examples("en")[0]

    other = tmp_path / "other.csv"
    other.write_text("id,title,price,currency,category\n" + "".join(f"{n},Tent {n},99,USD,Camping\n" for n in range(3)))
    await one.load(Job(other))
    await loaded(one)
    async with asyncio.timeout(60):
        while two.part.facts["source"] != str(other) or two.part.state != "ready":
            await asyncio.sleep(0.01)
    assert (two.part.facts["count"], two.part.facts["currency"]) == (3, "USD")
    assert two.part.facts["index"] == one.part.facts["index"]
    assert two.examples("en") == one.examples("en")
    assert "Camping" in two.examples("en")[0]
    for keeper in (one, two):
        await keeper.close()
    await end_of_test()
