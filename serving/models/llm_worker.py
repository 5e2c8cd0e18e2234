"""What vLLM's workers run for us: they end when the process that started the engine is gone.

vLLM's engine core does not watch its caller: killed with -9, the caller would leave a core behind that keeps its
memory and, in the middle of an answer, a processor. `VllmEngine` names this class as `worker_extension_cls`.

And they keep the machine code of vLLM's n-gram speculation, which would else be compiled at each start.
Import this in a worker only, as vLLM does: its walk over all modules, earlier in a worker, stumbles over numba.
"""

from __future__ import annotations

import os
import select
import signal
import threading
from contextlib import suppress

from vllm.v1.spec_decode import ngram_proposer

for _compiled in (ngram_proposer._find_longest_matched_ngram_and_propose_tokens, ngram_proposer.batch_propose_numba):
    with suppress(RuntimeError):  # neither beside vLLM nor in the user's cache may a file be written: compile anew
        _compiled.enable_caching()


class EndsWithCaller:
    def end_with_caller(self, pid: int) -> int:
        """Begin to watch the process `pid`; the pid of this worker."""
        handle = os.pidfd_open(pid)
        threading.Thread(target=_wait_and_end, args=(handle,), name="ends-with-caller", daemon=True).start()
        return os.getpid()


def _wait_and_end(handle: int) -> None:
    select.select([handle], [], [])
    os.kill(os.getpid(), signal.SIGKILL)
