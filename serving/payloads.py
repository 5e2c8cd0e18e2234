"""Large arrays on their way to an actor: once into Ray's object store, and read there in place.

A reference must not travel over a socket of our own, where Ray cannot follow it and would keep the object for ever. So
a question that holds a large array is a call of the actor that carries the reference.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayActorError, RayError

from serving.ipc import ConnectionLost
from serving.stages.base import StageError

LARGE_BYTES = 100_000  # below, a copy through the socket costs less than the call of an actor, a millisecond


Method = Callable[..., Awaitable[Any]]


def is_large(argument: object) -> bool:
    return isinstance(argument, np.ndarray) and argument.nbytes > LARGE_BYTES


class Reads:
    """What an actor inherits to be asked so. Arrays arrive as read-only views of shared memory."""

    def __init__(self, methods: Sequence[Method]) -> None:
        self.methods = methods

    async def read(self, name: str, *arguments: Any) -> Any:
        """What the method `name` answers. Views of the arguments are good as long as somebody holds them."""
        (method,) = (each for each in self.methods if each.__name__ == name)
        return await method(*arguments)


async def ask(actor: Any, stage: str, name: str, arguments: Sequence[Any]) -> Any:
    """What the method answers, its large arguments handed over and not copied again.

    They leave the store with the end of the call. Raises StageError as the method did, or one of `stage` for any other
    exception; ConnectionLost where the actor is gone.
    """
    given = [await asyncio.to_thread(ray.put, each) if is_large(each) else each for each in arguments]
    answer = actor.read.remote(name, *given)
    try:
        return await answer
    except asyncio.CancelledError:
        ray.cancel(answer)
        raise
    except RayActorError as error:
        raise ConnectionLost("the other process is gone") from error
    except RayError as error:
        cause = getattr(error, "cause", None) or error
        if isinstance(cause, StageError):
            raise cause from None
        raise StageError(stage, f"{type(cause).__name__}: {cause}") from error
