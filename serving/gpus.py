"""The GPUs of this host as NVIDIA's driver lists them (NVML), and how CUDA is told which of them to use."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import structlog

log = structlog.get_logger()


@dataclass(frozen=True)
class GpuDevice:
    """A GPU. `index`: NVML's; `address`: as sysfs writes it, 0000:17:00.0; `memory`: bytes, 0 where it is not told.

    `node` and `bridges` (from the CPU's host bridge to the one above the GPU) are filled in by `read_host`.
    """

    index: int
    uuid: str
    address: str
    memory: int = 0
    node: int | None = None
    bridges: tuple[str, ...] = ()


def list_gpus() -> list[GpuDevice]:
    """Those that NVML lists and CUDA_VISIBLE_DEVICES leaves; none where no driver answers."""
    return _visible(_nvml_gpus())


def cuda_environment(gpus: Sequence[GpuDevice]) -> dict[str, str]:
    """What makes CUDA see exactly these. Set it before CUDA starts, and before Ray, which shares out what it sees."""
    return {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": ",".join(gpu.uuid for gpu in gpus)}


def _visible(gpus: Sequence[GpuDevice]) -> list[GpuDevice]:
    """Those that CUDA_VISIBLE_DEVICES leaves; as in CUDA, a name that is unknown or not unique ends the list."""
    names = os.environ.get("CUDA_VISIBLE_DEVICES")
    if names is None:
        return list(gpus)
    left: list[GpuDevice] = []
    for name in map(str.strip, names.split(",")):
        found = [gpu for gpu in gpus if name == str(gpu.index) or (name[:4] == "GPU-" and gpu.uuid.startswith(name))]
        if len(found) != 1:
            break
        left += found
    return left


def _nvml_gpus() -> list[GpuDevice]:
    try:
        import pynvml  # of the GPU environment only
    except ImportError:
        return []
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        if error.value != pynvml.NVML_ERROR_LIBRARY_NOT_FOUND:
            log.warning("NVIDIA's driver does not answer, no GPU is used", reason=str(error))
        return []
    try:
        gpus = []
        for index in range(pynvml.nvmlDeviceGetCount()):
            with suppress(pynvml.NVMLError):  # lost, or not ours
                gpus.append(_nvml_gpu(pynvml, index))
        return gpus
    finally:
        pynvml.nvmlShutdown()


def _nvml_gpu(nvml: Any, index: int) -> GpuDevice:
    handle = nvml.nvmlDeviceGetHandleByIndex(index)
    pci = nvml.nvmlDeviceGetPciInfo(handle)
    memory, near = 0, 0
    with suppress(nvml.NVMLError):  # where it shares the CPU's
        memory = nvml.nvmlDeviceGetMemoryInfo(handle).total
    with suppress(nvml.NVMLError):  # knows the node where the firmware does not tell the kernel
        near = nvml.nvmlDeviceGetMemoryAffinity(handle, 1, nvml.NVML_AFFINITY_SCOPE_NODE)[0]
    return GpuDevice(
        index,
        nvml.nvmlDeviceGetUUID(handle),
        f"{pci.domain:04x}:{pci.bus:02x}:{pci.device:02x}.0",
        memory,
        near.bit_length() - 1 if near.bit_count() == 1 else None,
    )
