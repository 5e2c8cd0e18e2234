"""`daogou watch`: what is dropped into a folder is loaded; tables of prices and stocks change single products."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import typer
from pydantic import TypeAdapter, ValidationError

from retrieval.feeds.base import FeedError
from retrieval.feeds.changes import Changes, read_changes
from serving.change import MOST
from serving.commands.ingest import ingest_file
from serving.commands.report import Wishes
from serving.door import Door
from serving.feed_choices import recall
from serving.messages import UserError, both
from serving.owner import owner_key
from serving.settings import Settings

_FILE = "watched.json"
_ROUND_SECONDS = 2.0
_SHOWN_PROBLEMS = 10
_TEMPORARY = (".tmp", ".part", ".crdownload", ".swp")

Stamp = tuple[int, int]  # size in bytes, time of change in ns

_STAMPS = TypeAdapter(dict[str, Stamp])


class Watch:
    """Follows `folder`. `handle` gets each file that is complete and new; a file is complete once it stands still."""

    def __init__(self, folder: Path, memory: Path, handle: Callable[[Path], None]) -> None:
        self._folder, self._memory, self._handle = folder, memory, handle
        self._before: dict[str, Stamp] = {}
        self._done = self._remembered()

    def round(self) -> int:
        """Look once; how many files were handled. Raises UserError where the folder is gone."""
        stamps = dict(self._stamps())
        still = [name for name, stamp in stamps.items() if self._before.get(name) == stamp]
        self._before = stamps
        new = [name for name in still if self._done.get(name) != stamps[name]]
        for name in new:
            self._handle(Path(name))
            self._done = {
                known: stamp for known, stamp in self._done.items() if known in stamps or not self._ours(known)
            }
            self._done[name] = stamps[name]
            fresh = self._memory.with_suffix(".new")
            fresh.write_bytes(_STAMPS.dump_json(self._done))
            fresh.replace(self._memory)
        return len(new)

    def _ours(self, name: str) -> bool:
        return Path(name).parent == self._folder

    def _stamps(self) -> Iterator[tuple[str, Stamp]]:
        try:
            for file in sorted(self._folder.iterdir()):
                if file.is_file() and not file.name.startswith(".") and file.suffix.lower() not in _TEMPORARY:
                    about = file.stat()
                    yield str(file), (about.st_size, about.st_mtime_ns)
        except OSError as error:
            raise UserError(
                both(f"The folder cannot be watched: {error.strerror}.", f"无法监视该文件夹：{error.strerror}。"),
                where=str(self._folder),
            ) from error

    def _remembered(self) -> dict[str, Stamp]:
        try:
            return _STAMPS.validate_json(self._memory.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValidationError) as error:
            raise UserError(
                both("What was loaded before cannot be read.", "无法读取已载入文件的记录。"),
                where=str(self._memory),
                mend=both(
                    "delete the file; everything in the folder is then loaded again.", "请删除该文件，重新载入全部。"
                ),
            ) from error


def watch_folder(settings: Settings, folder: Path, *, once: bool) -> None:
    """Until Ctrl-C, or with `once` what is there now. Raises UserError, code 3 where no service runs."""
    door = Door.of(settings, owner_key(settings.home))
    door.get("/v1/models", holds="data")  # tells where no service answers

    def handle(file: Path) -> None:
        typer.echo(file.name)
        try:
            _load(settings, door, file)
        except UserError as error:
            if error.code == 3:
                raise
            typer.echo(f"  {error}", err=True)

    watch = Watch(folder.expanduser().absolute(), settings.home / _FILE, handle)
    watch.round()
    if not once:
        typer.echo(both(f"Watching {folder}. Stop with Ctrl-C.", f"正在监视 {folder}，按 Ctrl-C 停止。"))
    while True:
        time.sleep(_ROUND_SECONDS)
        handled = watch.round()
        if once and not handled:
            return


def _load(settings: Settings, door: Door, file: Path) -> None:
    """Raises UserError."""
    try:
        changes = read_changes(file, recall(settings.home, file).currency)
    except FeedError as error:
        raise UserError(str(error)) from error
    if changes is None:
        ingest_file(settings, file, Wishes(), as_json=False)
        return
    changed, problems = _send(door, changes)
    typer.echo(both(f"  {changed} products changed", f"  已更新 {changed} 件商品"))
    for problem in problems[:_SHOWN_PROBLEMS]:
        typer.echo(f"  {problem}", err=True)
    if (more := len(problems) - _SHOWN_PROBLEMS) > 0:
        typer.echo(both(f"  and {more} more", f"  另有 {more} 处"), err=True)


def _send(door: Door, changes: Changes) -> tuple[int, list[str]]:
    changed, problems = 0, [str(problem) for problem in changes.problems]
    fields = iter(changes.fields)
    while part := list(islice(fields, MOST // 2)):
        answer = door.patch("/v1/catalogue/products", {"products": part})
        changed += answer["patched"]
        problems += [
            f"{part[problem['row'] - 1]['id']}: {problem['column']} {json.dumps(problem['value'])}: {problem['what']}"
            for problem in answer["problems"]
        ]
    return changed, problems
