"""Daogou as the guest of a Ray cluster that runs already: what it takes and leaves, what it says of a wrong one."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from serving import supervise
from serving.messages import UserError
from tests.serving.test_lifecycle import Started

Daogou = Callable[..., "subprocess.CompletedProcess[str]"]


def test_an_address_where_nobody_answers_is_told_with_what_to_do(daogou: Daogou) -> None:
    done = daogou("serve", RAY_ADDRESS="127.0.0.1:9")
    assert done.returncode == 1
    assert "RAY_ADDRESS=127.0.0.1:9" in done.stderr
    assert "unset it" in done.stderr


@pytest.mark.parametrize("address", ["ray://127.0.0.1:10001", "nonsense"])
def test_an_address_of_another_form_is_refused(address: str) -> None:
    from serving.cluster import join

    with pytest.raises(UserError, match="No Ray cluster answers"):
        join(address)


def test_keys_do_not_travel_where_others_can_read_them(monkeypatch: pytest.MonkeyPatch) -> None:
    from serving.cluster import travelling

    given = {"DAOGOU_RUN": "r1", "DAOGOU_LLM_KEY": "k", "HF_TOKEN": "t", "HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    told = travelling()
    assert {name: told.get(name) for name in given} == given | {"DAOGOU_LLM_KEY": None, "HF_TOKEN": None}


# --- a cluster --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head that is just large enough and a larger node, with somebody else's Serve application."""
    import ray
    from ray import serve
    from ray.cluster_utils import Cluster

    nodes = {"object_store_memory": 100 << 20}
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False, **nodes})
    made.add_node(num_cpus=8, **nodes)
    ray.init(address=made.address, log_to_driver=False, configure_logging=False)
    serve.start(proxy_location="Disabled")
    yield made
    serve.shutdown()
    ray.shutdown()
    made.shutdown()


def searchable(url: str) -> bool:
    try:
        parts = httpx.get(f"{url}/readyz", timeout=5, trust_env=False).json()["parts"]
    except (httpx.TransportError, ValueError, KeyError):
        return False
    return {part["name"] for part in parts if part["state"] == "ready"} >= {"encoders", "catalogue", "gateway"}


@pytest.mark.graph
@pytest.mark.timeout(500)
def test_a_guest_uses_its_host_of_the_cluster_and_leaves_all_of_it_as_it_was(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ray
    from ray import serve
    from ray.util import placement_group_table

    @serve.deployment(ray_actor_options={"num_cpus": 0})
    class Neighbour:
        def __call__(self) -> str:
            return "still here"

    neighbour = serve.run(Neighbour.bind(), name="neighbour", route_prefix=None)
    before = {node["NodeID"] for node in ray.nodes() if node["Alive"]}
    daemons = [child for child in psutil.Process().children(recursive=True) if child.name() in ("gcs_server", "raylet")]
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    guest = Started(tmp_path, "serve")
    try:
        guest.wait_for("it can be searched", lambda: searchable(guest.api))
        (name,) = serve.status().applications.keys() - {"neighbour"}
        assert name.startswith("daogou-")
        (group,) = (row for row in placement_group_table().values() if row["state"] == "CREATED")
        assert set(group["bundles_to_node_id"].values()) == {ray.get_runtime_context().get_node_id()}, "this host"
        found = json.loads(guest.command("search", "lamp", "--json").stdout)
        assert found["data"][0]["product"]["id"] == "l1"
        titles = [process.name() for process in supervise.members(guest.run)]
        assert {"ray::ServeReplica", "ray::EncodersHost"} <= {title.partition(":daogou")[0] for title in titles}
        assert not any(title in ("raylet", "gcs_server") or "Controller" in title for title in titles)

        assert guest.stop(signal.SIGTERM) in (0, 130), guest.said()  # 130: the main model was not there yet
        assert guest.traces() == []
    finally:
        guest.clean()
    assert set(serve.status().applications) == {"neighbour"}
    assert not [row for row in placement_group_table().values() if row["state"] != "REMOVED"]
    assert neighbour.remote().result() == "still here"
    assert {node["NodeID"] for node in ray.nodes() if node["Alive"]} == before
    assert daemons
    assert all(daemon.is_running() for daemon in daemons)


@pytest.mark.graph
@pytest.mark.timeout(120)
def test_serve_ends_with_the_guest_that_started_it_unless_others_use_it(cluster: Any) -> None:
    from ray import serve

    from serving.cluster import leave, note_serve_started, serve_runs

    @serve.deployment(ray_actor_options={"num_cpus": 0})
    class Small:
        pass

    for name in ("mine", "others"):
        serve.run(Small.bind(), name=name, route_prefix=None)
    serve.delete("neighbour")
    note_serve_started("mine")
    leave("mine")
    assert set(serve.status().applications) == {"others"}
    serve.delete("others")
    leave("stranger")
    assert serve_runs()
    leave("mine")
    assert not serve_runs()


@pytest.mark.graph
@pytest.mark.timeout(60)
def test_a_cluster_of_another_python_is_refused_with_both_versions(cluster: Any) -> None:
    from ray.experimental.internal_kv import _internal_kv_get, _internal_kv_put

    from serving.cluster import join

    key, space = b"CLUSTER_METADATA", b"cluster"
    true = _internal_kv_get(key, namespace=space)
    other = json.dumps(json.loads(true) | {"python_version": "3.9.1"})
    _internal_kv_put(key, other.encode(), overwrite=True, namespace=space)
    try:
        with pytest.raises(UserError, match=r"on Python 3\.9\.1"):
            join(cluster.address)
    finally:
        _internal_kv_put(key, true, overwrite=True, namespace=space)
