"""What the shop said of its feeds, remembered in the home: the meaning of columns, and the currency."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

from serving.messages import UserError, both

FILE = "feeds.json"


class Choice(BaseModel):
    """For one feed. `mapping`: role → header, "" where there is no such column."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mapping: dict[str, str] = Field(default_factory=dict)
    currency: str | None = Field(default=None, pattern=r"^[A-Z]{3}$")

    @property
    def reading(self) -> dict[str, Any]:
        """As arguments of `retrieval.feeds.detect.read`."""
        return self.model_dump(exclude_defaults=True)


class _Choices(RootModel[dict[str, Choice]]):
    """By the absolute path of the feed."""


def recall(home: Path, path: Path) -> Choice:
    """What was said of the feed at `path`. Raises UserError where the file cannot be read."""
    return _load(home).get(str(path), Choice())


def remember(home: Path, path: Path, choice: Choice) -> None:
    """Raises UserError where the file cannot be read or written."""
    choices = _load(home) | {str(path): choice}
    fresh = home / f".{FILE}.{os.getpid()}"
    try:
        fresh.write_text(_Choices(choices).model_dump_json(indent=2, exclude_defaults=True), encoding="utf-8")
        fresh.replace(home / FILE)
    except OSError as error:
        raise UserError(f"{error.strerror}.", where=str(home / FILE)) from error


def _load(home: Path) -> dict[str, Choice]:
    try:
        return _Choices.model_validate_json((home / FILE).read_bytes()).root
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError) as error:
        raise UserError(
            both("What was remembered of feeds cannot be read.", "无法读取为各文件记住的设置。"),
            where=str(home / FILE),
            mend=both("correct the file, or delete it and say --map again.", "请改正或删除该文件，再重新指定 --map。"),
        ) from error
