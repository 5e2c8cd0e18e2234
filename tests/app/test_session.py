"""What the page keeps of a conversation, and what it sends along with the next question."""

from __future__ import annotations

import json
from typing import Any

from app.events import Event, parse
from app.session import Session, Turn


def event(**fields: Any) -> Event:
    found = parse(json.dumps({"daogou": {"event": fields}}))
    assert found is not None
    return found


def answered(session: Session, question: str, words: str) -> Turn:
    turn = session.begin(question)
    turn.fold(event(type="text", text=words))
    turn.finish()
    return turn


def test_a_turn_folds_its_events() -> None:
    turn = Session().begin("bags")
    item = {"number": 1, "product": {"id": "p", "title": {"en": "Tote"}}, "score": 1}
    turn.fold(event(type="understood", lang="zh", query="bags", chips=[{"kind": "x", "value": 1, "label": "有货"}]))
    turn.fold(event(type="shelf", items=[item]))
    turn.fold(event(type="notice", code="c", message="Mind."))
    turn.fold(event(type="text", text="One "))
    turn.fold(event(type="text", text="two."))
    turn.fold(event(type="trace", request_id="r", stages=[{"name": "embed", "start": 0, "ms": 5}], total_ms=9))
    turn.fold(event(type="done", state={"version": 1}, follow_ups=["more?"]))
    turn.finish()
    assert (turn.lang, turn.text, turn.status) == ("zh", "One two.", "done")
    assert (turn.chips, turn.notices, turn.follow_ups) == (("有货",), ("Mind.",), ("more?",))
    assert turn.shelf[0].product.title == {"en": "Tote"}
    assert turn.state == {"version": 1}
    assert turn.trace is not None
    assert turn.trace.stages[0].ms == 5


def test_an_error_event_ends_the_turn() -> None:
    turn = Session().begin("bags")
    turn.fold(event(type="error", code="retrieval_failed", message="…"))
    turn.finish()
    assert (turn.status, turn.reason) == ("failed", "retrieval_failed")


def test_only_answered_turns_are_sent_along() -> None:
    session = Session()
    answered(session, "one", "first")
    session.begin("unanswered").fail("unreachable")
    refused = session.begin("bad")
    refused.fold(event(type="refusal", category="weapons", message="No."))
    last = session.begin("two")
    assert [message["content"] for message in session.messages(last)] == ["one", "first", "two"]


def test_a_stopped_answer_is_sent_as_far_as_it_came() -> None:
    session = Session()
    turn = session.begin("one")
    turn.fold(event(type="text", text="half"))
    turn.stop()
    assert [m["content"] for m in session.messages(session.begin("two"))] == ["one", "half", "two"]


def test_a_long_conversation_is_sent_in_part() -> None:
    session = Session()
    for number in range(40):
        answered(session, f"q{number}", f"a{number}")
    messages = session.messages(session.begin("last"))
    assert len(messages) == 33
    assert messages[0] == {"role": "user", "content": "q24"}
    assert messages[-1] == {"role": "user", "content": "last"}


def test_clearing_forgets_all() -> None:
    session = Session()
    answered(session, "one", "first")
    session.state = {"version": 1}
    session.clear()
    assert session == Session(epoch=1)
