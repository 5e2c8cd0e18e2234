from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from serving.settings import RUN_DIR_VARIABLE, Settings, address


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("::", "http://127.0.0.1:8000"),
        ("::1", "http://[::1]:8000"),
        ("shop.example", "http://shop.example:8000"),
    ],
)
def test_where_a_server_is_reached(host: str, url: str) -> None:
    assert address(host, 8000) == url
    assert Settings(api_host=host, _env_file=None).service_url == url


@pytest.mark.parametrize(("temporary", "short"), [("/var/tmp", True), ("/var/folders/zz/zyxvpxvq6csfx/T", False)])
def test_a_run_lies_in_tmpdir_unless_that_is_too_long_for_sockets(
    monkeypatch: pytest.MonkeyPatch, temporary: str, short: bool
) -> None:
    monkeypatch.delenv(RUN_DIR_VARIABLE, raising=False)
    monkeypatch.setattr(tempfile, "tempdir", temporary)
    folder = Settings(home=Path("/srv/shop"), _env_file=None).run_dir
    assert folder.parent == Path(temporary if short else "/tmp")
    sockets = folder / "ray/session_2026-12-01_00-00-00_000000_1234567/sockets/plasma_store"
    assert len(str(sockets)) <= 107


def test_an_empty_variable_is_as_if_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DAOGOU_HOME", "DAOGOU_API_PORT", "DAOGOU_PROFILE", "DAOGOU_CATALOGUE"):
        monkeypatch.setenv(name, "")
    settings = Settings(_env_file=None)
    assert (settings.home, settings.api_port) == (Path("~/.daogou").expanduser(), 8000)
    assert (settings.profile, settings.catalogue) == ("embedded", None)
