"""A web server of pictures and a feed, good and bad."""

from __future__ import annotations

import gzip
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.pictures import encoded, half_and_half

_MOVED = {
    "/loop": "/loop",
    "/moved": "/mug.png",
    "/to-file": "file:///etc/passwd",
    "/to-metadata": "https://169.254.169.254/latest/meta-data/",
}
_REFUSED = {"gone": 404, "busy": 503}
FEED = b"id,title,price\nb1,Walking boots,89.00\nl1,Reading lamp,24.50\n"


class Shop(BaseHTTPRequestHandler):
    """Notes what it is asked. Each test takes a class of its own, so that the notes are its own too."""

    port: int
    visits: list[str]
    headers_seen: list[dict[str, str]]
    connections: list[int]  # the other side's port at each request
    picture = encoded(half_and_half())
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.visits.append(self.path)
        self.headers_seen.append(dict(self.headers))
        self.connections.append(self.client_address[1])
        if location := _MOVED.get(self.path):
            self._head(302, Location=location)
        elif status := _REFUSED.get(self.path.split("/")[1]):
            self._head(status)
        elif self.path == "/head":
            self._head(200, **{f"X-{number}": "a" * 1_000_000 for number in range(10)})
        elif self.path == "/packed":
            self._body(gzip.compress(gzip.compress(b"\0" * 1_000_000)), **{"Content-Encoding": "gzip, gzip"})
        elif self.path in ("/slow", "/endless"):
            self._head(200)
            self._go_on()
        elif self.path.startswith("/feed"):
            self._body(FEED)
        else:
            self._body(self.picture if self.path.startswith("/mug") else b"<html>")

    def _go_on(self) -> None:
        if self.path == "/slow":
            time.sleep(2)
            return
        while True:  # until the other side has had enough
            self.wfile.write(b"x" * 100_000)

    def _body(self, content: bytes, **headers: str) -> None:
        self.send_response(200)
        for name, value in {"Content-Length": str(len(content)), "Set-Cookie": "seen=1", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _head(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in {**headers, "Connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        """A client that has had enough is none."""
