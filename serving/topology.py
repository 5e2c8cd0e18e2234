"""Where things lie in a host (NUMA nodes, physical cores, GPUs), which GPUs a cell takes, and which cores its stages.

What the kernel tells is described in its Documentation/ABI (stable/sysfs-devices-system-cpu, testing/sysfs-bus-pci)
and admin-guide/cputopology.rst. Containers mask parts of it: what is not told is not guessed, and then not bound.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import dropwhile
from pathlib import Path

from serving.binding import ANYWHERE, Place
from serving.gpus import GpuDevice, list_gpus
from serving.messages import both

Cpus = frozenset[int]
_Path = tuple[str, ...]

_FEWEST_CORES = 4
_PORT_DEPTH = 4  # of a path: socket, node, host bridge, port; GPUs with so much of it in common share that port


class TopologyError(ValueError):
    """The host has no GPUs that fit together as asked; the message says what it has."""


@dataclass(frozen=True)
class Node:
    """A NUMA node: its physical cores, each as the hardware threads that we may use. None in a node of memory alone.

    A socket may have several nodes (sub-NUMA clusters, NPS4). `socket` is None where it is not told.
    """

    number: int
    cores: tuple[tuple[int, ...], ...] = ()
    socket: int | None = None


@dataclass(frozen=True)
class Host:
    nodes: tuple[Node, ...]
    gpus: tuple[GpuDevice, ...] = ()


@dataclass(frozen=True)
class Split:
    """A cell's places; no two of them share a physical core."""

    gateway: Place = ANYWHERE
    encoders: Place = ANYWHERE
    engine: Place = ANYWHERE


def read_host(
    sysfs: Path = Path("/sys"), allowed: Collection[int] | None = None, gpus: Sequence[GpuDevice] | None = None
) -> Host:
    """What this host has. `allowed`: CPUs that may be used, by default this process's own.

    `gpus`: by default those that NVML lists and CUDA_VISIBLE_DEVICES leaves; none where no driver answers.
    """
    ours = frozenset(os.sched_getaffinity(0) if allowed is None else allowed)
    folders = (sysfs / "devices/system/node").glob("node[0-9]*")
    nodes = {int(folder.name[4:]): _cpus(folder / "cpulist") for folder in folders}
    if not any(nodes.values()):  # a kernel without NUMA, or masked
        nodes = {0: ours}
    found = list_gpus() if gpus is None else gpus
    return Host(
        tuple(Node(number, _cores(sysfs, cpus & ours), _socket(sysfs, cpus)) for number, cpus in sorted(nodes.items())),
        tuple(_located(gpu, sysfs, nodes) for gpu in found),
    )


def choose_gpus(host: Host, count: int) -> tuple[GpuDevice, ...]:
    """`count` GPUs that lie together, by index: below one PCIe port if they can, else on one node, else on one socket.

    Of several such groups the smallest, so that larger ones stay whole for who needs them; those of a node whose CPUs
    we may use come first. Across sockets is refused: every step of a split model would wait for the link between them.
    GPUs whose node is not known count as those of one node. Raises TopologyError.
    """
    if not count:
        return ()
    if count > len(host.gpus):
        en, zh = f"GPUs needed: {count}; this host has {{}}", f"需要 {count} 块显卡，本机有 {{}} 块"
        raise TopologyError(both(en, zh).format(len(host.gpus)))
    groups = _groups(host)
    if not (fitting := [group for group in groups.items() if len(group[1]) >= count]):
        en, zh = (
            "GPUs needed at one processor: {}; this host has {}",
            "需要接在同一处理器上的 {} 块显卡，本机各有 {} 块",
        )
        here = " + ".join(str(len(members)) for place, members in groups.items() if len(place) == 1)
        raise TopologyError(both(en, zh).format(count, here))
    usable = {node.number for node in host.nodes if node.cores}

    def rank(group: tuple[_Path, list[GpuDevice]]) -> tuple[bool, int, int, int]:
        path, members = group
        far = usable.isdisjoint(gpu.node for gpu in members)
        return far, -min(len(path), _PORT_DEPTH), len(members), -len(path)

    members = min(fitting, key=rank)[1]
    nearest = sorted(members, key=lambda gpu: (str(gpu.node), gpu.bridges, gpu.index))[:count]
    return tuple(sorted(nearest, key=lambda gpu: gpu.index))


def _groups(host: Host) -> dict[_Path, list[GpuDevice]]:
    """The GPUs below each socket, each node of it, each host bridge, port and switch."""
    sockets = {node.number: node.socket for node in host.nodes}
    groups: dict[_Path, list[GpuDevice]] = {}
    for gpu in sorted(host.gpus, key=lambda gpu: gpu.index):
        node, socket = f"node{gpu.node}", sockets.get(-1 if gpu.node is None else gpu.node)
        path = (node if socket is None else f"socket{socket}", node, *gpu.bridges)
        for depth in range(1, len(path) + 1):
            groups.setdefault(path[:depth], []).append(gpu)
    return groups


def split(host: Host, gpus: Sequence[GpuDevice], *, gateway: float, encoders: float) -> Split:
    """Whole physical cores for each stage, on the nodes of `gpus`; without GPUs on the node with most cores.

    `gateway` and `encoders` are CPUs as Ray counts them (hardware threads). They get at most half of the cores, in
    proportion; the engine gets the rest.
    """
    nodes = _home(host, gpus)
    cores = sorted(core for node in nodes for core in node.cores)
    # With fewer cores nobody is bound: both threads of the engine need two cores when it writes, and the encoders need
    # them when it does not; a fence between them would leave cores idle while somebody waits.
    if len(cores) < _FEWEST_CORES:
        return Split()
    threads = sum(map(len, cores)) / len(cores)
    first, second = (max(1, math.ceil(cpus / threads)) for cpus in (gateway, encoders))
    room = len(cores) // 2
    if first + second > room:
        first = max(1, room * first // (first + second))
        second = room - first
    number = nodes[0].number if len(nodes) == 1 < len(host.nodes) else None  # with one node, all memory is of it

    def place(own: Sequence[tuple[int, ...]]) -> Place:
        return Place(tuple(sorted(cpu for core in own for cpu in core)), number)

    # Neighbours in this order share caches, and where cores are unlike, Intel's fast ones come first.
    engine = len(cores) - second - first
    return Split(
        gateway=place(cores[engine + second :]),
        encoders=place(cores[engine : engine + second]),
        engine=place(cores[:engine]),
    )


def _home(host: Host, gpus: Sequence[GpuDevice]) -> list[Node]:
    """Empty where a GPU's node is not known. Where their nodes' CPUs are not ours, the node that has most of ours."""
    near = {gpu.node for gpu in gpus}
    if None in near:
        return []
    largest = max(host.nodes, key=lambda node: len(node.cores))
    return [node for node in host.nodes if node.number in near and node.cores] or [largest]


def _socket(sysfs: Path, cpus: Cpus) -> int | None:
    with suppress(OSError, ValueError):  # no CPU; masked; -1 where the architecture has none
        told = int((sysfs / f"devices/system/cpu/cpu{min(cpus)}/topology/physical_package_id").read_text())
        return told if told >= 0 else None
    return None


def _cores(sysfs: Path, cpus: Cpus) -> tuple[tuple[int, ...], ...]:
    """The physical cores of `cpus`. A CPU of which the kernel does not tell its core is in none."""
    cores = set()
    for cpu in cpus:
        told = sysfs / f"devices/system/cpu/cpu{cpu}/topology"
        cores.add((_cpus(told / "core_cpus_list") or _cpus(told / "thread_siblings_list")) & cpus)  # kernels before 5.3
    return tuple(sorted(tuple(sorted(core)) for core in cores if core))


def _located(gpu: GpuDevice, sysfs: Path, nodes: Mapping[int, Cpus]) -> GpuDevice:
    device = sysfs / "bus/pci/devices" / gpu.address
    bridges: tuple[str, ...] = ()
    with suppress(OSError, ValueError):  # masked
        path = device.resolve(strict=True).relative_to((sysfs / "devices").resolve()).parts[:-1]
        bridges = tuple(dropwhile(lambda part: not part.startswith("pci"), path))  # above it: what the bridge sits on
    return replace(gpu, node=_node(device, nodes, gpu.node), bridges=bridges)


def _node(device: Path, nodes: Mapping[int, Cpus], told_by_driver: int | None) -> int | None:
    """The node with CPUs that is nearest; firmware may not say (-1), and a node may be a GPU's own memory."""
    with suppress(OSError, ValueError):
        if nodes.get(told := int((device / "numa_node").read_text())):
            return told
    if told_by_driver is not None and nodes.get(told_by_driver):
        return told_by_driver
    with_cpus = [number for number, cpus in nodes.items() if cpus]
    return with_cpus[0] if len(with_cpus) == 1 else None


def _cpus(file: Path) -> Cpus:
    """A list such as "0-3,8"; empty where the file is missing or holds something else."""
    with suppress(OSError, ValueError):
        ranges = [part.partition("-") for part in file.read_text().split(",") if part.strip()]
        return frozenset(cpu for first, _, last in ranges for cpu in range(int(first), int(last or first) + 1))
    return frozenset()
