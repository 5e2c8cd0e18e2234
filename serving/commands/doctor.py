"""`daogou doctor`."""

from __future__ import annotations

import json
from dataclasses import asdict

import typer
from rich.console import Console

from serving.doctor import examine
from serving.messages import both
from serving.settings import Settings

_MARKS = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red")}


def print_findings(settings: Settings, *, as_json: bool) -> int:
    """Print every finding. Returns the exit code: 1 if one fails."""
    findings = examine(settings)
    failed = sum(finding.state == "fail" for finding in findings)
    if as_json:
        report = {"ok": failed == 0, "profile": settings.profile, "checks": [asdict(finding) for finding in findings]}
        typer.echo(json.dumps(report, ensure_ascii=False, indent=2))
        return int(failed > 0)
    console = Console(highlight=False)
    for finding in findings:
        mark, style = _MARKS[finding.state]
        console.print(f"{mark} {finding.name}: {finding.found}", style=style, markup=False, soft_wrap=True)
        if finding.mend:
            console.print(f"    {finding.mend}", markup=False, soft_wrap=True)
    summary = both(f"{failed} of {len(findings)} checks fail.", f"{len(findings)} 项检查中有 {failed} 项不通过。")
    console.print(summary if failed else both("Nothing stands in the way.", "没有发现阻碍运行的问题。"))
    return int(failed > 0)
