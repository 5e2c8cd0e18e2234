"""A feed by its address: downloaded into the home, under a name that is the same for the same address."""

from __future__ import annotations

import asyncio
import re
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote, urlsplit

import typer

from serving.fetching import Bounds, FetchError, download, fetching_client
from serving.lock import prepare_home
from serving.messages import UserError, both
from serving.settings import Settings

FOLDER = "feeds"
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_MOST_BYTES = 4 << 30
_SECONDS = 3600.0
_REDIRECTS = 5


def feed_file(settings: Settings, given: Path | str) -> Path:
    """The path that was `given`, or the file with what lies at that address now. Raises UserError."""
    if isinstance(given, Path) or not _ADDRESS.match(given):
        return Path(given)
    prepare_home(settings.home)
    file = settings.home / FOLDER / _name(given)
    typer.echo(both("downloading the feed", "正在下载"), err=True)
    try:
        file.parent.mkdir(mode=0o700, exist_ok=True)
        asyncio.run(_download(given, file, private=settings.private_addresses))
    except (FetchError, OSError) as error:
        raise UserError(
            both(f"The feed cannot be downloaded: {error}.", f"无法下载商品文件：{error}。"),
            where=given,
            mend=both(
                "look at the address in a browser; where it is http or in your own network, "
                "set DAOGOU_PRIVATE_ADDRESSES=true for this command.",
                "请在浏览器中检查该地址；若是 http 或内网地址，请为此命令设置 DAOGOU_PRIVATE_ADDRESSES=true。",
            ),
        ) from error
    return file


async def _download(url: str, to: Path, *, private: bool) -> None:
    async with fetching_client() as client:
        await download(client, url, to, Bounds(_MOST_BYTES, _SECONDS, _REDIRECTS, private=private))


def _name(url: str) -> str:
    """What was said of columns is remembered by it. A key in the address is not in it."""
    try:
        path = unquote(urlsplit(url).path)
    except ValueError:  # fetching tells what is wrong with it
        path = ""
    last = re.sub(r"[^\w.-]+", "_", path.rpartition("/")[2])[-60:]
    return f"{sha256(url.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}-{last or 'feed'}"
