"""Every word of the page exists in every language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import app
from app.i18n import LANGUAGES, TEXTS, for_terminal, texts

SCRIPTS = sorted((TEXTS.parent / "js").glob("*.js"))
_FIELD = re.compile(r"\{\w+\}")


def test_all_languages_have_the_same_keys_and_fields() -> None:
    tables = [texts(lang) for lang in LANGUAGES]
    for key in set().union(*tables):
        found = {tuple(sorted(_FIELD.findall(table[key]))) for table in tables}
        assert len(found) == 1, key
        assert all(table[key].strip() for table in tables), key


def test_there_is_a_table_for_each_language_and_no_other() -> None:
    assert {path.stem for path in TEXTS.glob("*.json")} == set(LANGUAGES)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_the_words_that_scripts_use_exist(script: Path) -> None:
    code = script.read_text("utf-8")
    used = set(re.findall(r"\bt\('(\w+)'", code)) | set(re.findall(r"'((?:theme|error|waiting)_\w+)'", code))
    assert used <= texts("en").keys()
    for prefix in re.findall(r"\bt\(`(\w+_)\$", code):
        assert any(key.startswith(prefix) for key in texts("en")), prefix


def test_every_word_is_used() -> None:
    code = "".join(path.read_text("utf-8") for path in [*SCRIPTS, *Path(app.__file__).parent.rglob("*.py")])
    by_prefix = re.findall(r"`(\w+_)\$", code)
    for key in texts("en"):
        assert f"'{key}'" in code or f'"{key}"' in code or key.startswith(tuple(by_prefix)), key


def test_the_terminals_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert for_terminal() is texts("zh")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert for_terminal() is texts("en")
