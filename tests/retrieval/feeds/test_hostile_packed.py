"""XML, XLSX, pages, zips and folders that mean harm."""

from __future__ import annotations

import re
import socket
import stat
import threading
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest

from retrieval.feeds.detect import FeedError, read
from tests.retrieval.feeds.test_hostile import GOOD, caged, csv, page, replaced, workbook, xml, zipped

MUG = csv(["id", "title"], ["1", "Mug"])


@pytest.fixture
def visits() -> Iterator[list[str]]:
    """The address of a server first, and then whoever came to it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        found = [f"http://127.0.0.1:{server.getsockname()[1]}/"]

        def wait() -> None:
            try:
                while True:
                    visitor, address = server.accept()
                    found.append(str(address))
                    visitor.close()
            except OSError:
                return

        threading.Thread(target=wait, daemon=True).start()
        yield found
        server.shutdown(socket.SHUT_RDWR)


LAUGHS = '<!ENTITY l0 "laugh">' + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
DECLARED = {
    "laughs": f"<!DOCTYPE rss [{LAUGHS}]>",
    "laughs behind a bracket in quotes": f'<!DOCTYPE rss [<!ENTITY a "]>">{LAUGHS}]>',
    "laughs behind a bracket in a comment": f"<!DOCTYPE rss [<!-- ]> ' -->{LAUGHS}]>",
    "one long entity many times": f'<!DOCTYPE rss [<!ENTITY l11 "{"laugh" * 8_000}">]>',
    "a file": '<!DOCTYPE rss [<!ENTITY l11 SYSTEM "file:///etc/passwd">]>',
    "an address": '<!DOCTYPE rss PUBLIC "x" "ADDRESS" [<!ENTITY l11 SYSTEM "ADDRESS">]>',
    "a parameter": '<!DOCTYPE rss [<!ENTITY % p SYSTEM "ADDRESS"> %p;]>',
}


@pytest.mark.parametrize("head", DECLARED.values(), ids=DECLARED.keys())
def test_entities_are_never_resolved(head: str, visits: list[str], tmp_path: Path) -> None:
    content = xml(
        {"id": "evil", "title": "Mug", "description": "text [] text", "brand": "B"},
        GOOD,
        head=head.replace("ADDRESS", visits[0]),
    ).replace(b"[] text", b"&l11;" * 2_000 + b" text")
    outcome = caged(tmp_path, content)
    assert outcome.ids == ["evil", "good"]
    assert outcome.products[0].description == {"en": "text  text"}
    assert len(visits) == 1


def test_a_document_type_that_cannot_be_cut_off_is_refused(tmp_path: Path) -> None:
    content = xml({"id": "evil", "title": "TEXT"}, GOOD, head=f"<!-- {'- ' * 40_000} --><!DOCTYPE rss [{LAUGHS}]>")
    assert "cannot be left out" in caged(tmp_path, content.replace(b"TEXT", b"&l11;")).refused


def test_elements_that_never_end(tmp_path: Path) -> None:
    assert "nested too deep" in caged(tmp_path, xml(GOOD, more="<a>" * 1_000_000)).refused


def test_elements_without_end_beside_the_items_take_no_memory(tmp_path: Path) -> None:
    outcome = caged(tmp_path, xml(GOOD, more="<a/>" * 300_000))
    assert outcome.ids == ["good"]
    assert outcome.grown < 50 << 20


def test_an_item_that_is_never_closed_costs_no_other(tmp_path: Path) -> None:
    content = xml({"id": "1", "title": "Mug"}, {"id": "2", "title": "Cup"}, GOOD).replace(
        b"</item><item>", b"<item>", 1
    )
    outcome = caged(tmp_path, content.replace(b"</channel>", b"</item></channel>"))
    assert outcome.ids == ["1", "2", "good"]


# --- pages


def test_scripts_that_are_no_json_are_told(tmp_path: Path) -> None:
    broken = '<script type="application/ld+json">{"@type": "Product", "name": "Mug",}</script>'
    deep = f'<script type="application/ld+json">{"[" * 100_000}</script>'
    outcome = caged(tmp_path, page(GOOD, more=broken + deep))
    assert outcome.ids == ["good"]
    assert [problem.rpartition("; ")[2] for problem in outcome.problems[:2]] == ["script left out", "script left out"]
    assert "no JSON: nested too deep" in outcome.problems[1]


def test_a_page_nested_beyond_all_sense_is_told(tmp_path: Path) -> None:
    outcome = caged(tmp_path, page(GOOD).replace(b"</html>", b"<div>" * 100_000 + page(GOOD)))
    assert outcome.ids == ["good"]
    assert "the rest of the page left out" in outcome.problems[0]


def test_microdata_in_microdata_takes_no_memory(tmp_path: Path) -> None:
    text = '<i itemprop="name">' * 60 + "word " * 40_000
    many = '<i itemprop="color">x</i>' * 10_000
    content = f'<html><div itemscope itemtype="https://schema.org/Product"><b itemprop="sku">1</b>{many}{text}'
    outcome = caged(tmp_path, content.encode())
    assert outcome.ids == ["1"]


# --- workbooks


def test_a_workbook_that_says_it_has_a_million_rows(tmp_path: Path) -> None:
    content = workbook([["id", "title"], ["1", "Mug"]])
    content = replaced(content, "xl/worksheets/sheet1.xml", '<dimension ref="A1:B2"', '<dimension ref="A1:XFD1048576"')
    assert caged(tmp_path, content).ids == ["1"]


@pytest.mark.parametrize("row", ['<row r="{}"/>', '<row r="{}"><c r="A{}" s="0"/></row>'])
def test_a_million_empty_rows(row: str, tmp_path: Path) -> None:
    content = workbook([["id", "title"], ["1", "Mug"]])
    empty = "".join(row.replace("{}", str(number)) for number in range(3, 1_000_000, 5))
    outcome = caged(tmp_path, replaced(content, "xl/worksheets/sheet1.xml", "</sheetData>", f"{empty}</sheetData>"))
    assert outcome.ids == ["1"]


def test_a_row_far_beyond_any_sheet(tmp_path: Path) -> None:
    content = workbook([["id", "title"], ["1", "Mug"], ["2", "Cup"]])
    outcome = caged(tmp_path, replaced(content, "xl/worksheets/sheet1.xml", '<row r="3"', '<row r="999999999999"'))
    assert outcome.ids == ["1"]


@pytest.mark.parametrize("part", ["xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/styles.xml"])
def test_laughs_in_a_workbook(part: str, tmp_path: Path) -> None:
    content = workbook([["id", "title"], ["1", "Mug"]])
    root = {"xl/workbook.xml": "<workbook", "xl/worksheets/sheet1.xml": "<worksheet", "xl/styles.xml": "<styleSheet"}[
        part
    ]
    content = replaced(content, part, root, f"<!DOCTYPE x [{LAUGHS}]>{root}")
    content = replaced(content, part, f"</{root[1:]}>", f"&l11;</{root[1:]}>")
    outcome = caged(tmp_path, content)
    assert outcome.ids == ["1"] or "cannot be read as XLSX" in outcome.refused


def test_a_workbook_that_would_fill_the_memory(tmp_path: Path) -> None:
    content = workbook([["id", "title"], ["1", "Mug"]])
    bomb = replaced(content, "xl/styles.xml", "</styleSheet>", " " * (140 << 20) + "</styleSheet>")
    assert re.search("would unpack to|holds more than 128 MB", caged(tmp_path, bomb).refused)


# --- zips and folders


def test_names_in_a_zip_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in ("../../evil.csv", "/tmp/evil.csv", "C:\\evil.csv", "a/../../evil.csv"):
            archive.writestr(name, MUG.replace(b'"1"', f'"{name}"'.encode()))
        link = zipfile.ZipInfo("link.csv")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    outcome = caged(tmp_path / "shop", file.getvalue())
    assert outcome.ids == ["../../evil.csv", "/tmp/evil.csv", "C:\\evil.csv", "a/../../evil.csv"]
    assert [problem.split(":")[0] for problem in outcome.problems] == ["link.csv"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["shop"]


def bomb(size: int, name: str = "a.csv") -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, archive.open(name, "w") as member:
        for _ in range(size >> 20):
            member.write(b" " * (1 << 20))
    return file.getvalue()


def test_zips_that_would_fill_the_disk_are_refused_unopened(tmp_path: Path) -> None:
    big = bomb(128 << 20)
    assert "no catalogue needs" in caged(tmp_path, big).refused
    many = {f"{number}.csv": b"" for number in range(10_001)}
    for number, content in enumerate((zipped(many), zipped({"a.csv": MUG, "b.zip": big}))):
        (tmp_path / str(number)).mkdir()
        outcome = caged(tmp_path / str(number), content)
        assert (outcome.ids, "no catalogue needs" in outcome.refused) == (([], True), (["1"], False))[number]


def test_a_zip_that_says_it_is_small_gives_no_more_than_that(tmp_path: Path) -> None:
    lying = bomb(128 << 20).replace((128 << 20).to_bytes(4, "little"), (1_000).to_bytes(4, "little"))
    assert "cannot be unpacked" in caged(tmp_path, lying).refused


def test_links_out_of_a_folder_and_in_circles(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / "a.csv").write_bytes(MUG)
    (shop / "circle").symlink_to(shop, target_is_directory=True)
    (shop / "root").symlink_to("/", target_is_directory=True)
    (shop / "nowhere.csv").symlink_to(tmp_path / "nothing")
    (shop / "passwd.csv").symlink_to("/etc/passwd")
    feed = read(shop)
    assert [product.id for product in feed.products] == ["1"]
    assert [str(problem) for problem in feed.problems] == ["passwd.csv: leads out of the folder; file left out"]


# --- mappings of folders


def test_a_mapping_is_for_the_files_that_it_fits(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(csv(["nr", "title", "vk"], ["1", "Mug", "5 EUR"]))
    (tmp_path / "b.csv").write_bytes(csv(["id", "title", "price"], ["2", "Cup", "6 EUR"]))
    (tmp_path / "c.xml").write_bytes(xml(GOOD))
    feed = read(tmp_path, mapping={"id": "nr", "price": "vk"})
    assert [(product.id, product.price and int(product.price.amount)) for product in feed.products] == [
        ("1", 5),
        ("2", 6),
        ("good", 19),
    ]
    assert [(problem.file, problem.done) for problem in feed.problems] == [
        ("b.csv", "read without the mapping"),
        ("c.xml", "read without the mapping"),
    ]
    with pytest.raises(FeedError, match="has no column 'gone'"):
        read(tmp_path, mapping={"price": "gone"})
