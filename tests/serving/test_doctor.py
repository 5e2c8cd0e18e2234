"""`daogou doctor`: what it looks at, and that it says how to mend what is wrong."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import jsonschema

from serving.lock import Holder, HomeLock

Daogou = Callable[..., "subprocess.CompletedProcess[str]"]

SCHEMA = {
    "type": "object",
    "required": ["ok", "profile", "checks"],
    "additionalProperties": False,
    "properties": {
        "ok": {"type": "boolean"},
        "profile": {"type": "string"},
        "checks": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "state", "found", "mend"],
                "additionalProperties": False,
                "properties": {
                    "name": {"type": "string", "minLength": 1},
                    "state": {"enum": ["ok", "warn", "fail"]},
                    "found": {"type": "string", "minLength": 1},
                    "mend": {"type": "string"},
                },
            },
        },
    },
}
CHECKS = ["python", "wheels", "weights", "system", "cpu", "gpu", "memory", "shm"]
CHECKS += ["home", "disk", "ui-port", "api-port", "open-files"]


def examined(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, str]]:
    report = json.loads(done.stdout)
    jsonschema.validate(report, SCHEMA)
    checks = {check["name"]: check for check in report["checks"]}
    assert all(check["mend"] for check in checks.values() if check["state"] != "ok")
    assert report["ok"] == all(check["state"] != "fail" for check in checks.values()) == (done.returncode == 0)
    return checks


def test_every_check_reports_and_this_environment_fits(daogou: Daogou) -> None:
    checks = examined(daogou("doctor", "--json"))
    assert list(checks) == CHECKS
    assert {name: checks[name]["state"] for name in ("python", "wheels", "weights", "gpu", "home")} == dict.fromkeys(
        ("python", "wheels", "weights", "gpu", "home"), "ok"
    )


def test_a_taken_port_and_an_unusable_home_fail_and_are_explained(daogou: Daogou, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        env = {"DAOGOU_API_PORT": port, "DAOGOU_HOME": str(tmp_path / "file" / "home")}
        checks = examined(daogou("doctor", "--json", **env))
        shown = daogou("doctor", **env)
    assert checks["api-port"]["state"] == checks["home"]["state"] == "fail"
    assert "DAOGOU_API_PORT" in checks["api-port"]["mend"]
    assert str(os.getpid()) in checks["api-port"]["found"]
    assert shown.returncode == 1
    assert checks["home"]["mend"] in shown.stdout


def test_the_port_of_the_homes_own_service_is_not_a_problem(daogou: Daogou, home: Path) -> None:
    home.mkdir()
    lock = HomeLock(home)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        lock.take(Holder.me("run-1", "serve", api=f"http://127.0.0.1:{port}"))
        try:
            checks = examined(daogou("doctor", "--json", DAOGOU_API_PORT=port))
        finally:
            lock.free()
    assert checks["api-port"]["state"] == "ok"
    assert str(os.getpid()) in checks["api-port"]["found"]


def test_a_profile_that_needs_more_cards_than_there_are_fails(daogou: Daogou) -> None:
    checks = examined(daogou("doctor", "--json", DAOGOU_PROFILE="gpu-70b", PATH="/usr/bin-without-nvidia-smi"))
    assert checks["gpu"]["state"] == "fail"
    assert "needs 4" in checks["gpu"]["mend"]


def test_a_missing_system_command_is_named_with_its_package(daogou: Daogou, tmp_path: Path) -> None:
    run = daogou("doctor", "--json", PATH=str(tmp_path))
    (finding,) = [check for check in json.loads(run.stdout)["checks"] if check["name"] == "system"]
    assert finding["state"] == "fail"
    assert "lscpu" in finding["found"]
    assert "util-linux" in finding["mend"]
