"""A shopper's browser, and a page in front of a service that can be told to misbehave."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psutil
import pytest
from playwright.async_api import Browser, Page, async_playwright

_SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_START_SECONDS = 120
_HERE = Path(__file__).parent
_RUNNING = "[data-status='thinking'], [data-status='waiting'], [data-status='writing']"


@dataclass
class Shopper:
    """A person at the page, in a browser session of their own."""

    page: Page
    asked_elsewhere: list[str] = field(default_factory=list)  # requests to other machines
    complaints: list[str] = field(default_factory=list)  # errors on the console

    async def ask(self, question: str) -> None:
        box = self.page.locator("#ask textarea")
        await box.fill(question)
        await box.press("Enter")
        await self.page.locator(".turn .question", has_text=question[:40]).last.wait_for()

    async def answered(self) -> None:
        """Until no turn is running."""
        await self.page.locator(".turn").last.wait_for()
        await self.page.wait_for_function(f"() => !document.querySelector(`.turn:is({_RUNNING})`)", timeout=120_000)

    async def ask_and_wait(self, question: str) -> None:
        await self.ask(question)
        await self.answered()

    async def texts(self, selector: str) -> list[str]:
        return await self.page.locator(selector).all_inner_texts()

    async def sideways(self) -> int:
        """Pixels that the page is wider than the screen."""
        return int(await self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


Visit = Callable[..., Awaitable[Shopper]]


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed: tests in the browser are left out")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=_SWITCHES)
        yield browser
        await browser.close()


@pytest.fixture
async def visit(browser: Browser) -> AsyncIterator[Visit]:
    """`await visit(url, locale="zh-CN", width=390)`. Whatever they do, nothing leaves this machine or errs."""
    shoppers: list[Shopper] = []

    async def come(
        url: str,
        *,
        locale: str = "en-US",
        width: int = 1280,
        height: int = 800,
        ready: str = ".welcome",
        routes: dict[str, Callable[[Any], Awaitable[None]]] | None = None,
    ) -> Shopper:
        context = await browser.new_context(locale=locale, viewport={"width": width, "height": height})
        shopper = Shopper(await context.new_page())
        for pattern, handle in (routes or {}).items():
            await shopper.page.route(pattern, handle)
        shoppers.append(shopper)
        own = urlsplit(url).netloc

        def requested(request: Any) -> None:
            if urlsplit(request.url).netloc not in (own, ""):
                shopper.asked_elsewhere.append(request.url)

        shopper.page.on("request", requested)
        shopper.page.on("console", lambda m: shopper.complaints.append(m.text) if m.type == "error" else None)
        shopper.page.on("pageerror", lambda error: shopper.complaints.append(str(error)))
        await shopper.page.goto(url)
        await shopper.page.locator(ready).wait_for(timeout=60_000)
        return shopper

    yield come
    for shopper in shoppers:
        assert shopper.asked_elsewhere == []
        assert shopper.complaints == []


class Scripted:
    """A page of its own, before a stand-in service that can be told what to say, and stopped and started."""

    def __init__(self, folder: Path, ports: tuple[int, int]) -> None:
        self._folder = folder
        self._api_port, ui_port = ports
        self.api_url, self.ui_url = (f"http://127.0.0.1:{port}" for port in ports)
        self._service: subprocess.Popen[bytes] | None = None
        self.start_service()
        environment = os.environ | {"DAOGOU_API_URL": self.api_url, "DAOGOU_UI_PORT": str(ui_port)}
        self._page = self._start([sys.executable, "-m", "app"], environment, self.ui_url)

    def _start(self, command: list[str], environment: dict[str, str], url: str) -> subprocess.Popen[bytes]:
        log = self._folder / "log.txt"
        with log.open("ab") as out:
            process = subprocess.Popen(command, env=environment, stdout=out, stderr=subprocess.STDOUT)
        until = time.monotonic() + _START_SECONDS
        while time.monotonic() < until and process.poll() is None:
            try:
                httpx.get(url, timeout=60)
                return process
            except httpx.TransportError:
                time.sleep(0.2)
        process.kill()
        pytest.fail(f"{command} did not start:\n{log.read_text()[-3000:]}")

    def start_service(self) -> None:
        command = [sys.executable, str(_HERE / "scripted_service.py"), str(self._api_port)]
        self._service = self._start(command, dict(os.environ), f"{self.api_url}/readyz")

    def stop_service(self) -> None:
        if self._service is not None:
            self._service.kill()
            self._service.wait()
            self._service = None

    def says(self, *events: dict[str, Any], **script: Any) -> None:
        """Every answer from now on; `pause` seconds between events, `done` False breaks the stream off."""
        httpx.post(
            f"{self.api_url}/script", json={"ready": True, "pause": 0, "done": True, "events": events} | script
        ).raise_for_status()

    def seen(self) -> dict[str, Any]:
        found: dict[str, Any] = httpx.get(f"{self.api_url}/seen").json()
        return found

    def close(self) -> None:
        self.stop_service()
        self._page.terminate()
        self._page.wait(20)


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scripted]:
    taken = {connection.laddr.port for connection in psutil.net_connections("tcp") if connection.laddr}
    api, ui = [port for port in range(18400, 18900) if port not in taken][:2]
    running = Scripted(tmp_path_factory.mktemp("scripted"), (api, ui))
    yield running
    running.close()
