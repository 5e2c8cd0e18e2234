"""`daogou vram`: what each profile takes of which card."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import typer

from serving.footprints import gib
from serving.messages import both
from serving.profiles import PROFILES, Profile, ProfileName
from serving.vram import VramError, VramPlan, plan

# GB on the box → MiB that nvidia-smi tells of the smallest card sold as such: T4, A10, L40S, H100, H200.
SIZES = {16: 15_360, 24: 23_028, 48: 46_068, 80: 81_559, 141: 143_771}

_FITS = (
    "profile, cards, encoders' weights, encoders' activations, LLM weights, LLM activations, CUDA graphs, KV cache, "
    "contexts, free, `gpu_memory_utilization`, encoders' fraction, KV tokens, full contexts at once, measured"
)
_REFUSED = "profile, cards, needed, what does fit"
_MEASURED = "not measured"


@dataclass(frozen=True)
class Case:
    """One profile on one kind of machine. `gigabytes` as on the box; 0: no card is needed."""

    profile: ProfileName
    gigabytes: int
    cards: int
    outcome: VramPlan | VramError


def cases(names: Sequence[ProfileName], sizes: Sequence[int], count: int | None = None) -> Iterator[Case]:
    """Every profile on every size; on 1, 2, 4 … cards where its main model can be spread, or on `count`."""
    for name in names:
        profile = PROFILES[name]
        if not _on_cards(profile):
            yield Case(name, 0, 0, plan(profile, 0, 0))
            continue
        for size in sizes:
            for cards in [count] if count else _counts(profile):
                try:
                    yield Case(name, size, cards, plan(profile, _bytes(size), cards))
                except VramError as refused:
                    yield Case(name, size, cards, refused)


def print_plans(
    names: Sequence[ProfileName], sizes: Sequence[int], count: int | None, *, as_json: bool, markdown: bool
) -> None:
    found = list(cases(names, sizes, count))
    if as_json:
        typer.echo(json.dumps([_as_data(case) for case in found], ensure_ascii=False, indent=2))
    elif markdown:
        typer.echo(tables(found))
    else:
        for case in found:
            typer.echo("\n".join([f"{case.profile}, {_where(case)}", *(f"    {line}" for line in _lines(case))]))


def tables(found: Sequence[Case]) -> str:
    """The tables of docs/vram.md: what fits, then what does not."""
    fit = [[case.profile, _where(case), *_split(case.outcome)] for case in found if isinstance(case.outcome, VramPlan)]
    refused = [
        [case.profile, _where(case), _number(case.outcome.needed), case.outcome.mend]
        for case in found
        if isinstance(case.outcome, VramError)
    ]
    return "\n\n".join([_table(_FITS.split(", "), fit), _table(_REFUSED.split(", "), refused)])


def _table(headings: list[str], rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (headings, ["---"] * len(headings), *rows))


def _split(made: VramPlan) -> list[str]:
    """A row of the first table, after the profile and the cards."""
    if not made.shares:
        return ["–"] * (len(_FITS.split(", ")) - 2)
    first = {share.process: share for share in made.shares if share.card == 0}
    small, llm = first["encoders"], first["llm"]
    sizes = [small.weights, small.activations, llm.weights, llm.activations, llm.graphs, llm.kv_cache]
    sizes += [small.context + llm.context, made.card_bytes - made.used(0)]
    shares = [f"{made.gpu_memory_utilization:.3f}", f"{made.encoders_fraction:.3f}"]
    return [*map(_number, sizes), *shares, f"{made.kv_tokens:,}", str(made.sequences), _MEASURED]


def _lines(case: Case) -> Iterator[str]:
    """A case as the terminal shows it."""
    made = case.outcome
    if isinstance(made, VramError):
        yield both("does not fit. ", "放不下。") + made.what
        yield both("Mend: ", "办法：") + made.mend
        return
    if not made.shares:
        yield both("runs on the processor", "在处理器上运行")
        return
    names = both("weights, activations, CUDA graphs, KV cache, contexts", "权重, 激活, CUDA 图, KV 缓存, 上下文").split(
        ", "
    )
    for share in made.shares:
        sizes = (share.weights, share.activations, share.graphs, share.kv_cache, share.context)
        parts = ", ".join(f"{name} {_number(size)}" for name, size in zip(names, sizes, strict=True) if size)
        yield both(f"card {share.card}, ", f"显卡 {share.card}，") + f"{share.process}: {gib(share.total)} ({parts})"
    yield f"gpu_memory_utilization={made.gpu_memory_utilization:.3f}; " + both(
        f"the encoders get {made.encoders_fraction:.3f}; {made.kv_tokens:,} tokens of KV cache are {made.sequences} "
        "full contexts at once; not measured on a card",
        f"编码器占 {made.encoders_fraction:.3f}；KV 缓存 {made.kv_tokens:,} 词元，"
        f"可同时容纳 {made.sequences} 段完整上下文；未在显卡上实测",
    )


def _where(case: Case) -> str:
    return f"{case.cards} × {case.gigabytes} GB" if case.cards else both("no card", "无需显卡")


def _number(size: int) -> str:
    return gib(size).removesuffix(" GiB")


def _as_data(case: Case) -> dict[str, Any]:
    refused = isinstance(case.outcome, VramError)
    return {
        "profile": case.profile,
        "card_gb": case.gigabytes or None,
        "cards": case.cards,
        "fits": not refused,
        "plan": asdict(case.outcome) if isinstance(case.outcome, VramPlan) else None,
        "refusal": str(case.outcome) if refused else None,
        "measured": None,
    }


def _on_cards(profile: Profile) -> bool:
    return any(spec.gpu > 0 for spec in (profile.embedder, profile.reranker, profile.guard, profile.llm))


def _counts(profile: Profile) -> list[int]:
    return [1 << power for power in range(profile.llm.tensor_parallel.bit_length())]


def _bytes(gigabytes: int) -> int:
    return SIZES.get(gigabytes, gigabytes * 1024) << 20
