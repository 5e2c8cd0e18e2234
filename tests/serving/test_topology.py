"""Hosts as their /sys tells them: what a cell takes of each. And a process that is bound, seen from outside."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from serving.gpus import GpuDevice, cuda_environment, list_gpus
from serving.profiles import PROFILES
from serving.topology import Host, Node, Split, TopologyError, choose_gpus, read_host, split
from tests.serving.sysfs import Sysfs

ROOT = Path(__file__).parents[2]
UNBOUND = Split()


@pytest.fixture
def sysfs(tmp_path: Path) -> Sysfs:
    return Sysfs(tmp_path / "sys")


def cards(*addresses: str) -> list[GpuDevice]:
    return [GpuDevice(at, f"GPU-{at:08x}", address, 80 << 30) for at, address in enumerate(addresses)]


def split_of(host: Host, gpus: tuple[GpuDevice, ...] = (), *, gateway: float = 4, encoders: float = 4) -> Split:
    return split(host, gpus, gateway=gateway, encoders=encoders)


def indices(gpus: tuple[GpuDevice, ...]) -> list[int]:
    return [gpu.index for gpu in gpus]


# --- two sockets, eight GPUs, two below each PCIe switch


def two_sockets(sysfs: Sysfs) -> list[GpuDevice]:
    """8 cores of two threads on each socket. A switch: one port up (16:00.0), one port down for each card."""
    addresses = []
    for socket, buses in enumerate(((0x15, 0x37), (0x97, 0xB7))):
        sysfs.cores(*((cpu, cpu + 16) for cpu in range(8 * socket, 8 * socket + 8)), package=socket)
        cpus = ("0-7,16-23", "8-15,24-31")[socket]
        sysfs.node(socket, cpus)
        for bus in buses:
            switch = f"pci0000:{bus:02x}/0000:{bus:02x}:01.0/0000:{bus + 1:02x}:00.0"
            for port in (0, 1):
                card = f"0000:{bus + 2:02x}:{port:02x}.0/0000:{bus + 3 + port:02x}:00.0"
                addresses.append(sysfs.gpu(f"{switch}/{card}", socket, cpus))
    return cards(*addresses)


def two_socket_host(sysfs: Sysfs, allowed: set[int] | None = None) -> Host:
    gpus = two_sockets(sysfs)
    return read_host(sysfs.root, set(range(32)) if allowed is None else allowed, gpus)


def test_two_sockets_are_read(sysfs: Sysfs) -> None:
    host = two_socket_host(sysfs)
    assert [(node.number, node.socket) for node in host.nodes] == [(0, 0), (1, 1)]
    assert host.nodes[1].cores[0] == (8, 24)
    assert [len(node.cores) for node in host.nodes] == [8, 8]
    assert [gpu.node for gpu in host.gpus] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert host.gpus[0].address == "0000:18:00.0"
    assert host.gpus[0].bridges == ("pci0000:15", "0000:15:01.0", "0000:16:00.0", "0000:17:00.0")


@pytest.mark.parametrize(("count", "chosen"), [(0, []), (1, [0]), (2, [0, 1]), (3, [0, 1, 2]), (4, [0, 1, 2, 3])])
def test_neighbours_are_chosen(sysfs: Sysfs, count: int, chosen: list[int]) -> None:
    assert indices(choose_gpus(two_socket_host(sysfs), count)) == chosen


def test_a_shared_switch_is_better_than_a_shared_node(sysfs: Sysfs) -> None:
    host = two_socket_host(sysfs)
    without_pairs = tuple(gpu for gpu in host.gpus if gpu.index not in (1, 2, 5))  # 0 + 3, on two switches; 4; 6 + 7
    assert indices(choose_gpus(Host(host.nodes, without_pairs), 2)) == [6, 7]


def test_large_groups_stay_whole(sysfs: Sysfs) -> None:
    host = two_socket_host(sysfs)
    left = tuple(gpu for gpu in host.gpus if gpu.index != 4)  # card 5 is alone on its switch
    assert indices(choose_gpus(Host(host.nodes, left[4:]), 1)) == [5]
    assert indices(choose_gpus(Host(host.nodes, left), 3)) == [5, 6, 7]


@pytest.mark.parametrize(
    ("lang", "count", "told"),
    [
        ("en_GB.UTF-8", 5, "GPUs needed at one processor: 5; this host has 4 + 4"),
        ("zh_CN.UTF-8", 5, "需要接在同一处理器上的 5 块显卡，本机各有 4 + 4 块"),
        ("en_GB.UTF-8", 9, "GPUs needed: 9; this host has 8"),
        ("zh_CN.UTF-8", 9, "需要 9 块显卡，本机有 8 块"),
    ],
)
def test_what_does_not_fit_is_refused(
    sysfs: Sysfs, monkeypatch: pytest.MonkeyPatch, lang: str, count: int, told: str
) -> None:
    monkeypatch.setenv("LC_ALL", lang)
    with pytest.raises(TopologyError) as refused:
        choose_gpus(two_socket_host(sysfs), count)
    assert str(refused.value) == told


def test_a_cell_stays_on_the_node_of_its_gpus(sysfs: Sysfs) -> None:
    host = two_socket_host(sysfs)
    profile = PROFILES["gpu-70b"]
    places = split(host, host.gpus[4:], gateway=profile.cpu_gateway, encoders=profile.cpu_encoders)
    assert places.engine.cpus == (8, 9, 10, 11, 24, 25, 26, 27)
    assert places.encoders.cpus == (12, 13, 28, 29)
    assert places.gateway.cpus == (14, 15, 30, 31)
    assert [places.engine.node, places.encoders.node, places.gateway.node] == [1, 1, 1]


def test_shares_that_fit_are_given_as_asked(sysfs: Sysfs) -> None:
    places = split_of(two_socket_host(sysfs), gateway=1, encoders=5)  # whole cores: of two and of six threads
    assert places.gateway.cpus == (7, 23)
    assert places.encoders.cpus == (4, 5, 6, 20, 21, 22)
    assert places.engine.cpus == (0, 1, 2, 3, 16, 17, 18, 19)


# --- sockets of two nodes each, two GPUs on a node (sub-NUMA clusters; clouds sell such machines)


def clustered(sysfs: Sysfs) -> Host:
    addresses = []
    for node in range(4):
        cpus = range(4 * node, 4 * node + 4)
        sysfs.cores(*((cpu,) for cpu in cpus), package=node // 2)
        sysfs.node(node, f"{cpus[0]}-{cpus[-1]}")
        for bus in (0x10 * node + 1, 0x10 * node + 8):
            path = f"pci000{node}:00/000{node}:00:{bus:02x}.0/000{node}:{bus:02x}:00.0"
            addresses.append(sysfs.gpu(path, node, f"{cpus[0]}-{cpus[-1]}"))
    return read_host(sysfs.root, range(16), cards(*addresses))


def test_a_node_is_better_than_a_socket_and_a_socket_will_do(sysfs: Sysfs) -> None:
    host = clustered(sysfs)
    assert [node.socket for node in host.nodes] == [0, 0, 1, 1]
    assert indices(choose_gpus(host, 2)) == [0, 1]
    assert indices(choose_gpus(Host(host.nodes, host.gpus[1:]), 2)) == [2, 3]
    assert indices(choose_gpus(Host(host.nodes, host.gpus[1:]), 3)) == [1, 2, 3]
    assert indices(choose_gpus(Host(host.nodes, host.gpus[1:]), 4)) == [4, 5, 6, 7]
    with pytest.raises(TopologyError, match=r"4 \+ 4"):
        choose_gpus(host, 5)


def test_a_cell_on_a_socket_of_two_nodes(sysfs: Sysfs) -> None:
    host = clustered(sysfs)
    places = split_of(host, host.gpus[4:], gateway=1, encoders=2)
    assert places.engine.cpus == (8, 9, 10, 11, 12)
    assert (places.encoders.cpus, places.gateway.cpus) == ((13, 14), (15,))
    assert places.engine.node is None  # each thread's memory is of the node that it runs on


# --- containers with a cpuset


def test_a_cpuset_limits_cores_and_says_which_gpus_are_near(sysfs: Sysfs) -> None:
    host = two_socket_host(sysfs, {8, 9, 10, 11, 12, 13, 24, 25})
    assert host.nodes[0] == Node(0, (), socket=0)
    assert host.nodes[1].cores == ((8, 24), (9, 25), (10,), (11,), (12,), (13,))
    chosen = choose_gpus(host, 2)
    assert indices(chosen) == [4, 5]
    places = split_of(host, chosen, gateway=1, encoders=2)
    assert places.engine.cpus == (8, 9, 10, 24, 25)
    assert (places.encoders.cpus, places.gateway.cpus) == ((11, 12), (13,))


def test_a_cpuset_far_from_the_gpus(sysfs: Sysfs) -> None:
    host = two_socket_host(sysfs, set(range(8)))
    assert split_of(host, host.gpus[4:]).engine.node == 0  # there is nowhere else to run


def test_a_cpuset_of_few_cores_binds_nobody(sysfs: Sysfs) -> None:
    host = two_socket_host(sysfs, {0, 16, 1, 17, 2, 18})
    assert len(host.nodes[0].cores) == 3
    assert split_of(host, host.gpus[:1]) == UNBOUND


# --- one socket, one GPU: fast cores with two threads, slow ones with one; the firmware tells no node


def test_one_socket_one_gpu(sysfs: Sysfs) -> None:
    sysfs.cores((0, 1), (2, 3), (4, 5), (6, 7), (8,), (9,), (10,), (11,))
    sysfs.node(0, "0-11")
    address = sysfs.gpu("pci0000:00/0000:00:01.0/0000:01:00.0", -1, "0-11")
    host = read_host(sysfs.root, range(12), cards(address))
    assert host.gpus[0].node == 0
    chosen = choose_gpus(host, 1)
    places = split_of(host, chosen)
    assert places.engine.cpus == (0, 1, 2, 3, 4, 5, 6, 7)
    assert (places.encoders.cpus, places.gateway.cpus) == ((8, 9), (10, 11))
    assert places.engine.node is None  # all memory is of this node
    assert cuda_environment(chosen) == {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "GPU-00000000"}


# --- no GPU


def test_without_a_gpu_the_largest_node_is_taken(sysfs: Sysfs) -> None:
    sysfs.cores((0,), (1,), (2,), (3,), names=("thread_siblings_list",))  # a kernel before 5.3
    sysfs.cores(*((cpu,) for cpu in (4, 5, 6, 7, 8)), package=1, names=("thread_siblings_list",))
    sysfs.node(0, "0-3")
    sysfs.node(1, "4-8")  # 9 to 11 are offline: in no list, without a folder `topology`
    host = read_host(sysfs.root, range(12), [])
    places = split_of(host, gateway=1, encoders=1)
    assert (places.engine.cpus, places.encoders.cpus, places.gateway.cpus) == ((4, 5, 6), (7,), (8,))
    assert places.engine.node == 1
    assert choose_gpus(host, 0) == ()


def test_two_cores_are_not_fenced(sysfs: Sysfs) -> None:
    sysfs.cores((0,), (1,))
    sysfs.node(0, "0-1")
    assert split_of(read_host(sysfs.root, {0, 1}, []), gateway=1, encoders=1) == UNBOUND


# --- arm64: a node with all CPUs, and eight that are the GPU's memory


@pytest.mark.parametrize("numa_node", [0, 1])
def test_memory_of_a_gpu_is_no_node_to_run_on(sysfs: Sysfs, numa_node: int) -> None:
    sysfs.cores(*((cpu,) for cpu in range(72)), package=-1)
    sysfs.node(0, "0-71")
    for number in range(1, 9):
        sysfs.node(number, "")
    address = sysfs.gpu("pci0009:00/0009:00:00.0/0009:01:00.0", numa_node, "0-71" if numa_node == 0 else "")
    host = read_host(sysfs.root, range(72), cards(address))
    assert host.nodes[1:] == tuple(Node(number) for number in range(1, 9))
    assert host.gpus[0].node == 0
    places = split_of(host, choose_gpus(host, 1))
    assert places.engine.cpus == tuple(range(64))
    assert places.encoders.cpus == (64, 65, 66, 67)
    assert places.gateway.node == 0  # and not the GPU's memory


def test_sockets_that_are_not_told_are_not_one(sysfs: Sysfs) -> None:
    for node in (0, 1):
        sysfs.cores((node,), package=-1)
        sysfs.node(node, str(node))
    gpus = [sysfs.gpu(f"pci000{node}:00/000{node}:00:00.0/000{node}:01:00.0", node, str(node)) for node in (0, 1)]
    host = read_host(sysfs.root, range(2), cards(*gpus))
    assert [node.socket for node in host.nodes] == [None, None]
    with pytest.raises(TopologyError, match=r"1 \+ 1"):
        choose_gpus(host, 2)


# --- what is not told


@pytest.mark.parametrize("masked", ["folder", "list"])
def test_masked_nodes_are_one(sysfs: Sysfs, masked: str) -> None:
    sysfs.cores(*((cpu,) for cpu in range(6)))
    if masked == "list":
        sysfs.node(0, "")
    host = read_host(sysfs.root, range(6), cards("0000:00:05.0"))
    assert [node.number for node in host.nodes] == [0]
    assert (host.gpus[0].node, host.gpus[0].bridges) == (0, ())
    assert split_of(host, choose_gpus(host, 1), gateway=1, encoders=1).engine.cpus == (0, 1, 2, 3)


def test_masked_cores_bind_nobody(tmp_path: Path) -> None:
    host = read_host(tmp_path / "nothing", range(16), cards("0000:00:05.0"))
    assert host.nodes == (Node(0),)
    assert split_of(host, choose_gpus(host, 1)) == UNBOUND


@pytest.mark.parametrize("told", [None, 1])
def test_firmware_that_tells_no_node(sysfs: Sysfs, told: int | None) -> None:
    for node in (0, 1):
        cpus = range(4 * node, 4 * node + 4)
        sysfs.cores(*((cpu,) for cpu in cpus), package=node)
        sysfs.node(node, f"{cpus[0]}-{cpus[-1]}")
    sysfs.gpu("VMBUS:00/pci0001:00/0001:00:00.0", -1, "0-7")
    host = read_host(sysfs.root, range(8), [GpuDevice(0, "GPU-1", "0001:00:00.0", node=told)])
    assert (host.gpus[0].node, host.gpus[0].bridges) == (told, ("pci0001:00",))
    assert split_of(host, choose_gpus(host, 1)).engine.node == told


def test_this_host_can_be_read() -> None:
    host = read_host()
    assert {cpu for node in host.nodes for core in node.cores for cpu in core} <= os.sched_getaffinity(0)
    split_of(host)


# --- whatever the host


@contextmanager
def drawn_tree(nodes: list[tuple[int, int]]) -> Iterator[tuple[Sysfs, int]]:
    """A tree of nodes with so many cores of so many threads; and how many CPUs they have."""
    with tempfile.TemporaryDirectory() as folder:
        sysfs, cpus = Sysfs(Path(folder)), 0
        for number, (cores, threads) in enumerate(nodes):
            upto = cpus + cores * threads
            sysfs.cores(*(range(at, at + threads) for at in range(cpus, upto, threads)), package=number)
            sysfs.node(number, f"{cpus}-{upto - 1}" if cores else "")
            cpus = upto
        yield sysfs, cpus


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    nodes=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 2)), min_size=1, max_size=3),
    gateway=st.floats(0.1, 40),
    encoders=st.floats(0.1, 40),
    data=st.data(),
)
def test_no_core_is_shared(nodes: list[tuple[int, int]], gateway: float, encoders: float, data: st.DataObject) -> None:
    with drawn_tree(nodes) as (sysfs, cpus):
        assume(cpus)
        allowed = data.draw(st.sets(st.integers(0, cpus - 1), min_size=1) | st.just(set(range(cpus))))
        host = read_host(sysfs.root, allowed, [])
    stages = split_of(host, gateway=gateway, encoders=encoders)
    places = [set(stages.gateway.cpus), set(stages.encoders.cpus), set(stages.engine.cpus)]
    cores = max((node.cores for node in host.nodes), key=len)
    if len(cores) < 4:
        assert places == [set(), set(), set()]
        return
    assert all(places)
    assert sum(map(len, places)) == len(set.union(*places))
    assert set.union(*places) == {cpu for core in cores for cpu in core} <= allowed
    for core in cores:
        assert sum(bool(place & set(core)) for place in places) == 1
    assert 2 * sum(set(core) <= places[2] for core in cores) >= len(cores)


@given(nodes=st.lists(st.integers(0, 2), min_size=1, max_size=8), count=st.integers(1, 9), data=st.data())
def test_gpus_are_of_one_node_or_refused(nodes: list[int], count: int, data: st.DataObject) -> None:
    bridges = st.tuples(st.sampled_from(("pci0000:00", "pci0000:40")), st.sampled_from(("01.0", "02.0")))
    gpus = [GpuDevice(at, f"GPU-{at}", "", node=node, bridges=data.draw(bridges)) for at, node in enumerate(nodes)]
    host = Host(tuple(Node(number, ((number,),)) for number in range(3)), tuple(gpus))
    if max(map(nodes.count, nodes)) < count:
        with pytest.raises(TopologyError):
            choose_gpus(host, count)
        return
    chosen = choose_gpus(host, count)
    assert len(set(chosen)) == count
    assert len({gpu.node for gpu in chosen}) == 1
    ports = [(gpu.node, gpu.bridges) for gpu in gpus]
    if max(map(ports.count, ports)) >= count:
        assert len({gpu.bridges for gpu in chosen}) == 1


# --- NVML


class NvmlError(Exception):
    def __init__(self, value: int) -> None:
        self.value = value


def nvml(**answers: Any) -> SimpleNamespace:
    """NVIDIA's module as a driver with three cards answers through it; the second card is lost."""

    def handle(index: int) -> int:
        if index == 1:
            raise NvmlError(15)
        return index

    def affinity(handle: int, size: int, scope: int) -> list[int]:
        if handle == 2:
            raise NvmlError(3)  # not supported
        return [0b10]

    card = {
        "NVMLError": NvmlError,
        "NVML_ERROR_LIBRARY_NOT_FOUND": 12,
        "NVML_AFFINITY_SCOPE_NODE": 0,
        "nvmlInit": lambda: None,
        "nvmlShutdown": lambda: None,
        "nvmlDeviceGetCount": lambda: 3,
        "nvmlDeviceGetHandleByIndex": handle,
        "nvmlDeviceGetUUID": lambda handle: f"GPU-{handle}a5b9c2f-0d1e",
        "nvmlDeviceGetPciInfo": lambda handle: SimpleNamespace(domain=0, bus=0x17 + handle, device=0),
        "nvmlDeviceGetMemoryInfo": lambda handle: SimpleNamespace(total=85_520_809_984),
        "nvmlDeviceGetMemoryAffinity": affinity,
    }
    return SimpleNamespace(**(card | answers))


def test_the_driver_lists_the_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", nvml())
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert list_gpus() == [
        GpuDevice(0, "GPU-0a5b9c2f-0d1e", "0000:17:00.0", 85_520_809_984, node=1),
        GpuDevice(2, "GPU-2a5b9c2f-0d1e", "0000:19:00.0", 85_520_809_984),
    ]


def test_a_gpu_near_several_nodes_is_at_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", nvml(nvmlDeviceGetMemoryAffinity=lambda *_: [0b11]))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    assert [gpu.node for gpu in list_gpus()] == [None]


@pytest.mark.parametrize(
    ("visible", "left"),
    [
        ("", []),
        ("2", [2]),
        ("2,0", [2, 0]),
        ("GPU-2a", [2]),
        ("0,7,2", [0]),
        ("-1", []),
        ("GPU-", []),
        ("0, 2", [0, 2]),
    ],
)
def test_what_the_operator_hides_is_not_taken(monkeypatch: pytest.MonkeyPatch, visible: str, left: list[int]) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", nvml())
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert [gpu.index for gpu in list_gpus()] == left


@pytest.mark.parametrize("error", [12, 9])  # no driver; a driver that is not loaded
def test_without_a_driver_there_is_no_gpu(monkeypatch: pytest.MonkeyPatch, error: int) -> None:
    def fails() -> None:
        raise NvmlError(error)

    monkeypatch.setitem(sys.modules, "pynvml", nvml(nvmlInit=fails))
    assert list_gpus() == []
    monkeypatch.setitem(sys.modules, "pynvml", None)  # not installed
    assert list_gpus() == []


# --- a process that is bound

_BOUND = """
import subprocess, sys, threading
from serving.binding import Place, bind
threading.Thread(target=threading.Event().wait, daemon=True).start()
bind(Place(({cpu},), {node}))
threading.Thread(target=threading.Event().wait, daemon=True).start()
child = subprocess.Popen(["sleep", "60"])
held = bytearray(1 << 24)
print(child.pid, flush=True)
sys.stdin.read()
child.kill()
"""


@contextmanager
def bound(cpu: int, node: int) -> Iterator[tuple[subprocess.Popen[str], int, Path]]:
    """The process, its own child's pid, and the file with what it logs."""
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "said"
        with said.open("w") as out:
            script = "import structlog; structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))"
            command = [sys.executable, "-c", f"import sys; {script}\n" + _BOUND.format(cpu=cpu, node=node)]
            process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=out, text=True
            )
        with process:
            assert process.stdout is not None
            yield process, int(process.stdout.readline()), said


def allowed_to(task: Path) -> str:
    found = re.search(r"^Cpus_allowed_list:\s*(\S+)$", (task / "status").read_text(), re.M)
    assert found
    return found[1]


def test_all_threads_and_children_are_bound() -> None:
    cpu = max(os.sched_getaffinity(0))
    with bound(cpu, 0) as (process, child, said):
        tasks = list(Path(f"/proc/{process.pid}/task").iterdir())
        assert len(tasks) >= 3
        assert {allowed_to(task) for task in tasks} == {str(cpu)}
        assert allowed_to(Path(f"/proc/{child}")) == str(cpu)
        if "set_mempolicy" in said.read_text():
            pytest.skip("memory policies are not allowed here")
        for pid in (process.pid, child):
            heap = re.findall(r"^\w+ (\S+) heap", Path(f"/proc/{pid}/numa_maps").read_text(), re.M)
            assert heap == ["prefer:0"]


def test_a_memory_policy_that_is_refused_is_told_and_no_error() -> None:
    cpu = min(os.sched_getaffinity(0))
    with bound(cpu, 1000) as (process, _, said):
        assert allowed_to(Path(f"/proc/{process.pid}")) == str(cpu)
        assert len(said.read_text().splitlines()) == 1
        assert "not bound" in said.read_text()
