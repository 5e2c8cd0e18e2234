"""The page's web application: our own routes, the rules for browsers, and Gradio behind them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import gradio as gr
from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.client import Picture, Service
from app.i18n import LANGUAGES, texts
from app.owner import add_routes, owner_page
from app.page import Page
from app.render import is_picture_name
from app.settings import UiSettings
from app.share import Gate, PasswordMiddleware
from ui_assets.theme import theme

ASSETS = Path(__file__).parent.parent / "ui_assets"
_MOST_CACHED_BYTES = 32_000_000
_HEAD = """<meta name="color-scheme" content="light dark">
<link rel="modulepreload" href="/ui/js/dom.js"><link rel="modulepreload" href="/ui/js/talk.js">
<link rel="modulepreload" href="/ui/js/shelf.js"><link rel="modulepreload" href="/ui/js/header.js">
<link rel="modulepreload" href="/ui/js/strip.js">"""


def content_policy(picture_hosts: frozenset[str]) -> str:
    """The Content-Security-Policy of the page. `gr.HTML` needs 'unsafe-eval'; nothing is loaded from elsewhere."""
    pictures = " ".join(["'self' data: blob:", *(f"https://{host}" for host in sorted(picture_hosts))])
    return (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
        f"img-src {pictures}; font-src 'self' data:; connect-src 'self'; media-src 'self' blob:; frame-src 'none'; "
        "form-action 'self'; base-uri 'self'; object-src 'none'; frame-ancestors 'self'"
    )


class BrowserRules:
    """Puts the security headers on every response. A plain class: streams are not buffered."""

    def __init__(self, app: ASGIApp, policy: str) -> None:
        self._app = app
        self._headers = [
            (b"content-security-policy", policy.encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"same-origin"),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self._headers]
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)


class Pictures:
    """Product pictures from the service, the latest kept in memory, so that shoppers need only the page's port."""

    def __init__(self, fetch: Callable[[str], Awaitable[Picture | None]]) -> None:
        self._fetch = fetch
        self._kept: OrderedDict[str, Picture] = OrderedDict()
        self._bytes = 0

    async def get(self, name: str) -> Picture | None:
        """Content and media type, or None where there is no such picture."""
        if not is_picture_name(name):
            return None
        if name in self._kept:
            self._kept.move_to_end(name)
            return self._kept[name]
        found = await self._fetch(name)
        if found is not None and name not in self._kept:
            self._kept[name] = found
            self._bytes += len(found[0])
            while self._bytes > _MOST_CACHED_BYTES:
                self._bytes -= len(self._kept.popitem(last=False)[1][0])
        return found


def build_app(settings: UiSettings, gate: Gate | None = None) -> FastAPI:
    """The whole page as an ASGI application; behind `gate` if one is given."""
    service = Service(settings.service_url)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=_closing(service))
    app.add_middleware(CORSMiddleware, allow_origins=[])  # Gradio alone would let every origin in
    if gate is not None:
        app.add_middleware(PasswordMiddleware, gate=gate)
    app.add_middleware(BrowserRules, policy=content_policy(settings.picture_hosts))
    _own_routes(app, service)
    if gate is None:  # a public link is for shoppers
        add_routes(app, service)
        _mount(app, owner_page(), "/owner", settings)
    _mount(app, Page(service, settings.picture_hosts).blocks, "/", settings)
    return app


def _mount(app: FastAPI, blocks: gr.Blocks, path: str, settings: UiSettings) -> None:
    gr.mount_gradio_app(
        app,
        blocks,
        path=path,
        server_name=settings.ui_host,
        server_port=settings.ui_port,
        footer_links=[],
        run_history=False,
        enable_monitoring=False,
        mcp_server=False,
        ssr_mode=False,
        show_error=False,
        max_file_size="1kb",  # nothing is uploaded through Gradio
        favicon_path=str(ASSETS / "icons" / "daogou.png") if path == "/" else None,  # Gradio has one for all
        # Gradio's own components follow the browser's language until the shopper chooses another.
        i18n=gr.I18n(**{lang: texts(lang) for lang in LANGUAGES}),
        theme=theme(),
        css_paths=[ASSETS / "css" / "page.css"],
        head=_HEAD,
    )


def _closing(service: Service) -> Any:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await service.aclose()

    return lifespan


def _own_routes(app: FastAPI, service: Service) -> None:
    pictures = Pictures(service.picture)

    @app.get("/pictures/{name}")
    async def picture(name: str) -> Response:
        found = await pictures.get(name)
        if found is None:
            return Response(status_code=404)
        return Response(found[0], media_type=found[1], headers={"Cache-Control": "private, max-age=86400"})

    @app.get("/state")
    async def state() -> dict[str, Any]:
        """What the service says of itself, for the strip that the page shows while it is not ready."""
        return (await service.health()).model_dump()

    @app.get("/examples")
    async def examples(lang: Literal["en", "zh"] = "en") -> list[str]:
        return await service.examples(lang)

    for folder in ("js", "texts", "icons"):
        app.mount(f"/ui/{folder}", StaticFiles(directory=ASSETS / folder), name=folder)
