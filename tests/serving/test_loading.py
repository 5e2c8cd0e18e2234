"""A catalogue is made beside the one that answers, a large one by a process of its own, which may die at any moment."""

from __future__ import annotations

import asyncio
import base64
import os
import signal
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from retrieval.product import Product
from retrieval.store.catalogue import Catalogue
from retrieval.text import product_text
from serving import ipc
from serving.catalogue import CatalogueKeeper
from serving.job import Job
from serving.loading import Lent, Told, carry_out_apart
from serving.models.embedder import Embedder
from serving.models.weights import prepare
from serving.settings import Settings
from serving.stages.base import StageError
from tests.products import HashEncoder


def feed(path: Path, titles: list[str]) -> Path:
    path.write_text("\n".join(Product(id=f"P{n}", title={"en": t}).model_dump_json() for n, t in enumerate(titles)))
    return path


async def settled(keeper: CatalogueKeeper) -> None:
    async with asyncio.timeout(120):
        while keeper.part.state == "loading":
            await asyncio.sleep(0.02)


async def titles(keeper: CatalogueKeeper, *ids: str) -> list[str]:
    assert keeper.store is not None
    return [product.title["en"] for product in await keeper.store.get(ids)]


async def test_the_old_catalogue_answers_until_the_new_one_is_whole(tmp_path: Path) -> None:
    old = feed(tmp_path / "old.jsonl", [f"old {n}" for n in range(70)])
    encoder = Gated()
    keeper = CatalogueKeeper(Settings(home=tmp_path / "home", catalogue=old, _env_file=None), encoder)
    await keeper.open()
    await settled(keeper)
    encoder.gate.clear()
    await keeper.load(Job(feed(tmp_path / "new.jsonl", [*(f"old {n}" for n in range(30)), *("new",) * 40])))
    async with asyncio.timeout(60):
        await encoder.asked.wait()
    assert await titles(keeper, "P0", "P69") == ["old 0", "old 69"]
    assert keeper.part.facts["count"] == 70
    encoder.gate.set()
    await settled(keeper)
    assert await titles(keeper, "P0", "P69") == ["old 0", "new"]
    facts = keeper.part.facts
    assert (facts["count"], facts["written"], facts["unchanged"], facts["removed"]) == (70, 40, 30, 0)
    assert encoder.encoded == 70 + 40, "what did not change keeps its vector"
    await keeper.close()
    folders = sorted(path.name for path in (tmp_path / "home" / "catalogue").iterdir())
    assert len(folders) == 2, "the one before stays while passes may search it"

    again = CatalogueKeeper(Settings(home=tmp_path / "home", catalogue=old, _env_file=None), encoder)
    await again.open()
    await settled(again)
    assert await titles(again, "P0", "P69") == ["old 0", "new"]
    await again.load(Job(feed(tmp_path / "last.jsonl", ["last"]), keep_missing=True))
    await settled(again)
    assert await titles(again, "P0", "P69") == ["last", "new"]
    await again.close()


class Gated(HashEncoder):
    """Answers when the gate is open; elsewhere, as far as its caller can tell."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.asked = asyncio.Event(), asyncio.Event()
        self.gate.set()

    async def encode(self, texts):  # type: ignore[no-untyped-def,override]
        self.asked.set()
        await self.gate.wait()
        return super().encode(texts)


@pytest.fixture
async def keeper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CatalogueKeeper:
    """With the real embedder; every load is one for a process of its own."""
    setup = Settings(home=tmp_path / "home", catalogue=feed(tmp_path / "old.jsonl", ["Old mug"]), _env_file=None)
    spec = setup.models.embedder
    keeper = CatalogueKeeper(setup, Embedder(spec, prepare(spec, setup.weights_dir, lambda *_: None)))
    await keeper.open()
    await settled(keeper)
    monkeypatch.setattr("serving.job._SMALL_BYTES", 0)
    return keeper


def loading_process() -> psutil.Process:
    """The one that loads for this process."""
    found = []
    for child in psutil.Process().children():
        with suppress(psutil.Error):  # one that has ended
            found += [child] if "serving.loading" in child.cmdline() else []
    (loader,) = found
    return loader


async def test_a_killed_load_leaves_the_old_catalogue_and_goes_on_where_it_was(
    tmp_path: Path, keeper: CatalogueKeeper
) -> None:
    job = Job(feed(tmp_path / "new.jsonl", [f"New lamp {n}" for n in range(160)]))
    await keeper.load(job)
    async with asyncio.timeout(120):
        while keeper.part.done == 0:
            assert keeper.part.state == "loading", keeper.part.detail
            await asyncio.sleep(0.002)
    loader = loading_process()
    assert loader.nice() == 19
    assert os.sched_getscheduler(loader.pid) == os.SCHED_IDLE
    loader.send_signal(signal.SIGKILL)
    await settled(keeper)
    assert (keeper.part.state, keeper.part.facts["count"]) == ("ready", 1)
    assert "SIGKILL" in keeper.part.detail
    assert "goes on where it was" in keeper.part.detail
    assert await titles(keeper, "P0") == ["Old mug"]

    await keeper.load(job)
    await settled(keeper)
    facts = keeper.part.facts
    assert (keeper.part.state, keeper.part.detail, facts["count"]) == ("ready", "", 160)
    assert facts["unchanged"] >= 64, "what was written before it died is not embedded again"
    assert facts["written"] + facts["unchanged"] == 160
    assert await titles(keeper, "P0", "P159") == ["New lamp 0", "New lamp 159"]
    await keeper.close()


async def test_an_unusable_large_feed_is_refused_and_leaves_nothing(tmp_path: Path, keeper: CatalogueKeeper) -> None:
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("id,title\n" + "," * 10)
    with pytest.raises(StageError, match="no usable product"):
        await keeper.load(Job(wrong))
    assert (keeper.part.state, keeper.part.detail) == ("ready", "")
    assert await titles(keeper, "P0") == ["Old mug"]
    assert keeper.store is not None
    assert await Catalogue(tmp_path / "home").staged(keeper.store.encoder) is None
    await keeper.close()


async def test_a_load_with_a_lent_embedder_has_its_vectors(tmp_path: Path) -> None:
    setup = Settings(home=tmp_path / "home", _env_file=None)
    encoder = HashEncoder()

    async def encode(texts: list[str]) -> str:
        return base64.b64encode(encoder.encode(texts).tobytes()).decode()

    server = await ipc.listen(tmp_path / "s", [encode], "encoders")
    catalogue = Catalogue(setup.home)
    store = await catalogue.open(encoder.id)
    await catalogue.stage(store)
    await store.close()
    told: list[Told] = []
    job = Job(feed(tmp_path / "a.jsonl", [f"Lamp {n}" for n in range(40)]))
    done = await carry_out_apart(job, setup, told.append, Lent(socket=tmp_path / "s", encoder=encoder.id))
    server.close()
    assert (done.total, done.written, encoder.encoded) == (40, 40, 40)
    assert told[-1].done == 40
    store = await catalogue.open(encoder.id)
    lamp = (await store.get(["P7"]))[0]
    ((hit,),) = await store.query(encoder.encode([product_text(lamp)]), 1)
    assert hit.product == lamp
    await store.close()
