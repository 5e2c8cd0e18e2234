"""The key that lets the shop's owner change the catalogue: made once, kept in the home, readable by its user only."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

_FILE = "owner.key"


def owner_key(home: Path) -> str:
    """The key of this home; makes it where there is none. Raises OSError where the home cannot be written."""
    path = home / _FILE
    if not path.exists():
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}")
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(32))
        try:
            os.link(fresh, path)  # the first of two processes wins, and nobody reads half a key
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text().strip()


def is_owner(home: Path, authorization: str | None) -> bool:
    """Whether an `Authorization: Bearer …` header carries the key of this home."""
    given, key = (authorization or "").removeprefix("Bearer "), owner_key(home)
    return key != "" and secrets.compare_digest(given.encode(), key.encode())
