"""The encoders' models of a profile, loaded together."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.encoding import Encoder, Scorer
from serving.cards import encoders_fraction
from serving.models.device import limit_memory
from serving.models.embedder import Embedder
from serving.models.guard import Guard, QwenGuard, RuleGuard
from serving.models.reranker import CrossEncoder, KeptOrder
from serving.models.weights import Progress, prepare
from serving.settings import Settings


@dataclass(frozen=True)
class Models:
    """`embedder` reads what is stored, `encoder` queries; both give the same vectors."""

    embedder: Embedder
    encoder: Encoder
    scorer: Scorer
    guard: Guard


def load_models(settings: Settings, progress: Progress) -> Models:
    """Loads and warms up. Raises WeightsError."""
    limit_memory(encoders_fraction(settings))
    profile, cache = settings.models, settings.weights_dir
    embedder = Embedder(profile.embedder, prepare(profile.embedder, cache, progress))
    scorer = load_scorer(settings, progress)
    guard = load_guard(settings, progress)
    return Models(embedder, embedder, scorer, guard)


def load_scorer(settings: Settings, progress: Progress | None = None) -> Scorer:
    """Raises WeightsError."""
    spec = settings.models.reranker
    if spec.source == "builtin":
        return KeptOrder()
    return CrossEncoder(spec, prepare(spec, settings.weights_dir, progress or _untold))


def load_guard(settings: Settings, progress: Progress | None = None) -> Guard:
    """Raises WeightsError."""
    spec = settings.models.guard
    return (
        RuleGuard()
        if spec.source == "builtin"
        else QwenGuard(spec, prepare(spec, settings.weights_dir, progress or _untold))
    )


def _untold(what: str, done: int, total: int) -> None:
    """Progress that nobody follows."""
