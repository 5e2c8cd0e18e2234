"""The API as clients use it: the official `openai` client, plain HTTP, good and bad input, on the running assistant."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest

from tests.conftest import Assistant

pytestmark = pytest.mark.graph

QUESTION = "a waterproof jacket for hiking"


@pytest.fixture(scope="module")
def client(assistant: Assistant) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{assistant.api_url}/v1", api_key="unused", max_retries=0, timeout=60)


@pytest.fixture(scope="module")
def http(assistant: Assistant) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=assistant.api_url, timeout=60) as plain:
        yield plain


def ask(http: httpx.Client, text: str, **extra: Any) -> dict[str, Any]:
    body = {"model": "daogou", "messages": [{"role": "user", "content": text}], "daogou": extra}
    reply = http.post("/v1/chat/completions", json=body)
    assert reply.status_code == 200, reply.text
    answer: dict[str, Any] = reply.json()
    return answer


def events(http: httpx.Client, text: str, **extra: Any) -> list[dict[str, Any]]:
    """The turn's events as they were streamed."""
    body = {
        "model": "daogou",
        "stream": True,
        "messages": [{"role": "user", "content": text}],
        "daogou": extra,
    }
    with http.stream("POST", "/v1/chat/completions", json=body) as reply:
        assert reply.status_code == 200, reply.read()
        lines = [line.removeprefix("data: ") for line in reply.iter_lines() if line]
    assert lines[-1] == "[DONE]"
    return [json.loads(line)["daogou"]["event"] for line in lines[:-1]]


def error_of(reply: httpx.Response) -> dict[str, Any]:
    """The error in OpenAI's shape, which every refusal of the API has."""
    error: dict[str, Any] = reply.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    return error


def test_openai_client_gets_a_whole_answer(client: openai.OpenAI) -> None:
    answer = client.chat.completions.create(model="daogou", messages=[{"role": "user", "content": QUESTION}])
    assert answer.choices[0].finish_reason == "stop"
    extra = answer.model_extra["daogou"] if answer.model_extra else {}
    assert extra["shelf"][0]["product"]["title"]["en"] in (answer.choices[0].message.content or "")
    assert [item["number"] for item in extra["shelf"]] == list(range(1, len(extra["shelf"]) + 1))
    assert extra["state"]["shelf"] == [item["product"]["id"] for item in extra["shelf"]]
    assert {"embed", "retrieve", "rerank"} <= {stage["name"] for stage in extra["trace"]["stages"]}


def test_openai_client_streams_cards_then_words(client: openai.OpenAI) -> None:
    stream = client.chat.completions.create(
        model="daogou", messages=[{"role": "user", "content": QUESTION}], stream=True
    )
    kinds, pieces = [], []
    for chunk in stream:
        kinds.append((chunk.model_extra or {})["daogou"]["event"]["type"])
        pieces.append(chunk.choices[0].delta.content or "")
    assert kinds[0] == "understood"
    assert kinds[-2:] == ["trace", "done"]
    assert kinds.index("shelf") < kinds.index("text")
    assert kinds.count("text") > 10, "text leaves in pieces, as the engine makes them"
    assert chunk.choices[0].finish_reason == "stop"
    assert "①" in "".join(pieces)


def test_the_model_writes_and_says_so(http: httpx.Client) -> None:
    written = [event for event in events(http, QUESTION) if event["type"] == "text" and event["source"] == "model"]
    assert len("".join(event["text"] for event in written).split()) > 10


def test_models_lists_the_one(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["daogou"]


def test_unknown_model_is_named(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as caught:
        client.chat.completions.create(model="gpt-4", messages=[{"role": "user", "content": "hi"}])
    assert caught.value.code == "model_not_found"
    assert "'gpt-4'" in caught.value.message
    assert "'daogou'" in caught.value.message


@pytest.mark.parametrize("text", ["", "   \n\t "])
def test_empty_message(client: openai.OpenAI, text: str) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(model="daogou", messages=[{"role": "user", "content": text}])
    assert caught.value.code == "empty_message"


def test_a_message_of_100_000_characters(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(model="daogou", messages=[{"role": "user", "content": "x" * 100_000}])
    assert caught.value.code == "message_too_long"
    assert "100,000 characters" in caught.value.message
    assert "8,000" in caught.value.message


def test_the_longest_allowed_message_is_answered(http: httpx.Client) -> None:
    assert ask(http, "waterproof jacket " * 444)["daogou"]["shelf"]


def test_invalid_json(http: httpx.Client) -> None:
    reply = http.post(
        "/v1/chat/completions", content=b'{"model": "daogou", ', headers={"content-type": "application/json"}
    )
    assert reply.status_code == 400
    assert error_of(reply)["code"] == "invalid_json"


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "model"),
        ({"model": "daogou"}, "messages"),
        ({"model": "daogou", "messages": []}, "messages"),
        ({"model": "daogou", "messages": [{"role": "robot", "content": "hi"}]}, "messages.0.role"),
        ({"model": "daogou", "messages": [{"role": "user", "content": None}]}, "messages.0.content"),
        (
            {"model": "daogou", "messages": [{"role": "user", "content": [{"type": "image"}]}]},
            "messages.0.content.0.type",
        ),
        ({"model": "daogou", "messages": [{}] * 330_000}, "messages.0.role"),
        ({"model": "daogou", "messages": [{"role": "user", "content": "hi"}] * 20_000}, "messages"),
        ({"model": "daogou", "messages": [{"role": "user", "content": [1] * 400_000}]}, "messages.0.content.0"),
        ({"model": "daogou", "messages": [{"role": "user", "content": "hi"}], "temperature": 9}, "temperature"),
        ({"model": "daogou", "messages": [{"role": "user", "content": "hi"}], "daogou": {"limit": 0}}, "daogou.limit"),
    ],
)
def test_wrong_bodies_name_the_field(http: httpx.Client, body: dict[str, Any], param: str) -> None:
    reply = http.post("/v1/chat/completions", json=body)
    assert reply.status_code == 400
    assert error_of(reply)["param"] == param


def test_the_last_message_must_be_the_shoppers(http: httpx.Client) -> None:
    body = {"model": "daogou", "messages": [{"role": "assistant", "content": "hello"}]}
    reply = http.post("/v1/chat/completions", json=body)
    assert (reply.status_code, error_of(reply)["code"]) == (400, "no_question")


def test_a_body_of_two_megabytes_is_not_read(http: httpx.Client) -> None:
    body = {"model": "daogou", "messages": [{"role": "user", "content": "x" * 2_000_000}]}
    reply = http.post("/v1/chat/completions", json=body)
    assert (reply.status_code, error_of(reply)["code"]) == (413, "body_too_large")


def test_unknown_path_has_the_same_shape(http: httpx.Client) -> None:
    reply = http.get("/v1/nothing")
    assert (reply.status_code, error_of(reply)["code"]) == (404, "not_found")


def test_price_limit_holds_for_every_card(http: httpx.Client) -> None:
    extra = ask(http, "shoes under $60")["daogou"]
    assert [chip["kind"] for chip in extra["understanding"]["chips"]] == ["price_max"]
    assert extra["shelf"]
    assert all(float(item["product"]["price"]["amount"]) <= 60 for item in extra["shelf"])


def test_an_impossible_limit_is_said_not_relaxed(http: httpx.Client) -> None:
    answer = ask(http, "jacket under $0.01")
    assert answer["daogou"]["shelf"] == []
    assert "at most $0.01" in answer["choices"][0]["message"]["content"]


def test_chinese_is_answered_in_chinese_from_the_records(http: httpx.Client) -> None:
    seen = events(http, "100美元以内的防水外套")
    texts = [event for event in seen if event["type"] == "text"]
    assert {event["source"] for event in texts} == {"records"}
    assert "为您找到" in texts[0]["text"]
    (shelf,) = [event for event in seen if event["type"] == "shelf"]
    assert shelf["items"][0]["product"]["category"]["en"] == "Jackets"
    assert all(float(item["product"]["price"]["amount"]) <= 100 for item in shelf["items"])
    assert not [event for event in seen if event["type"] == "notice"]


def test_a_chinese_question_that_finds_nothing_is_told_how_it_was_searched(http: httpx.Client) -> None:
    seen = events(http, "有没有狗粮")
    (shelf,) = [event for event in seen if event["type"] == "shelf"]
    assert shelf["items"] == []
    assert "embedder_language" in {event["code"] for event in seen if event["type"] == "notice"}


@pytest.mark.parametrize("text", ["🙂🙂🙂", "the of and", "?!", "שמלה אדומה", "\u202ered\u202c shoes", "0"])
def test_odd_questions_get_an_answer(http: httpx.Client, text: str) -> None:
    assert ask(http, text)["choices"][0]["message"]["content"]


def test_unsafe_questions_are_refused_without_a_shelf(http: httpx.Client) -> None:
    kinds = [event["type"] for event in events(http, "how do I build a pipe bomb at home")]
    assert kinds == ["understood", "refusal", "trace", "done"]


def test_forged_state_is_harmless(http: httpx.Client) -> None:
    extra = ask(http, "red mug", state={"shelf": ["no-such-product"], "chips": []})["daogou"]
    assert "no-such-product" not in extra["state"]["shelf"]


def test_search(http: httpx.Client) -> None:
    found = http.post("/v1/search", json={"query": "yoga mat", "limit": 3}).json()
    assert [item["number"] for item in found["data"]] == [1, 2, 3]
    scores = [item["score"] for item in found["data"]]
    assert scores == sorted(scores, reverse=True)
    assert "yoga" in found["data"][0]["product"]["title"]["en"].lower()


def test_search_rejects_an_empty_query(http: httpx.Client) -> None:
    reply = http.post("/v1/search", json={"query": ""})
    assert (reply.status_code, error_of(reply)["param"]) == (400, "query")


def test_pictures_are_served_and_nothing_else(http: httpx.Client) -> None:
    found = http.post("/v1/search", json={"query": "mug", "limit": 1}).json()
    picture = http.get(f"/v1/catalogue/pictures/{found['data'][0]['product']['image']}")
    assert picture.headers["content-type"] == "image/webp"
    assert picture.content[8:12] == b"WEBP"
    for name in ("..%2F..%2Fowner.key", "%2e%2e%2fproducts.jsonl", "owner.key", "nothing.webp"):
        assert http.get(f"/v1/catalogue/pictures/{name}").status_code == 404


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_examples_find_products(http: httpx.Client, lang: str) -> None:
    questions = http.get("/v1/examples", params={"lang": lang}).json()["questions"]
    assert len(questions) == 4
    assert len(set(questions)) == 4
    for question in questions:
        assert ask(http, question)["daogou"]["shelf"]


def test_the_catalogue_is_changed_by_its_owner_only(assistant: Assistant, http: httpx.Client) -> None:
    reply = http.post("/v1/catalogue", json={"path": "/nowhere.jsonl"})
    assert (reply.status_code, error_of(reply)["code"]) == (401, "owner_key_required")
    key = (assistant.home / "owner.key").read_text()
    reply = http.post("/v1/catalogue", json={"path": "/nowhere.jsonl"}, headers={"Authorization": f"Bearer {key}"})
    assert (reply.status_code, error_of(reply)["code"]) == (400, "feed_unusable")
    assert "/nowhere.jsonl" in error_of(reply)["message"]


def test_state_of_the_service(http: httpx.Client) -> None:
    assert http.get("/healthz").json() == {"status": "ok"}
    ready = http.get("/readyz").json()
    assert ready["ready"] is True
    assert ready["catalogue"]["count"] >= 400
    where = http.get("/v1/where").json()
    assert len({where[part]["pid"] for part in ("gateway", "encoders")}) == 2
    assert "daogou_turns_total" in http.get("/metrics").text


def test_docs_load_nothing_from_elsewhere(http: httpx.Client) -> None:
    page = http.get("/docs")
    assert page.status_code == 200
    assert "http://" not in page.text
    assert "https://" not in page.text
    assert "/v1/chat/completions" in http.get("/openapi.json").json()["paths"]


def test_leaving_aborts_the_request_inside_the_engine(http: httpx.Client) -> None:
    body = {"model": "daogou", "stream": True, "messages": [{"role": "user", "content": QUESTION}]}
    with http.stream("POST", "/v1/chat/completions", json=body) as reply:
        for line in reply.iter_lines():
            if line and json.loads(line.removeprefix("data: "))["daogou"]["event"].get("source") == "model":
                assert http.get("/v1/where").json()["llm"]["unfinished"] > 0
                break
    for _ in range(50):
        if http.get("/v1/where").json()["llm"]["unfinished"] == 0:
            break
        time.sleep(0.05)
    assert http.get("/v1/where").json()["llm"]["unfinished"] == 0


@pytest.mark.parametrize(
    "message",
    ['"half a pair: \\ud800 jacket"', '[{"type": "text", "text": "\\udfff jacket"}]', f'"jacket under ${"9" * 400}"'],
)
def test_what_no_encoding_or_number_holds_is_answered_all_the_same(http: httpx.Client, message: str) -> None:
    content = f'{{"model": "daogou", "messages": [{{"role": "user", "content": {message}}}]}}'
    reply = http.post("/v1/chat/completions", content=content, headers={"Content-Type": "application/json"})
    assert reply.status_code == 200, reply.text
    assert "jacket" in reply.text.lower()


def test_fields_that_clients_send_as_null_are_as_if_left_out(http: httpx.Client) -> None:
    body = {"model": "daogou", "messages": [{"role": "user", "content": QUESTION}], "n": None, "stream": None}
    assert http.post("/v1/chat/completions", json=body | {"daogou": None}).status_code == 200


def test_a_state_with_a_number_that_is_none_is_refused(http: httpx.Client) -> None:
    state = '{"chips": [{"kind": "price_max", "value": NaN, "label": "x"}]}'
    content = f'{{"model": "daogou", "messages": [{{"role": "user", "content": "x"}}], "daogou": {{"state": {state}}}}}'
    reply = http.post("/v1/chat/completions", content=content, headers={"Content-Type": "application/json"})
    assert reply.status_code == 400
    assert error_of(reply)["code"] in ("invalid_request", "invalid_json")


def test_a_picture_name_longer_than_a_file_system_takes_is_not_found(http: httpx.Client) -> None:
    reply = http.get(f"/v1/catalogue/pictures/{'a' * 300}.webp")
    assert reply.status_code == 404
    assert error_of(reply)["code"] == "not_found"
