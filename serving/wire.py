"""Frames over a Unix socket between two processes of ours.

A frame is a length (4 bytes, little endian) and that many bytes of msgpack around JSON; nothing is unpickled, so a peer
can hand over data and never code. Frames are read where they arrive, without a task in between: at 64 calls at once
that makes half the cost of a call (`asyncio`'s streams wake a task twice for each frame).
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, Literal, cast

import msgspec
from pydantic import ConfigDict, TypeAdapter, ValidationError

_LENGTH_BYTES = 4
_MOST_BYTES = 64 << 20  # a longer frame is no message of ours

Kind = Literal["hello", "call", "cancel", "item", "end", "error"]


class ConnectionLost(ConnectionError):  # noqa: N818 - as Python's own ConnectionResetError, a state and no mistake
    """The other process is gone, or left the connection."""


class Frame(msgspec.Struct, array_like=True):
    kind: Kind
    call: int = 0
    name: str = ""  # of the method; of the stage where a call failed
    body: bytes = b"null"  # arguments, item, result or message, as JSON
    seconds: float = 0.0  # that a call may take; 0: as long as the caller stays


_decoder = msgspec.msgpack.Decoder(Frame)
_encoder = msgspec.msgpack.Encoder()
_anything: TypeAdapter[Any] = TypeAdapter(Any, config=ConfigDict(ser_json_inf_nan="constants"))


@cache
def _reader(wanted: Any) -> TypeAdapter[Any]:
    return TypeAdapter(wanted)


def dump(value: Any) -> bytes:
    """A frame's body: dataclasses and records as JSON, with infinities."""
    return _anything.dump_json(value)


def read_as(wanted: Any, body: bytes) -> Any:
    """A frame's body as `wanted`, a type that pydantic knows. Raises ValueError where it is something else."""
    try:
        return _reader(wanted).validate_json(body)
    except ValidationError as error:
        raise ValueError(f"not what was agreed upon: {error}") from error


class Wire(asyncio.Protocol):
    """One end. `received` is called for each frame, `ended` once: the other side is gone or has said its last.

    `ended` gets a ValueError where what came was no frame.
    """

    def __init__(self, received: Callable[[Frame], None], ended: Callable[[ValueError | None], None]) -> None:
        self._received, self._ended = received, ended
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._over = False
        self._writable = asyncio.Event()
        self._writable.set()
        self.connected = asyncio.Event()

    @classmethod
    async def over(
        cls, sock: socket.socket, received: Callable[[Frame], None], ended: Callable[[ValueError | None], None]
    ) -> Wire:
        loop = asyncio.get_running_loop()
        _, wire = await loop.create_unix_connection(lambda: cls(received, ended), sock=sock)
        return wire

    async def send(self, kind: Kind, call: int = 0, name: str = "", value: Any = None, seconds: float = 0.0) -> int:
        """Waits while the other side is slow to read. The body's bytes. Raises ConnectionLost."""
        size = self.post(kind, call, name, value, seconds)
        if not self._writable.is_set():
            await self._writable.wait()
            if self._transport is None or self._transport.is_closing():
                raise ConnectionLost("the other process is gone")
        return size

    def post(self, kind: Kind, call: int, name: str = "", value: Any = None, seconds: float = 0.0) -> int:
        """Without waiting. The body's bytes. Raises ConnectionLost."""
        if self._transport is None or self._transport.is_closing():
            raise ConnectionLost("the other process is gone")
        body = dump(value)
        frame = _encoder.encode(Frame(kind, call, name, body, seconds))
        self._transport.write(len(frame).to_bytes(_LENGTH_BYTES, "little") + frame)
        return len(body)

    def say_last(self) -> None:
        """Nothing more is sent; the other side sees the end and may still answer."""
        if self._transport is not None and not self._transport.is_closing():
            with suppress(OSError, RuntimeError):
                self._transport.write_eof()

    def close(self) -> None:
        """What was sent before still goes out."""
        if self._transport is not None:
            self._transport.close()

    # --- what the event loop calls ----------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.connected.set()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        try:
            while (frame := self._next()) is not None:
                self._received(frame)
        except ValueError as error:
            self._end(error)
            self.close()

    def _next(self) -> Frame | None:
        """The next whole frame. Raises ValueError on what is none."""
        length = int.from_bytes(self._buffer[:_LENGTH_BYTES], "little")
        if length > _MOST_BYTES:
            raise ValueError(f"a frame of {length} bytes")
        end = _LENGTH_BYTES + length
        if len(self._buffer) < max(end, _LENGTH_BYTES + 1):
            return None
        data = bytes(self._buffer[_LENGTH_BYTES:end])
        del self._buffer[:end]
        try:
            return _decoder.decode(data)
        except msgspec.MsgspecError as error:
            raise ValueError(f"not a frame: {error}") from error

    def eof_received(self) -> bool:
        self._end(None)
        return True  # our own side stays open, to answer

    def connection_lost(self, error: Exception | None) -> None:
        self._writable.set()
        self._end(None)

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def _end(self, error: ValueError | None) -> None:
        if not self._over:
            self._over = True
            self._ended(error)
