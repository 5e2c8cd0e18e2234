"""`daogou where`."""

from __future__ import annotations

import json
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from serving.door import Door
from serving.messages import both
from serving.settings import Settings


def print_places(settings: Settings, *, as_json: bool) -> None:
    """Where each part of the running service is. Raises UserError where no service runs."""
    parts = Door.of(settings).get("/v1/where", holds="gateway")
    if as_json:
        typer.echo(json.dumps(parts, ensure_ascii=False, indent=2))
        return
    table = Table(
        both("part", "部分"),
        both("state", "状态"),
        both("host", "主机"),
        both("group, bundle", "组、束"),
        both("process", "进程"),
        both("cores", "CPU 核"),
        "NUMA",
        "GPU",
        both("memory, MiB", "内存 MiB"),
    )
    for name, part in parts.items():
        for position, process in enumerate(part.get("processes") or [{}]):
            table.add_row(
                *(_place(name, part) if position == 0 else [""] * 4), *_process(process), *_rest(part, process)
            )
    Console(width=None if Console().is_terminal else 160).print(table)


def _place(name: str, part: dict[str, Any]) -> list[str]:
    bundle = f"{part['group'][:8]}, {part['bundle']}" if part.get("group") else "–"
    return [name, part["state"], part.get("host", "–"), bundle]


def _process(process: dict[str, Any]) -> list[str]:
    if not process:
        return ["–"] * 3
    return [f"{process['pid']} {process['name']}", process["cores"], ",".join(map(str, process["numa"])) or "–"]


def _rest(part: dict[str, Any], process: dict[str, Any]) -> list[str]:
    gpu = f"{part['gpu']:g} {part.get('cards', '')}".strip() if part.get("gpu") else "–"
    return [gpu, f"{process['mib']:,}" if process else "–"]
