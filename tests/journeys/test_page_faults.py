"""What the page does with a service that is slow, down, broken off, or that says hostile things."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.browser

HOSTILE = (
    "<img src=x onerror=\"document.body.dataset.pwned='img'\"> ${document.body.dataset.pwned='template'} {{x}} "
    "![a](http://203.0.113.9/a.png) [b](javascript:alert(1)) <style>body{display:none}</style> "
    "<form action='http://203.0.113.9'><input></form> **<b>bold</b>** `code` \\n \\href"
)


def product(**fields: Any) -> dict[str, Any]:
    plain = {"id": "p1", "title": {"en": "Canvas tote", "zh": "帆布包"}, "image": "p1.webp", "stock": 3}
    plain |= {"price": {"amount": "24.90", "currency": "USD"}, "rating": 4.6, "rating_count": 1280}
    return plain | {"url": "https://shop.example/p1"} | fields


def shelf(*products: dict[str, Any]) -> dict[str, Any]:
    items = [{"number": number, "product": each, "score": 1.0} for number, each in enumerate(products, start=1)]
    return {"type": "shelf", "items": items}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words, "source": "model"}


def done(**state: Any) -> dict[str, Any]:
    return {"type": "done", "state": {"version": 1, **state}, "follow_ups": []}


async def until(holds: Callable[[], bool], seconds: float = 20) -> None:
    for _ in range(int(seconds / 0.05)):
        if holds():
            return
        await asyncio.sleep(0.05)
    pytest.fail("it never came to hold")


async def test_hostile_texts_are_drawn_as_texts(visit: Any, scripted: Any) -> None:
    hostile = product(title={"en": HOSTILE}, brand=HOSTILE, image="../../etc/passwd", url="javascript:alert(1)")
    tagged = {"type": "notice", "code": "x", "message": HOSTILE}
    asked_next = done() | {"follow_ups": [HOSTILE]}
    scripted.says(shelf(hostile, product()), tagged, text(HOSTILE + "\n"), text("- " + HOSTILE), asked_next)
    shopper = await visit(scripted.ui_url)
    await shopper.ask_and_wait(HOSTILE)
    for selector in (".turn .question", ".turn .notices p", ".turn .actions button", ".card .brand"):
        assert HOSTILE in (await shopper.texts(selector))[0]
    assert "<img src=x" in (await shopper.texts(".turn .text p"))[0]
    assert (await shopper.page.locator(".card h3").first.text_content()) == HOSTILE
    page = shopper.page
    assert await page.evaluate("document.body.dataset.pwned") is None
    assert await page.locator(".talk img, .talk form, .talk style, .talk a, .card .facts img").count() == 0
    assert await page.locator(".card").first.locator("a, img").count() == 0
    assert await page.locator(".card").nth(1).locator("a").get_attribute("rel") == "noopener noreferrer"


async def test_a_card_shows_the_record(visit: Any, scripted: Any) -> None:
    sold_out = product(stock=0, price={"amount": "1299", "currency": "CNY"}, rating=None)
    scripted.says(shelf(product(), sold_out), text("① and ②"), done())
    shopper = await visit(scripted.ui_url)
    await shopper.ask_and_wait("bags")
    first, second = [" ".join(one.split()) for one in await shopper.texts(".card")]
    assert first == "① Canvas tote ★ 4.6 (1,280) $24.90 Only 3 left"
    assert second == "② Canvas tote ¥1,299.00 Sold out"
    await shopper.page.locator(".header .language").click()
    assert "帆布包" in (await shopper.texts(".card"))[0]
    assert "已售罄" in (await shopper.texts(".card"))[1]


async def test_a_broken_stream_is_told_and_can_be_asked_again(visit: Any, scripted: Any) -> None:
    scripted.says(text("The first half"), done=False)
    shopper = await visit(scripted.ui_url)
    await shopper.ask_and_wait("question")
    assert "not complete" in (await shopper.texts(".turn .status"))[0]
    assert (await shopper.texts(".turn .text"))[0] == "The first half"
    scripted.says(text("The whole"), done())
    await shopper.page.locator(".retry").click()
    await shopper.page.locator(".turn").nth(1).wait_for()
    await shopper.answered()
    assert (await shopper.texts(".turn .text"))[1] == "The whole"


async def test_an_early_question_waits_until_the_models_are_loaded(visit: Any, scripted: Any) -> None:
    scripted.says(text("Here you are."), done(), ready=False)
    shopper = await visit(scripted.ui_url, locale="zh-CN")
    strip = shopper.page.locator(".strip")
    await strip.locator("text=120/480").wait_for()
    assert "搜索模型" in await strip.inner_text()
    await shopper.ask("太早的问题")
    await shopper.page.locator(".turn[data-status='waiting']").wait_for()
    assert "助手还在启动" in (await shopper.texts(".turn .status"))[0]
    scripted.says(text("Here you are."), done())
    await shopper.answered()
    assert (await shopper.texts(".turn .text"))[0] == "Here you are."
    await strip.wait_for(state="hidden")


async def test_a_service_that_is_down_is_told_and_waited_for(visit: Any, scripted: Any) -> None:
    scripted.stop_service()
    shopper = await visit(scripted.ui_url)
    await shopper.page.locator(".strip[data-kind='unreachable']").wait_for()
    await shopper.ask("anyone there")
    await shopper.page.locator(".turn[data-status='waiting']").wait_for()
    assert "cannot be reached" in (await shopper.texts(".turn .status"))[0]
    scripted.start_service()
    scripted.says(text("Back again."), done())
    await shopper.answered()
    assert (await shopper.texts(".turn .text"))[0] == "Back again."


async def test_stopping_and_leaving_close_the_stream_behind(visit: Any, scripted: Any) -> None:
    endless = [text("word ")] + [text("word ") for _ in range(5000)]
    scripted.says(*endless, pause=0.02)
    shopper = await visit(scripted.ui_url)
    await shopper.ask("first")
    await shopper.page.locator(".turn[data-status='writing']").wait_for()
    await shopper.page.locator(".stop-button").click()
    await shopper.page.locator(".turn[data-status='stopped']").wait_for()
    await until(lambda: scripted.seen()["closed"] == 1)
    assert await shopper.page.locator(".submit-button").is_visible()

    await shopper.ask("second")
    await shopper.page.locator(".turn[data-status='writing']").wait_for()
    await shopper.page.close()
    await until(lambda: scripted.seen()["closed"] == 2)


async def test_leaving_while_nothing_comes_closes_the_stream_too(visit: Any, scripted: Any) -> None:
    scripted.says({"type": "understood", "lang": "en", "query": "q"}, pause=300)
    shopper = await visit(scripted.ui_url)
    await shopper.ask("waits")
    await until(lambda: len(scripted.seen()["questions"]) == 1)
    await shopper.page.close()
    await until(lambda: scripted.seen()["closed"] == 1)


async def test_what_was_said_and_the_state_travel_until_the_chat_is_cleared(visit: Any, scripted: Any) -> None:
    scripted.says(shelf(product()), text("Answer."), done(shelf=["p1"]))
    shopper = await visit(scripted.ui_url)
    await shopper.ask_and_wait("first question")
    await shopper.ask_and_wait("second question")
    await shopper.page.locator(".header .new").click()
    await shopper.page.locator(".welcome").wait_for()
    assert await shopper.page.locator(".turn, .card").count() == 0
    await shopper.ask_and_wait("third question")
    one, two, three = scripted.seen()["questions"]
    assert one["daogou"]["state"] is None
    assert [message["content"] for message in two["messages"]] == ["first question", "Answer.", "second question"]
    assert two["daogou"]["state"] == {"version": 1, "shelf": ["p1"]}
    assert [message["content"] for message in three["messages"]] == ["third question"]
    assert three["daogou"]["state"] is None


async def test_a_refusal_leaves_no_cards_and_is_not_repeated_to_the_service(visit: Any, scripted: Any) -> None:
    scripted.says(shelf(product()), text("Answer."), done())
    shopper = await visit(scripted.ui_url)
    await shopper.ask_and_wait("a bag")
    scripted.says({"type": "refusal", "category": "weapons", "message": "I can't help with that."}, done())
    await shopper.ask_and_wait("something bad")
    assert (await shopper.texts(".turn .text"))[1] == "I can't help with that."
    assert await shopper.page.locator(".card").count() == 0
    await shopper.ask_and_wait("something else")
    said = [message["content"] for message in scripted.seen()["questions"][-1]["messages"]]
    assert said == ["a bag", "Answer.", "something else"]


async def test_a_box_whose_code_comes_late_is_still_named(visit: Any, scripted: Any) -> None:
    async def late(route: Any) -> None:
        response = await route.fetch()
        if "submit-button" in await response.text():
            await asyncio.sleep(1.5)
        await route.fulfill(response=response)

    shopper = await visit(scripted.ui_url, locale="zh-CN", routes={"**/assets/*.js": late})
    await shopper.page.locator("#ask .submit-button[aria-label='发送']").wait_for()
    scripted.says(text("Here."), done())
    await shopper.ask_and_wait("question")
    assert await shopper.page.locator("#ask textarea").input_value() == ""
