"""Nothing leaves the machine: the whole assistant starts, answers and stops while its only way out is watched."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Assistant, free_port

pytestmark = [pytest.mark.graph, pytest.mark.timeout(420)]


@pytest.mark.skipif(
    os.geteuid() != 0 or not (shutil.which("unshare") and shutil.which("ip")),
    reason="needs root, unshare and ip (iproute2) for a network namespace",
)
def test_no_packet_leaves_the_machine(assistant: Assistant, tmp_path: Path) -> None:
    script = Path(__file__).with_name("offline_run.py")
    command = ["unshare", "--net", sys.executable, str(script), str(free_port()), str(free_port())]
    env = os.environ | {"DAOGOU_HOME": str(tmp_path / "home"), "DAOGOU_CACHE": str(assistant.home / "models")}
    run = subprocess.run(command, env=env, capture_output=True, text=True, timeout=400, check=False)
    assert run.returncode == 0, run.stderr[-4000:]
    seen = json.loads(run.stdout.splitlines()[-1])
    assert any("198.51.100.7" in packet for packet in seen["control"]), "the way out is watched"
    assert "①" in json.dumps(json.loads(seen["answer"]), ensure_ascii=False)
    assert seen["page"] == 200
    assert seen["sent"] == []
