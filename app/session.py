"""One shopper's conversation, kept by the page for as long as the tab is open."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from app import events
from app.events import Event, ShelfItem

Status = Literal["thinking", "waiting", "writing", "done", "stopped", "failed"]

_MOST_MESSAGES = 32  # that are sent along with a question


@dataclass
class Turn:
    """A question and what has come of its answer so far.

    `reason` is the code of what it waits for ("waiting") or why it ended ("failed").
    """

    number: int
    question: str
    status: Status = "thinking"
    lang: str | None = None
    text: str = ""
    reason: str = ""
    refused: bool = False
    chips: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    shelf: tuple[ShelfItem, ...] = ()
    follow_ups: tuple[str, ...] = ()
    trace: events.Trace | None = None
    state: dict[str, Any] | None = None

    @property
    def running(self) -> bool:
        return self.status in ("thinking", "waiting", "writing")

    def fold(self, event: Event) -> None:
        """Take one event in."""
        match event:
            case events.Understood():
                self.lang = event.lang
                self.chips = tuple(chip.label for chip in event.chips)
            case events.Shelf():
                self.shelf = event.items
            case events.Text():
                self.text += event.text
                self.status = "writing"
            case events.Notice():
                self.notices += (event.message,)
            case events.Refusal():
                self.text, self.refused = event.message, True
            case events.Trace():
                self.trace = event
            case events.Done():
                self.state, self.follow_ups = event.state, event.follow_ups
            case events.Error():
                self.fail(event.code)

    def wait(self, reason: str) -> None:
        """Back to the start: the question will be asked again."""
        self.status, self.reason = "waiting", reason
        self.text, self.notices, self.chips = "", (), ()

    def fail(self, reason: str) -> None:
        self.status, self.reason = "failed", reason

    def stop(self) -> None:
        self.status = "stopped"

    def finish(self) -> None:
        """The stream is over."""
        if self.running:
            self.status, self.reason = "done", ""


@dataclass
class Session:
    """All turns since the tab was opened or the chat was cleared; `epoch` counts the clearings."""

    epoch: int = 0
    turns: list[Turn] = field(default_factory=list)
    state: dict[str, Any] | None = None

    def begin(self, question: str) -> Turn:
        number = self.turns[-1].number + 1 if self.turns else 1
        turn = Turn(number=number, question=question)
        self.turns.append(turn)
        return turn

    def messages(self, turn: Turn) -> list[dict[str, str]]:
        """The conversation up to `turn`'s question, as the service takes it. Turns without an answer are left out."""
        found: list[dict[str, str]] = []
        for earlier in self.turns:
            if earlier.number < turn.number and earlier.text and not earlier.refused:
                found += [
                    {"role": "user", "content": earlier.question},
                    {"role": "assistant", "content": earlier.text},
                ]
        return [*found[-_MOST_MESSAGES:], {"role": "user", "content": turn.question}]

    def clear(self) -> None:
        self.epoch += 1
        self.turns.clear()
        self.state = None
