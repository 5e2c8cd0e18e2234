"""Documents that cannot lie: commands, snippets and tables of the README are held against the project itself."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pytest
import typer
from typer.testing import CliRunner

from app.settings import UiSettings
from retrieval.feeds.detect import read as read_feed
from serving.cli import app as cli
from serving.profiles import PROFILES, LlmSpec, ModelSpec
from serving.settings import Settings
from tests.test_packaging import COMPOSE, locked, normal, recipes

ROOT = Path(__file__).parents[1]
READMES = ("README.md", "README.zh-CN.md")
GUIDES = (*READMES, "CONTRIBUTING.md")


class Block(NamedTuple):
    language: str
    text: str


class Running(Protocol):
    """What these tests need of the `assistant` fixture."""

    api_url: str


def read(name: str) -> str:
    return (ROOT / name).read_text()


def blocks(name: str, language: str) -> list[str]:
    """The fenced blocks of a document in one language."""
    found = [Block(*match) for match in re.findall(r"^```(\w*)\n(.*?)^```", read(name), re.M | re.S)]
    return [block.text for block in found if block.language == language]


def commands(name: str) -> list[str]:
    """Every command of a document's shell blocks, one by one."""
    lines = [line for text in blocks(name, "bash") for line in text.splitlines() if line and not line.startswith("#")]
    return [part.strip() for line in lines for part in line.split("&&")]


def table(name: str, first: str) -> list[list[str]]:
    """The rows of the table whose first heading is `first`, cells as written."""
    lines = read(name).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {first} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows


def all_commands() -> list[Any]:
    return [pytest.param(c, id=f"{name}: {c}") for name in GUIDES for c in dict.fromkeys(commands(name))]


# --- commands


def check_make(arguments: list[str]) -> None:
    targets = [word for word in arguments if "=" not in word]
    assert targets
    assert set(targets) <= recipes().keys()
    known = {f"DAOGOU_{field.upper()}" for field in Settings.model_fields}
    for variable in (word.split("=")[0] for word in arguments if "=" in word):
        assert variable in known | {"ARGS", "ACCEL", "PYTHON"}
    subprocess.run(["make", "-n", *arguments], cwd=ROOT, capture_output=True, check=True)
    passed_on = next((word.removeprefix("ARGS=") for word in arguments if word.startswith("ARGS=")), "")
    if targets == ["up"]:
        check_daogou(["up", *shlex.split(passed_on)])


def check_daogou(arguments: list[str]) -> None:
    """The command line parses: command, options and their values are known. Nothing is run."""
    if arguments == ["--help"]:
        return
    command: Any = typer.main.get_command(cli)
    name, *rest = arguments
    assert name in command.commands
    command.commands[name].make_context(name, rest)


def check_compose(arguments: list[str]) -> None:
    verb, *rest = arguments
    run = subprocess.run([COMPOSE, verb, "--help"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    for option in (word for word in rest if word.startswith("-")):
        assert re.search(rf"(?<![\w-]){option}\b", run.stdout), f"docker compose {verb} has no {option}"
    if verb == "exec":
        assert rest[1] == "daogou"
        check_daogou(rest[2:])


@pytest.mark.parametrize("command", all_commands())
def test_command_exists(command: str) -> None:
    program, *arguments = shlex.split(command)
    match program:
        case "make":
            check_make(arguments)
        case "daogou":
            check_daogou(arguments)
        case "docker":
            assert arguments.pop(0) == "compose"
            check_compose(arguments)
        case "source":
            assert arguments == [".venv/bin/activate"]
        case "git" | "cd":
            pass
        case _:
            pytest.fail(f"nobody checks this command: {command}")


@pytest.mark.parametrize("name", ["up", "serve", "ui", "ask", "search", "ingest", "doctor", "vram", "where"])
def test_help_of_every_command(name: str) -> None:
    result = CliRunner().invoke(cli, [name, "--help"])
    assert result.exit_code == 0
    assert name in result.output


def test_doctor_of_the_readme_runs(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "serving.cli", "doctor"],
        cwd=ROOT,
        env=os.environ | {"DAOGOU_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode in (0, 1), run.stderr
    assert "python" in run.stdout
    assert run.stderr == ""


@pytest.mark.graph
@pytest.mark.parametrize("readme", READMES)
def test_python_snippet_runs_against_the_assistant(readme: str, assistant: Running) -> None:
    (snippet,) = blocks(readme, "python")
    assert "http://127.0.0.1:8000/v1" in snippet
    here = snippet.replace("http://127.0.0.1:8000", assistant.api_url)
    run = subprocess.run([sys.executable, "-c", here], capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert [line for line in lines if re.match(r"\d+ .+'currency'", line)]
    assert lines[-1]


@pytest.mark.graph
@pytest.mark.parametrize("command", [c for c in commands("README.md") if c.startswith(("daogou ask", "daogou search"))])
def test_question_of_the_readme_is_answered(command: str, assistant: Running) -> None:
    arguments = shlex.split(command)[1:]
    run = subprocess.run(
        [sys.executable, "-m", "serving.cli", *arguments],
        cwd=ROOT,
        env=os.environ | {"DAOGOU_API_URL": assistant.api_url},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    assert len(run.stdout) > 40


@pytest.mark.parametrize("language", ["csv", "json"])
def test_catalogue_of_the_readme_can_be_read(language: str, tmp_path: Path) -> None:
    (example,) = blocks("README.md", language)
    file = tmp_path / f"products.{language}"
    file.write_text(example)
    feed = read_feed(file)
    assert feed.problems == ()
    (product,) = feed.products
    assert product.id == "BT-01"
    assert set(product.title) == {"en", "zh"}
    assert product.price is not None
    assert product.attributes["colour"]["en"] == "blue"


def test_columns_of_the_readme_are_those_of_a_table(tmp_path: Path) -> None:
    told = [re.findall(r"`(\w+)`", row[0]) for row in table("README.md", "column")]
    columns = [name for names in told for name in names]
    file = tmp_path / "products.csv"
    values = {"title": "Bottle", "price": "5", "currency": "EUR", "stock": "1", "rating": "4", "rating_count": "2"}
    values["url"] = "https://shop.example/bottle"
    file.write_text(",".join(columns) + "\n" + ",".join(values.get(name, "x") for name in columns) + "\n")
    (product,) = read_feed(file).products
    fields = {name for name in columns if name not in ("sku", "currency")}
    assert {name for name in fields if not getattr(product, name)} == set()
    assert product.attributes == {}


# --- tables


def defaults() -> dict[str, str]:
    """Variable → its default as the table writes it."""
    fields = UiSettings.model_fields | Settings.model_fields
    written = {name: "" if f.default is None else str(f.default) for name, f in fields.items()}
    rows = {f"DAOGOU_{name.upper()}": f"`{text}`" if text else "–" for name, text in written.items()}
    return rows | {"RAY_ADDRESS": "–"}  # Ray's own


@pytest.mark.parametrize(("readme", "heading"), [("README.md", "variable"), ("README.zh-CN.md", "变量")])
def test_settings_table_is_complete_and_right(readme: str, heading: str) -> None:
    rows = table(readme, heading)
    assert {row[0].strip("`"): row[1] for row in rows} == defaults()
    assert all(row[2] for row in rows)


@pytest.mark.parametrize("name", [*GUIDES, *(f"docs/{p.name}" for p in sorted((ROOT / "docs").glob("*.md")))])
def test_no_variable_is_made_up(name: str) -> None:
    for_tests = {"DAOGOU_TESTDATA", "DAOGOU_TEST_API_URL", "DAOGOU_TEST_UI_URL"}
    assert set(re.findall(r"\bDAOGOU_[A-Z_]+\b", read(name))) <= defaults().keys() | for_tests


@pytest.mark.parametrize(("readme", "heading"), [("README.md", "profile"), ("README.zh-CN.md", "配置")])
def test_profiles_table_is_the_profiles(readme: str, heading: str) -> None:
    rows = [row[:5] for row in table(readme, heading)]
    assert rows == [[f"`{n}`", p.embedder.name, p.reranker.name, p.guard.name, p.llm.name] for n, p in PROFILES.items()]


def model_row(profile: str, part: str, model: ModelSpec) -> list[str]:
    longest = model.context if isinstance(model, LlmSpec) else model.max_tokens
    name = f"`{model.name}`" if model.source == "builtin" else model.name
    revision = "–" if model.source == "builtin" else f"`{model.revision[:12]}`"
    languages = ", ".join(model.languages)
    return [f"`{profile}`", part, name, revision, model.licence, str(model.dimension or "–"), languages, str(longest)]


def test_models_table_is_the_profiles() -> None:
    expected = [
        model_row(name, part, model)
        for name, profile in PROFILES.items()
        for part, model in (
            ("embedder", profile.embedder),
            ("reranker", profile.reranker),
            ("guard", profile.guard),
            ("language model", profile.llm),
        )
    ]
    right = "\n".join("| " + " | ".join(row) + " |" for row in expected)
    assert table("docs/models.md", "profile") == expected, f"docs/models.md should have:\n{right}"


def test_dependencies_are_told_with_their_locked_version() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    rows = re.findall(r"^\| ([\w.-]+) \| (\d\S*) \| (\S[^|]*) \| (\S[^|]*) \|$", read("docs/dependencies.md"), re.M)
    told = {normal(name): version for name, version, _, _ in rows}
    direct = {normal(r) for r in [*project["dependencies"], *(r for extra in extras.values() for r in extra)]}
    versions = locked("gpu") | locked("dev")
    assert told == {name: versions[name] for name in direct}


# --- two languages, one content


def test_both_languages_say_the_same() -> None:
    english, chinese = (read(name) for name in READMES)

    def skeleton(text: str) -> list[str]:
        return re.findall(r"^(#+) ", text, re.M)

    assert skeleton(english) == skeleton(chinese)
    assert commands("README.md") == commands("README.zh-CN.md")
    for language in ("python", "csv", "json"):
        assert blocks("README.md", language) == blocks("README.zh-CN.md", language)
    for pattern in (r"\]\(([^)]+)\)", r"https?://[^\s>)`\"，。]+", r"<!--.*?-->"):
        swapped = [found.replace("README.zh-CN.md", "README.md") for found in re.findall(pattern, chinese)]
        assert [found.replace("README.zh-CN.md", "README.md") for found in re.findall(pattern, english)] == swapped


@pytest.mark.parametrize(
    "name", [*GUIDES, "requirements/README.md", *(f"docs/{p.name}" for p in sorted((ROOT / "docs").glob("*.md")))]
)
def test_links_lead_somewhere(name: str) -> None:
    here = (ROOT / name).parent
    links = [link for link in re.findall(r"\[[^\]]*\]\(([^)#]+)[^)]*\)", read(name)) if ":" not in link]
    assert [link for link in links if not (here / link).exists()] == []
