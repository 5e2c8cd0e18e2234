"""`python -m benchmarks`: starts the assistant, measures it, prints a table; exit code 1 where a bar is missed."""

from __future__ import annotations

import asyncio
import json
import platform
import tempfile
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer
from rich.console import Console
from rich.table import Table

from benchmarks import batching, footprint, handover, latency, overhead, real_pass, token_rate, transports
from benchmarks.assistant import assistant
from benchmarks.figures import Figure
from benchmarks.questions import QUESTIONS

_PARTS_ROUNDS = 2
_MARKS = {True: "[green]holds[/]", False: "[red]missed[/]", None: ""}


def main(
    check: Annotated[bool, typer.Option(help="Judge ratios only; times are the machine's.")] = False,
    rounds: Annotated[int, typer.Option(min=1, help="Pairs of measurements for each ratio.")] = 4,
    out: Annotated[Path | None, typer.Option(help="Also write the figures as JSON.")] = None,
) -> None:
    """Measure the whole assistant on this machine. Keep the machine idle meanwhile."""
    console = Console()
    figures = _measure(console, rounds)
    console.print(table(figures))
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(_report(figures), indent=1, ensure_ascii=False) + "\n")
        console.print(f"written to {out}")
    judged = [figure for figure in figures if figure.ratio] if check else figures
    raise typer.Exit(any(figure.holds is False for figure in judged))


def _measure(console: Console, rounds: int) -> list[Figure]:
    console.print("hand-over between processes, the models stood in for …")
    parts = transports.measure(_PARTS_ROUNDS) + handover.measure(_PARTS_ROUNDS) + overhead.measure(_PARTS_ROUNDS)
    with tempfile.TemporaryDirectory(prefix="dg-bench-") as name:
        home, log = Path(name) / "home", Path(name) / "log.txt"
        console.print("first start: preparing weights, loading the demo catalogue …")
        with assistant(home, log) as first:
            figures = [*parts, Figure("first start, packages installed", first.ready_seconds, "s")]
        console.print("the embedder, in batches and without …")
        figures += batching.measure(home / "models", _PARTS_ROUNDS)
        figures += real_pass.measure(home / "models", Path(name), _PARTS_ROUNDS)
        console.print("second start …")
        with assistant(home, log) as running:
            figures.append(Figure("second start", running.ready_seconds, "s", at_most=60))
            console.print("one question at a time …")
            figures += latency.measure(running.api_url, QUESTIONS)
            console.print("at rest …")
            figures += footprint.measure(running)
            console.print(f"tokens a second, {rounds} pairs …")
            work = token_rate.measure(running.api_url, home / "models", Path(name) / "s", QUESTIONS, rounds)
            figures += asyncio.run(work)
    return figures


def table(figures: list[Figure]) -> Table:
    """The figures for people."""
    rows = Table("figure", "value", "bar", "", "detail")
    for figure in figures:
        bar = ""
        if figure.at_most is not None:
            bar = f"≤ {figure.at_most:g}"
        elif figure.at_least is not None:
            bar = f"≥ {figure.at_least:g}"
        rows.add_row(figure.name, f"{figure.value:.3g} {figure.unit}", bar, _MARKS[figure.holds], figure.detail)
    return rows


def _report(figures: list[Figure]) -> dict[str, Any]:
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {
            "processor": _processor(),
            "cores": psutil.cpu_count(),
            "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
            "load_before": psutil.getloadavg()[1],
            "python": platform.python_version(),
        },
        "command": "make bench",
        "figures": [asdict(figure) | {"holds": figure.holds} for figure in figures],
    }


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


if __name__ == "__main__":
    typer.run(main)
