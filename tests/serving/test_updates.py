"""Single products change while the catalogue answers: through the keeper with a load on its way, and over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from retrieval.product import Money, Product
from retrieval.store.base import AnyOf, Filter, Range
from serving.catalogue import CatalogueKeeper
from serving.change import Change
from serving.job import Job
from serving.owner import owner_key
from serving.settings import Settings
from tests.conftest import Assistant
from tests.serving.test_loading import Gated, feed, settled


def record(number: int, title: str = "", **more: Any) -> dict[str, Any]:
    price = {"amount": "20.00", "currency": "EUR"}
    return {"id": f"P{number}", "title": {"en": title or f"Mug {number}"}, "price": price, "stock": 5, **more}


@pytest_asyncio.fixture
async def keeper(tmp_path: Path) -> AsyncIterator[CatalogueKeeper]:
    shop = tmp_path / "shop.jsonl"
    shop.write_text("\n".join(Product.model_validate(record(n)).model_dump_json() for n in range(10)))
    keeper = CatalogueKeeper(Settings(home=tmp_path / "home", catalogue=shop, _env_file=None), Gated())
    await keeper.open()
    await settled(keeper)
    yield keeper
    await keeper.close()


def encoder(keeper: CatalogueKeeper) -> Gated:
    own = keeper._encoder
    assert isinstance(own, Gated)
    return own


async def held(keeper: CatalogueKeeper, *ids: str) -> list[Product]:
    return await keeper.products(ids)


async def test_a_price_changes_without_a_model_and_is_exact(keeper: CatalogueKeeper) -> None:
    done = await keeper.update(
        Change(patch=[{"id": "P1", "price": 33.61}, {"id": "P2", "price": "1299.99", "stock": 0}])
    )
    assert (done.patched, done.problems) == (2, [])
    assert encoder(keeper).encoded == 10
    one, two = await held(keeper, "P1", "P2")
    assert one.price == Money(amount=Decimal("33.61"), currency="EUR")
    assert two.price == Money(amount=Decimal("1299.99"), currency="EUR")
    assert not two.in_stock
    assert keeper.store is not None
    dear = Filter((Range("price", gte=33.61, lte=33.61), AnyOf("currency", ("EUR",))))
    assert await keeper.store.count(dear) == 1


async def test_texts_that_change_are_embedded_and_new_products_are_there(keeper: CatalogueKeeper) -> None:
    done = await keeper.update(
        Change(put=[record(3), record(11, "Lamp")], patch=[{"id": "P4", "title": {"en": "Cup"}}], delete=["P5", "P99"])
    )
    assert (done.put, done.patched, done.deleted) == (2, 1, 1)
    assert [(problem.value, problem.what) for problem in done.problems] == [("P99", "there is no such product")]
    assert encoder(keeper).encoded == 10 + 2, "one that is there already is no work"
    assert [product.title["en"] for product in await held(keeper, "P4", "P11", "P5")] == ["Cup", "Lamp"]
    assert keeper.part.facts["count"] == 10


async def test_what_a_feed_would_refuse_is_refused_and_the_rest_is_done(keeper: CatalogueKeeper) -> None:
    done = await keeper.update(
        Change(
            put=[{"id": "N1"}, record(20, "<script>alert(1)</script>Vase", url="javascript:alert(1)")],
            patch=[
                {"id": "P1", "price": "dear"},
                {"id": "P2", "price": {"amount": "-4", "currency": "EUR"}},
                {"id": "P3", "stock": "many"},
                {"id": "P4", "colour": "red"},
                {"stock": 3},
                {"id": "P5", "stock": 1},
            ],
        )
    )
    assert (done.put, done.patched) == (1, 1)
    told = {(problem.row, problem.column): problem.what for problem in done.problems}
    assert told[(1, "title")] == "missing"
    assert told[(2, "url")] == "not an http or https address"
    assert told[(1, "price")] == "not an amount"
    assert {(2, "price.amount"), (3, "stock"), (4, "colour"), (5, "id")} <= told.keys()
    (vase, same, changed) = await held(keeper, "P20", "P1", "P5")
    assert (vase.title, vase.url) == ({"en": "Vase"}, None)
    assert same.price == Money(amount=Decimal("20.00"), currency="EUR")
    assert changed.stock == 1


async def test_a_change_while_a_new_catalogue_is_made_holds_in_both(keeper: CatalogueKeeper, tmp_path: Path) -> None:
    gated = encoder(keeper)
    gated.gate.clear()
    gated.asked.clear()
    titles = [*(f"Mug {n}" for n in range(10)), *(f"New {n}" for n in range(30))]
    await keeper.load(Job(feed(tmp_path / "new.jsonl", titles)))
    async with asyncio.timeout(60):
        await gated.asked.wait()
    done = await keeper.update(Change(patch=[{"id": "P1", "price": "33.61"}], delete=["P2"]))
    assert (done.patched, done.deleted) == (1, 1)
    assert [product.id for product in await held(keeper, "P1", "P2")] == ["P1"]
    gated.gate.set()
    await settled(keeper)
    assert keeper.part.detail == ""
    (one, last) = await held(keeper, "P1", "P2", "P39")
    assert last.title["en"] == "New 29"
    assert one.price == Money(amount=Decimal("33.61"), currency="EUR")


async def test_a_change_while_a_load_fails_holds_when_it_is_gone_on_with(
    keeper: CatalogueKeeper, tmp_path: Path
) -> None:
    gated = encoder(keeper)
    gated.gate.clear()
    gated.asked.clear()
    more = tmp_path / "more.jsonl"
    more.write_text("\n".join(Product.model_validate(record(n)).model_dump_json() for n in range(50, 60)))
    await keeper.load(Job(more, keep_missing=True))
    async with asyncio.timeout(60):
        await gated.asked.wait()
    await keeper.update(Change(delete=["P2"]))
    gated.fails = True
    gated.gate.set()
    await settled(keeper)
    assert "out of memory" in keeper.part.detail
    gated.fails = False
    await keeper.load(Job(more, keep_missing=True))
    await settled(keeper)
    assert keeper.part.detail == ""
    assert [product.id for product in await held(keeper, "P1", "P2", "P50")] == ["P1", "P50"]


async def test_the_feed_loaded_again_undoes_a_change(keeper: CatalogueKeeper, tmp_path: Path) -> None:
    await keeper.update(Change(patch=[{"id": "P1", "price": 33.61}]))
    await keeper.load(Job(tmp_path / "shop.jsonl"))
    await settled(keeper)
    (one,) = await held(keeper, "P1")
    assert one.price == Money(amount=Decimal("20.00"), currency="EUR")
    facts = keeper.part.facts
    assert (facts["written"], facts["updated"], facts["unchanged"]) == (0, 1, 9)


@pytest.fixture
def http(assistant: Assistant) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {owner_key(assistant.home)}"}
    with httpx.Client(base_url=assistant.api_url, timeout=60, headers=headers) as plain:
        yield plain


@pytest.mark.graph
def test_over_http_a_product_comes_changes_and_goes(http: httpx.Client) -> None:
    url, item = "/v1/catalogue/products", record(1, "Zinnwaldite pepper mill", stock=3)
    count = http.get("/readyz").json()["catalogue"]["count"]
    try:
        assert http.put(url, json={"products": [item]}).json() == {"put": 1, "patched": 0, "deleted": 0, "problems": []}
        assert _first(http)["price"] == {"amount": "20.00", "currency": "EUR"}
        reply = http.patch(url, json={"products": [{"id": "P1", "price": 33.61}, {"id": "P77", "stock": 1}]}).json()
        assert (reply["patched"], reply["problems"][0]["row"], reply["problems"][0]["column"]) == (1, 2, "id")
        assert _first(http)["price"] == {"amount": "33.61", "currency": "EUR"}
        assert http.get(f"{url}/P1").json()["price"]["amount"] == "33.61"
    finally:
        assert http.request("DELETE", url, json={"ids": ["P1"]}).json()["deleted"] == 1
    assert http.get(f"{url}/P1").status_code == 404
    assert _first(http)["id"] != "P1"
    assert http.get("/readyz").json()["catalogue"]["count"] == count


def _first(http: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = http.post("/v1/search", json={"query": "zinnwaldite pepper mill"}).json()["data"][0]
    product: dict[str, Any] = found["product"]
    return product


@pytest.mark.graph
@pytest.mark.parametrize(
    ("method", "body", "status", "told"),
    [
        ("PUT", {"products": []}, 400, "at least 1"),
        ("PUT", {"products": [{"id": "X"}]}, 400, "title"),
        ("PATCH", {"products": [{"id": "nobody", "stock": 1}]}, 400, "no such product"),
        ("PATCH", {"products": [{"id": "nobody", "stock": 1}] * 1001}, 400, "at most 1000"),
        ("DELETE", {"ids": ["nobody"]}, 400, "no such product"),
        ("DELETE", {"ids": "P1"}, 400, "list"),
        ("PUT", {"items": []}, 400, "products"),
    ],
)
def test_a_change_that_is_none_says_why(
    http: httpx.Client, method: str, body: dict[str, Any], status: int, told: str
) -> None:
    reply = http.request(method, "/v1/catalogue/products", json=body)
    assert reply.status_code == status, reply.text
    assert told in reply.json()["error"]["message"]
    stranger = httpx.request(method, f"{http.base_url}/v1/catalogue/products", json=body, trust_env=False)
    assert stranger.status_code == 401
