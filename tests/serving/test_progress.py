"""A long load says how fast it goes and how long it will take."""

from __future__ import annotations

import pytest

from serving.progress import Pace
from serving.stages.base import Part


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def part(done: int, what: str = "reading a.csv", total: int = 1000) -> Part:
    return Part("catalogue", "loading", what, done, total)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    return Clock()


def test_the_pace_is_that_of_what_was_done_since_it_was_first_seen(clock: Clock) -> None:
    pace = Pace(clock)
    assert pace.told(part(0)) == ""
    clock.now = 20.0  # the embedder loads
    assert pace.told(part(0)) == ""
    clock.now = 21.0
    assert pace.told(part(64)) == "", "the first products are where it begins"
    clock.now = 22.0
    assert pace.told(part(96)) == "", "too short to tell"
    clock.now = 31.0
    assert "30 a second, 21 s left" in pace.told(part(364))
    assert "60 min left" in pace.told(part(364, total=108_364))
    assert pace.told(part(1000)) == "", "nothing is left"


def test_another_load_has_a_pace_of_its_own(clock: Clock) -> None:
    pace = Pace(clock)
    pace.told(part(100))
    clock.now = 10.0
    assert pace.told(part(200)) != ""
    assert pace.told(part(10)) == "", "begun again"
    assert pace.told(part(500, "reading b.csv")) == ""
    clock.now = 20.0
    assert "10 a second, 40 s left" in pace.told(part(600, "reading b.csv"))
