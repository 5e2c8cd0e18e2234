"""Where a cell goes: its bundles by profile, and whether some host has room for all of them together.

A cell is one STRICT_PACK group. Ray waits without a word for a host that is large enough; `check_room` says beforehand
when there is none. Ray counts cards, it limits no memory on them: shares keep two cells off one card.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from serving.messages import UserError, both
from serving.profiles import PROFILES, Profile

GATEWAY, ENCODERS = 0, 1  # the bundles of a cell; the engine lives in the gateway's
STRATEGY = "STRICT_PACK"

Resources = Mapping[str, float]


def bundles(profile: Profile) -> list[dict[str, float]]:
    """What a cell asks for: the gateway with the engine, then the encoders.

    An engine over whole cards takes all of them, as Ray counts no parts above one. The encoders then live on the first
    of them, where the engine leaves them room, and ask for none.
    """
    shares = 0.0 if profile.llm.gpu >= 1 else profile.embedder.gpu + profile.reranker.gpu + profile.guard.gpu
    group = [
        {"CPU": profile.cpu_gateway, "GPU": profile.llm.gpu},
        {"CPU": profile.cpu_encoders, "GPU": round(shares, 4)},
    ]
    return [{kind: share for kind, share in bundle.items() if share} for bundle in group]


def classic(profile: Profile) -> dict[str, dict[str, float]]:
    """What each deployment of the classic graph asks for, by its name.

    With cards the textbook's shares: a fifth of one for the embedder, three tenths for the reranker, whole ones for the
    main model. Without, the cell's cores are divided.
    """
    whole = max(1, profile.llm.tensor_parallel)
    if profile.llm.gpu:
        return {
            "embedder": {"CPU": 2, "GPU": 0.2},
            "reranker": {"CPU": 4, "GPU": 0.3},
            "guard": {"CPU": 1, "GPU": profile.guard.gpu},
            "retriever": {"CPU": 1},
            "llm": {"CPU": 8, "GPU": whole},
        }
    part = profile.cpu_encoders / 4
    models = {name: {"CPU": part} for name in ("embedder", "reranker", "guard", "retriever")}
    return models | {"llm": {"CPU": profile.cpu_gateway / 2}}


def check_room(profile: Profile, cells: int, hosts: Sequence[Resources], *, here: bool = False) -> None:
    """Raises UserError where `cells` cells do not fit on `hosts` (what is free on each), a cell on one host whole.

    `here`: the only one of `hosts` is this host of a cluster, where the home is.
    """
    needed = demand(profile)
    room = sum(_times(needed, host) for host in hosts)
    if room >= cells:
        return
    wanted = _told(needed)
    largest = max(hosts, key=lambda host: (host.get("GPU", 0), host.get("CPU", 0)), default={})
    if here:
        what = both(
            f"A cell of profile {profile.name} needs {wanted}; the cluster has {_told(largest)} free on this host.",
            f"配置 {profile.name} 的一个单元需要 {wanted}；集群在本机上空闲的只有 {_told(largest)}。",
        )
    elif room == 0:
        what = both(
            f"A cell of profile {profile.name} needs {wanted} on one host; the largest host has {_told(largest)}.",
            f"配置 {profile.name} 的一个单元需要在同一台主机上有 {wanted}；最大的主机有 {_told(largest)}。",
        )
    else:
        what = both(
            f"{cells} cells of profile {profile.name} need {wanted} each, every one on a single host; "
            f"there is room for {room}.",
            f"{cells} 个 {profile.name} 单元各需要 {wanted}，且每个须在同一台主机上；现有资源只够 {room} 个。",
        )
    raise UserError(what, where=f"DAOGOU_PROFILE={profile.name}", mend=_mend(hosts, cells, room))


def _mend(hosts: Sequence[Resources], cells: int, room: int) -> str:
    fitting = [name for name, other in PROFILES.items() if sum(_times(demand(other), host) for host in hosts) >= cells]
    ways_en, ways_zh = [], []
    if room:
        ways_en.append(f"set DAOGOU_CELLS={room}")
        ways_zh.append(f"把 DAOGOU_CELLS 设为 {room}")
    if fitting:
        ways_en.append(f"choose DAOGOU_PROFILE={' or '.join(fitting)}")
        ways_zh.append(f"选择 DAOGOU_PROFILE={' 或 '.join(fitting)}")
    ways_en.append("add a host that is large enough")
    ways_zh.append("增加一台足够大的主机")
    return both(", or ".join(ways_en) + ".", "，或".join(ways_zh) + "。")


def demand(profile: Profile) -> dict[str, float]:
    """What one cell takes of its host in all."""
    group = bundles(profile)
    return {kind: round(sum(bundle.get(kind, 0) for bundle in group), 4) for kind in ("CPU", "GPU")}


def _times(needed: Resources, host: Resources) -> int:
    """How many cells go on one host."""
    counts = [int(host.get(kind, 0) / share + 1e-6) for kind, share in needed.items() if share]
    return min(counts, default=0)


def _told(resources: Resources) -> str:
    gpus, cpus = resources.get("GPU", 0), resources.get("CPU", 0)
    return both(
        f"{gpus:g} GPU{'' if gpus == 1 else 's'} and {cpus:g} CPU{'' if cpus == 1 else 's'}",
        f"{gpus:g} 块 GPU 与 {cpus:g} 个 CPU",
    )
