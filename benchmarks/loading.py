"""`python -m benchmarks.loading FEED`: a large catalogue into a running assistant, and where the time of a load goes.

`FEED` is a file or folder of a few thousand products. Takes as long as embedding them, and a few minutes.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer
import uvloop
from rich.console import Console

from benchmarks.__main__ import table
from benchmarks.assistant import Running, assistant
from benchmarks.figures import Figure, middle, spread
from benchmarks.latency import ask
from benchmarks.questions import QUESTIONS
from retrieval.encoding import EncoderId, Vectors
from retrieval.feeds.detect import read
from retrieval.ingest import ingest
from retrieval.product import Product
from retrieval.store.edge import EdgeStore
from retrieval.text import product_text
from serving.loading import BATCH
from serving.models.embedder import Embedder
from serving.models.weights import prepare
from serving.owner import owner_key
from serving.profiles import PROFILES

_REST_SECONDS = 1.0  # between two questions
_ROUNDS = 3


def main(
    feed: Annotated[Path, typer.Argument(help="A catalogue of a few thousand products.", exists=True)],
    sample: Annotated[int, typer.Option(help="Products for the share of embedding.")] = 1_000,
    only_share: Annotated[bool, typer.Option(help="Without a running assistant.")] = False,
) -> None:
    """Measure on an idle machine."""
    figures = []
    with tempfile.TemporaryDirectory(prefix="dg-load-") as name:
        home = Path(name) / "home"
        if not only_share:
            with assistant(home, Path(name) / "log.txt") as running:
                figures += _beside(running, home, feed.absolute())
        figures += uvloop.run(_share(home / "models", Path(name), feed, sample))
    Console().print(table(figures))
    raise typer.Exit(any(figure.holds is False for figure in figures))


def _beside(running: Running, home: Path, feed: Path) -> list[Figure]:
    """Questions while the feed loads, beside the same ones before and after it."""
    headers = {"Authorization": f"Bearer {owner_key(home)}"}
    questions = cycle(QUESTIONS)
    with httpx.Client(base_url=running.api_url, timeout=120, trust_env=False, headers=headers) as client:

        def asked(count: int) -> list[float]:
            times = []
            for question in islice(questions, count):
                times.append(ask(client, question)[0])
                time.sleep(_REST_SECONDS)
            return times

        asked(2)
        usual = asked(20)
        began = time.monotonic()
        client.post("/v1/catalogue", json={"path": str(feed)}).raise_for_status()
        during: list[float] = []
        while (part := _catalogue(client))["state"] == "loading":
            during += asked(1)
        seconds = time.monotonic() - began
        if part["detail"]:
            raise RuntimeError(part["detail"])
        after = asked(20)
        count = part["facts"]["count"]
    return [
        Figure("question to cards, the demo catalogue", middle(usual), "ms", detail=spread(usual)),
        Figure("question to cards, while it loads", middle(during), "ms", detail=spread(during)),
        Figure("the same, over the usual", middle(during) / middle(usual), "", at_most=1.5, ratio=True),
        Figure(f"question to cards, {count:,} products", middle(after), "ms", detail=spread(after)),
        Figure("from file to answering, while shoppers ask", seconds, "s", detail=f"{count / seconds:.0f} products/s"),
    ]


def _catalogue(client: httpx.Client) -> dict[str, Any]:
    parts = client.get("/readyz").json()["parts"]
    return next(part for part in parts if part["name"] == "catalogue")


async def _share(weights: Path, folder: Path, path: Path, sample: int) -> list[Figure]:
    """A load and the embedder by itself on the same texts, by turns."""
    spec = PROFILES["embedded"].embedder
    clock = _Clock()
    encoder = _TimedEncoder(Embedder(spec, prepare(spec, weights, lambda *_: None)), clock)
    with clock.of("read"):
        feed = read(path)
    products = list(islice(feed.products, sample))
    reading = clock.seconds.pop("read") / len(feed.products) * len(products)
    alone, loads = [], []
    for number in range(_ROUNDS):
        texts = [product_text(product) for product in products]
        began = time.perf_counter()
        encoder.inner.encode(texts)
        alone.append(time.perf_counter() - began)
        began = time.perf_counter()
        await _load(products, folder / str(number), encoder, clock)
        loads.append(time.perf_counter() - began)
        shutil.rmtree(folder / str(number))
    ratios = [own / (whole + reading) for own, whole in zip(alone, loads, strict=True)]
    parts = ", ".join(f"{name} {seconds / _ROUNDS:.1f} s" for name, seconds in clock.seconds.items())
    rest = sum(loads) / _ROUNDS - sum(clock.seconds.values()) / _ROUNDS
    detail = f"{len(products)} products: reading {reading:.1f} s, {parts}, the rest {rest:.1f} s; embedder alone "
    detail += f"{middle(alone):.1f} s; {spread(ratios)}"
    name = "throughput of a load over the embedder's own"
    return [Figure(name, middle(ratios), "", at_least=0.9, ratio=True, detail=detail)]


async def _load(products: Sequence[Product], folder: Path, encoder: _TimedEncoder, clock: _Clock) -> None:
    store = EdgeStore.open(folder, encoder.id)
    upsert = store.upsert

    async def timed(products: Sequence[Product], vectors: Vectors) -> None:
        with clock.of("index"):
            await upsert(products, vectors)

    store.upsert = timed  # type: ignore[method-assign]
    await ingest(products, store, encoder, source="", source_digest="", progress=lambda *_: None, batch=BATCH)
    await store.close()


class _Clock:
    """Seconds by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began


class _TimedEncoder:
    def __init__(self, inner: Embedder, clock: _Clock) -> None:
        self.inner, self._clock = inner, clock

    @property
    def id(self) -> EncoderId:
        return self.inner.id

    def encode(self, texts: Sequence[str]) -> Vectors:
        with self._clock.of("embedding"):
            return self.inner.encode(texts)


if __name__ == "__main__":
    typer.run(main)
