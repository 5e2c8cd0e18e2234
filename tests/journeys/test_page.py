"""Shoppers at the page of the real assistant."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

pytestmark = [pytest.mark.graph, pytest.mark.browser]

# Notes when the first card and the first word of an answer stood on the page.
_WATCH = """() => {
  window.firsts = {};
  new MutationObserver(() => {
    if (!window.firsts.card && document.querySelector('.card')) window.firsts.card = performance.now();
    if (!window.firsts.word && document.querySelector('.turn .text p')) window.firsts.word = performance.now();
  }).observe(document.body, {childList: true, subtree: true});
}"""


async def test_first_visit(visit: Any, assistant: Any) -> None:
    shopper = await visit(assistant.ui_url)
    examples = shopper.page.locator(".example")
    assert await examples.count() == 4
    assert await shopper.page.title() == "Daogou · 导购"
    assert await shopper.page.locator("html").get_attribute("lang") == "en"
    assert await shopper.page.locator("#ask textarea").get_attribute("placeholder")
    assert await shopper.page.locator("footer").count() == 0
    assert await shopper.page.locator(".strip").is_hidden()


async def test_an_example_is_answered_with_cards_before_words(visit: Any, assistant: Any) -> None:
    shopper = await visit(assistant.ui_url)
    await shopper.page.evaluate(_WATCH)
    await shopper.page.locator(".example").first.click()
    await shopper.answered()
    firsts = await shopper.page.evaluate("window.firsts")
    assert firsts["card"] <= firsts["word"]

    cards = shopper.page.locator(".card")
    assert await cards.count() >= 1
    numbers = await shopper.texts(".card .number")
    assert set(await shopper.texts(".turn .ref")) <= set(numbers)
    card = cards.first
    assert (await card.locator("h3").inner_text()).strip()
    assert "$" in await card.locator(".price").inner_text()
    assert await card.locator("a").get_attribute("rel") == "noopener noreferrer"
    await shopper.page.wait_for_function("() => document.querySelector('.card img').naturalWidth > 0")
    assert (await shopper.texts(".turn .text"))[0].strip()
    await shopper.page.locator(".trace summary").click()
    assert await shopper.page.locator(".trace tr").count() >= 3


async def test_a_number_in_the_answer_points_at_its_card(visit: Any, assistant: Any) -> None:
    shopper = await visit(assistant.ui_url)
    await shopper.ask_and_wait("a bag for work")
    reference = shopper.page.locator(".turn .ref").first
    number = await reference.inner_text()
    await reference.click()
    pointed = shopper.page.locator(".card.pointed .number")
    assert await pointed.inner_text() == number


async def test_stop(visit: Any, assistant: Any) -> None:
    shopper = await visit(assistant.ui_url)
    await shopper.ask("compare all your bags for me")
    await shopper.page.locator(".stop-button").click()
    await shopper.page.locator(".turn[data-status='stopped']").wait_for()
    assert "Stopped" in (await shopper.texts(".turn .status"))[0]
    await shopper.ask_and_wait("a mug")
    assert (await shopper.texts(".turn .text"))[1].strip()


async def test_new_chat(visit: Any, assistant: Any) -> None:
    shopper = await visit(assistant.ui_url)
    await shopper.ask_and_wait("a lamp")
    await shopper.page.locator(".header .new").click()
    await shopper.page.locator(".welcome").wait_for()
    assert await shopper.page.locator(".turn, .card").count() == 0


async def test_chinese_by_the_browser_and_by_the_switch(visit: Any, assistant: Any) -> None:
    shopper = await visit(assistant.ui_url, locale="zh-CN")
    page = shopper.page
    assert await page.locator("html").get_attribute("lang") == "zh-CN"
    assert "想找点什么" in await page.locator(".welcome").inner_text()
    assert "问问看" in (await page.locator("#ask textarea").get_attribute("placeholder") or "")
    await shopper.ask_and_wait("有什么包推荐？")
    assert any("\u4e00" <= char <= "\u9fff" for char in (await shopper.texts(".turn .text"))[0])
    assert any("\u4e00" <= char <= "\u9fff" for char in "".join(await shopper.texts(".card h3")))

    await page.locator(".header .language").click()
    assert await page.locator("html").get_attribute("lang") == "en"
    await page.locator("#ask textarea[placeholder^='Ask']").wait_for()
    assert await page.locator(".header .new").inner_text() == "＋ New chat"
    await page.reload()
    await page.locator(".welcome").wait_for()
    assert await page.locator("html").get_attribute("lang") == "en"
    await page.locator("#ask textarea[placeholder^='Ask']").wait_for()


async def test_two_shoppers_never_see_each_others_words(visit: Any, assistant: Any) -> None:
    one, other = await asyncio.gather(visit(assistant.ui_url), visit(assistant.ui_url))
    await asyncio.gather(one.ask_and_wait("a red scarf from one"), other.ask_and_wait("a green lamp from the other"))
    await asyncio.gather(one.ask_and_wait("anything cheaper, one"), other.ask_and_wait("anything cheaper, other"))
    assert await one.texts(".turn .question") == ["a red scarf from one", "anything cheaper, one"]
    assert await other.texts(".turn .question") == ["a green lamp from the other", "anything cheaper, other"]


async def test_a_hostile_question_is_drawn_as_it_was_written(visit: Any, assistant: Any) -> None:
    hostile = 'bags <img src=x onerror="document.body.dataset.pwned=1"> ${document.body.dataset.pwned=1} {{x}} \\n'
    shopper = await visit(assistant.ui_url)
    await shopper.ask_and_wait(hostile)
    assert (await shopper.texts(".turn .question"))[0] == hostile
    assert await shopper.page.evaluate("document.body.dataset.pwned") is None


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
async def test_a_phone_has_no_sideways_scroll(visit: Any, assistant: Any, locale: str) -> None:
    shopper = await visit(assistant.ui_url, locale=locale, width=390, height=844)
    assert await shopper.sideways() <= 0
    await shopper.ask_and_wait("a bag" if locale == "en-US" else "包")
    assert await shopper.page.locator(".card").count() >= 1
    assert await shopper.sideways() <= 0


async def test_too_long_a_message_is_told(visit: Any, assistant: Any) -> None:
    shopper = await visit(assistant.ui_url)
    await shopper.ask_and_wait("x" * 100_000)
    assert "too long" in (await shopper.texts(".turn .status"))[0]


@dataclass
class Heard:
    """When things of one turn came, in seconds of one clock."""

    first: float
    end: float
    status: str


async def _turn(client: httpx.AsyncClient, question: str) -> Heard:
    """One turn in a session of its own, through Gradio's HTTP interface."""
    joined = await client.post("/gradio_api/call/ask", json={"data": [question]})
    first, status = 0.0, ""
    async with client.stream("GET", f"/gradio_api/call/ask/{joined.json()['event_id']}") as stream:
        async for line in stream.aiter_lines():
            if not line.startswith("data: ") or line == "data: null":
                continue
            turn = json.loads(line[6:])[0]["turn"]
            assert turn["question"] == question
            status = turn["status"]
            if turn["lang"] and not first:  # something that came from the service
                first = time.monotonic()
    return Heard(first, time.monotonic(), status)


async def test_fifty_shoppers_stream_at_once(assistant: Any) -> None:
    limits = httpx.Limits(max_connections=200)
    async with httpx.AsyncClient(base_url=assistant.ui_url, timeout=240, limits=limits) as client:
        turns = await asyncio.gather(*[_turn(client, f"a bag for shopper {number}") for number in range(50)])
    assert [turn.status for turn in turns] == ["done"] * 50
    assert max(turn.first for turn in turns) < min(turn.end for turn in turns)
