"""Lays out trees as the kernel does under /sys, symbolic links included, from what a host's files hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


class Sysfs:
    def __init__(self, root: Path) -> None:
        self.root = root

    def _write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")

    def cores(self, *cores: Sequence[int], package: int = 0, names: Sequence[str] = ("core_cpus_list",)) -> None:
        """Physical cores, each its hardware threads. `names`: what this kernel calls the list of them."""
        for number, core in enumerate(cores):
            for cpu in core:
                folder = f"devices/system/cpu/cpu{cpu}/topology"
                self._write(f"{folder}/core_id", str(number))
                self._write(f"{folder}/physical_package_id", str(package))
                for name in names:
                    self._write(f"{folder}/{name}", ",".join(map(str, core)))

    def node(self, number: int, cpulist: str) -> None:
        self._write(f"devices/system/node/node{number}/cpulist", cpulist)

    def gpu(self, path: str, numa_node: int, local_cpulist: str) -> str:
        """A card by its path below `devices`; returns its address."""
        self._write(f"devices/{path}/numa_node", str(numa_node))
        self._write(f"devices/{path}/local_cpulist", local_cpulist)
        link = self.root / "bus/pci/devices" / Path(path).name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(Path("../../../devices") / path)
        return link.name
