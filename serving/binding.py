"""Keeps a process on its CPUs and near its memory."""

from __future__ import annotations

import ctypes
import json
import os
import platform
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass

import structlog

PLACES_VARIABLE = "DAOGOU_PLACES"  # set by the service's process for all that it starts; JSON of `told`
CARD_VARIABLE = "DAOGOU_CARD"  # likewise; the first card of the cell, on which the encoders live
_MPOL_PREFERRED = 1
_SET_MEMPOLICY = {"x86_64": 238, "aarch64": 237}  # numbers of the system call, for which libc has no function

log = structlog.get_logger()


@dataclass(frozen=True)
class Place:
    """Where a process runs: its CPUs, in order, and the node of its memory. Empty and None: as the kernel likes."""

    cpus: tuple[int, ...] = ()
    node: int | None = None


ANYWHERE = Place()


def told(places: Mapping[str, Place]) -> dict[str, str]:
    """The variable that tells the processes of a run their places, by stage."""
    return {PLACES_VARIABLE: json.dumps({stage: (place.cpus, place.node) for stage, place in places.items()})}


def see_card() -> None:
    """Let CUDA see the first of the cell's cards here, whatever Ray counted; nothing where there is none."""
    if card := os.environ.get(CARD_VARIABLE):
        os.environ["CUDA_VISIBLE_DEVICES"] = card


def gateways_card() -> dict[str, str]:
    """For encoders that ask Ray for no card of their own: the variable that tells them the gateway's first one."""
    card = os.environ.get(CARD_VARIABLE) or os.environ.get("CUDA_VISIBLE_DEVICES", "").partition(",")[0]
    return {CARD_VARIABLE: card} if card else {}


def bind_stage(stage: str) -> None:
    """`bind` this process to the place of "gateway", "encoders" or "engine", if it was told one."""
    cpus, node = json.loads(os.environ.get(PLACES_VARIABLE, "{}")).get(stage, ((), None))
    bind(Place(tuple(cpus), node))


def bind(place: Place) -> None:
    """Keep this process, and what it starts from now on, on `place`. Logs what the system refuses, raises nothing.

    All threads get the CPUs. The memory policy is one of the calling thread and of threads and processes that it
    starts: call this before libraries start theirs. Others still get memory of the node that they run on, the kernel's
    default.
    """
    try:
        if place.cpus:
            _bind_threads(place.cpus)
        if place.node is not None:
            _prefer_memory(place.node)
    except OSError as error:  # Docker's seccomp profile refuses memory policies without CAP_SYS_NICE
        log.warning("not bound to its CPUs or memory", cpus=place.cpus, node=place.node, reason=str(error))


def _bind_threads(cpus: Collection[int]) -> None:
    bound: set[str] = set()
    while threads := set(os.listdir("/proc/self/task")) - bound:  # one that is not bound yet may start another
        for thread in threads:
            with suppress(ProcessLookupError):
                os.sched_setaffinity(int(thread), cpus)
        bound |= threads


def _prefer_memory(node: int) -> None:
    """set_mempolicy(2): preferred, not bound, for a full node shall not end the process."""
    number = _SET_MEMPOLICY.get(platform.machine())
    if number is None:
        raise OSError(f"no memory policy on {platform.machine()}")
    bits = 8 * ctypes.sizeof(ctypes.c_ulong)
    mask = (ctypes.c_ulong * (node // bits + 1))()
    mask[node // bits] = 1 << node % bits
    size = ctypes.c_ulong(len(mask) * bits + 1)  # the kernel takes one off
    if ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(number), _MPOL_PREFERRED, mask, size):
        raise OSError(ctypes.get_errno(), f"set_mempolicy: {os.strerror(ctypes.get_errno())}")
