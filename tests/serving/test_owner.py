"""The owner's key: made once, private, and the only one that opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from serving.owner import is_owner, owner_key


def test_one_key_for_a_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    key = owner_key(home)
    assert len(key) >= 32
    assert owner_key(home) == key
    assert (home / "owner.key").stat().st_mode & 0o077 == 0
    assert [path.name for path in home.iterdir()] == ["owner.key"]
    assert owner_key(tmp_path / "other") != key


def test_only_the_key_opens(tmp_path: Path) -> None:
    key = owner_key(tmp_path)
    assert is_owner(tmp_path, f"Bearer {key}")
    for wrong in (None, "", "Bearer ", f"Bearer {key}x", "Bearer 密码", key[:-1]):
        assert not is_owner(tmp_path, wrong)


@pytest.mark.parametrize("header", [None, "", "Bearer ", "Bearer"])
def test_a_key_file_that_was_cut_off_lets_nobody_in(tmp_path: Path, header: str | None) -> None:
    owner_key(tmp_path)
    (tmp_path / "owner.key").write_text("")
    assert not is_owner(tmp_path, header)
