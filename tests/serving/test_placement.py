"""Where cells go: what fits, what is refused and why, and what Ray really does with two hosts and counted cards."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from serving.messages import UserError
from serving.placement import bundles, check_room, classic, demand
from serving.profiles import PROFILES, Profile

GPU = PROFILES["gpu"]


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_what_a_cell_asks_for_can_be_asked_of_ray(profile: Profile) -> None:
    gateway, encoders = bundles(profile)
    for bundle in (gateway, encoders):
        gpus = bundle.get("GPU", 0)
        assert gpus <= 1 or gpus == int(gpus), "Ray counts no parts above one"
        assert bundle["CPU"] > 0
    assert demand(profile)["GPU"] == max(profile.llm.tensor_parallel, 1) * (profile.llm.gpu > 0)


def test_the_classic_graph_asks_for_the_textbooks_shares() -> None:
    shares = classic(GPU)
    assert shares["embedder"] == {"CPU": 2, "GPU": 0.2}
    assert shares["reranker"] == {"CPU": 4, "GPU": 0.3}
    assert shares["llm"] == {"CPU": 8, "GPU": 1}
    assert sum(share["CPU"] for share in classic(PROFILES["embedded"]).values()) <= demand(PROFILES["embedded"])["CPU"]


@pytest.mark.parametrize(
    ("profile", "cells", "hosts", "told"),
    [
        ("gpu", 1, [{"CPU": 16}], r"needs 1 GPU and 8 CPUs on one host; the largest host has 0 GPUs and 16 CPUs"),
        ("gpu", 1, [{"CPU": 4, "GPU": 1.0}, {"CPU": 64}], r"largest host has 1 GPU and 4 CPUs"),
        ("gpu", 3, [{"CPU": 16, "GPU": 1.0}, {"CPU": 16, "GPU": 1.0}], r"there is room for 2"),
        ("gpu-70b", 1, [{"CPU": 64, "GPU": 2.0}, {"CPU": 64, "GPU": 2.0}], r"needs 4 GPUs and 16 CPUs on one host"),
        ("embedded", 2, [{"CPU": 3}], r"there is room for 1"),
        ("embedded", 1, [], r"largest host has 0 GPUs and 0 CPUs"),
    ],
)
def test_what_has_no_room_is_refused_with_numbers(profile: Any, cells: int, hosts: list[Any], told: str) -> None:
    with pytest.raises(UserError, match=told):
        check_room(PROFILES[profile], cells, hosts)


def test_a_cell_that_stays_on_its_host_of_a_cluster_is_told_what_is_free_there() -> None:
    with pytest.raises(UserError, match=r"needs 1 GPU and 8 CPUs; the cluster has 0 GPUs and 2 CPUs free on this host"):
        check_room(GPU, 1, [{"CPU": 2}], here=True)


def test_a_refusal_names_what_would_fit() -> None:
    with pytest.raises(UserError) as refused:
        check_room(PROFILES["gpu-70b"], 1, [{"CPU": 16, "GPU": 1.0}])
    assert "DAOGOU_PROFILE=embedded or cpu-hub or gpu" in refused.value.mend
    with pytest.raises(UserError) as refused:
        check_room(GPU, 3, [{"CPU": 16, "GPU": 2.0}])
    assert "DAOGOU_CELLS=2" in refused.value.mend


@pytest.mark.parametrize(
    ("profile", "cells", "hosts"),
    [
        ("gpu", 3, [{"CPU": 16, "GPU": 2.0}, {"CPU": 8, "GPU": 1.0}]),
        ("gpu-70b", 2, [{"CPU": 64, "GPU": 8.0}]),
        ("embedded", 1, [{"CPU": 2}]),
    ],
)
def test_what_has_room_passes(profile: Any, cells: int, hosts: list[Any]) -> None:
    check_room(PROFILES[profile], cells, hosts)


# --- two hosts ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two_hosts() -> Iterator[None]:
    """A Ray cluster with room for two `gpu` cells on one host and one on the other; its cards are only counted."""
    import ray
    from ray import serve
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 18,
            "num_gpus": 2,
            "include_dashboard": False,
            "object_store_memory": 100 << 20,
        },
    )
    cluster.add_node(num_cpus=10, num_gpus=1, object_store_memory=100 << 20)
    ray.init(address=cluster.address, log_to_driver=False, configure_logging=False)
    yield
    serve.shutdown()
    ray.shutdown()
    cluster.shutdown()


@pytest.mark.graph
@pytest.mark.timeout(180)
def test_cells_are_whole_on_one_host_and_spread_by_room(two_hosts: None) -> None:
    import ray
    from ray import serve
    from ray.util import get_current_placement_group

    from serving.cell import cell_options
    from serving.placement import ENCODERS
    from serving.stages.cell import in_bundle

    @ray.remote(num_cpus=4, num_gpus=0.2)
    class Encoders:
        def where(self) -> str:
            return str(ray.get_runtime_context().get_node_id())

    @serve.deployment
    class Gateway:
        def __init__(self) -> None:
            self.group = get_current_placement_group()
            self.encoders = Encoders.options(scheduling_strategy=in_bundle(self.group, ENCODERS)).remote()

        async def __call__(self) -> tuple[str, str, str]:
            here = ray.get_runtime_context().get_node_id()
            return self.group.id.hex(), here, await self.encoders.where.remote()

    handle = serve.run(Gateway.options(**cell_options(GPU, 3)).bind(), name="cells", route_prefix=None)
    seen: dict[str, tuple[str, str]] = {}
    until = time.monotonic() + 60
    while len(seen) < 3 and time.monotonic() < until:
        group, gateway, encoders = handle.remote().result()
        seen[group] = gateway, encoders
    assert all(gateway == encoders for gateway, encoders in seen.values())
    table = {key: row for key, row in ray.util.placement_group_table().items() if row["state"] == "CREATED"}
    assert set(table) == set(seen)
    for key, row in table.items():
        assert row["strategy"] == "STRICT_PACK"
        assert set(row["bundles_to_node_id"].values()) == {seen[key][0]}, "Ray's own word on where both bundles are"
    assert sorted(Counter(node for node, _ in seen.values()).values()) == [1, 2]
    serve.delete("cells")
