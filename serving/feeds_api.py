"""The owner's feeds over HTTP: send a file, list them, fetch one back, see the report of one. All want the owner's key.

Loading one is `POST /v1/catalogue`.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import structlog
from fastapi import Depends, FastAPI, Header, Request
from fastapi.responses import FileResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import ClientDisconnect

from serving.errors import ApiError
from serving.feed_choices import Choice
from serving.feed_report import FEEDS, Answer, Order, report_apart
from serving.owner import is_owner
from serving.settings import Settings

ROUTE = "/v1/catalogue/feeds"
MOST_FEED_BYTES = 1_000_000_000
_MOST_NAME_BYTES = 200  # of 255 that a file system takes, since a temporary name is longer
_WRITE_BYTES = 1 << 20

_LEFT = ApiError(499, "left", "Whoever asked went away.")  # told to nobody

log = structlog.get_logger()


class ReportRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    path: Path = Field(description="a feed on the machine of the service")
    mapping: dict[str, str] | None = Field(default=None, description="as for a load; unset: as remembered")
    currency: str | None = Field(default=None, pattern="^[A-Z]{3}$", description="of prices that name none")
    before_load: bool = Field(
        default=False, description="remember mapping and currency, and write the rows that are left out"
    )


def install(app: FastAPI, settings: Settings) -> None:
    """Give `app` these routes."""
    folder, one = settings.home / FEEDS, asyncio.Lock()

    def owner(authorization: Annotated[str | None, Header()] = None) -> None:
        if not is_owner(settings.home, authorization):
            raise ApiError(
                401, "owner_key_required", "Send 'Authorization: Bearer KEY' with the key in owner.key of the home."
            )

    only_owner = [Depends(owner)]

    @app.get(ROUTE, dependencies=only_owner)
    async def feeds() -> dict[str, Any]:
        """The files that were sent, the newest first."""
        return {"data": await asyncio.to_thread(_listed, folder), "most_bytes": MOST_FEED_BYTES}

    @app.put(ROUTE + "/{name}", status_code=201, dependencies=only_owner)
    async def send(name: str, request: Request) -> dict[str, Any]:
        """Keep the body as a file of this name, in place of one of the same name once it is whole."""
        _check_name(name)
        many = _length(request)
        try:
            await _keep(folder, name, request.stream())
        except ClientDisconnect as error:
            raise _LEFT from error
        except OSError as error:
            log.error("feed not kept", name=name, error=str(error))
            raise ApiError(507, "feed_not_kept", f"{name} could not be kept: {error.strerror}.") from error
        return {"path": str(folder / name), "bytes": many}

    @app.get(ROUTE + "/{name}", dependencies=only_owner)
    async def fetch(name: str) -> FileResponse:
        """One of them, as it was sent; `quarantine.csv` holds the rows that the last load left out."""
        _check_name(name)
        if not (folder / name).is_file():
            raise ApiError(404, "not_found", f"There is no feed {name!r}.")
        headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
        return FileResponse(folder / name, media_type="application/octet-stream", filename=name, headers=headers)

    @app.post("/v1/catalogue/report", dependencies=only_owner)
    async def report(wanted: ReportRequest, request: Request) -> dict[str, Any]:
        """What is in a feed and what is wrong with it, without loading it; one at a time."""
        given = wanted.mapping is not None or wanted.currency is not None
        choice = Choice(mapping=wanted.mapping or {}, currency=wanted.currency) if given else None
        order = Order(home=settings.home, path=wanted.path, choice=choice, before_load=wanted.before_load)
        try:
            async with one:
                answer = await _unless_left(request, report_apart(order))
        except ChildProcessError as error:
            log.error("no report", error=str(error))
            raise ApiError(503, "report_failed", f"There is no report: {error}.", retry_after=2) from error
        if answer.report is None:
            raise ApiError(400, "feed_unusable", answer.unusable, param="path")
        return answer.report


def _check_name(name: str) -> None:
    good = name.isprintable() and not name.startswith(".") and not {*name} & {*'/\\:*?"<>|'}
    if not good or not 0 < len(name.encode("utf-8", "replace")) <= _MOST_NAME_BYTES:
        message = f"{name[:80]!r} is no name for a feed: write it without folders and signs, up to 200 bytes."
        raise ApiError(400, "bad_name", message, param="name")


def _length(request: Request) -> int:
    given = request.headers.get("content-length", "")
    if not (given.isascii() and given.isdigit()):
        raise ApiError(411, "length_required", "Send the feed with a Content-Length.")
    if int(given) > MOST_FEED_BYTES:
        message = (
            f"The feed has {int(given):,} bytes; at most {MOST_FEED_BYTES:,} are taken. Send it in parts, or zipped."
        )
        raise ApiError(413, "body_too_large", message)
    return int(given)


async def _keep(folder: Path, name: str, pieces: AsyncIterator[bytes]) -> None:
    """Write a file under a temporary name, and rename it when it is whole. Raises OSError, ClientDisconnect."""
    fresh = folder / f".{name}.{secrets.token_hex(4)}"
    try:
        with await asyncio.to_thread(_created, fresh) as file:
            waiting = bytearray()
            async for piece in pieces:
                waiting += piece
                if len(waiting) >= _WRITE_BYTES:
                    await asyncio.to_thread(file.write, bytes(waiting))
                    waiting.clear()
            await asyncio.to_thread(file.write, bytes(waiting))
        fresh.replace(folder / name)
    finally:
        fresh.unlink(missing_ok=True)


def _created(path: Path) -> BinaryIO:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _listed(folder: Path) -> list[dict[str, Any]]:
    if not folder.is_dir():
        return []
    found = [(file, file.stat()) for file in folder.iterdir() if file.is_file() and not file.name.startswith(".")]
    found.sort(key=lambda each: -each[1].st_mtime)
    return [
        {"name": file.name, "path": str(file), "bytes": about.st_size, "modified": int(about.st_mtime)}
        for file, about in found
    ]


async def _unless_left(request: Request, work: Coroutine[Any, Any, Answer]) -> Answer:
    """The work's result; where whoever asked goes away first, it is cancelled. Raises ApiError."""
    task, gone = asyncio.create_task(work), asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise _LEFT
        return task.result()
    finally:
        task.cancel()
        gone.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)
