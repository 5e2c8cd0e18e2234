"""The report of a feed, made for the service by a process that gets the processor only when nothing else wants it.

`python -m serving.child serving.feed_report`: an `Order` as one JSON line on its input, an `Answer` on its output.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from serving import child
from serving.feed_choices import Choice

FEEDS = "feeds"  # in the home: what the owner sent, and the rows that were left out
_QUARANTINE = "quarantine.csv"


class Order(BaseModel):
    """`choice` None: what was remembered. `before_load`: remember it, and write the rows that are left out."""

    home: Path
    path: Path
    choice: Choice | None = None
    before_load: bool = False


class Answer(BaseModel):
    """The report, or why there is none."""

    report: dict[str, Any] | None = None
    unusable: str = ""


async def report_apart(order: Order) -> Answer:
    """Cancelled, the process is ended. Raises ChildProcessError where it ends before it has answered."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "serving.child", "serving.feed_report"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {child.PARENT_VARIABLE: str(os.getpid())},
    )
    try:
        told, _ = await process.communicate(order.model_dump_json().encode() + b"\n")
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
    if process.returncode != 0 or not told:
        raise ChildProcessError(f"the process that reads {order.path} ended with {process.returncode}")
    return Answer.model_validate_json(told)


def make(order: Order) -> dict[str, Any]:
    """As `daogou ingest --dry-run --json`, with the words for its kinds and the roles that columns can have.

    Raises UserError.
    """
    from retrieval.feeds.mapping import ATTRIBUTE, ROLES
    from retrieval.feeds.mending import KINDS
    from serving.commands.report import Look
    from serving.feed_choices import recall, remember

    choice = recall(order.home, order.path) if order.choice is None else order.choice
    looked = Look.at(order.path, choice)
    written: list[Path] = []
    if order.before_load:
        remember(order.home, order.path, choice)
        written = _leave_out(looked, order.home / FEEDS / _QUARANTINE)
        for file in written:  # mended and sent again, it is read in the same way
            remember(order.home, file, choice)
    kinds = {name: {"severity": kind.severity, "en": kind.en, "zh": kind.zh} for name, kind in KINDS.items()}
    report = looked.report.as_json()
    return {
        "source": str(order.path),
        **report,
        "quarantine": [str(file) for file in written],
        "choice": choice.model_dump(),
        "kinds": {name: kinds[name] for name in report["counts"]},
        "roles": [ATTRIBUTE, *(role for role in ROLES if role != ATTRIBUTE)],
    }


def _leave_out(looked: Any, path: Path) -> list[Path]:
    from retrieval.feeds.quarantine import write_quarantine
    from serving.messages import UserError

    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        return write_quarantine(looked.feed, looked.report, path)
    except OSError as error:
        raise UserError(f"Rows left out cannot be written: {error.strerror}.", where=str(path)) from error


def main() -> None:
    """Answer the order on the input."""
    from serving.idle import be_idle
    from serving.messages import UserError

    be_idle()
    output, sys.stdout = sys.stdout, sys.stderr  # what a library prints is no answer
    order = Order.model_validate_json(sys.stdin.readline())
    try:
        answer = Answer(report=make(order))
    except UserError as error:
        answer = Answer(unusable=" ".join(filter(None, (error.what, error.where, error.mend))))
    told = json.dumps(answer.model_dump(), ensure_ascii=False)
    output.buffer.write(told.encode("utf-8", "replace"))  # half a character of a feed is nothing that JSON can hold
    output.flush()


if __name__ == "__main__":
    main()
