"""All checks of a machine, for `daogou doctor`, and those that a start cannot do without."""

from __future__ import annotations

from serving import checks, packages
from serving.checks import Finding
from serving.lock import holder_of
from serving.messages import UserError, both
from serving.settings import Settings


def examine(settings: Settings) -> list[Finding]:
    """Every check, in the order in which to mend things."""
    running = holder_of(settings.home)
    return [
        packages.python(),
        packages.wheels(settings),
        packages.weights(settings),
        packages.system(settings),
        checks.cpu(settings),
        checks.gpu(settings),
        checks.memory(settings, running),
        checks.shared_memory(),
        checks.home(settings),
        checks.disk(settings),
        checks.port(settings, "ui", running),
        checks.port(settings, "api", running),
        checks.open_files(),
    ]


def preflight(settings: Settings, *, page: bool, service: bool) -> list[Finding]:
    """What must hold before a start. Returns the warnings; raises UserError for the first thing that fails."""
    if page and service and settings.ui_port == settings.api_port:
        raise UserError(
            both("The page and the API cannot share one port.", "页面与接口不能使用同一个端口。"),
            where=f"DAOGOU_UI_PORT=DAOGOU_API_PORT={settings.ui_port}",
            mend=both("give them different ports.", "请为两者设置不同的端口。"),
        )
    if service and settings.cells > 1 and settings.qdrant_url is None:
        raise UserError(
            both(
                "The embedded catalogue belongs to one cell: no second process can open it.",
                "嵌入式商品目录只能由一个单元使用：第二个进程无法打开它。",
            ),
            where=f"DAOGOU_CELLS={settings.cells}",
            mend=both(
                "run a Qdrant server and set DAOGOU_QDRANT_URL, or set DAOGOU_CELLS=1.",
                "请运行 Qdrant 服务器并设置 DAOGOU_QDRANT_URL，或把 DAOGOU_CELLS 设为 1。",
            ),
        )
    found = []
    if service:
        found += [packages.weights(settings), checks.memory(settings), checks.shared_memory()]
        if settings.ray_address is None or (settings.cells == 1 and settings.stages == "cell"):
            found += [checks.gpu(settings), checks.port(settings, "api")]  # else the cluster's, and a proxy may have it
    if page:
        found.append(checks.port(settings, "ui"))
    for finding in found:
        if finding.state == "fail":
            raise UserError(finding.found, where=f"{finding.name} ({settings.profile})", mend=finding.mend)
    return [finding for finding in found if finding.state == "warn"]
