"""A public link to the page: a password in front of everything, and Gradio's tunnel."""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit, urlunsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from app.i18n import LANGUAGES, texts

_COOKIE = "daogou_guest"
_MOST_FORM_BYTES = 4096
_WRONG_TRY_SECONDS = 0.7

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Gate:
    """The password of one run of the page, and what a browser that gave it carries."""

    password: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    ticket: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    def opens(self, password: str) -> bool:
        return hmac.compare_digest(password.encode(), self.password.encode())

    def knows(self, ticket: str | None) -> bool:
        return ticket is not None and hmac.compare_digest(ticket.encode(), self.ticket.encode())


class PasswordMiddleware:
    """Lets nothing through but the login form until the password was given. A plain class: streams are not buffered."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app = app
        self._gate = gate
        self._wrong_tries = asyncio.Lock()  # one at a time, so guessing is slow however many guess

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] != "http":
            return None  # the page has no websockets
        request = Request(scope, receive)
        if self._gate.knows(request.cookies.get(_COOKIE)):
            return await self._app(scope, receive, send)
        if request.method == "POST" and request.url.path == "/enter":
            return await (await self._enter(request))(scope, receive, send)
        return await _form(request, wrong=False)(scope, receive, send)

    async def _enter(self, request: Request) -> HTMLResponse | RedirectResponse:
        length = request.headers.get("content-length", "")
        given = ""
        if length.isdigit() and int(length) <= _MOST_FORM_BYTES:
            fields = parse_qs((await request.body()).decode("utf-8", "replace"))
            given = fields.get("password", [""])[0].strip()
        if not self._gate.opens(given):
            async with self._wrong_tries:
                await asyncio.sleep(_WRONG_TRY_SECONDS)
            return _form(request, wrong=True)
        response = RedirectResponse("/", status_code=303)
        response.set_cookie(_COOKIE, self._gate.ticket, httponly=True, samesite="lax", secure=_is_https(request))
        return response


def _is_https(request: Request) -> bool:
    return request.headers.get("x-forwarded-proto", request.url.scheme) == "https"


def _form(request: Request, *, wrong: bool) -> HTMLResponse:
    wanted = request.headers.get("accept-language", "").lower()
    say = texts(LANGUAGES[wanted.startswith("zh")])
    complaint = f'<p role="alert">{say["login_wrong"]}</p>' if wrong else ""
    page = f"""<!doctype html><html lang="{say["html_lang"]}"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Daogou · 导购</title>
<style>:root{{color-scheme:light dark;--g:#fbf7f1;--c:#fff;--t:#2b2420;--a:#b4472e}}
@media(prefers-color-scheme:dark){{:root{{--g:#1b1714;--c:#272120;--t:#f1e9e0;--a:#c7593e}}}}
body{{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--g);color:var(--t);
font:16px/1.5 system-ui,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif}}
form{{background:var(--c);padding:2rem;border-radius:20px;width:min(20rem,86vw);box-shadow:0 8px 30px #0002}}
h1{{font-size:1.3rem;margin:0 0 1rem}}label{{display:block;margin-bottom:.4rem}}[role=alert]{{color:var(--a)}}
input,button{{box-sizing:border-box;width:100%;font:inherit;padding:.7rem;border-radius:12px;border:1px solid #8885}}
button{{margin-top:1rem;background:var(--a);color:#fff;border:0}}</style>
<form method="post" action="/enter"><h1>Daogou · 导购</h1>{complaint}
<label for="p">{say["login_password"]}</label><input id="p" name="password" type="password" autofocus required>
<button>{say["login_enter"]}</button></form></html>"""
    return HTMLResponse(page, 401 if request.url.path != "/" or wrong else 200, {"Cache-Control": "no-store"})


def open_tunnel(host: str, port: int) -> str | None:
    """The public address of this page through Gradio's tunnel, or None where it could not be opened (logged).

    Blocks for up to a minute. The tunnel closes with this process.
    """
    from gradio import networking

    try:
        address = networking.setup_tunnel(host, port, secrets.token_urlsafe(32), None, None)
    except Exception as error:  # noqa: BLE001 - a download, a program, a foreign server: all may fail; told to the owner
        log.warning("the tunnel could not be opened: %s: %s", type(error).__name__, error)
        return None
    return urlunsplit(("https", *urlsplit(address)[1:])) if address else None
