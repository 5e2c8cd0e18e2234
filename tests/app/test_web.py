"""The page's own routes, the rules for browsers, and the password in front of a shared page."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from functools import cache

import httpx
import pytest
from fastapi import FastAPI

from app.settings import UiSettings
from app.share import Gate
from app.web import Pictures, build_app, content_policy

GATE = Gate()


@cache
def app(gate: Gate | None) -> FastAPI:
    """The page in this process; its service is one that is not there."""
    return build_app(UiSettings(api_url="http://127.0.0.1:1"), gate)


def client(gate: Gate | None) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app(gate)), base_url="http://page.example")


@pytest.fixture
async def page() -> AsyncIterator[httpx.AsyncClient]:
    async with client(None) as found:
        yield found


@pytest.fixture
async def shared() -> AsyncIterator[httpx.AsyncClient]:
    async with client(GATE) as found:
        yield found


async def test_rules_for_browsers_are_on_every_answer(page: httpx.AsyncClient) -> None:
    for path in ("/", "/state", "/ui/js/dom.js", "/pictures/none.webp", "/theme.css", "/nowhere"):
        headers = (await page.get(path)).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


async def test_no_other_origin_is_let_in(page: httpx.AsyncClient) -> None:
    for path in ("/config", "/state", "/gradio_api/info"):
        answer = await page.get(path, headers={"Origin": "http://evil.example"})
        assert "access-control-allow-origin" not in answer.headers


async def test_nothing_on_the_page_is_fetched_from_elsewhere(page: httpx.AsyncClient) -> None:
    html = (await page.get("/")).text
    for kind in ("src=", 'rel="stylesheet" href=', 'rel="preconnect" href=', 'rel="preload" href='):
        assert f'{kind}"http' not in html
    theme = (await page.get("/theme.css")).text
    assert "@import" not in theme
    assert not re.search(r"""url\(\s*['"]?(https?:)?//""", theme)


async def test_the_page_tells_that_the_service_is_not_there(page: httpx.AsyncClient) -> None:
    assert (await page.get("/state")).json() == {"ready": False, "parts": [], "reachable": False}
    assert (await page.get("/examples?lang=zh")).json() == []
    assert (await page.get("/examples?lang=xx")).status_code == 422


@pytest.mark.parametrize("name", ["..%2f..%2fetc%2fpasswd", "a.svg", "a.html", ".env", "%00.webp", "a..webp"])
async def test_only_names_of_pictures_are_asked_for(page: httpx.AsyncClient, name: str) -> None:
    assert (await page.get(f"/pictures/{name}")).status_code == 404


async def test_pictures_are_kept_up_to_a_limit() -> None:
    asked: list[str] = []

    async def fetch(name: str) -> tuple[bytes, str] | None:
        asked.append(name)
        return (b"x" * 20_000_000, "image/webp") if name != "none.webp" else None

    pictures = Pictures(fetch)
    assert await pictures.get("none.webp") is None
    assert (await pictures.get("a.webp")) == (await pictures.get("a.webp"))
    assert asked == ["none.webp", "a.webp"]
    await pictures.get("b.webp")
    await pictures.get("a.webp")
    assert asked == ["none.webp", "a.webp", "b.webp", "a.webp"]


def test_a_shops_own_picture_host_is_allowed_by_name() -> None:
    assert "img-src 'self' data: blob:;" in content_policy(frozenset())
    assert "img-src 'self' data: blob: https://cdn.shop.example;" in content_policy(frozenset({"cdn.shop.example"}))


async def test_a_shared_page_gives_nothing_without_the_password(shared: httpx.AsyncClient) -> None:
    paths = ["/config", "/state", "/gradio_api/info", "/gradio_api/heartbeat/x", "/ui/js/dom.js", "/theme.css"]
    for path in paths:
        answer = await shared.get(path)
        assert answer.status_code == 401
        assert 'type="password"' in answer.text
    for path in ("/gradio_api/call/ask", "/gradio_api/queue/join", "/gradio_api/cancel", "/gradio_api/upload"):
        assert (await shared.post(path, json={"data": ["x"]})).status_code == 401
    assert 'type="password"' in (await shared.get("/")).text


async def test_the_password_opens_a_shared_page(shared: httpx.AsyncClient) -> None:
    wrong = await shared.post("/enter", data={"password": GATE.password + "x"})
    assert wrong.status_code == 401
    assert not wrong.cookies
    assert "not right" in wrong.text
    huge = await shared.post("/enter", data={"password": "x" * 100_000})
    assert huge.status_code == 401
    right = await shared.post("/enter", data={"password": f" {GATE.password} "}, headers={"x-forwarded-proto": "https"})
    assert (right.status_code, right.headers["location"]) == (303, "/")
    cookie = right.headers["set-cookie"].lower()
    assert all(word in cookie for word in ("httponly", "samesite=lax", "secure"))
    async with client(GATE) as entered:
        entered.cookies.set("daogou_guest", GATE.ticket)
        assert (await entered.get("/state")).json()["reachable"] is False
        entered.cookies.set("daogou_guest", "guess")
        assert (await entered.get("/state")).status_code == 401


async def test_the_password_is_asked_for_in_the_browsers_language(shared: httpx.AsyncClient) -> None:
    assert "密码" in (await shared.get("/", headers={"accept-language": "zh-CN,zh;q=0.9"})).text


async def test_the_owners_page_is_not_shared(page: httpx.AsyncClient, shared: httpx.AsyncClient) -> None:
    assert (await page.get("/owner", follow_redirects=True)).status_code == 200
    unknown = (await page.get("/owner/feeds")).json()["error"]
    assert unknown["code"] == "unreachable"  # the service is not there, and nobody else answers for it
    shared.cookies.set("daogou_guest", GATE.ticket)
    for path in ("/owner", "/owner/", "/owner/feeds", "/owner/gradio_api/info"):
        assert (await shared.get(path)).status_code == 404, path


async def test_gradio_takes_no_files_for_the_owner_either(page: httpx.AsyncClient) -> None:
    files = {"files": ("a.csv", b"x" * 2_000)}
    assert (await page.post("/owner/gradio_api/upload", files=files)).status_code == 413
