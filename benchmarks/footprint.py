"""Memory and processor time of the whole assistant at rest."""

from __future__ import annotations

import time

import httpx
import psutil

from benchmarks.assistant import Running
from benchmarks.figures import Figure

_REST_SECONDS = 20.0
_CELL = ("ray::ServeReplica", "ray::EncodersHost")


def measure(running: Running) -> list[Figure]:
    """PSS summed over all processes, and the share of one core used at rest."""
    processes = running.processes()
    used = {process.pid: process.memory_full_info().pss / 2**20 for process in processes if process.is_running()}
    engine = _engine(running)
    cell = [process for process in processes if process.name().startswith(_CELL) or process.pid in engine]
    before, cell_before = _seconds(processes), _seconds(cell)
    time.sleep(_REST_SECONDS)
    share, own = (
        100 * (_seconds(some) - then) / _REST_SECONDS for some, then in ((processes, before), (cell, cell_before))
    )
    names = sorted(((used[p.pid], _title(p)) for p in processes if p.pid in used), reverse=True)
    largest = ", ".join(f"{title} {size:.0f}" for size, title in names[:5])
    return [
        Figure("memory at rest, all processes (PSS)", sum(used.values()), "MiB", at_most=5 * 1024, detail=largest),
        Figure("processor at rest, the cell", own, "% of a core", at_most=5, detail=f"{len(cell)} processes"),
        Figure("processor at rest, all", share, "% of a core", detail=f"{len(used)} processes, {_REST_SECONDS:.0f} s"),
    ]


def _engine(running: Running) -> list[int]:
    pids: list[int] = httpx.get(f"{running.api_url}/v1/where", timeout=30).json()["llm"]["pids"]
    return pids


def _seconds(processes: list[psutil.Process]) -> float:
    total = 0.0
    for process in processes:
        try:
            times = process.cpu_times()
            total += times.user + times.system
        except psutil.NoSuchProcess:
            continue
    return total


def _title(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline()[:4])[-28:]
    except psutil.NoSuchProcess:
        return "?"
