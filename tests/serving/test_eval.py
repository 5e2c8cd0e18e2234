"""`daogou eval`: scores on labelled sets, and the bars that the parser holds on ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from retrieval.feeds.detect import read
from retrieval.understand.constraints import constraints
from retrieval.understand.vocabulary import Vocabulary
from serving.cli import app
from serving.commands.eval_understand import read_rows, score
from ui_assets.demo import CATALOGUE

DATA = Path(__file__).parents[1] / "retrieval/data"


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return Vocabulary.of(read(CATALOGUE).products)


def test_what_is_understood_stays_above_the_bar(vocabulary: Vocabulary) -> None:
    result = score(read_rows(DATA / "understanding.jsonl"), vocabulary)
    assert result.rate >= 0.98, result.misses


def test_no_price_is_read_where_there_is_none(vocabulary: Vocabulary) -> None:
    lines = (DATA / "no_price.jsonl").read_text(encoding="utf-8").splitlines()
    read_as_prices = []
    for text in (json.loads(line)["q"] for line in lines):
        for words in (vocabulary, None):
            found = constraints(text, words)
            if (found.price_min, found.price_max, found.price_about) != (None, None, None):
                read_as_prices.append(text)
    assert read_as_prices == []


def run(path: Path, *options: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["eval", "understand", str(path), *options])
    return result.exit_code, result.output


def test_exact_answers_are_counted_by_key_and_misses_are_listed(tmp_path: Path) -> None:
    rows = [
        {"q": "RED or black mug under 40", "want": {"price_max": 40, "price_min": None, "color": ["Black", "red"]}},
        {"q": "mug under 40", "want": {"price_max": 41, "brand": None}},
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    code, output = run(path, "--json")
    report = json.loads(output)
    assert code == 0
    assert report["keys"]["price_max"] == {"judged": 2, "exact": 1}
    assert report["rate"] == pytest.approx(4 / 5)
    assert report["misses"] == [{"q": "mug under 40", "key": "price_max", "want": 41, "found": 40}]
    code, output = run(path)
    assert code == 0
    assert "mug under 40" in output
    assert "80.0%" in output


@pytest.mark.parametrize("line", ['{"q": "x", "want": {"colour": ["red"]}}', "not json", '{"want": {}}'])
def test_a_row_of_another_form_is_told_with_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"q": "x", "want": {}}\n' + line)
    code, output = run(path)
    assert code == 1
    assert "rows.jsonl:2" in output


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    code, output = run(tmp_path / "none.jsonl")
    assert code == 1
    assert "none.jsonl" in output
