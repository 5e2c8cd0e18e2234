"""`read`: which files are taken and how, and what is said of those that cannot be."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from retrieval.feeds.base import FeedError
from retrieval.feeds.detect import read
from tests.products import products

CSV = "id,title,price\nA1,红色防水跑步鞋,199\nA2,陶瓷杯,29\nA3,户外折叠椅,89\n"


def write(folder: Path, content: str | bytes, name: str = "feed.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gbk", "gb18030"])
def test_chinese_is_read_in_the_encodings_of_spreadsheets(tmp_path: Path, encoding: str) -> None:
    feed = read(write(tmp_path, CSV.encode(encoding)))
    assert [product.title for product in feed.products] == [
        {"zh": "红色防水跑步鞋"},
        {"zh": "陶瓷杯"},
        {"zh": "户外折叠椅"},
    ]
    told = [str(problem) for problem in feed.problems if problem.row == 0]
    assert bool(told) == (encoding not in ("utf-8", "utf-8-sig"))


def test_western_is_read_too(tmp_path: Path) -> None:
    text = "id,title\nA1,Théière émaillée à fleurs\nA2,Müsli-Schüssel, groß\n"
    assert next(iter(read(write(tmp_path, text.encode("cp1252"))).products)).title == {
        "en": "Théière émaillée à fleurs"
    }


@pytest.mark.parametrize("name", ["products.jsonl", "products.json", "export.txt"])
@pytest.mark.parametrize("array", [False, True])
def test_our_own_records_come_back_whatever_the_file_is_called(tmp_path: Path, name: str, array: bool) -> None:
    records = products(30)
    lines = [record.model_dump_json() for record in records]
    text = "[" + ",\n".join(lines) + "]" if array else "\n".join(lines) + "\n"
    feed = read(write(tmp_path, text, name))
    assert feed.kind == ("JSON array" if array else "JSON lines")
    assert list(feed.products) == records
    assert list(feed.products) == records, "a second reading gives the same"
    assert (len(feed.products), feed.problems) == (30, ())


def test_the_digest_follows_content_and_currency(tmp_path: Path) -> None:
    first = read(write(tmp_path, CSV)).digest
    assert read(write(tmp_path, CSV, "renamed.csv")).digest == first
    assert read(write(tmp_path, CSV), currency="CNY").digest != first
    assert read(write(tmp_path, CSV + "A4,更多,1\n")).digest != first


def test_of_two_rows_with_one_id_the_first_counts(tmp_path: Path) -> None:
    feed = read(write(tmp_path, "sku,title\nA,first\nB,other\nA,second\n"))
    assert [product.title["en"] for product in feed.products] == ["first", "other"]
    assert [str(problem) for problem in feed.problems] == ["row 4, id 'A': row 2 has the same id; row skipped"]


UNUSABLE = {
    "empty": (b"", "is empty"),
    "blank": (b"\xef\xbb\xbf \n\n", "is empty"),
    "binary": (b"PK\x03\x04\x00\x00\x08\x00", "not a text file"),
    "no encoding": (bytes(range(128, 256)) * 4, "no encoding that can be recognised"),
    "no id": (b"title,colour\nMug,red\n", "no column id"),
    "no title": (b"id,price\n1,3\n", "no column title"),
    "header only": (b"id,title\n", "no usable product: 0 rows"),
    "no usable row": (b"id,title\n,Mug\n2,\n", "no usable product: 2 rows .* First: row 2, id: empty; row skipped"),
    "cut array": (b'[{"id": "a", "title": {"en": "x"}}, {"id": ', "after element 1. Was the file cut off"),
    "deep array": (b"[" * 100_000, "nested too deep"),
    "other json": (b'{"products": [1]}', "no column id and no column title"),
    "empty array": (b"[]", "no usable product"),
}


@pytest.mark.parametrize(("content", "message"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_an_unusable_file_is_refused_with_the_reason(tmp_path: Path, content: bytes, message: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(FeedError, match=message) as refusal:
        read(path)
    assert str(path) in str(refusal.value)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(FeedError, match=r"nothing\.csv does not exist"):
        read(tmp_path / "nothing.csv")
    with pytest.raises(FeedError, match="holds no file with products"):
        read(tmp_path)


def test_bytes_that_break_the_encoding_late_are_refused(tmp_path: Path) -> None:
    text = b"\xff\xfe" + "id,title\nA,Mug\n".encode("utf-16-le") + b"\x00\xd8"
    with pytest.raises(FeedError, match=r"cannot be read as utf-16 \(byte \d+\). Save it again in UTF-8"):
        read(write(tmp_path, text))


def test_bad_lines_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    good = {"id": "a", "title": {"en": "Separator \u2028 inside"}, "price": {"amount": 24.10, "currency": "USD"}}
    bad = [
        "{not json",
        json.dumps({"id": "b"}),
        json.dumps({**good, "id": "c", "rating": 11}),
        json.dumps({**good, "id": "d", "colour": "red"}),
        json.dumps({**good, "id": "e", "price": {"amount": -1, "currency": "USD"}}),
        '"text"',
    ]
    feed = read(write(tmp_path, "\n".join([*bad, "", json.dumps(good, ensure_ascii=False)]), "x.jsonl"))
    (product,) = feed.products
    assert product.title["en"] == "Separator \u2028 inside"
    assert str(product.price and product.price.amount) == "24.1"
    assert [(problem.row, problem.column) for problem in feed.problems] == [
        (1, ""),
        (2, "title"),
        (3, "rating"),
        (4, "colour"),
        (5, "price.amount"),
        (6, ""),
    ]
    assert {problem.done for problem in feed.problems} == {"row skipped"}
    assert str(feed.problems[2]) == "row 3, rating '11': input should be less than or equal to 5; row skipped"


def test_a_number_beyond_all_numbers_is_told(tmp_path: Path) -> None:
    path = tmp_path / "shop.json"
    path.write_text('[{"id": "A", "title": {"en": "Mug"}, "stock": ' + "9" * 5000 + "}]")
    with pytest.raises(FeedError, match="holds what cannot be a product"):
        read(path)


def test_a_pipe_is_no_catalogue(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FeedError, match="is not an ordinary file"):
        read(tmp_path / "pipe")


def test_an_array_whose_end_is_in_another_encoding_is_told_as_such(tmp_path: Path) -> None:
    path = tmp_path / "shop.json"
    path.write_bytes(
        '[{"id": "A", "title": {"en": "Caf\u00e9"}}, {"id": "B", "title": {"en": "\ud83d'.encode(
            "utf-16", "surrogatepass"
        )
    )
    with pytest.raises(FeedError, match="cannot be read as utf-16"):
        read(path)
