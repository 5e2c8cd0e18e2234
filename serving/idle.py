"""A process that steps back for all others."""

from __future__ import annotations

import contextlib
import os
import sys

import psutil


def be_idle() -> None:
    """Run only when nobody else wants the processor or the disk."""
    os.nice(19)
    if sys.platform == "linux":
        with contextlib.suppress(PermissionError):  # then the above must do
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        psutil.Process().ionice(psutil.IOPRIO_CLASS_IDLE)
