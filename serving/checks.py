"""What a machine must have: one function for each thing to look at. Used by `daogou doctor` and before each start."""

from __future__ import annotations

import errno
import math
import os
import re
import resource
import shutil
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil

from serving.cards import cards, plan_here, profile_here
from serving.lock import Holder, prepare_home
from serving.messages import UserError, both
from serving.models.shapes import UnknownModelError
from serving.placement import demand
from serving.settings import Settings
from serving.vram import VramError

State = Literal["ok", "warn", "fail"]
_GIB = 1 << 30
_MEMORY = {"embedded": (8, 4), "cpu-hub": (16, 8), "gpu": (16, 8), "gpu-70b": (64, 32)}  # GiB: warn under, fail under
_SHM_GIB = 1.0  # Ray's object store, and what compose.yml gives
_DISK_GIB = {"embedded": (3, 1), "cpu-hub": (20, 8), "gpu": (20, 8), "gpu-70b": (200, 150)}
_OPEN_FILES = 4096


@dataclass(frozen=True)
class Finding:
    """One thing looked at: what was found and, unless it is ok, how to mend it."""

    name: str
    state: State
    found: str
    mend: str = ""


def _cgroup_free() -> int | None:
    """Bytes left under the container's own limit, None where there is none."""
    base = Path("/sys/fs/cgroup")
    try:
        limit, used = (base / "memory.max").read_text().strip(), (base / "memory.current").read_text().strip()
        return None if limit == "max" else int(limit) - int(used)
    except (OSError, ValueError):
        return None


def memory(settings: Settings, running: Holder | None = None) -> Finding:
    """Free memory against the profile's need, which a `running` service has taken already."""
    free = psutil.virtual_memory().available
    limited = _cgroup_free()
    free = free if limited is None else min(free, limited)
    warn, fail = _MEMORY[settings.profile]
    found = both(f"{free / _GIB:.1f} GiB free", f"可用 {free / _GIB:.1f} GiB")
    if running is not None:
        return Finding("memory", "ok", found + both(" beside the running service", "（服务运行中）"))
    if free >= warn * _GIB:
        return Finding("memory", "ok", found)
    state: State = "warn" if free >= fail * _GIB else "fail"
    return Finding(
        "memory",
        state,
        found,
        both(
            f"profile {settings.profile} wants {warn} GiB: close other programs, give the container more, or let the "
            "language model run elsewhere (DAOGOU_LLM_URL).",
            f"配置 {settings.profile} 需要 {warn} GiB：请关闭其他程序、给容器更多内存，"
            "或用 DAOGOU_LLM_URL 指定别处的语言模型。",
        ),
    )


def shared_memory() -> Finding:
    path = Path("/dev/shm")
    if not path.is_dir():
        return Finding("shm", "ok", both("no /dev/shm on this system", "本系统没有 /dev/shm"))
    free = shutil.disk_usage(path).free
    found = both(f"{free / _GIB:.2f} GiB free in /dev/shm", f"/dev/shm 可用 {free / _GIB:.2f} GiB")
    if free >= _SHM_GIB * _GIB:
        return Finding("shm", "ok", found)
    return Finding(
        "shm",
        "warn",
        found,
        both(
            "start the container with --shm-size=1g (compose: shm_size), else Ray uses the disk and is slow.",
            "启动容器时加 --shm-size=1g（compose 中为 shm_size），否则 Ray 会改用磁盘，速度变慢。",
        ),
    )


def home(settings: Settings) -> Finding:
    try:
        prepare_home(settings.home)
    except UserError as problem:
        return Finding("home", "fail", f"{problem.where}: {problem.what}", problem.mend)
    return Finding("home", "ok", str(settings.home))


def disk(settings: Settings) -> Finding:
    place = next(path for path in (settings.weights_dir, *settings.weights_dir.parents) if path.exists())
    free = shutil.disk_usage(place).free
    warn, fail = _DISK_GIB[settings.profile]
    found = both(f"{free / _GIB:.1f} GiB free at {place}", f"{place} 可用 {free / _GIB:.1f} GiB")
    if free >= warn * _GIB:
        return Finding("disk", "ok", found)
    return Finding(
        "disk",
        "warn" if free >= fail * _GIB else "fail",
        found,
        both(
            f"profile {settings.profile} wants {warn} GiB: free some, or set DAOGOU_HOME or DAOGOU_CACHE to a larger "
            "disk.",
            f"配置 {settings.profile} 需要 {warn} GiB：请腾出空间，或把 DAOGOU_HOME、DAOGOU_CACHE 设到更大的磁盘。",
        ),
    )


def port(settings: Settings, which: Literal["ui", "api"], running: Holder | None = None) -> Finding:
    """Whether the port can be bound, or is the `running` service's; says who has it and which variable to change."""
    host, number = (settings.ui_host, settings.ui_port) if which == "ui" else (settings.api_host, settings.api_port)
    name, variable = f"{which}-port", f"DAOGOU_{which.upper()}_PORT"
    try:
        family = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as door:
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            door.bind((host, number))
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            return Finding(
                name,
                "fail",
                both(
                    f"{host}:{number} cannot be used: {error.strerror}", f"{host}:{number} 无法使用：{error.strerror}"
                ),
                both(
                    f"change DAOGOU_{which.upper()}_HOST={host} or {variable}={number}.",
                    f"请修改 DAOGOU_{which.upper()}_HOST={host} 或 {variable}={number}。",
                ),
            )
        address = running and (running.page if which == "ui" else running.api)
        if running and address and address.endswith(f":{number}"):
            return Finding(
                name,
                "ok",
                both(
                    f"{number}, the running service's (process {running.pid})",
                    f"{number}，由运行中的服务使用（进程 {running.pid}）",
                ),
            )
        who = _listener(number)
        return Finding(
            name,
            "fail",
            both(
                f"Port {number} is taken{' by ' + who if who else ''}.",
                f"端口 {number} 已被占用{'：' + who if who else ''}。",
            ),
            both(
                f"set {variable} to a free port (now {variable}={number}), or stop that program.",
                f"请把 {variable} 设为空闲端口（现为 {variable}={number}），或停止占用它的程序。",
            ),
        )
    return Finding(name, "ok", f"{host}:{number}")


def _listener(number: int) -> str:
    """The process that listens on a port, as "process 12 (nginx)"; "" where the system does not tell."""
    try:
        for link in psutil.net_connections(kind="tcp"):
            if link.status == psutil.CONN_LISTEN and link.laddr and link.laddr.port == number and link.pid:
                return both(
                    f"process {link.pid} ({psutil.Process(link.pid).name()})",
                    f"进程 {link.pid}（{psutil.Process(link.pid).name()}）",
                )
    except psutil.Error:
        return ""
    return ""


def gpu(settings: Settings) -> Finding:
    """Cards enough, and large enough, for the profile. Ray waits without a word for one that is not there."""
    needed = math.ceil(demand(profile_here(settings))["GPU"])
    found = "; ".join(map(str, cards())) or both("none", "无")
    if needed <= 0:
        return Finding(
            "gpu",
            "ok",
            both(
                f"none needed by profile {settings.profile} (found: {found})",
                f"配置 {settings.profile} 不需要显卡（检测到：{found}）",
            ),
        )
    if cards():
        try:
            plan_here(settings)
        except VramError as refused:
            return Finding("gpu", "fail", f"{found}: {refused.what}", refused.mend)
        except UnknownModelError as unknown:
            return Finding("gpu", "warn", found, str(unknown))
    if len(cards()) >= needed:
        return Finding("gpu", "ok", found)
    return Finding(
        "gpu",
        "fail",
        found,
        both(
            f"profile {settings.profile} needs {needed}: check `nvidia-smi` and the container's --gpus, "
            "or set DAOGOU_PROFILE=embedded.",
            f"配置 {settings.profile} 需要 {needed} 块显卡：请检查 `nvidia-smi` 与容器的 --gpus，"
            "或设 DAOGOU_PROFILE=embedded。",
        ),
    )


def cpu(settings: Settings) -> Finding:
    """The instructions that make bfloat16 fast on this processor."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = both(f"{cores} cores", f"{cores} 核")
    try:
        match = re.search(r"^(?:flags|Features)\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        match = None
    flags = set(match[1].split()) if match else set()
    known = [f for f in ("avx2", "avx512f", "avx512_bf16", "amx_bf16", "asimd", "bf16") if f in flags]
    found = ", ".join([count, *known])
    if settings.models.llm.gpu > 0 or flags & {"avx512f", "bf16", "amx_bf16"}:
        return Finding("cpu", "ok", found)
    if flags & {"avx2", "asimd"}:
        return Finding(
            "cpu",
            "warn",
            found,
            both(
                "it works, but slowly: a processor with AVX-512 answers faster.",
                "可以运行，但较慢：带 AVX-512 的处理器更快。",
            ),
        )
    return Finding(
        "cpu",
        "fail",
        found,
        both(
            "the CPU engine needs AVX2 or better; let the language model run elsewhere (DAOGOU_LLM_URL).",
            "CPU 引擎至少需要 AVX2；可用 DAOGOU_LLM_URL 指定别处的语言模型。",
        ),
    )


def open_files() -> Finding:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    found = f"ulimit -n {soft}"
    if soft == resource.RLIM_INFINITY or soft >= _OPEN_FILES:
        return Finding("open-files", "ok", found)
    return Finding(
        "open-files",
        "warn",
        found,
        both(
            f"run `ulimit -n {min(hard, 65535)}` before you start: many shoppers need many.",
            f"启动前运行 `ulimit -n {min(hard, 65535)}`：顾客多时需要更多文件句柄。",
        ),
    )
