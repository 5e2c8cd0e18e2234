"""The process that owns Ray, or joins it: starts the cell, waits for SIGTERM, stops it. Started by the supervisor.

It is a process of its own because Ray ends its driver outright when its own daemons die, and somebody must be left
to clean up and to tell the user.
"""

from __future__ import annotations

import math
import os
import signal
from types import FrameType
from typing import NoReturn

from serving import binding, nursery, supervise
from serving.cards import profile_here
from serving.child import orphaned
from serving.gpus import cuda_environment
from serving.messages import UserError, both
from serving.placement import demand
from serving.settings import Settings, load_settings
from serving.topology import TopologyError, choose_gpus, read_host, split


def _leave(signum: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one must not interrupt the cleaning up
    raise SystemExit(0)


def _choose_places(settings: Settings) -> None:
    """Which cards and cores the one cell of this host takes, told to all that this process starts.

    Several cells, or the classic graph, run where the kernel and Ray like; so does what joins a cluster, whose cards
    and cores are shared out to others too. Raises UserError.
    """
    if settings.cells > 1 or settings.stages != "cell" or settings.ray_address is not None:
        return
    profile = profile_here(settings)
    host = read_host()
    try:
        gpus = choose_gpus(host, math.ceil(demand(profile)["GPU"]))
    except TopologyError as error:
        mend = both("choose a smaller profile, or fewer cards for it.", "请选择更小的配置，或减少其显卡数。")
        raise UserError(str(error), where=f"DAOGOU_PROFILE={settings.profile}", mend=mend) from error
    if gpus:
        os.environ |= cuda_environment(gpus) | {binding.CARD_VARIABLE: gpus[0].uuid}
    places = split(host, gpus, gateway=profile.cpu_gateway, encoders=profile.cpu_encoders)
    os.environ |= binding.told({"gateway": places.gateway, "encoders": places.encoders, "engine": places.engine})


def main() -> NoReturn:
    settings = load_settings()
    run = os.environ[supervise.RUN_VARIABLE]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the supervisor's
    signal.signal(signal.SIGTERM, _leave)
    try:
        _run(settings, run)
    except UserError as problem:
        supervise.leave_word(settings.run_dir, problem)
        raise SystemExit(problem.code) from problem


def _run(settings: Settings, run: str) -> NoReturn:
    _choose_places(settings)
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
        cell.stop(settings)
        if orphaned():  # the supervisor was killed: nobody else sweeps
            supervise.sweep(run, settings.run_dir, seen)


if __name__ == "__main__":
    main()
