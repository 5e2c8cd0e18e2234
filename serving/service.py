"""The process that owns Ray: starts the cell, waits for SIGTERM, stops it. Started by the supervisor.

It is a process of its own because Ray ends its driver outright when its own daemons die, and somebody must be left
to clean up and to tell the user.
"""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import NoReturn

from serving import nursery, supervise
from serving.child import orphaned
from serving.settings import load_settings


def _leave(signum: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one must not interrupt the cleaning up
    raise SystemExit(0)


def main() -> NoReturn:
    settings = load_settings()
    run = os.environ[supervise.RUN_VARIABLE]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the supervisor's
    signal.signal(signal.SIGTERM, _leave)
    if nursery.wanted(settings):
        nursery.start(settings.run_dir)  # first of all: it imports for longer than Ray starts
    from serving import cell

    try:
        cell.start(settings)
        signal.signal(signal.SIGTERM, _leave)  # ray.init put its own in place
        while True:
            signal.pause()
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        seen = {process.pid for process in supervise.members(run)}
        cell.stop()
        if orphaned():  # the supervisor was killed: nobody else sweeps
            supervise.sweep(run, settings.run_dir, seen)


if __name__ == "__main__":
    main()
