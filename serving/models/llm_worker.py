"""What vLLM's workers run for us: they end when the process that started the engine is gone.

vLLM's engine core does not watch its caller: killed with -9, the caller would leave a core behind that keeps its
memory and, in the middle of an answer, a processor. `VllmEngine` names a class of this module as `worker_extension_cls`
and sets `CALLER_VARIABLE`; a worker imports it before it loads anything.

They let the threads of gloo sleep: vLLM makes a dozen process groups also for one process, each with a thread that
looks up a hundred times a second for others that never come. A thread inherits the slack of its timers from the one
that starts it; with a second of slack it looks up once a second (3 % of a core at rest before, 0.1 % now).

And they keep the machine code of vLLM's n-gram speculation, which would else be compiled at each start.
Import this in a worker only, as vLLM does: its walk over all modules, earlier in a worker, stumbles over numba.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import threading
from contextlib import suppress

from vllm.v1.spec_decode import ngram_proposer

from serving.models.llm import CALLER_VARIABLE

for _compiled in (ngram_proposer._find_longest_matched_ngram_and_propose_tokens, ngram_proposer.batch_propose_numba):
    with suppress(RuntimeError):  # neither beside vLLM nor in the user's cache may a file be written: compile anew
        _compiled.enable_caching()


_PR_SET_TIMERSLACK = 29  # prctl(2)
_IDLE_NS, _USUAL_NS = 1_000_000_000, 50_000


def _set_slack(nanoseconds: int) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0)


class EndsWithCaller:
    """What vLLM imports this module for; the worker watches from the moment of the import."""

    def loaded(self) -> None:
        """Called in the worker once all its threads of vLLM's are there: from here on its own timers are exact."""
        _set_slack(_USUAL_NS)


def _end_with(pid: int) -> None:
    handle = os.pidfd_open(pid)  # raises ProcessLookupError where it is gone: the worker then does not start
    threading.Thread(target=_wait_and_end, args=(handle,), name="ends-with-caller", daemon=True).start()


def _wait_and_end(handle: int) -> None:
    select.select([handle], [], [])
    os.kill(os.getpid(), signal.SIGKILL)


_end_with(int(os.environ[CALLER_VARIABLE]))
_set_slack(_IDLE_NS)
