"""The embedded index on disk: what survives, what is refused, and what is said."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from retrieval.store.base import StoreError
from retrieval.store.edge import EdgeStore
from tests.products import HashEncoder, product, products

ENCODER = HashEncoder()
ROOT = Path(__file__).parents[3]
FILL = """
import asyncio, sys
from pathlib import Path
from retrieval.store.edge import EdgeStore
from tests.products import HashEncoder, products

async def main():
    encoder, catalogue = HashEncoder(), products(300)
    store = EdgeStore.open(Path(sys.argv[1]), encoder.id)
    await store.upsert(catalogue, encoder.encode([item.id for item in catalogue]))
    print("filled", flush=True)
    sys.stdin.read()

asyncio.run(main())
"""


async def fill(store: EdgeStore, count: int = 20) -> None:
    items = products(count)
    await store.upsert(items, ENCODER.encode([item.id for item in items]))


def other_process(folder: Path) -> subprocess.Popen[bytes]:
    """A process that has opened the index and written 300 products to it."""
    process = subprocess.Popen(
        [sys.executable, "-c", FILL, str(folder)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"filled\n"
    return process


def cut(folder: Path, name: str, size: int) -> None:
    (file,) = folder.rglob(name)
    assert file.stat().st_size > size
    os.truncate(file, size)


def finish(process: subprocess.Popen[bytes], how: signal.Signals) -> None:
    process.send_signal(how)
    process.communicate()


async def test_all_is_there_after_closing_and_opening(tmp_path: Path) -> None:
    store = EdgeStore.open(tmp_path / "index", ENCODER.id)
    await fill(store)
    await store.mark(complete=True, source="demo", source_digest="d1")
    before = await store.query(ENCODER.encode(["q"]), 20), await store.info()
    await store.close()
    again = EdgeStore.open(tmp_path / "index", ENCODER.id)
    assert (await again.query(ENCODER.encode(["q"]), 20), await again.info()) == before
    assert before[1].complete
    await again.close()


async def test_a_second_process_is_told_that_the_folder_is_in_use(tmp_path: Path) -> None:
    process = other_process(tmp_path / "index")
    try:
        with pytest.raises(StoreError, match="open already") as refusal:
            EdgeStore.open(tmp_path / "index", ENCODER.id)
        assert str(tmp_path / "index") in str(refusal.value)
    finally:
        finish(process, signal.SIGTERM)
    await EdgeStore.open(tmp_path / "index", ENCODER.id).close()


async def test_the_same_process_is_told_too(tmp_path: Path) -> None:
    store = EdgeStore.open(tmp_path, ENCODER.id)
    with pytest.raises(StoreError, match="open already"):
        EdgeStore.open(tmp_path, ENCODER.id)
    await store.close()


async def test_what_was_written_survives_a_kill(tmp_path: Path) -> None:
    finish(other_process(tmp_path), signal.SIGKILL)
    store = EdgeStore.open(tmp_path, ENCODER.id)
    assert await store.get(["P-00000", "P-00299"]) == [product(0), product(299)]
    info = await store.info()
    assert (info.count, info.complete) == (300, False)
    await store.close()


@pytest.mark.parametrize("change", [{"model": "other"}, {"revision": "2"}, {"dimension": 8}, {"template": "test/2"}])
async def test_another_encoder_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    await EdgeStore.open(tmp_path, ENCODER.id).close()
    other = replace(ENCODER.id, **change)  # type: ignore[arg-type]
    with pytest.raises(StoreError, match="made by hash@1"):
        EdgeStore.open(tmp_path, other)
    await EdgeStore.open(tmp_path, ENCODER.id).close()


async def test_lost_records_are_noticed(tmp_path: Path) -> None:
    store = EdgeStore.open(tmp_path, ENCODER.id)
    await fill(store, 1000)
    await store.close()
    cut(tmp_path, "mutable_id_tracker.mappings", 10_000)  # the engine loads this, and says nothing
    with pytest.raises(StoreError, match=r"damaged: it holds \d+ of 1000 products. Remove the folder"):
        EdgeStore.open(tmp_path, ENCODER.id)


@pytest.mark.parametrize("file", ["segment.json", "edge_config.json"])
async def test_a_damaged_shard_is_said_to_be_one(tmp_path: Path, file: str) -> None:
    store = EdgeStore.open(tmp_path, ENCODER.id)
    await fill(store)
    await store.close()
    cut(tmp_path, file, 10)
    with pytest.raises(StoreError, match=r"cannot be opened.*Remove the folder"):
        EdgeStore.open(tmp_path, ENCODER.id)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"layout": 2}', '{"layout": 1, "encoder": 3}'])
async def test_an_unreadable_manifest_is_refused(tmp_path: Path, text: str) -> None:
    await EdgeStore.open(tmp_path, ENCODER.id).close()
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(StoreError, match="another version, or its description is damaged"):
        EdgeStore.open(tmp_path, ENCODER.id)


async def test_an_index_that_was_never_finished_making_is_made_anew(tmp_path: Path) -> None:
    await EdgeStore.open(tmp_path, ENCODER.id).close()
    (tmp_path / "manifest.json").rename(tmp_path / ".manifest.json-left")
    (tmp_path / "shard" / "edge_config.json").unlink()
    store = EdgeStore.open(tmp_path, ENCODER.id)
    await fill(store)
    assert await store.count() == 20
    await store.close()


async def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "holiday.jpg").write_bytes(b"x")
    with pytest.raises(StoreError, match=r"other files \(holiday.jpg\)"):
        EdgeStore.open(tmp_path, ENCODER.id)
    assert (tmp_path / "holiday.jpg").read_bytes() == b"x"


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be used for an index"):
        EdgeStore.open(tmp_path / "file" / "index", ENCODER.id)


async def test_the_manifest_knows_that_writing_goes_on(tmp_path: Path) -> None:
    store = EdgeStore.open(tmp_path, ENCODER.id)

    def counted() -> object:
        return json.loads((tmp_path / "manifest.json").read_text())["count"]

    assert counted() == 0
    await fill(store)
    assert counted() is None
    await store.mark(complete=True)
    assert counted() == 20
    await store.delete(["P-00000"])
    assert counted() is None
    await store.close()
    assert counted() == 19


async def test_a_refused_update_leaves_nothing_for_the_next_opening(tmp_path: Path) -> None:
    store = EdgeStore.open(tmp_path, ENCODER.id)
    await fill(store)
    vectors = ENCODER.encode(["a"] * 300)
    vectors[250] = np.nan
    with pytest.raises(StoreError):
        await store.upsert(products(300), vectors)
    await store.close()
    assert await reopened_count(tmp_path) == 20


async def test_a_full_disk_is_said_and_harms_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretends that more must be free than any disk has: to fill a real one takes a disk of one's own."""
    store = EdgeStore.open(tmp_path / "index", ENCODER.id)
    await fill(store)
    monkeypatch.setattr("retrieval.store.edge._RESERVE", 2**62)
    with pytest.raises(StoreError, match=r"disk that holds .*index is full: \d+ MB are free"):
        await fill(store, 40)
    with pytest.raises(StoreError, match=r"disk that holds .*other is full"):
        EdgeStore.open(tmp_path / "other", ENCODER.id)
    assert len((await store.query(ENCODER.encode(["q"]), 50))[0]) == 20
    await store.close()
    assert await reopened_count(tmp_path / "index") == 20


async def reopened_count(folder: Path) -> int:
    store = EdgeStore.open(folder, ENCODER.id)
    try:
        return await store.count()
    finally:
        await store.close()


async def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = EdgeStore.open(tmp_path, ENCODER.id)
    await store.close()
    await store.close()
    with pytest.raises(StoreError, match="it was closed"):
        await store.count()
    with pytest.raises(StoreError, match="it was closed"):
        await fill(store)
