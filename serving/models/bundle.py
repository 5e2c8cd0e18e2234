"""The encoders' models of a profile, loaded together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrieval.encoding import Scorer
from serving.cards import encoders_fraction
from serving.models.device import limit_memory
from serving.models.embedder import Embedder
from serving.models.guard import Guard, QwenGuard, RuleGuard
from serving.models.reranker import CrossEncoder, LateInteraction
from serving.models.weights import Progress, prepare
from serving.settings import Settings


@dataclass(frozen=True)
class Models:
    embedder: Embedder
    scorer: Scorer
    guard: Guard
    remember: Callable[[Sequence[str]], None] | None = None  # texts that the scorer may read ahead


def load_models(settings: Settings, progress: Progress) -> Models:
    """Loads and warms up. Raises WeightsError."""
    limit_memory(encoders_fraction(settings))
    profile, cache = settings.models, settings.weights_dir
    embedder = Embedder(profile.embedder, prepare(profile.embedder, cache, progress))
    scorer: Scorer
    remember = None
    if profile.reranker.source == "builtin":
        scorer = late = LateInteraction(embedder, profile.reranker)
        remember = late.remember
    else:
        scorer = CrossEncoder(profile.reranker, prepare(profile.reranker, cache, progress))
    guard: Guard = RuleGuard()
    if profile.guard.source != "builtin":
        guard = QwenGuard(profile.guard, prepare(profile.guard, cache, progress))
    return Models(embedder, scorer, guard, remember)
