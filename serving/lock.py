"""One home, one owner: the lock of `DAOGOU_HOME`, and a note beside it that says who holds it."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
from filelock import FileLock, Timeout
from pydantic import BaseModel, ValidationError

from serving.messages import UserError, both

LOCK, NOTE = "daogou.lock", "daogou.json"


class Holder(BaseModel):
    """Who owns a home. `born` is the process's start time: a pid alone may belong to somebody else by now."""

    pid: int
    born: float
    run: str  # value of DAOGOU_RUN in every process of this run
    command: str  # "up", "serve", "ingest"
    page: str | None = None
    api: str | None = None

    @classmethod
    def me(cls, run: str, command: str, page: str | None = None, api: str | None = None) -> Holder:
        me = psutil.Process()
        return cls(pid=me.pid, born=me.create_time(), run=run, command=command, page=page, api=api)

    @property
    def alive(self) -> bool:
        try:
            process = psutil.Process(self.pid)
            return abs(process.create_time() - self.born) < 1 and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False


def _note(home: Path) -> Holder | None:
    """The note as it stands, also of a run that is gone; None where there is none or it cannot be read."""
    try:
        return Holder.model_validate_json((home / NOTE).read_bytes())
    except (OSError, ValidationError):
        return None


def holder_of(home: Path) -> Holder | None:
    """The running owner of `home`, if any."""
    note = _note(home)
    return note if note and note.alive else None


def prepare_home(home: Path) -> None:
    """Make `home` (0700) and see that it can be written. Raises UserError."""
    probe = home / f".write-{os.getpid()}"
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        probe.write_bytes(b"daogou")
        probe.unlink()
    except OSError as error:
        raise UserError(
            both(f"The home folder cannot be written: {error.strerror}.", f"数据目录无法写入：{error.strerror}。"),
            where=f"DAOGOU_HOME={home}",
            mend=both(
                "set DAOGOU_HOME to a folder that you may write, or mend its permissions or the disk.",
                "请把 DAOGOU_HOME 设为可写的目录，或修正其权限、腾出磁盘空间。",
            ),
        ) from error


class HomeLock:
    """Owned by one process at a time; the system frees it when that process dies, however it dies."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._lock = FileLock(home / LOCK, timeout=0)

    def take(self, holder: Holder) -> Holder | None:
        """Own the home, which must exist. Returns the note of an earlier owner that died without cleaning up.

        Raises UserError where another process owns it.
        """
        try:
            self._lock.acquire()
        except Timeout:
            raise _busy(self.home) from None
        left = _note(self.home)
        fresh = self.home / f"{NOTE}.new"
        fresh.write_text(holder.model_dump_json())
        fresh.replace(self.home / NOTE)
        return left

    def free(self) -> None:
        """Give the home back; safe to call twice."""
        if self._lock.is_locked:
            (self.home / NOTE).unlink(missing_ok=True)
            self._lock.release()


def _busy(home: Path) -> UserError:
    holder = _note(home)
    if holder is None:
        what = both("This home is in use by another process.", "该数据目录正被另一个进程使用。")
        return UserError(what, where=f"DAOGOU_HOME={home}", mend=_busy_mend())
    what = both(
        f"Daogou already runs on this home: `daogou {holder.command}`, process {holder.pid}.",
        f"该数据目录上已有 Daogou 在运行：`daogou {holder.command}`，进程 {holder.pid}。",
    )
    if holder.page:
        what += both(f" Its page is at {holder.page}", f" 页面地址：{holder.page}")
    elif holder.api:
        what += both(f" Its API is at {holder.api}", f" 接口地址：{holder.api}")
    return UserError(what, where=f"DAOGOU_HOME={home}", mend=_busy_mend(holder.pid))


def _busy_mend(pid: int | None = None) -> str:
    stop = both("stop it first", "请先停止它") + (f" (kill {pid})" if pid else "")
    return both(
        f"use the one that runs, {stop}, or set DAOGOU_HOME to another folder.",
        f"直接使用已运行的服务；{stop}；或把 DAOGOU_HOME 设为另一个目录。",
    )
