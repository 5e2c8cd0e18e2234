"""Who gets how much of a card: worked out before anything is loaded, so that nothing runs out of memory later."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from serving.footprints import BLOCK, Process, Share, encoders_share, gib, llm_share, token_bytes
from serving.messages import both
from serving.models.shapes import Weights, shape_of, weights_of
from serving.profiles import PROFILES, LlmSpec, Profile, ProfileName

_MARGIN = 0.02  # of the card: what the driver keeps of the size that it names, and rounding
_LEAST_CONTEXT = 2048  # less would not hold a shelf and its question
_STEPS = 1000  # shares are given in thousandths


class VramError(ValueError):
    """A profile does not fit. `what` says what needs how much on which card, `mend` the ways out that do fit.

    `needed`: bytes of the first card.
    """

    def __init__(self, what: str, mend: str, needed: int) -> None:
        super().__init__(f"{what} {both('Mend', '办法')}: {mend}")
        self.what, self.mend, self.needed = what, mend, needed


@dataclass(frozen=True)
class VramPlan:
    """The split of `cards` cards of `card_bytes` each, those that the profile uses; none for a profile without cards.

    `order`: start the processes one after the other in this order. The engine takes whatever is allocated on its card
    while it profiles for its own, and its cache shrinks by that; and what cannot start should fail first.
    """

    profile: ProfileName
    card_bytes: int
    cards: int
    shares: tuple[Share, ...] = ()
    gpu_memory_utilization: float | None = None  # vLLM's, a fraction of the whole card
    encoders_fraction: float | None = None  # for torch.cuda.set_per_process_memory_fraction; without the CUDA context
    kv_tokens: int = 0  # that the KV cache holds
    sequences: int = 0  # of full context that it holds at once
    order: tuple[Process, ...] = ()

    def used(self, card: int) -> int:
        """Bytes of a card that are spoken for."""
        return sum(share.total for share in self.shares if share.card == card)


def plan(profile: Profile, card_bytes: int, cards: int, *, llm_here: bool = True) -> VramPlan:
    """The split for `cards` equal cards. `llm_here`: False where the main model runs elsewhere.

    A model is spread over at most as many cards as its profile says. Raises VramError where it does not fit, and
    `shapes.UnknownModelError`.
    """
    made = _laid_out(profile, card_bytes, cards, llm_here)
    if not _fits(made, profile):
        raise _refusal(made, profile, _mend(made, profile, cards, llm_here))
    return made


def fitted(profile: Profile, card_bytes: int, cards: int) -> Profile:
    """The profile as these cards can run it: `gpu_memory_utilization`, and the cards that the main model spreads over.

    Raises as `plan` does.
    """
    made = plan(profile, card_bytes, cards)
    if made.gpu_memory_utilization is None:
        return profile
    changed = {
        "gpu_memory_utilization": made.gpu_memory_utilization,
        "tensor_parallel": made.cards,
        "gpu": round(profile.llm.gpu - (profile.llm.tensor_parallel - made.cards), 4),
    }
    return profile.model_copy(update={"llm": profile.llm.model_copy(update=changed)})


def _laid_out(profile: Profile, card_bytes: int, cards: int, llm_here: bool) -> VramPlan:
    """The split, whether it fits or not: then `kv_tokens` is too small, or a fraction above 1."""
    shares: list[Share] = []
    room = card_bytes * (1 - _MARGIN)
    fraction = utilization = None
    used = kv_tokens = 0
    if encoders := encoders_share(profile):
        shares.append(encoders)
        used = 1
        fraction = math.ceil((encoders.weights + encoders.activations) / card_bytes * _STEPS) / _STEPS
        room -= fraction * card_bytes + encoders.context
    if llm_here and profile.llm.gpu > 0:
        used = _spread(profile.llm, cards)
        bare = llm_share(profile.llm, used)
        utilization = max(0, math.floor((room - bare.context) / card_bytes * _STEPS)) / _STEPS
        left = int(utilization * card_bytes) - (bare.total - bare.context)
        block = BLOCK * token_bytes(profile.llm, used)
        kv_tokens = max(0, left // block - 1) * BLOCK  # vLLM keeps one block back
        kv_cache = max(0, left)
        taken = (bare.weights, bare.activations, bare.context, bare.graphs, kv_cache)
        shares += [Share("llm", card, *taken) for card in range(used)]
    present = {share.process for share in shares}
    largest_first: tuple[Process, ...] = ("llm", "encoders")
    return VramPlan(
        profile=profile.name,
        card_bytes=card_bytes,
        cards=used,
        shares=tuple(shares),
        gpu_memory_utilization=utilization,
        encoders_fraction=fraction,
        kv_tokens=kv_tokens,
        sequences=kv_tokens // profile.llm.context,
        order=tuple(process for process in largest_first if process in present),
    )


def _fits(made: VramPlan, profile: Profile) -> bool:
    if made.gpu_memory_utilization is not None:
        return made.sequences >= 1
    return made.used(0) <= made.card_bytes * (1 - _MARGIN)


def _spread(spec: LlmSpec, cards: int) -> int:
    """As many cards as there are and the profile wants, if the heads divide by them."""
    shape = shape_of(spec)
    return next(n for n in range(max(1, min(cards, spec.tensor_parallel)), 0, -1) if shape.kv_heads % n == 0)


def _refusal(made: VramPlan, profile: Profile, mend: str) -> VramError:
    """Tells of the first card, which is the fullest."""
    needs = list(_needs(made, profile))
    total = sum(size for _, _, size in needs) + int(made.card_bytes * _MARGIN)
    english = "; ".join(f"{name} {gib(size)}" for name, _, size in needs)
    chinese = "；".join(f"{name} {gib(size)}" for _, name, size in needs)
    what = both(
        f"Profile {profile.name} needs {gib(total)} of card 0, which has {gib(made.card_bytes)}: {english}; "
        "2 % stay free.",
        f"配置 {profile.name} 在显卡 0 上需要 {gib(total)}，而该卡有 {gib(made.card_bytes)}：{chinese}；另留 2 %。",
    )
    return VramError(what, mend, total)


def _needs(made: VramPlan, profile: Profile) -> Iterator[tuple[str, str, int]]:
    """(English, Chinese, bytes) of card 0, with a KV cache for one conversation of the full context."""
    for share in (share for share in made.shares if share.card == 0):
        if share.process == "encoders":
            yield "encoders", "编码器模型", share.total
            continue
        spec = profile.llm
        yield f"weights of {spec.name}", f"{spec.name} 的权重", share.weights
        yield "its activations and CUDA graphs", "其激活与 CUDA 图", share.activations + share.graphs
        cache = (spec.context + BLOCK) * token_bytes(spec, made.cards)
        yield f"KV cache for one context of {spec.context} tokens", f"一段 {spec.context} 词元上下文的 KV 缓存", cache
        yield "its CUDA context", "其 CUDA 上下文", share.context


def _mend(made: VramPlan, profile: Profile, cards: int, llm_here: bool) -> str:
    """Every way out that does fit; the next smaller profile always is one."""
    ways = list(_ways(made, profile, cards)) if made.gpu_memory_utilization is not None else []
    below = [PROFILES[name] for name in list(PROFILES)[: list(PROFILES).index(profile.name)]]
    fitting = (less.name for less in reversed(below) if _fits(_laid_out(less, made.card_bytes, cards, llm_here), less))
    smaller = next(fitting, "embedded")
    ways.append((f"set DAOGOU_PROFILE={smaller}", f"设 DAOGOU_PROFILE={smaller}"))
    return both("; or ".join(en for en, _ in ways) + ".", "；或".join(zh for _, zh in ways) + "。")


def _ways(made: VramPlan, profile: Profile, cards: int) -> Iterator[tuple[str, str]]:
    spec = profile.llm
    if made.kv_tokens >= _LEAST_CONTEXT:
        yield (
            f"in serving/profiles.py, set context={made.kv_tokens} for the llm of {profile.name}",
            f"在 serving/profiles.py 中把 {profile.name} 的 llm 设为 context={made.kv_tokens}",
        )
    sizes = both(" or ", " 或 ").join(
        f"{weights.upper()} {gib(size)}" for weights, size in _quantized(made, profile, cards)
    )
    if sizes:
        yield (
            f"in serving/profiles.py, name a quantized checkpoint of {spec.name} ({sizes} of weights on each card)",
            f"在 serving/profiles.py 中改用 {spec.name} 的量化权重（每卡 {sizes}）",
        )


def _quantized(made: VramPlan, profile: Profile, cards: int) -> Iterator[tuple[Weights, int]]:
    """The formats in which the main model would fit, and its weights' bytes on each card."""
    formats: tuple[Weights, ...] = ("fp8", "awq")
    for weights in formats if weights_of(profile.llm) not in formats else ():
        llm = profile.llm.model_copy(update={"name": f"{profile.llm.name}-{weights}"})
        other = profile.model_copy(update={"llm": llm})
        if _fits(_laid_out(other, made.card_bytes, cards, True), other):
            yield weights, llm_share(llm, made.cards).weights
