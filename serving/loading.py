"""A catalogue made beside the one that answers: read a feed, or another encoder's index, and fill the next generation.

A large one is made by a process of its own that runs only when nothing else wants the processor, for an embedded index
holds the interpreter while it works, and reading and embedding want all of a core:
`python -m serving.child serving.loading`, an `Order` as one JSON line on its input, `Told` on its output, one a line.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel

from retrieval.encoding import Encoder, EncoderId, RemoteIndexEncoder, Vectors
from retrieval.feeds.detect import Feed, FeedError, read
from retrieval.ingest import Ingested, ingest, reindex
from retrieval.store.base import StoreError
from retrieval.store.catalogue import Catalogue
from serving import child
from serving.idle import be_idle
from serving.ipc import Connection, ConnectionLost
from serving.job import Job
from serving.models.weights import WeightsError
from serving.settings import Settings
from serving.stages.base import StageError

BATCH = 64  # products that are embedded at once where nobody waits: enough to sort them by length
BRIEF_BATCH = 8  # where somebody may
LISTED = 10  # problems that are told one by one
_LENT_BATCH = 16
_LENT_SECONDS = 120.0
_LONGEST_LINE = 1 << 20  # bytes of a message


class Told(BaseModel):
    """What a load tells of itself. `understood`: the feed was read, with so many problems. The last three end it."""

    kind: Literal["progress", "understood", "done", "unusable", "failed"]
    what: str = ""
    done: int = 0
    total: int = 0
    problems: list[str] = []
    more_problems: int = 0
    ingested: Ingested | None = None


Tell = Callable[[Told], None]
IndexEncoder = Encoder | RemoteIndexEncoder


class Lent(BaseModel):
    """The encoders' embedder, where it has a card that no second one fits on: their socket, and what it makes."""

    socket: Path
    encoder: EncoderId


class _Order(BaseModel):
    settings: Settings
    job: Job
    lent: Lent | None = None


async def carry_out(
    job: Job, catalogue: Catalogue, encoder: Callable[[], IndexEncoder], tell: Tell, batch: int = BATCH
) -> Ingested:
    """Fill the staged index and mark it complete: from then on it is the one that counts.

    Raises FeedError where the feed cannot be used, and then `encoder` was not made; StoreError, WeightsError. What was
    written stays, to be gone on with.
    """
    tell(Told(kind="progress", what=job.what))
    if job.reindex is not None:
        return await _reindex(job, job.reindex, catalogue, encoder(), tell, batch)
    feed = await _read(job)
    told = [str(problem) for problem in feed.problems]
    tell(Told(kind="understood", total=len(feed.products), problems=told[:LISTED], more_problems=len(told[LISTED:])))
    return await _fill(job, feed, catalogue, encoder(), tell, batch)


async def _read(job: Job) -> Feed:
    """In a thread, for questions may be answered meanwhile."""
    with ThreadPoolExecutor(1, "feed") as thread:
        return await asyncio.get_running_loop().run_in_executor(thread, read, job.path, job.currency, job.mapping)


async def _fill(job: Job, feed: Feed, catalogue: Catalogue, encoder: IndexEncoder, tell: Tell, batch: int) -> Ingested:
    store = await catalogue.open_staged(encoder.id)
    try:
        return await ingest(
            feed.products,
            store,
            encoder,
            source=str(job.path),
            source_digest=feed.digest,
            progress=_progress(job, tell),
            batch=batch,
            keep_missing=job.keep_missing,
        )
    finally:
        await store.close()


async def _reindex(
    job: Job, made_by: EncoderId, catalogue: Catalogue, encoder: IndexEncoder, tell: Tell, batch: int
) -> Ingested:
    old = await catalogue.open(made_by)
    try:
        tell(Told(kind="understood", total=(await old.info()).count))
        new = await catalogue.open_staged(encoder.id)
        try:
            return await reindex(old, new, encoder, _progress(job, tell), batch)
        finally:
            await new.close()
    finally:
        await old.close()


def _progress(job: Job, tell: Tell) -> Callable[[int, int], None]:
    return lambda done, total: tell(Told(kind="progress", what=job.what, done=done, total=total))


async def carry_out_apart(job: Job, settings: Settings, tell: Tell, lent: Lent | None = None) -> Ingested:
    """`carry_out` in a process of its own with an embedder of its own, or `lent`. Raises FeedError and StoreError.

    Cancelled, the process is ended.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "serving.child", "serving.loading"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {child.PARENT_VARIABLE: str(os.getpid())},
        limit=_LONGEST_LINE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    last = Told(kind="progress", what=job.what)
    try:
        process.stdin.write(_Order(settings=settings, job=job, lent=lent).model_dump_json().encode() + b"\n")
        while line := await process.stdout.readline():
            last = Told.model_validate_json(line)
            if last.kind in ("progress", "understood"):
                tell(last)
        code = await process.wait()
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
    if last.kind == "done" and last.ingested is not None:
        return last.ingested
    if last.kind == "unusable":
        raise FeedError(last.what)
    raise StoreError(last.what if last.kind == "failed" else _ended(code))


def _ended(code: int) -> str:
    how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return f"the process that loads it was ended ({how}); load it again, it goes on where it was"


class _LentEncoder:
    """A `RemoteIndexEncoder`: questions come first there, so few texts at a time."""

    def __init__(self, connection: Connection, own_id: EncoderId) -> None:
        self._connection, self.id = connection, own_id

    async def encode(self, texts: Sequence[str]) -> Vectors:
        rows = []
        try:
            for start in range(0, len(texts), _LENT_BATCH):
                part = list(texts[start : start + _LENT_BATCH])
                answer = await self._connection.call("encode", part, returns=str, seconds=_LENT_SECONDS)
                rows.append(base64.b64decode(answer))
        except (StageError, TimeoutError, ConnectionLost) as error:
            raise StoreError(f"the embedder does not answer: {error}") from error
        return np.frombuffer(b"".join(rows), np.float32).reshape(len(texts), self.id.dimension)


async def _main(order: _Order, tell: Tell) -> None:
    settings, lent = order.settings, order.lent
    connection = None if lent is None else await Connection.to(lent.socket, _LENT_SECONDS)

    def encoder() -> IndexEncoder:
        if connection is not None and lent is not None:
            return _LentEncoder(connection, lent.encoder)
        from serving.models.embedder import Embedder
        from serving.models.weights import prepare

        def preparing(what: str, done: int, total: int) -> None:
            tell(Told(kind="progress", what=what, done=done, total=total))

        spec = settings.models.embedder
        return Embedder(spec, prepare(spec, settings.weights_dir, preparing))

    try:
        catalogue = Catalogue(settings.home, settings.qdrant_url, settings.qdrant_key)
        ingested = await carry_out(order.job, catalogue, encoder, tell)
    except FeedError as error:
        tell(Told(kind="unusable", what=str(error)))
    except (WeightsError, StoreError, OSError) as error:
        tell(Told(kind="failed", what=str(error)))
    else:
        tell(Told(kind="done", ingested=ingested))


def main() -> None:
    """Carry out the order on the input."""
    be_idle()
    output, sys.stdout = sys.stdout, sys.stderr  # what a library prints is no message
    order = _Order.model_validate_json(sys.stdin.readline())
    asyncio.run(_main(order, lambda told: print(told.model_dump_json(), file=output, flush=True)))


if __name__ == "__main__":
    main()
