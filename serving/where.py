"""Where the parts of a cell run: host, group, bundle, processes, cores, NUMA nodes, card and memory of each.

Read from the system and from Ray when somebody asks; no turn waits for it.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from typing import Any

import psutil

from serving.binding import CARD_VARIABLE
from serving.topology import read_host

_MIB = 1 << 20
_NAME = 40  # characters of a process's title that are shown


def of_processes(facts: dict[str, Any]) -> dict[str, Any]:
    """Of a part's `pid` or `pids`: the host, and for each that lives its name, cores, NUMA nodes and PSS in MiB.

    Empty where there is none: the part does not run, or elsewhere.
    """
    pids = facts.get("pids") or [facts[key] for key in ("pid",) if key in facts]
    if not pids:
        return {}
    return {"host": platform.node(), "processes": [row for pid in pids if (row := _process(pid)) is not None]}


def _process(pid: int) -> dict[str, Any] | None:
    try:
        process = psutil.Process(pid)
        cores = process.cpu_affinity() or []
        memory = process.memory_full_info().pss // _MIB
        name = process.name()[:_NAME]
        return {"pid": pid, "name": name, "cores": ranges(cores), "numa": _nodes(cores), "mib": memory}
    except psutil.Error:  # gone, or another user's
        return None


def _nodes(cores: Iterable[int]) -> list[int]:
    wanted = set(cores)
    host = read_host(allowed=wanted, gpus=())
    return [node.number for node in host.nodes if any(wanted & set(core) for core in node.cores)]


def of_bundle(group: str, index: int, node: str, gpu: float) -> dict[str, Any]:
    """The place in Ray: the group's and the node's id, the bundle, the share of cards and which ones."""
    cards = os.environ.get(CARD_VARIABLE) or os.environ.get("CUDA_VISIBLE_DEVICES", "")
    return {"group": group, "bundle": index, "node": node, "gpu": gpu, "cards": cards if gpu else ""}


def ranges(numbers: Iterable[int]) -> str:
    """As the kernel writes lists of processors: "0-3,8"."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
