"""What vLLM's workers run for us: they end when the process that started the engine is gone.

vLLM's engine core does not watch its caller: killed with -9, the caller would leave a core behind that keeps its
memory and, in the middle of an answer, a processor. `VllmEngine` names this class as `worker_extension_cls`.
"""

from __future__ import annotations

import os
import select
import signal
import threading


class EndsWithCaller:
    def end_with_caller(self, pid: int) -> int:
        """Begin to watch the process `pid`, and the one that forked this worker; the pid of this worker."""
        handles = [os.pidfd_open(watched) for watched in {pid, os.getppid()}]
        threading.Thread(target=_wait_and_end, args=(handles,), name="ends-with-caller", daemon=True).start()
        return os.getpid()


def _wait_and_end(handles: list[int]) -> None:
    select.select(handles, [], [])
    os.kill(os.getpid(), signal.SIGKILL)
