"""A pytest plugin: the last line of a run says how many tests were skipped, so that nobody overlooks it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


class _Tally:
    def __init__(self) -> None:
        self.line = ""

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
        count = {kind: len(terminalreporter.stats.get(kind, ())) for kind in ("passed", "failed", "error", "skipped")}
        self.line = (
            f"tests: {count['passed']} passed, {count['failed'] + count['error']} failed, {count['skipped']} skipped"
        )
        return (yield)

    def pytest_unconfigure(self, config: pytest.Config) -> None:
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        if self.line and reporter is not None:
            reporter.write_line(self.line)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Tally(), "tally")
