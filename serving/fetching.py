"""What lies at an address that somebody else wrote down: fetched with bounds, and from no private network.

The host is looked up once, each of its addresses is judged, and the connection goes to one that was: what the name
means a moment later changes nothing. Each redirect is judged anew. A connection is used once: the next name at the same
address must show a certificate of its own.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path

import httpx

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_EVERYBODYS = ipaddress.ip_network("2000::/3")  # of IPv6, all that is given out
_HEADERS = {"User-Agent": "Daogou", "Accept-Encoding": "identity"}  # what is packed could unpack without end
_MOVED = frozenset({301, 302, 303, 307, 308})


class FetchError(RuntimeError):
    """It cannot be had; the message says why."""


class NoAnswerError(FetchError):
    """Its server does not answer in time, or asks to be left alone."""


@dataclass(frozen=True)
class Bounds:
    """`seconds` for all of it, redirects included. `private`: whether http and private networks are allowed."""

    most_bytes: int = 20_000_000
    seconds: float = 20.0
    redirects: int = 3
    private: bool = False


async def fetch(client: httpx.AsyncClient, url: str, bounds: Bounds) -> bytes:
    """The content. Raises FetchError. `client`: one of `fetching_client`."""
    found = bytearray()
    async with _answer(client, url, bounds) as pieces:
        async for piece in pieces:
            found += piece
    return bytes(found)


async def download(client: httpx.AsyncClient, url: str, to: Path, bounds: Bounds) -> None:
    """Into the file `to`, which is there only when all of it is. Raises FetchError, OSError."""
    fresh = to.with_name(f".{to.name}.part")
    try:
        with fresh.open("wb") as file:
            async with _answer(client, url, bounds) as pieces:
                async for piece in pieces:
                    file.write(piece)
        fresh.replace(to)
    finally:
        fresh.unlink(missing_ok=True)


def fetching_client() -> httpx.AsyncClient:
    """A client that keeps no cookies and no connections, asks no proxy, and follows nobody by itself."""
    return httpx.AsyncClient(
        headers=_HEADERS,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        limits=httpx.Limits(max_keepalive_connections=0),
        trust_env=False,
        follow_redirects=False,
        timeout=None,
    )


@asynccontextmanager
async def _answer(client: httpx.AsyncClient, url: str, bounds: Bounds) -> AsyncIterator[AsyncIterator[bytes]]:
    try:
        async with asyncio.timeout(bounds.seconds):
            for _ in range(bounds.redirects + 1):
                request = await _request(client, url, bounds)
                response = await client.send(request, stream=True)
                try:
                    if response.status_code in _MOVED and "location" in response.headers:
                        url = str(httpx.URL(url).join(response.headers["location"]))
                        continue
                    if response.status_code != 200:
                        alone = response.status_code == 429 or response.status_code >= 500
                        raise (NoAnswerError if alone else FetchError)(f"the server answers {response.status_code}")
                    if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
                        raise FetchError("it is packed, which was not asked for")
                    yield _bounded(response, bounds)
                    return
                finally:
                    await response.aclose()
            raise FetchError(f"more than {bounds.redirects} redirects")
    except TimeoutError as error:
        raise NoAnswerError(f"took longer than {bounds.seconds:g} s") from error
    except httpx.TransportError as error:
        raise NoAnswerError(f"{type(error).__name__}: {error}"[:200]) from error
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise FetchError(f"{type(error).__name__}: {error}"[:200]) from error


async def _request(client: httpx.AsyncClient, url: str, bounds: Bounds) -> httpx.Request:
    """To an address that was judged, under the name that was asked for."""
    target = httpx.URL(url)
    if target.scheme not in (("https", "http") if bounds.private else ("https",)):
        raise FetchError("not an https address" if not bounds.private else "not an http or https address")
    if target.userinfo or not target.host:
        raise FetchError("not an address without a password" if target.userinfo else "not an address")
    address = await _judged(target.host, target.port or (443 if target.scheme == "https" else 80), bounds)
    return client.build_request(
        "GET",
        target.copy_with(host=address),
        headers={"Host": target.netloc.decode("ascii")},
        extensions={"sni_hostname": target.host},
    )


async def _judged(host: str, port: int, bounds: Bounds) -> str:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise FetchError(f"{host} is not known") from error
    addresses = [str(entry[4][0]) for entry in found]
    if not bounds.private and not all(map(is_public, addresses)):
        raise FetchError(f"{host} is in a private network")
    return addresses[0]


def is_public(address: str) -> bool:
    """Whether everybody could reach it: no private, local, shared or special network, by whatever notation."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        if ip not in _EVERYBODYS:
            return False
    return ip.is_global and not ip.is_multicast


async def _bounded(response: httpx.Response, bounds: Bounds) -> AsyncIterator[bytes]:
    size = 0
    async for piece in response.aiter_raw():
        size += len(piece)
        if size > bounds.most_bytes:
            raise FetchError(f"more than {bounds.most_bytes:,} bytes")
        yield piece
