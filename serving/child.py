"""Runs a module as a part of a run that ends with its parent: `python -m serving.child MODULE [ARGUMENT…]`."""

from __future__ import annotations

import ctypes
import os
import runpy
import signal
import sys

PARENT_VARIABLE = "DAOGOU_PARENT"  # pid of the process that started us
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def _prctl(option: int, value: int) -> None:
    """Linux only; elsewhere a killed parent's children stay until the next start cleans them up."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def die_with_parent() -> None:
    """Get SIGTERM when the parent dies, even by SIGKILL; at once if it is dead already."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if orphaned():
        os.kill(os.getpid(), signal.SIGTERM)


def killed_with_parent() -> None:
    """Get SIGKILL when the thread that forked this process ends, as it does with its process at the latest."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def orphaned() -> bool:
    return os.environ.get(PARENT_VARIABLE, str(os.getppid())) != str(os.getppid())


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent dies, so that none of them is lost from sight."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


if __name__ == "__main__":
    die_with_parent()
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
