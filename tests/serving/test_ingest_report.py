"""`daogou ingest` on feeds with faults: the report, what is remembered, and rows that are left out."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from serving.cli import app

FOREIGN = "编号,名称,售价,原先售价\n1,台灯,99,120\n2,,5,6\n"
SOUND = "id,title,price,image\n1,Lamp,20 EUR,lamp.webp\n"

Ingest = Callable[..., Result]


@pytest.fixture
def ingest(tmp_path: Path, clean_env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Ingest:
    """`ingest("shop.csv", "--dry-run")` in a folder and with a home of its own, in this process."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, **env: str) -> Result:
        return CliRunner().invoke(app, ["ingest", *arguments], env=clean_env | {"COLUMNS": "160"} | env)

    return run


def test_the_exit_code_tells_clean_from_warnings_from_nothing_usable(ingest: Ingest, tmp_path: Path) -> None:
    for name, text, code in (
        ("clean.csv", SOUND, 0),
        ("warnings.csv", SOUND.replace("20 EUR", "soon"), 4),
        ("rows.csv", f"{SOUND}2,,20 EUR,lamp.webp\n", 4),
        ("unusable.csv", SOUND.replace("Lamp", ""), 5),
        ("empty.csv", "", 1),
    ):
        (tmp_path / name).write_text(text)
        assert ingest(name, "--dry-run").exit_code == code, name


def test_a_dry_run_touches_nothing(ingest: Ingest, tmp_path: Path, home: Path) -> None:
    (tmp_path / "shop.csv").write_text(FOREIGN)
    assert ingest("shop.csv", "--dry-run", "--map", "price=售价", "--currency", "CNY").exit_code == 4
    assert not home.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["shop.csv"]


def test_a_dry_run_writes_rows_left_out_where_it_is_told(ingest: Ingest, tmp_path: Path, home: Path) -> None:
    (tmp_path / "shop.csv").write_text(FOREIGN)
    done = ingest("shop.csv", "--dry-run", "--quarantine", "left.csv")
    assert f"daogou ingest {tmp_path}/left.csv --keep-missing" in done.stderr
    assert (tmp_path / "left.csv").read_text("utf-8-sig").splitlines() == [
        "编号,名称,售价,原先售价,daogou_reason",
        "2,,5,6,title: empty",
    ]
    assert not home.exists()


def test_the_report_speaks_both_languages_and_shows_columns_and_mending(ingest: Ingest, tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text("sku,name,price\n1,Lamp\u202e,0 EUR\n")
    english = ingest("shop.csv", "--dry-run").stdout
    for word in ("1 rows, 1 products", "sku", "95%", "row 2, price", "a price of 0: 1", "Fill in the real price."):
        assert word in english
    assert "\u202e" not in english
    chinese = ingest("shop.csv", "--dry-run", LANG="zh_CN.UTF-8").stdout
    for word in ("1 件商品", "理解为", "第 2 行", "价格为 0", "请填写真实价格"):
        assert word in chinese


def test_the_report_as_json(ingest: Ingest, tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text(FOREIGN)
    told = json.loads(ingest("shop.csv", "--dry-run", "--json", "--map", "price=原先售价", "--currency", "元").stdout)
    assert (told["state"], told["rows"], told["products"], told["currencies"]) == ("warnings", 2, 1, {"CNY": 1})
    (price,) = [column for column in told["columns"] if column["role"] == "price"]
    assert (price["header"], price["confidence"]) == ("原先售价", 1)
    assert next((finding["kind"], finding["row"]) for finding in told["findings"]) == ("missing_title", 3)


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [("--map", "price", "names no column"), ("--currency", "XQX", "not a currency"), ("--map", "colour=x", "role")],
)
def test_a_wrong_choice_is_told(ingest: Ingest, tmp_path: Path, option: str, value: str, told: str) -> None:
    (tmp_path / "shop.csv").write_text(SOUND)
    done = ingest("shop.csv", "--dry-run", option, value)
    assert done.exit_code in (1, 2)
    assert told in done.stderr or "nothing that a column can be" in done.stderr


def test_nothing_usable_is_not_loaded(ingest: Ingest, tmp_path: Path, home: Path) -> None:
    (tmp_path / "shop.csv").write_text(SOUND.replace("Lamp", ""))
    done = ingest("shop.csv")
    assert done.exit_code == 5
    assert "the catalogue stays as it was" in done.stderr
    assert (home / "quarantine.csv").exists()
    assert not (home / "qdrant").exists()


def test_what_was_remembered_and_is_damaged_is_told(ingest: Ingest, tmp_path: Path, home: Path) -> None:
    (tmp_path / "shop.csv").write_text(SOUND)
    home.mkdir()
    (home / "feeds.json").write_text('{"/x": {"currency": "euro"}}')
    done = ingest("shop.csv", "--dry-run")
    assert done.exit_code == 1
    assert "feeds.json" in done.stderr


class _Service(BaseHTTPRequestHandler):
    """Answers a load as the service does, and keeps what it was asked."""

    asked: list[dict[str, Any]]
    looks = 0

    def do_GET(self) -> None:
        type(self).looks += self.path == "/readyz"
        state = "loading" if type(self).looks % 2 else "ready"
        part = {"name": "catalogue", "state": state, "detail": "", "done": 1, "total": 1, "facts": {"count": 1}}
        self._answer({"parts": [part]})

    def do_POST(self) -> None:
        self.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self._answer({"progress": "/readyz"})

    def _answer(self, value: dict[str, Any]) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Quiet."""


def test_a_load_remembers_the_choice_and_hands_it_to_the_service(ingest: Ingest, tmp_path: Path, home: Path) -> None:
    shop, left = tmp_path / "shop.csv", home / "quarantine.csv"
    shop.write_text(FOREIGN)
    handler = type("Service", (_Service,), {"asked": []})
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = {"DAOGOU_API_PORT": str(server.server_port)}
        first = ingest("shop.csv", "--map", "price=售价", "--map", "list_price=", "--currency", "CNY", **port)
        again = ingest("shop.csv", **port)
        left.write_text(left.read_text("utf-8-sig").replace("2,,", "2,书,"))
        mended = ingest(str(left), "--keep-missing", **port)
        server.shutdown()
    assert [first.exit_code, again.exit_code, mended.exit_code] == [0, 0, 0], first.output + mended.output
    chosen = {"mapping": {"price": "售价", "list_price": ""}, "currency": "CNY"}
    assert handler.asked == [
        {"path": str(shop), **chosen},
        {"path": str(shop), **chosen},
        {"path": str(left), **chosen, "keep_missing": True},
    ]
    assert "1 row left out" in first.stderr
    assert "As remembered for this feed: price=售价, list_price=, CNY" in again.stderr
    assert "left out" not in mended.stderr
    assert json.loads((home / "feeds.json").read_text()) == {str(shop): chosen, str(left): chosen}
