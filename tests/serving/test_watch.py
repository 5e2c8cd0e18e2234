"""What is dropped into a watched folder: when it counts as complete, and what becomes of it in a running service."""

from __future__ import annotations

import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from retrieval.feeds.changes import read_changes
from serving.cli import app
from serving.commands.watch import Watch
from serving.messages import UserError
from serving.owner import owner_key
from tests.conftest import Assistant


def test_a_file_counts_once_it_stands_still_and_again_when_it_changes(tmp_path: Path) -> None:
    folder, handled = tmp_path / "drop", list[str]()
    folder.mkdir()
    watch = Watch(folder, tmp_path / "watched.json", lambda file: handled.append(file.name))
    (folder / "a.csv").write_text("id,title\n1,Mug\n")
    (folder / ".hidden").write_text("x")
    (folder / "b.csv.part").write_text("x")
    (folder / "deep").mkdir()
    assert watch.round() == 0, "it may still be written"
    with (folder / "a.csv").open("a") as file:
        file.write("2,Cup\n")
    assert watch.round() == 0
    assert (watch.round(), watch.round(), handled) == (1, 0, ["a.csv"])

    again = Watch(folder, tmp_path / "watched.json", lambda file: handled.append(file.name))
    assert (again.round(), again.round(), handled) == (0, 0, ["a.csv"]), "it is remembered"
    (folder / "a.csv").write_text("id,title\n3,Lamp\n")
    os.utime(folder / "a.csv", ns=(1, 1))
    assert (again.round(), again.round(), handled) == (0, 1, ["a.csv", "a.csv"])


def test_what_cannot_be_watched_says_why(tmp_path: Path) -> None:
    (tmp_path / "watched.json").write_text("{")
    with pytest.raises(UserError, match="cannot be read"):
        Watch(tmp_path, tmp_path / "watched.json", lambda _: None)
    with pytest.raises(UserError, match="cannot be watched"):
        Watch(tmp_path / "nowhere", tmp_path / "none.json", lambda _: None).round()


def money(amount: str, currency: str) -> dict[str, str]:
    return {"amount": amount, "currency": currency}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("sku,price,stock\nA1,33.61,4\n", [{"id": "A1", "price": "33.61", "stock": 4}]),
        (
            "货号;价格;库存\nA1;￥5,999;无货\n",
            [{"id": "A1", "price": {"amount": "5999", "currency": "CNY"}, "stock": 0}],
        ),
        ('id,price (EUR)\nA1,"1.299,00"\n', [{"id": "A1", "price": {"amount": "1299.00", "currency": "EUR"}}]),
        (
            "id,price,sale price,currency\n1,20,15.5,USD\n",
            [{"id": "1", "price": {"amount": "15.5", "currency": "USD"}}],
        ),
        ("id,stock\n,4\n2,\n3,7\n", [{"id": "3", "stock": 7}]),
        ("id,title,price\n1,Mug,5\n", None),
        ("id,brand\n1,Acme\n", None),
        ('{"id": "1", "price": 3}\n', None),
    ],
)
def test_a_table_of_prices_and_stocks_is_told_from_a_catalogue(tmp_path: Path, text: str, wanted: Any) -> None:
    (tmp_path / "x.csv").write_text(text)
    found = read_changes(tmp_path / "x.csv")
    assert (None if found is None else found.fields) == wanted


def test_cells_that_are_no_prices_are_told(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,price,stock\n1,dear,3\n2,4.50,lots\n")
    found = read_changes(tmp_path / "x.csv")
    assert found is not None
    assert found.fields == [{"id": "1", "stock": 3}, {"id": "2", "price": "4.50"}]
    assert [(problem.row, problem.column) for problem in found.problems] == [(2, "price"), (3, "stock")]


def test_without_a_service_nothing_is_watched(tmp_path: Path, unused_tcp_port: int) -> None:
    env = {"DAOGOU_HOME": str(tmp_path / "home"), "DAOGOU_API_PORT": str(unused_tcp_port)}
    done = CliRunner().invoke(app, ["watch", str(tmp_path), "--once"], env=env)
    assert done.exit_code == 3, done.output
    assert "daogou up" in done.stderr


@pytest.mark.graph
def test_a_dropped_table_changes_the_running_shop(
    assistant: Assistant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serving.commands.watch._ROUND_SECONDS", 0.01)
    headers = {"Authorization": f"Bearer {owner_key(assistant.home)}"}
    with httpx.Client(base_url=assistant.api_url, headers=headers, timeout=60, trust_env=False) as http:
        product = http.post("/v1/search", json={"query": "backpack", "limit": 1}).json()["data"][0]["product"]
        url, before = f"/v1/catalogue/products/{product['id']}", product["price"]["amount"]
        (tmp_path / "prices.csv").write_text(f"sku,price\n{product['id']},33.61\nnobody,4\n")
        (tmp_path / "notes.txt").write_text("nothing of use\n")
        env = {"DAOGOU_HOME": str(assistant.home), "DAOGOU_API_URL": assistant.api_url}
        try:
            done = CliRunner().invoke(app, ["watch", str(tmp_path), "--once"], env=env)
            assert done.exit_code == 0, done.output
            assert "1 products changed" in done.stdout
            assert "nobody" in done.stderr
            assert "no column" in done.stderr, "what cannot be used is told, and the rest goes on"
            price = http.get(url).json()["price"]
            assert (Decimal(price["amount"]), price["currency"]) == (Decimal("33.61"), product["price"]["currency"])
        finally:
            back = {"id": product["id"], "price": before}
            assert http.patch("/v1/catalogue/products", json={"products": [back]}).json()["patched"] == 1
