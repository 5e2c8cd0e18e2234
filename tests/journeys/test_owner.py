"""The shop's owner at /owner of the real assistant."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import pytest

pytestmark = [pytest.mark.graph, pytest.mark.browser]

HOSTILE = "<img src=x onerror=document.body.dataset.pwned=1> ${document.body.dataset.pwned=1} {{x}}"
TABLE = f"""货号,商品名称,进货价,售价,{HOSTILE}
OWNER-1,景德镇手绘青花茶杯,¥20.00,¥88.00,a
OWNER-2,龙泉青瓷茶杯,¥30.00,¥99.00,{HOSTILE}
OWNER-3,,¥30.00,¥99.00,c
OWNER-1,{HOSTILE},¥30.00,¥99.00,c
"""


@dataclass(frozen=True)
class Demo:
    """`count`: its products."""

    key: str
    count: int


@pytest.fixture
async def demo(assistant: Any) -> AsyncIterator[Demo]:
    """The demo catalogue, which is again as it was afterwards: to load it anew would take longer than the test."""
    key = (assistant.home / "owner.key").read_text()
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=assistant.api_url, timeout=60, headers=headers) as http:
        count = (await http.get("/readyz")).json()["catalogue"]["count"]
        yield Demo(key, count)
        body = {"ids": ["OWNER-1", "OWNER-2"]}
        (await http.request("DELETE", "/v1/catalogue/products", json=body)).raise_for_status()
        assert (await http.get("/readyz")).json()["catalogue"]["count"] == count


async def test_a_feed_is_sent_looked_at_mapped_and_loaded(visit: Any, assistant: Any, demo: Demo) -> None:
    owner = await visit(f"{assistant.ui_url}/owner", ready=".owner .key")
    page = owner.page
    await page.locator(".owner .key input").fill("not the key")
    await page.locator(".owner .key button").click()
    await page.locator(".owner .notice.error", has_text="That key is not right.").wait_for()
    assert owner.complaints.pop(0).startswith("Failed to load resource")  # the browser's own word on a 401

    await page.locator(".owner .key input").fill(demo.key)
    await page.locator(".owner .key button").click()
    feed = {"name": f"店铺-{uuid4().hex}.csv", "mimeType": "text/csv", "buffer": TABLE.encode()}
    await page.locator(".owner .drop input").set_input_files(feed)

    await page.locator(".owner .columns").wait_for(timeout=60_000)
    assert await owner.texts(".owner .summary dd") == ["4", "2", "0", "0", "2", "CNY 2"]
    kinds = " ".join(await owner.texts(".owner .finding summary"))
    assert "no title: 1" in kinds
    assert "an id twice: 1" in kinds
    assert "Fill in a title." in await owner.texts(".owner .finding .mend")
    roles = page.locator(".owner .columns select")
    assert await roles.nth(3).input_value() == "price"
    assert await page.evaluate("document.body.dataset.pwned") is None
    assert HOSTILE in (await owner.texts(".owner .columns td"))

    await roles.nth(2).select_option("price")
    await page.wait_for_function("() => document.querySelectorAll('.owner .columns select')[3].value === 'attribute'")
    await page.locator(".owner .keep input").check()  # the demo's
    await page.locator(".owner .load").click()
    await page.locator(".owner .notice.done", has_text=f"{demo.count + 2} products").wait_for(timeout=120_000)
    async with page.expect_download() as download:
        await page.locator(".owner .left button").click()
    assert "OWNER-3" in (await (await download.value).path()).read_text("utf-8")

    shopper = await visit(assistant.ui_url, locale="zh-CN")
    await shopper.ask_and_wait("手绘青花茶杯")
    cards = " ".join(await shopper.texts(".card"))
    assert "景德镇手绘青花茶杯" in cards
    assert "20" in cards
    assert "88" not in cards


async def test_the_page_speaks_chinese_and_keeps_no_key(visit: Any, assistant: Any) -> None:
    owner = await visit(f"{assistant.ui_url}/owner", ready=".owner .key", locale="zh-CN", width=390)
    await owner.page.locator(".owner .key input").fill((assistant.home / "owner.key").read_text())
    await owner.page.locator(".owner .key button").click()
    assert "把店铺导出的文件拖到这里" in await owner.page.locator(".owner .drop").inner_text()
    assert await owner.sideways() <= 0
    await owner.page.reload()
    await owner.page.locator(".owner .key input").wait_for()
    assert await owner.page.locator(".owner .key input").input_value() == ""
