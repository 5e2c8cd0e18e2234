"""The graphics cards of this machine, and a profile as they can run it."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from functools import cache

from serving.models.shapes import UnknownModelError
from serving.profiles import Profile
from serving.settings import Settings
from serving.vram import VramError, VramPlan, fitted, plan


@dataclass(frozen=True)
class Card:
    name: str
    bytes: int

    def __str__(self) -> str:
        return f"{self.name}, {self.bytes >> 20} MiB"


@cache
def cards() -> tuple[Card, ...]:
    """As `nvidia-smi` lists them; none where there is no driver. Asked once in a process."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return ()
    command = [tool, "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
        rows = [line.rpartition(",") for line in done.stdout.splitlines() if line.strip()]
        return tuple(Card(name.strip(), int(mib) << 20) for name, _, mib in rows)
    except (OSError, ValueError, subprocess.SubprocessError):
        return ()


def plan_here(settings: Settings) -> VramPlan | None:
    """The plan for this machine's cards, the smallest of which counts; None without cards.

    Raises VramError, UnknownModelError.
    """
    if not cards():
        return None
    return plan(settings.models, _smallest(), len(cards()), llm_here=settings.llm_url is None)


def profile_here(settings: Settings) -> Profile:
    """The profile as this machine's cards can run it; as it is where there are none or it cannot be planned.

    A main model elsewhere takes no card here.
    """
    profile = settings.models
    if settings.llm_url is not None:
        return profile.model_copy(update={"llm": profile.llm.model_copy(update={"gpu": 0.0})})
    if not cards():
        return profile
    try:
        return fitted(profile, _smallest(), len(cards()))
    except (VramError, UnknownModelError):  # `daogou doctor` and the check before a start say so
        return profile


def encoders_fraction(settings: Settings) -> float | None:
    """How much of the first card torch may take in the encoders' process; None: nobody says."""
    try:
        made = plan_here(settings)
    except (VramError, UnknownModelError):
        return None
    return made.encoders_fraction if made else None


def _smallest() -> int:
    return min(card.bytes for card in cards())
