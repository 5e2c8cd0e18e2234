"""The owner's feeds over HTTP, at the real assistant: sent, listed, fetched back, looked at."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.conftest import Assistant

pytestmark = pytest.mark.graph

TABLE = "货号,商品,成本价,售价\nF1,红杯子,¥5,¥12\nF2,,¥6,¥13\n"


@pytest.fixture
def owner(assistant: Assistant) -> Iterator[httpx.Client]:
    key = (assistant.home / "owner.key").read_text()
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=assistant.api_url, headers=headers, timeout=120) as client:
        yield client


def sent(owner: httpx.Client, name: str, content: str | bytes) -> str:
    reply = owner.put(f"/v1/catalogue/feeds/{name}", content=content)
    assert reply.status_code == 201, reply.text
    path: str = reply.json()["path"]
    return path


def refused(reply: httpx.Response) -> tuple[int, str]:
    return reply.status_code, reply.json()["error"]["code"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/catalogue/feeds"),
        ("PUT", "/v1/catalogue/feeds/a.csv"),
        ("GET", "/v1/catalogue/feeds/a.csv"),
        ("POST", "/v1/catalogue/report"),
    ],
)
def test_only_the_owner_may(assistant: Assistant, method: str, path: str) -> None:
    body = {"path": "/etc/passwd"} if method == "POST" else None
    reply = httpx.request(method, assistant.api_url + path, json=body, headers={"Authorization": "Bearer wrong"})
    assert refused(reply) == (401, "owner_key_required")


def test_a_feed_beyond_the_limit_of_a_chat_comes_back_as_it_was_sent(owner: httpx.Client) -> None:
    content = bytes(range(256)) * 10_000
    path = sent(owner, "大.bin", content)
    assert owner.get("/v1/catalogue/feeds/大.bin").content == content
    first = owner.get("/v1/catalogue/feeds").json()["data"][0]
    assert (first["name"], first["path"], first["bytes"]) == ("大.bin", path, len(content))


@pytest.mark.parametrize("name", [".hidden.csv", "..", "a%5Cb.csv", "a%00.csv", "x" * 201, "%F0%9F%98%80" * 60])
def test_a_name_that_is_none_is_refused(owner: httpx.Client, name: str) -> None:
    assert owner.put(f"/v1/catalogue/feeds/{name}", content=b"a").status_code in (400, 404, 405)
    assert owner.put(f"/v1/catalogue/feeds/..%2F{name}", content=b"a").status_code == 404


def raw(owner: httpx.Client, name: str, header: str, body: bytes = b"") -> bytes:
    """The first line of the answer to a request that no client would write; the connection is then cut."""
    place = urlsplit(str(owner.base_url))
    head = f"PUT /v1/catalogue/feeds/{name} HTTP/1.1\r\nHost: x\r\nAuthorization: {owner.headers['Authorization']}\r\n"
    with socket.create_connection((place.hostname, place.port), 30) as connection:
        connection.sendall(f"{head}{header}\r\n\r\n".encode() + body)
        return b"" if body else connection.recv(4096).split(b"\r\n")[0]


def test_the_length_is_asked_for_and_limited(owner: httpx.Client) -> None:
    assert b" 413 " in raw(owner, "huge.csv", "Content-Length: 1000000001")
    assert b" 411 " in raw(owner, "chunks.csv", "Transfer-Encoding: chunked")
    assert b" 411 " in raw(owner, "nothing.csv", "Accept: */*")


def test_a_feed_that_breaks_off_leaves_the_one_before(assistant: Assistant, owner: httpx.Client) -> None:
    sent(owner, "half.csv", TABLE)
    raw(owner, "half.csv", "Content-Length: 1000", b"id,title\n1,Lamp")
    sent(owner, "after.csv", TABLE)  # by then the other is over
    assert owner.get("/v1/catalogue/feeds/half.csv").text == TABLE
    assert {file.name for file in (assistant.home / "feeds").glob(".half.csv*")} == set()


def report(owner: httpx.Client, **wanted: Any) -> dict[str, Any]:
    reply = owner.post("/v1/catalogue/report", json=wanted)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


def test_the_report_of_a_feed_and_what_is_remembered_of_it(owner: httpx.Client) -> None:
    path = sent(owner, "look.csv", TABLE)
    seen = report(owner, path=path)
    assert (seen["rows"], seen["products"], seen["left_out"], seen["quarantine"]) == (2, 1, 1, [])
    assert seen["findings"][0]["mend"]["zh"] == "请填写标题。"
    assert seen["kinds"]["missing_title"]["severity"] == "error"
    assert {column["header"]: column["role"] for column in seen["columns"]}["售价"] == "price"
    assert "list_price" in seen["roles"]

    changed = report(owner, path=path, mapping={"price": "成本价"}, before_load=True)
    assert {column["header"]: column["role"] for column in changed["columns"]}["成本价"] == "price"
    left = changed["quarantine"][0].rsplit("/", 1)[-1]
    assert "F2" in owner.get(f"/v1/catalogue/feeds/{left}").text
    assert report(owner, path=path)["choice"] == {"mapping": {"price": "成本价"}, "currency": None}
    assert report(owner, path=changed["quarantine"][0])["choice"]["mapping"] == {"price": "成本价"}


def test_what_cannot_be_read_so_is_told(owner: httpx.Client) -> None:
    wanted = {"path": sent(owner, "a.csv", TABLE), "mapping": {"price": "成本"}}
    reply = owner.post("/v1/catalogue/report", json=wanted)
    assert refused(reply) == (400, "feed_unusable")
    assert "成本价" in reply.json()["error"]["message"]


def test_who_goes_away_leaves_no_reader_behind(owner: httpx.Client) -> None:
    path = sent(owner, "long.csv", "id,title\n" + "".join(f"{n},Lamp\n" for n in range(3_000_000)))
    with pytest.raises(httpx.ReadTimeout):
        owner.post("/v1/catalogue/report", json={"path": path}, timeout=0.5)
    # One at a time: it would have to wait for minutes if the other went on.
    assert owner.post("/v1/catalogue/report", json={"path": sent(owner, "short.csv", TABLE)}, timeout=60).is_success
