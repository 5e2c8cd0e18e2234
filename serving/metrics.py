"""Figures for Prometheus, of this process."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from serving.events import Done, Error, Event, Notice, Refusal, Shelf, Trace

REGISTRY = CollectorRegistry()
_SECONDS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 6, 12, 30, 60)

_TURNS = Counter("daogou_turns_total", "Turns by how they ended", ["outcome"], registry=REGISTRY)
_NOTICES = Counter("daogou_notices_total", "Notices shown to shoppers", ["code"], registry=REGISTRY)
_RUNNING = Gauge("daogou_turns_running", "Turns being answered now", registry=REGISTRY)
_EMPTY = Counter("daogou_empty_shelves_total", "Turns for which no product was found", registry=REGISTRY)
_FIRST_TEXT = Histogram("daogou_first_text_seconds", "Question to first text", buckets=_SECONDS, registry=REGISTRY)
_TOTAL = Histogram("daogou_turn_seconds", "Question to end of answer", buckets=_SECONDS, registry=REGISTRY)
_STAGE = Histogram("daogou_stage_seconds", "Time of each stage", ["stage"], buckets=_SECONDS, registry=REGISTRY)
_TOGETHER = Histogram(
    "daogou_pass_turns", "Turns that shared a retrieval pass", buckets=(1, 2, 4, 8, 16, 32, 64), registry=REGISTRY
)


class TurnMeter:
    """Counts one turn's events. Use as a context manager around the turn."""

    def __init__(self) -> None:
        self._outcome = "cancelled"

    def __enter__(self) -> TurnMeter:
        _RUNNING.inc()
        return self

    def __exit__(self, *_: object) -> None:
        _RUNNING.dec()
        _TURNS.labels(self._outcome).inc()

    def saw(self, event: Event) -> None:
        match event:
            case Notice():
                _NOTICES.labels(event.code).inc()
            case Shelf(items=()):
                _EMPTY.inc()
            case Refusal():
                self._outcome = "refused"
            case Error():
                self._outcome = "failed"
            case Trace():
                _TOTAL.observe(event.total_ms / 1000)
                if event.first_text_ms is not None:
                    _FIRST_TEXT.observe(event.first_text_ms / 1000)
                _TOGETHER.observe(event.together)
                for stage in event.stages:
                    _STAGE.labels(stage.name).observe(stage.ms / 1000)
            case Done():
                if self._outcome == "cancelled":
                    self._outcome = "answered"
            case _:
                pass


def exposition() -> bytes:
    """All figures in Prometheus's text format."""
    return generate_latest(REGISTRY)
