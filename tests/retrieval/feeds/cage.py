"""Reading a feed in a process that may not harm anybody, and says what it tried."""

from __future__ import annotations

import multiprocessing
import os
import re
import resource
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retrieval.feeds.detect import FeedError, read
from retrieval.product import Product

_SECONDS = 60  # of a processor
_MOST_MEMORY = 3 << 30  # bytes of address space beyond what the process starts with
_FORBIDDEN = ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.symlink", "os.link")


@dataclass
class Outcome:
    """What came of a file: products and problems, or a refusal; what it took, and what it tried."""

    products: list[Product] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    refused: str = ""
    grown: int = 0  # bytes, the most that were in memory at once beyond those at the start
    tried: list[str] = field(default_factory=list)  # forbidden things

    @property
    def ids(self) -> list[str]:
        return [product.id for product in self.products]


def read_caged(path: Path, **how: Any) -> Outcome:
    """Raises where the process dies, or raises what is no FeedError."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, "pytest"])
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(_caged, path, how).result()


def _caged(path: Path, how: dict[str, Any]) -> Outcome:
    outcome = Outcome()
    inside = str(path.parent.resolve())
    tempfile.tempdir = str(path.parent / "tmp")
    Path(tempfile.tempdir).mkdir()

    def watch(event: str, details: tuple[Any, ...]) -> None:
        writes = event == "open" and isinstance(details[0], str) and details[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if event in _FORBIDDEN or (writes and not os.path.realpath(details[0]).startswith(inside)):
            outcome.tried.append(f"{event} {details[0]!r}")

    sys.addaudithook(watch)
    before = _memory("VmRSS")
    resource.setrlimit(resource.RLIMIT_AS, (_memory("VmSize") + _MOST_MEMORY, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    try:
        feed = read(path, **how)
        outcome.products, outcome.problems = list(feed.products), [str(problem) for problem in feed.problems]
        del feed
    except FeedError as error:
        outcome.refused = str(error)
    outcome.grown = _memory("VmHWM") - before
    outcome.tried += [f"left {left.name}" for left in Path(tempfile.tempdir).iterdir()]
    return outcome


def _memory(of: str) -> int:
    found = re.search(rf"{of}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) << 10 if found else 0
