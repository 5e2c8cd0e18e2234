"""Calls between two processes of ours over one Unix socket: typed arguments, streams, cancelling.

One connection joins two processes: the death of either is the end of the socket for the other, at once. A frame is a
length (4 bytes, little endian) and that many bytes of msgpack around JSON; nothing is unpickled, so a peer can hand
over data and never code.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import socket
import types
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, TypeVar, get_type_hints

import msgspec
import structlog
from pydantic import ConfigDict, TypeAdapter, ValidationError

from serving.stages.base import StageError

PROTOCOL = 1
_LENGTH_BYTES = 4
_MOST_BYTES = 64 << 20  # a longer frame is no message of ours

T = TypeVar("T")
Method = Callable[..., AsyncGenerator[Any] | Awaitable[Any]]

log = structlog.get_logger()


class ConnectionLost(ConnectionError):  # noqa: N818 - as Python's own ConnectionResetError, a state and no mistake
    """The other process is gone, or left the connection."""


class _Frame(msgspec.Struct, array_like=True):
    kind: Literal["hello", "call", "cancel", "item", "end", "error"]
    call: int = 0
    name: str = ""  # of the method; of the stage where a call failed
    body: bytes = b"null"  # arguments, item, result or message, as JSON


@dataclass
class _Hello:
    protocol: int
    pid: int


_frames = msgspec.msgpack.Decoder(_Frame)
_encoder = msgspec.msgpack.Encoder()
_anything: TypeAdapter[Any] = TypeAdapter(Any, config=ConfigDict(ser_json_inf_nan="constants"))


@cache
def _reader(wanted: Any) -> TypeAdapter[Any]:
    return TypeAdapter(wanted)


def _read_as(wanted: Any, body: bytes) -> Any:
    """Raises ValueError where the body is something else."""
    try:
        return _reader(wanted).validate_json(body)
    except ValidationError as error:
        raise ValueError(f"not what was agreed upon: {error}") from error


class _Wire:
    """Frames over a socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def over(cls, sock: socket.socket) -> _Wire:
        return cls(*await asyncio.open_unix_connection(sock=sock))

    async def send(self, kind: Any, call: int = 0, name: str = "", value: Any = None) -> None:
        """Waits while the other side is slow to read. Raises ConnectionLost."""
        try:
            self.post(kind, call, name, value)
            await self._writer.drain()
        except (ConnectionError, RuntimeError) as error:  # RuntimeError: the transport is closed
            raise ConnectionLost("the other process is gone") from error

    def post(self, kind: Any, call: int, name: str = "", value: Any = None) -> None:
        """Without waiting. Raises RuntimeError where the socket is closed."""
        frame = _encoder.encode(_Frame(kind, call, name, _anything.dump_json(value)))
        self._writer.write(len(frame).to_bytes(_LENGTH_BYTES, "little") + frame)

    async def frames(self) -> AsyncIterator[_Frame]:
        """Until the other side is gone or has said its last. Raises ValueError on what is no frame."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                length = int.from_bytes(await self._reader.readexactly(_LENGTH_BYTES), "little")
                if length > _MOST_BYTES:
                    raise ValueError(f"a frame of {length} bytes")
                data = await self._reader.readexactly(length)
                try:
                    yield _frames.decode(data)
                except msgspec.MsgspecError as error:
                    raise ValueError(f"not a frame: {error}") from error

    def say_last(self) -> None:
        """Nothing more is sent; the other side sees the end and may still answer."""
        with suppress(OSError, RuntimeError):
            self._writer.write_eof()

    def close(self) -> None:
        self._writer.close()


async def serve(
    sock: socket.socket, methods: Sequence[Method], stage: str, ending: Callable[[], Awaitable[None]] | None = None
) -> None:
    """Answer calls of `methods` by their names until the caller is gone; what still runs then is cancelled.

    `ending` runs before the caller sees the end.

    A method is a coroutine function, or an async generator function whose items are streamed. Its annotations say how
    the arguments are read. A StageError reaches the caller as it is, any other exception as one of `stage`.
    """
    await _serve(await _Wire.over(sock), methods, stage, ending)


async def listen(path: Path, methods: Sequence[Method], stage: str) -> asyncio.Server:
    """Answer everybody who connects to `path`, as `serve` does. Raises OSError where it cannot be bound."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _serve(_Wire(reader, writer), methods, stage, None)

    return await asyncio.start_unix_server(connected, path)


async def _serve(
    wire: _Wire, methods: Sequence[Method], stage: str, ending: Callable[[], Awaitable[None]] | None
) -> None:
    named = {method.__name__: (method, _arguments(method)) for method in methods}
    running: dict[int, asyncio.Task[None]] = {}
    try:
        with suppress(ConnectionLost):
            await wire.send("hello", value=_Hello(PROTOCOL, os.getpid()))
            async for frame in wire.frames():
                if frame.kind == "call":
                    task = asyncio.create_task(_answer(wire, frame, named, stage))
                    running[frame.call] = task
                    task.add_done_callback(partial(_forget, running, frame.call))
                elif frame.kind == "cancel" and (cancelled := running.get(frame.call)):
                    cancelled.cancel()
    finally:
        for task in list(running.values()):
            task.cancel()
        await asyncio.gather(*running.values(), return_exceptions=True)
        if ending is not None:
            await ending()
        wire.close()


def _forget(running: dict[int, asyncio.Task[None]], call: int, _: asyncio.Task[None]) -> None:
    running.pop(call, None)


def _arguments(method: Method) -> Any:
    """The type of all arguments together, from the annotations."""
    hints = get_type_hints(method)
    hints.pop("return", None)
    return types.GenericAlias(tuple, tuple(hints.values()))


async def _answer(wire: _Wire, frame: _Frame, named: dict[str, tuple[Method, Any]], stage: str) -> None:
    with suppress(ConnectionLost):  # whoever asked is gone
        try:
            if frame.name not in named:
                raise ValueError(f"there is no method {frame.name!r}")
            method, wanted = named[frame.name]
            outcome = method(*_read_as(wanted, frame.body))
            result = None
            if isinstance(outcome, AsyncGenerator):
                async with aclosing(outcome):
                    async for item in outcome:
                        await wire.send("item", frame.call, value=item)
            else:
                result = await outcome
            await wire.send("end", frame.call, value=result)
        except StageError as error:
            await wire.send("error", frame.call, error.stage, str(error))
        except ConnectionLost:
            raise
        except Exception as error:  # told to the caller, who knows what it means for a turn
            log.exception("call failed", method=frame.name)
            await wire.send("error", frame.call, stage, f"{type(error).__name__}: {error}")


class Connection:
    """The caller's side. `pid`: the other process. Methods raise ConnectionLost, and StageError as it was raised."""

    def __init__(self, wire: _Wire, pid: int, frames: AsyncIterator[_Frame]) -> None:
        self._wire, self.pid = wire, pid
        self._calls = itertools.count(1)
        self._waiting: dict[int, asyncio.Queue[_Frame | None]] = {}
        self.lost = asyncio.Event()
        self._reading = asyncio.create_task(self._read(frames))

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
        wire = await _Wire.over(sock)
        frames = wire.frames()
        try:
            async with asyncio.timeout(seconds):
                greeting = await anext(frames, None)
            if greeting is None:
                raise ConnectionLost("the other process ended while it started")
            hello: _Hello = _read_as(_Hello, greeting.body)
            if hello.protocol != PROTOCOL:
                raise ConnectionLost(f"process {hello.pid} speaks protocol {hello.protocol}, this one {PROTOCOL}")
        except (TimeoutError, ValueError, ConnectionLost) as error:
            wire.close()
            if isinstance(error, ConnectionLost):
                raise
            raise ConnectionLost(f"the other process does not greet: {error or f'{seconds:.0f} s'}") from error
        return cls(wire, hello.pid, frames)

    async def _read(self, frames: AsyncIterator[_Frame]) -> None:
        try:
            async for frame in frames:
                if queue := self._waiting.get(frame.call):
                    queue.put_nowait(frame)
        except ValueError as error:
            log.error("a peer sends what is no message", pid=self.pid, error=str(error))
        finally:
            self.lost.set()
            for queue in self._waiting.values():
                queue.put_nowait(None)

    async def call(self, name: str, *arguments: Any, returns: type[T]) -> T:
        async with aclosing(self._frames(name, arguments)) as frames:
            async for frame in frames:
                if frame.kind == "end":
                    result: T = _read_as(returns, frame.body)
                    return result
        raise AssertionError("an answer ends")

    async def stream(self, name: str, *arguments: Any, returns: type[T]) -> AsyncGenerator[T]:
        """The items; closing the iterator cancels the call on the other side."""
        async with aclosing(self._frames(name, arguments)) as frames:
            async for frame in frames:
                if frame.kind == "item":
                    yield _read_as(returns, frame.body)

    async def _frames(self, name: str, arguments: tuple[Any, ...]) -> AsyncGenerator[_Frame]:
        if self.lost.is_set():
            raise ConnectionLost(f"process {self.pid} is gone")
        call = next(self._calls)
        queue = self._waiting[call] = asyncio.Queue()
        ended = False
        try:
            await self._wire.send("call", call, name, arguments)
            while not ended:
                frame = await queue.get()
                ended = frame is None or frame.kind in ("end", "error")
                if frame is None:
                    raise ConnectionLost(f"process {self.pid} is gone")
                if frame.kind == "error":
                    raise StageError(frame.name, _read_as(str, frame.body))
                yield frame
        finally:
            del self._waiting[call]
            if not ended and not self.lost.is_set():
                with suppress(ConnectionError, RuntimeError):  # a peer that does not read must not hold us here
                    self._wire.post("cancel", call)

    async def close(self, seconds: float) -> bool:
        """Say goodbye and wait for the other side to end what it does; whether it left within `seconds`."""
        self._wire.say_last()
        try:
            async with asyncio.timeout(seconds):
                await self.lost.wait()
        except TimeoutError:
            return False
        finally:
            self._reading.cancel()
            self._wire.close()
        return True
