"""`daogou where` against Ray's and the system's own word."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Any

import psutil
import pytest

from serving.where import ranges
from tests.conftest import Assistant, daogou


@pytest.mark.parametrize(
    ("numbers", "written"),
    [([], ""), ([3], "3"), ([0, 1, 2, 3], "0-3"), ([8, 0, 1, 3, 2, 10, 11], "0-3,8,10-11"), ([5, 5], "5")],
)
def test_cores_are_written_as_the_kernel_does(numbers: list[int], written: str) -> None:
    assert ranges(numbers) == written


def ask_where(api_url: str, *options: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"DAOGOU_API_URL": api_url}
    return subprocess.run(daogou("where", *options), env=env, capture_output=True, text=True, check=False)


def ray_address(assistant: Assistant) -> str:
    """As Ray's own daemon was told it."""
    lines = [process.cmdline() for process in assistant.processes() if process.name() == "raylet"]
    return next(word.partition("=")[2] for word in lines[0] if word.startswith("--gcs-address="))


TABLE = """
import json, sys
from ray._private.state import GlobalStateAccessor
from ray._raylet import GcsClientOptions
from ray.core.generated.gcs_pb2 import ActorTableData

options = GcsClientOptions.create(sys.argv[1], None, allow_cluster_id_nil=True, fetch_cluster_id_if_nil=False)
accessor = GlobalStateAccessor(options)
assert accessor.connect()
rows = [ActorTableData.FromString(row) for row in accessor.get_actor_table(None, None)]
alive = [row for row in rows if row.state == ActorTableData.ALIVE]
print(json.dumps({row.pid: [row.node_id.hex(), list(row.required_resources)] for row in alive}))
"""


def actors(assistant: Assistant) -> dict[int, tuple[str, str, int]]:
    """Node, group and bundle of each actor that lives, by process, from Ray's own table.

    What Ray took for an actor is named `CPU_group_<bundle>_<group>`.
    """
    env = os.environ | {"RAY_AUTH_MODE": "token"}  # as Ray does for a cluster that it starts
    command = [sys.executable, "-c", TABLE, ray_address(assistant)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    table = {}
    for pid, (node, resources) in json.loads(done.stdout.splitlines()[-1]).items():
        for found in filter(None, (re.fullmatch(r"CPU_group_(\d+)_(\w+)", name) for name in resources)):
            table[int(pid)] = node, found[2], int(found[1])
    return table


@pytest.mark.graph
def test_gateway_and_encoders_are_in_one_group_and_the_engine_below_the_gateway(assistant: Assistant) -> None:
    if assistant.pid is None:
        pytest.skip("looks at the processes of an assistant that this run has started")
    done = subprocess.run(
        daogou("where", "--json"),
        env={"DAOGOU_API_URL": assistant.api_url},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    where: dict[str, Any] = json.loads(done.stdout)
    table = actors(assistant)
    for part, bundle in (("gateway", 0), ("encoders", 1)):
        own = where[part]
        assert table[own["pid"]] == (own["node"], own["group"], own["bundle"])
        assert own["bundle"] == bundle
    assert where["gateway"]["group"] == where["encoders"]["group"] == where["llm"]["group"]
    belonging = {process.pid for process in assistant.processes()}
    for part in ("gateway", "encoders", "llm"):
        for process in where[part]["processes"]:
            assert process["pid"] in belonging
            assert process["cores"] == ranges(psutil.Process(process["pid"]).cpu_affinity() or [])
            assert process["mib"] > 50
    assert len(where["llm"]["processes"]) == 2, "the engine's own process and its core"


@pytest.mark.graph
def test_where_is_readable(assistant: Assistant) -> None:
    done = ask_where(assistant.api_url)
    assert done.returncode == 0, done.stderr
    for word in ("gateway", "encoders", "llm", "catalogue", "ready"):
        assert word in done.stdout


def test_where_without_a_service_says_so() -> None:
    done = ask_where("http://127.0.0.1:9")
    assert done.returncode == 3
    assert "daogou up" in done.stderr
