"""Calls between two processes of ours over one Unix socket: typed arguments, streams, cancelling.

One connection joins two processes: the death of either is the end of the socket for the other, at once.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import socket
import types
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import structlog

from serving.stages.base import StageError
from serving.wire import ConnectionLost, Frame, Wire, read_as

__all__ = ["PROTOCOL", "Connection", "ConnectionLost", "Method", "listen", "serve"]

PROTOCOL = 2

T = TypeVar("T")
Method = Callable[..., AsyncGenerator[Any] | Awaitable[Any]]
Ending = Callable[[], Awaitable[None]]

log = structlog.get_logger()


@dataclass
class _Hello:
    protocol: int
    pid: int


async def serve(sock: socket.socket, methods: Sequence[Method], stage: str, ending: Ending | None = None) -> None:
    """Answer calls of `methods` by their names until the caller is gone; what still runs then is cancelled.

    `ending` runs before the caller sees the end.

    A method is a coroutine function, or an async generator function whose items are streamed. Its annotations say how
    the arguments are read. A StageError reaches the caller as it is, any other exception as one of `stage`.
    """
    answers = _Answers(methods, stage)
    answers.wire = await Wire.over(sock, answers.received, answers.ended)
    await answers.until_left(ending)


async def listen(path: Path, methods: Sequence[Method], stage: str) -> asyncio.Server:
    """Answer everybody who connects to `path`, as `serve` does. Raises OSError where it cannot be bound."""
    serving: set[asyncio.Task[None]] = set()

    def connected() -> Wire:
        answers = _Answers(methods, stage)
        answers.wire = Wire(answers.received, answers.ended)
        task = asyncio.get_running_loop().create_task(answers.until_left(None))
        serving.add(task)
        task.add_done_callback(serving.discard)
        return answers.wire

    return await asyncio.get_running_loop().create_unix_server(connected, path)


class _Answers:
    """The side that is asked, for one caller."""

    wire: Wire

    def __init__(self, methods: Sequence[Method], stage: str) -> None:
        self._named = {method.__name__: (method, _arguments(method)) for method in methods}
        self._stage = stage
        self._running: dict[int, asyncio.Task[None]] = {}
        self._left = asyncio.Event()

    async def until_left(self, ending: Ending | None) -> None:
        try:
            await self.wire.connected.wait()
            self.wire.post("hello", 0, value=_Hello(PROTOCOL, os.getpid()))
            await self._left.wait()
        except ConnectionLost:
            pass  # gone before it was greeted
        finally:
            for task in list(self._running.values()):
                task.cancel()
            await asyncio.gather(*self._running.values(), return_exceptions=True)
            if ending is not None:
                await ending()
            self.wire.close()

    def received(self, frame: Frame) -> None:
        if frame.kind == "call":
            task = self._running[frame.call] = asyncio.get_running_loop().create_task(self._answer(frame))
            task.add_done_callback(lambda _: self._running.pop(frame.call, None))
        elif frame.kind == "cancel" and (cancelled := self._running.get(frame.call)):
            cancelled.cancel()

    def ended(self, error: ValueError | None) -> None:
        if error is not None:
            log.error("a caller sends what is no message", error=str(error))
        self._left.set()

    async def _answer(self, frame: Frame) -> None:
        with suppress(ConnectionLost):  # whoever asked is gone
            try:
                async with asyncio.timeout(frame.seconds or None) as limit:
                    await self._work(frame)
            except TimeoutError as error:
                late = f"took longer than {frame.seconds:g} s" if limit.expired() else f"TimeoutError: {error}"
                await self.wire.send("error", frame.call, self._stage, late)
            except StageError as error:
                await self.wire.send("error", frame.call, error.stage, str(error))
            except ConnectionLost:
                raise
            except Exception as error:  # told to the caller, who knows what it means for a turn
                log.exception("call failed", method=frame.name)
                await self.wire.send("error", frame.call, self._stage, f"{type(error).__name__}: {error}")

    async def _work(self, frame: Frame) -> None:
        if frame.name not in self._named:
            raise ValueError(f"there is no method {frame.name!r}")
        method, wanted = self._named[frame.name]
        outcome = method(*read_as(wanted, frame.body))
        result = None
        if isinstance(outcome, AsyncGenerator):
            async with aclosing(outcome):
                async for item in outcome:
                    await self.wire.send("item", frame.call, value=item)
        else:
            result = await outcome
        await self.wire.send("end", frame.call, value=result)


def _arguments(method: Method) -> Any:
    """The type of all arguments together, from the annotations."""
    hints = get_type_hints(method)
    hints.pop("return", None)
    return types.GenericAlias(tuple, tuple(hints.values()))


class Connection:
    """The caller's side. `pid`: the other process. Methods raise ConnectionLost, and StageError as it was raised."""

    def __init__(self) -> None:
        self._wire: Wire
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Callable[[Frame | None], None]] = {}  # None: the other process is gone
        self._greeting: asyncio.Future[Frame | None] = asyncio.get_running_loop().create_future()
        self.lost = asyncio.Event()
        self.pid = 0

    @classmethod
    async def to(cls, path: Path, seconds: float) -> Connection:
        """To whoever listens at `path`. Raises OSError where nobody does, ConnectionLost as `open`."""
        sock = socket.socket(socket.AF_UNIX)
        try:
            sock.connect(str(path))
        except OSError:
            sock.close()
            raise
        return await cls.open(sock, seconds)

    @classmethod
    async def open(cls, sock: socket.socket, seconds: float) -> Connection:
        """Raises ConnectionLost where the other side does not greet within `seconds`, or speaks another protocol."""
        connection = cls()
        sock.setblocking(False)
        connection._wire = await Wire.over(sock, connection._received, connection._ended)
        try:
            async with asyncio.timeout(seconds):
                greeting = await connection._greeting
            if greeting is None:
                raise ConnectionLost("the other process ended while it started")
            hello: _Hello = read_as(_Hello, greeting.body)
            if hello.protocol != PROTOCOL:
                raise ConnectionLost(f"process {hello.pid} speaks protocol {hello.protocol}, this one {PROTOCOL}")
        except (TimeoutError, ValueError, ConnectionLost) as error:
            connection._wire.close()
            if isinstance(error, ConnectionLost):
                raise
            raise ConnectionLost(f"the other process does not greet: {error or f'{seconds:.0f} s'}") from error
        connection.pid = hello.pid
        return connection

    def _received(self, frame: Frame) -> None:
        if not self._greeting.done():
            self._greeting.set_result(frame)
        elif arrived := self._waiting.get(frame.call):
            arrived(frame)

    def _ended(self, error: ValueError | None) -> None:
        if not self._greeting.done():
            if error is None:
                self._greeting.set_result(None)
            else:
                self._greeting.set_exception(error)
        elif error is not None:
            log.error("a peer sends what is no message", pid=self.pid, error=str(error))
        self.lost.set()
        for arrived in list(self._waiting.values()):
            arrived(None)

    async def call(self, name: str, *arguments: Any, returns: type[T], seconds: float = 0.0) -> T:
        """The answer. After `seconds`, if not 0, the other side gives up, and here TimeoutError is raised."""
        return (await self.call_weighed(name, *arguments, returns=returns, seconds=seconds))[0]

    async def call_weighed(self, name: str, *arguments: Any, returns: type[T], seconds: float = 0.0) -> tuple[T, int]:
        """As `call`, and how many bytes the question and the answer were, which the socket copies."""
        answer: asyncio.Future[Frame | None] = asyncio.get_running_loop().create_future()

        def arrived(frame: Frame | None) -> None:
            if not answer.done() and (frame is None or frame.kind != "item"):
                answer.set_result(frame)

        number = self._expect(arrived)
        try:
            async with asyncio.timeout(seconds or None):
                asked = await self._wire.send("call", number, name, arguments, seconds)
                frame = self._sound(await answer)
        finally:
            self._forget(number, ended=answer.done() and not answer.cancelled())
        result: T = read_as(returns, frame.body)
        return result, asked + len(frame.body)

    async def stream(self, name: str, *arguments: Any, returns: type[T]) -> AsyncGenerator[T]:
        """The items; closing the iterator cancels the call on the other side."""
        queue: asyncio.Queue[Frame | None] = asyncio.Queue()
        number = self._expect(queue.put_nowait)
        ended = False
        try:
            await self._wire.send("call", number, name, arguments)
            while True:
                frame = await queue.get()
                ended = frame is None or frame.kind != "item"
                frame = self._sound(frame)
                if ended:
                    return
                yield read_as(returns, frame.body)
        finally:
            self._forget(number, ended=ended)

    def _expect(self, arrived: Callable[[Frame | None], None]) -> int:
        if self.lost.is_set():
            raise ConnectionLost(f"process {self.pid} is gone")
        number = next(self._numbers)
        self._waiting[number] = arrived
        return number

    def _forget(self, number: int, *, ended: bool) -> None:
        del self._waiting[number]
        if not ended and not self.lost.is_set():
            with suppress(ConnectionLost):  # a peer that does not read must not hold us here
                self._wire.post("cancel", number)

    def _sound(self, frame: Frame | None) -> Frame:
        if frame is None:
            raise ConnectionLost(f"process {self.pid} is gone")
        if frame.kind == "error":
            raise StageError(frame.name, read_as(str, frame.body))
        return frame

    async def close(self, seconds: float) -> bool:
        """Say goodbye and wait for the other side to end what it does; whether it left within `seconds`."""
        self._wire.say_last()
        try:
            async with asyncio.timeout(seconds):
                await self.lost.wait()
        except TimeoutError:
            return False
        finally:
            self._wire.close()
            self.lost.set()
        return True
