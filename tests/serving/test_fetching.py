"""What somebody else's address says is fetched with bounds, and from no private network."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import certifi
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from serving import fetching
from serving.fetching import Bounds, FetchError, download, fetch, fetching_client, is_public
from tests.picture_server import FEED, Server, Shop


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.215.14", True),
        ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:93.184.215.14", True),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::1", False),
        ("ff02::1", False),
        ("::127.0.0.1", False),
        ("fec0::1", False),
        ("64:ff9b:1::1", False),
    ],
)
def test_private_addresses_are_known_in_every_notation(address: str, public: bool) -> None:
    assert is_public(address) is public


async def got(url: str, bounds: Bounds) -> bytes:
    async with fetching_client() as client:
        return await fetch(client, url, bounds)


async def test_a_private_network_is_not_asked_unless_it_is_allowed(shop: tuple[str, list[str]]) -> None:
    url, visits = shop
    port = url.rpartition(":")[2]
    for address in (url, f"https://127.0.0.1:{port}/mug.png", f"https://localhost:{port}/", f"https://[::1]:{port}/"):
        with pytest.raises(FetchError, match=r"private network|https address|not known"):
            await got(address, Bounds())
    for address in (
        "ftp://shop.example/a.png",
        "file:///etc/passwd",
        "https://user:word@shop.example/a.png",
        "https:///a",
    ):
        with pytest.raises(FetchError, match="not an"):
            await got(address, Bounds(private=address.startswith("https")))
    assert visits == []
    assert await got(f"{url}/mug.png", Bounds(private=True)) == Shop.picture


async def test_what_is_fetched_has_bounds(shop: tuple[str, list[str]]) -> None:
    url, visits = shop
    bounds = Bounds(most_bytes=1_000_000, seconds=0.5, private=True)
    assert await got(f"{url}/moved", bounds) == Shop.picture
    for path, told in (
        ("/endless", "more than 1,000,000 bytes"),
        ("/slow", "took longer"),
        ("/loop", "more than 3 redirects"),
        ("/to-file", "not an http"),
        ("/gone", "answers 404"),
        ("/packed", "packed"),
        ("/head", "RemoteProtocolError"),
    ):
        with pytest.raises(FetchError, match=told):
            await got(url + path, bounds)
    assert visits.count("/loop") == 4


@pytest.fixture
def secure(running: type[Shop], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The shop by https, with a certificate for 127.0.0.1 that is trusted; its address counts as public."""
    file = tmp_path / "certificate.pem"
    file.write_bytes(certificate("127.0.0.1"))
    monkeypatch.setattr(certifi, "where", lambda: str(file))
    monkeypatch.setattr(fetching, "is_public", lambda address: address == "127.0.0.1" or is_public(address))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    with Server(("127.0.0.1", 0), running) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"https://127.0.0.1:{server.server_port}"
        server.shutdown()


def certificate(address: str) -> bytes:
    """With its key, as PEM; signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "shop")])
    today = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(today - timedelta(days=1))
        .not_valid_after(today + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(address))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return private + made.public_bytes(Encoding.PEM)


async def test_a_redirect_into_a_private_network_is_not_followed(secure: str, running: type[Shop]) -> None:
    assert await got(f"{secure}/mug.png", Bounds()) == Shop.picture
    for path, told in (("/to-metadata", r"169\.254\.169\.254 is in a private network"), ("/to-file", "not an https")):
        with pytest.raises(FetchError, match=told):
            await got(secure + path, Bounds())
    assert running.visits == ["/mug.png", "/to-metadata", "/to-file"]


async def test_each_name_shows_a_certificate_of_its_own(secure: str) -> None:
    async with fetching_client() as client:
        await fetch(client, f"{secure}/mug.png", Bounds())
        with pytest.raises(FetchError, match=r"(?i)certificate"):
            await fetch(client, f"{secure.replace('127.0.0.1', 'localhost')}/mug.png", Bounds(private=True))


async def test_a_name_is_looked_up_once_and_the_address_that_was_judged_is_asked(
    shop: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name server that says something else at each question."""
    url, visits = shop
    port = int(url.rpartition(":")[2])
    asked: list[str] = []

    async def changing(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        asked.append(host)
        address = "127.0.0.1" if len(asked) == 1 else "192.0.2.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", changing)
    assert await got(f"http://shop.example:{port}/mug.png", Bounds(private=True)) == Shop.picture
    assert (asked[0], visits) == ("shop.example", ["/mug.png"])
    with pytest.raises(FetchError, match="private network"):
        await got(f"https://shop.example:{port}/mug.png", Bounds())


async def test_requests_tell_nothing_and_names_at_one_address_share_no_connection(
    running: type[Shop], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with fetching_client() as client:
        for host in ("127.0.0.1", "localhost", "127.0.0.1"):
            await fetch(client, f"http://{host}:{running.port}/mug.png", Bounds(private=True))
    assert len(set(running.connections)) == 3
    for headers in running.headers_seen:
        assert headers["User-Agent"] == "Daogou"
        assert headers.keys().isdisjoint({"Cookie", "Referer", "Authorization"})


async def test_a_file_is_there_whole_or_not_at_all(shop: tuple[str, list[str]], tmp_path: Path) -> None:
    url, _ = shop
    file = tmp_path / "feed.csv"
    bounds = Bounds(most_bytes=1_000_000, private=True)
    async with fetching_client() as client:
        await download(client, f"{url}/feed.csv", file, bounds)
        with pytest.raises(FetchError):
            await download(client, f"{url}/endless", file, bounds)
    assert file.read_bytes() == FEED
    assert os.listdir(tmp_path) == ["feed.csv"]
