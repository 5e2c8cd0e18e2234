"""The catalogue doctor: what a report finds in a feed, and rows of no use that load again once they are mended."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from retrieval.feeds.base import NoProductError
from retrieval.feeds.checks import is_private
from retrieval.feeds.detect import read
from retrieval.feeds.mending import KINDS
from retrieval.feeds.quarantine import write_quarantine
from retrieval.feeds.report import Report, examine

PNG = "https://shop.example/x.png"
HEADER = "sku,title,price,currency,category,brand,image,stock"
DEFECTS = f"""{HEADER}
1,Lamp A,20.00,EUR,Lamps,Nord,{PNG},1
2,Lamp B,22.00,EUR,Lamps,Nord,{PNG},1
3,Lamp C,21.00,EUR,Lamps,Nord,{PNG},1
4,Lamp D,24.00,EUR,Lamps,Nord,{PNG},1
5,Lamp E,33.61,EUR,Lamps,Nord,{PNG},1
6,Lamp F,3361,EUR,Lamps,Nord,{PNG},1
7,Lamp G,19.00,EUR,Lamps,Nord,{PNG},1
8,Lamp H,18.00,EUR,Lamps,Nord,{PNG},1
9,Lamp I,25.00,USD,Lamps,Nord,{PNG},1
10,Lamp J,,,Lamps,Nord,{PNG},1
11,Lamp K,0,EUR,Lamps,Nord,{PNG},1
1,Lamp L,20.00,EUR,Lamps,Nord,{PNG},1
,Lamp M,20.00,EUR,Lamps,Nord,{PNG},1
14,,20.00,EUR,Lamps,Nord,{PNG},1
15,Lamp\u202e O,20.00,EUR,Lamps,Nord,{PNG},1
16,Lamp P,20.00,EUR,Lamps,=1+1,{PNG},1
17,Lamp Q,20.00,EUR,Lamps,@home,{PNG},1
18,Lamp R,20.00,EUR,Lamps,Nord,ftp://shop.example/x.png,1
19,Lamp S,20.00,EUR,Lamps,Nord,http://169.254.169.254/x.png,1
20,Lamp T,20.00,EUR,Lamps,Nord,,1
21,Stool,20.00,EUR,Stools,Nord,{PNG},1
22,Lamp V,cheap,EUR,Lamps,Nord,{PNG},1
23,Lamp W,20.00,XYZ,Lamps,Nord,{PNG},1
24,Lamp X,20.00,EUR,Lamps,Nord,{PNG},many
25,Lamp <script>alert(1)</script>Y,20.00,EUR,Lamps,Nord,{PNG},1
"""


def report_of(path: Path, text: str, **how: str | Mapping[str, str]) -> Report:
    path.write_text(text, encoding="utf-8")
    try:
        return examine(read(path, **how))  # type: ignore[arg-type]
    except NoProductError as error:
        return examine(error.feed)


def test_every_defect_is_found_once_at_its_row(tmp_path: Path) -> None:
    report = report_of(tmp_path / "shop.csv", DEFECTS)
    found = {(finding.severity, finding.kind, finding.problem.row) for finding in report.findings}
    assert found == {
        ("error", "duplicate_id", 13),
        ("error", "missing_id", 14),
        ("error", "missing_title", 15),
        ("warning", "implausible_price", 7),
        ("warning", "mixed_currencies", 10),
        ("warning", "missing_price", 11),
        ("warning", "price_zero", 12),
        ("note", "hidden_characters", 16),
        ("warning", "formula", 17),
        ("note", "formula_like", 18),
        ("warning", "bad_link", 19),
        ("warning", "private_image", 20),
        ("note", "missing_image", 21),
        ("note", "lone_category", 22),
        ("warning", "bad_price", 23),
        ("warning", "missing_price", 23),
        ("warning", "unknown_currency", 24),
        ("warning", "missing_price", 24),
        ("warning", "bad_number", 25),
        ("warning", "active_html", 26),
    }
    assert len(report.findings) == len(found)
    order = [finding.severity for finding in report.findings]
    assert order == sorted(order, key=["error", "warning", "note"].index)
    assert (report.rows, report.products, report.categories, report.left_out) == (25, 22, 2, 3)
    assert next(iter(report.currencies)) == "EUR"
    assert report.currencies["USD"] == 1
    assert report.state == "warnings"
    (twice,) = [finding.problem for finding in report.findings if finding.kind == "duplicate_id"]
    assert (twice.value, twice.what, twice.done) == ("1", "row 2 has the same id", "row skipped")
    assert {column.header: column.role for column in report.columns}["sku"] == "id"


def test_the_report_for_programs_says_how_to_mend_in_both_languages(tmp_path: Path) -> None:
    told = json.loads(json.dumps(report_of(tmp_path / "shop.csv", DEFECTS).as_json()))
    first = told["findings"][0]
    assert (first["severity"], first["row"], first["column"]) == ("error", 13, "id")
    assert first["mend"] == {"en": KINDS["duplicate_id"].mend_en, "zh": KINDS["duplicate_id"].mend_zh}


def test_a_sound_feed_is_clean(tmp_path: Path) -> None:
    report = report_of(tmp_path / "shop.csv", f"{HEADER}\n1,Lamp A,20.00,EUR,Lamps,Nord,{PNG},1\n")
    assert report.state == "clean"
    assert report.counts == {"lone_category": 1}


def test_a_currency_that_was_given_is_no_warning(tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text(f"id,title,price,image\n1,Lamp,20,{PNG}\n")
    feed = read(tmp_path / "shop.csv", "EUR")
    assert examine(feed).state == "warnings"
    assert examine(feed, currency_given=True).state == "clean"


def test_a_dear_category_of_few_products_says_nothing_of_prices(tmp_path: Path) -> None:
    rows = [f"{n},Lamp {n},{price} EUR,Lamps,{PNG}" for n, price in enumerate((1, 1, 1, 1, 1, 1, 10_000))]
    report = report_of(tmp_path / "shop.csv", "\n".join(["id,title,price,category,image", *rows]))
    assert "implausible_price" not in report.counts


def test_many_findings_are_counted_and_the_gravest_listed(tmp_path: Path) -> None:
    rows = [f"{n},Lamp {n},20 EUR," for n in range(10_050)]
    report = report_of(tmp_path / "shop.csv", "\n".join(["id,title,price,image", *rows, "x,,20 EUR,"]))
    assert report.counts == {"missing_title": 1, "missing_image": 10_050}
    assert len(report.findings) == 10_000
    assert report.findings[0].kind == "missing_title"


@pytest.mark.parametrize(
    ("address", "private"),
    [
        ("https://cdn.shop.example/a.jpg", False),
        ("https://8.8.8.8/a.jpg", False),
        ("m/h/mh01.jpg", False),
        ("http://localhost:8080/a.jpg", True),
        ("https://nas.local/a.jpg", True),
        ("https://printer/a.jpg", True),
        ("http://192.168.1.2/a.jpg", True),
        ("http://169.254.169.254/latest", True),
        ("http://metadata.google.internal/a", True),
        ("http://[::1]/a.jpg", True),
        ("http://[::ffff:10.0.0.1]/a.jpg", True),
        ("http://[fe80::1]/a.jpg", True),
        ("http://2130706433/a.jpg", True),
        ("http://0x7f.1/a.jpg", True),
    ],
)
def test_private_addresses(address: str, private: bool) -> None:
    assert is_private(address) is private


# --- real exports


def test_magento_has_nothing_to_leave_out(testdata: Path) -> None:
    report = examine(read(testdata / "feeds/magento_luma/ConfigurableSampleData_products.csv"))
    assert (report.rows, report.products, report.variants) == (1994, 147, 1847)
    assert report.counts == {"currency_assumed": 1}


def test_woocommerce_sample(testdata: Path) -> None:
    report = examine(read(testdata / "feeds/woocommerce_sample/sample_products.csv", "EUR"), currency_given=True)
    assert (report.products, report.currencies) == (14, {"EUR": 13})
    assert report.counts == {"not_on_sale": 1, "missing_price": 1, "lone_category": 2, "currency_given": 1}


# --- quarantine


def quarantined(path: Path, target: Path) -> list[Path]:
    try:
        feed = read(path)
    except NoProductError as error:
        feed = error.feed
    return write_quarantine(feed, examine(feed), target)


def test_a_table_keeps_its_header_and_cells_and_loads_once_mended(tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text(DEFECTS, encoding="utf-8")
    (target,) = quarantined(tmp_path / "shop.csv", tmp_path / "quarantine.csv")
    with target.open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == [*HEADER.split(","), "daogou_reason"]
    assert rows == [
        ["1", "Lamp L", "20.00", "EUR", "Lamps", "Nord", PNG, "1", "id: row 2 has the same id"],
        ["", "Lamp M", "20.00", "EUR", "Lamps", "Nord", PNG, "1", "id: empty"],
        ["14", "", "20.00", "EUR", "Lamps", "Nord", PNG, "1", "title: empty"],
    ]
    text = target.read_text("utf-8-sig")
    target.write_text(
        text.replace("1,Lamp L", "12,Lamp L").replace("\n,Lamp M", "\n13,Lamp M").replace("14,,", "14,N,")
    )
    again = read(target)
    assert [(product.id, product.attributes) for product in again.products] == [("12", {}), ("13", {}), ("14", {})]
    assert again.problems == ()


def test_a_product_of_several_rows_is_kept_whole(tmp_path: Path) -> None:
    head = "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Status"
    rows = ["tee,,Size,S,T-S,10,active", "mug,Mug,,,M,5,active", "tee,,,M,T-M,11,active"]
    (tmp_path / "shop.csv").write_text("\n".join([head, *rows]))
    (target,) = quarantined(tmp_path / "shop.csv", tmp_path / "q.csv")
    with target.open(encoding="utf-8-sig", newline="") as file:
        assert [row["Variant SKU"] for row in csv.DictReader(file)] == ["T-S", "T-M"]
    target.write_text(target.read_text("utf-8-sig").replace("tee,,Size", "tee,Tee,Size"))
    feed = read(target)
    (tee,) = feed.products
    assert (feed.kind, tee.title, len(tee.variants)) == ("Shopify", {"en": "Tee"}, 2)


@pytest.mark.parametrize(
    "broken",
    [
        {"id": "1", "title": {}, "price": {"amount": "5.50", "currency": "EUR"}},
        {"id": "1", "title": "", "price": "5.50 EUR"},
    ],
)
def test_json_gives_json_lines(tmp_path: Path, broken: dict[str, object]) -> None:
    sound = {**broken, "id": "2", "title": {"en": "Mug"} if isinstance(broken["title"], dict) else "Mug"}
    (tmp_path / "shop.json").write_text(json.dumps([broken, sound]))
    (target,) = quarantined(tmp_path / "shop.json", tmp_path / "quarantine.csv")
    assert target.name == "quarantine.jsonl"
    (line,) = target.read_text().splitlines()
    assert {**json.loads(line), "daogou_reason": ""} == {**broken, "daogou_reason": ""}
    target.write_text(json.dumps({**json.loads(line), "title": sound["title"]}))
    feed = read(target)
    (mug,) = feed.products
    assert (mug.id, mug.title, mug.attributes, str(mug.price and mug.price.amount)) == ("1", {"en": "Mug"}, {}, "5.50")


def test_xml_gives_a_table_that_loads(tmp_path: Path) -> None:
    item = (
        "<item><g:id>{}</g:id><title>{}</title><g:price>5 EUR</g:price><g:image_link>https://s.example/m.png"
        "</g:image_link><g:availability>in stock</g:availability></item>"
    )
    space = 'xmlns:g="http://base.google.com/ns/1.0"'
    (tmp_path / "shop.xml").write_text(
        f"<rss {space}><channel>{item.format('1', '')}{item.format('2', 'Mug')}</channel></rss>"
    )
    (target,) = quarantined(tmp_path / "shop.xml", tmp_path / "quarantine.csv")
    with target.open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["id"], row["daogou_reason"]) == ("1", "title: empty")
    target.write_text("title," + target.read_text("utf-8-sig").replace("\n1,", "\nCup,1,"))
    (cup,) = read(target).products
    assert (cup.id, cup.title, cup.attributes) == ("1", {"en": "Cup"}, {})


def test_several_files_give_one_each_and_none_of_theirs_is_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    for name in ("quarantine.csv", "b.csv"):
        (folder / name).write_text(f"id,title,price\n{name},Lamp,5 EUR\nx{name},,5 EUR\n")
    before = (folder / "quarantine.csv").read_text()
    written = quarantined(folder, folder / "quarantine.csv")
    assert [path.name for path in written] == ["quarantine-2.csv", "quarantine-3.csv"]
    assert (folder / "quarantine.csv").read_text() == before
    assert {path.read_text("utf-8-sig").splitlines()[1].split(",")[0] for path in written} == {
        "xquarantine.csv",
        "xb.csv",
    }
