"""The Serve application: one replica is one cell, placed as a STRICT_PACK group on one host.

With `DAOGOU_STAGES=serve_graph` the same gateway stands before one deployment for each model.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import ray
import structlog
from ray import serve
from ray._private.node import Node
from ray.serve.config import HTTPOptions, ProxyLocation
from tenacity import RetryCallState, retry, stop_after_attempt

from serving import cluster, placement
from serving.binding import bind_stage
from serving.cards import profile_here
from serving.profiles import Profile
from serving.settings import Settings
from serving.supervise import share_run_dir

if TYPE_CHECKING:  # the process that starts the cell needs nothing of what runs in it
    from fastapi import FastAPI
    from ray.serve.handle import DeploymentHandle

    from serving.stages.cell import CellStages
    from serving.stages.serve_graph import ServeGraphStages

_OBJECT_STORE_BYTES = 256 << 20
_SHUTDOWN_SECONDS = 20  # turns drain, then the engine ends
_HTTP_CONCURRENCY = 10_000  # admission is the gateway's own, so that its refusals speak the API's language

log = structlog.get_logger()


@serve.deployment(name="cell", graceful_shutdown_timeout_s=_SHUTDOWN_SECONDS)
class Cell:
    """The gateway of the only cell, with its own HTTP door. It runs where its home is: on the host that started it.

    Owns the group: engine below it (bundle 0), encoders in bundle 1.
    """

    def __init__(self, settings: Settings) -> None:
        bind_stage("gateway")
        share_run_dir(settings.run_dir)
        from serving.api import build_app
        from serving.http_server import HttpServer
        from serving.stages.cell import CellStages

        stages = CellStages(settings)
        app = build_app(stages, settings)
        app.router.add_event_handler("shutdown", stages.stop)
        self._door = HttpServer(app, settings.api_host, settings.api_port)
        stages.start()

    def check_health(self) -> None:
        """Asked by Serve, which starts another cell where this raises."""
        if not self._door.alive:
            raise RuntimeError("the HTTP door is closed")

    async def __del__(self) -> None:
        """Called by Serve before it ends the replica."""
        if hasattr(self, "_door"):
            await self._door.stop()


@serve.deployment(name="cell", max_ongoing_requests=_HTTP_CONCURRENCY, graceful_shutdown_timeout_s=_SHUTDOWN_SECONDS)
@serve.ingress()
class CellBehindProxy:
    """The gateway of one of several cells, or of the classic graph; Serve's proxy shares out the requests."""

    def __init__(self, settings: Settings, *models: DeploymentHandle[Any]) -> None:
        bind_stage("gateway")
        share_run_dir(settings.run_dir)
        self._settings = settings
        self._stages: CellStages | ServeGraphStages
        if models:
            from serving.stages.serve_graph import ServeGraphStages

            self._stages = ServeGraphStages(settings, models)
        else:
            from serving.stages.cell import CellStages

            self._stages = CellStages(settings)
        self._stages.start()

    def __serve_build_asgi_app__(self) -> FastAPI:
        from serving.api import build_app

        app = build_app(self._stages, self._settings)
        app.router.add_event_handler("shutdown", self._stages.stop)
        return app


def _start_failed(state: RetryCallState) -> None:
    reason = state.outcome.exception() if state.outcome else None
    log.warning("Ray did not start, trying again", attempt=state.attempt_number, reason=str(reason))
    ray.shutdown()


def start(settings: Settings) -> None:
    """Start or join Ray, and start the cell; returns once it runs. Models go on loading, `/readyz` tells how far.

    Raises RuntimeError where Ray or Serve cannot start, UserError where no host has room or no cluster can be joined.
    """
    profile = profile_here(settings)
    behind_proxy = settings.cells > 1 or settings.stages != "cell"
    if settings.ray_address is None:
        _start_ray(placement.demand(profile)["CPU"] * settings.cells, settings.run_dir / "ray")
    else:
        _join(settings, settings.ray_address, behind_proxy)
    if settings.stages == "cell":
        anywhere = settings.ray_address is None or settings.cells > 1
        placement.check_room(profile, settings.cells, cluster.room(anywhere=anywhere), here=not anywhere)
    _start_serve(settings, behind_proxy)
    if settings.stages == "serve_graph":
        from serving.stages.serve_graph import deployments

        guest = actor_options(settings)
        app = cast(Any, CellBehindProxy).options(ray_actor_options={"num_cpus": profile.cpu_gateway / 2} | guest)
        app = app.bind(settings, *deployments(settings, guest))
    else:
        options = cell_options(profile, settings.cells)
        options["ray_actor_options"] |= actor_options(settings)
        if pinned := options["ray_actor_options"].pop("label_selector", None):
            options["placement_group_bundle_label_selector"] = [pinned]
        app = cast(Any, CellBehindProxy if behind_proxy else Cell).options(**options).bind(settings)
    serve.run(app, name=cluster.app_name(settings), route_prefix="/" if behind_proxy else None)


def _join(settings: Settings, address: str, behind_proxy: bool) -> None:
    cluster.join(address)
    cluster.leave(cluster.app_name(settings))  # what a run that was killed left; we own its home now
    if behind_proxy:
        cluster.check_door(settings)


def _start_serve(settings: Settings, behind_proxy: bool) -> None:
    """Unless it runs, as it may in a cluster: then nothing of it can be changed."""
    joined = settings.ray_address is not None
    if joined and cluster.serve_runs():
        return
    everywhere = ProxyLocation.EveryNode if joined else ProxyLocation.HeadOnly
    serve.start(
        proxy_location=everywhere if behind_proxy else ProxyLocation.Disabled,
        http_options=HTTPOptions(host=settings.api_host, port=settings.api_port, request_timeout_s=None),
    )
    if joined:
        cluster.note_serve_started(cluster.app_name(settings))


def actor_options(settings: Settings) -> dict[str, Any]:
    """What a replica needs in a cluster that did not inherit our environment: its variables, and the host of the home.

    Several cells have a Qdrant server and no home to be near to.
    """
    if settings.ray_address is None:
        return {}
    options: dict[str, Any] = {"runtime_env": {"env_vars": cluster.travelling()}}
    if settings.cells == 1:
        options["label_selector"] = {cluster.NODE_LABEL: cluster.here()}
    return options


def cell_options(profile: Profile, cells: int) -> dict[str, Any]:
    """Of a deployment whose replicas are cells: each owns a group, whole on one host or not there at all."""
    group = placement.bundles(profile)
    own = group[placement.GATEWAY]
    return {
        "num_replicas": cells,
        "ray_actor_options": {"num_cpus": own["CPU"], "num_gpus": own.get("GPU", 0)},
        "placement_group_bundles": group,
        "placement_group_strategy": placement.STRATEGY,
    }


@retry(stop=stop_after_attempt(3), reraise=True, before_sleep=_start_failed)
def _start_ray(cpus: float, temp: Path) -> None:
    """Ray waits 30 s for its own daemons, which is too short on a machine that is busy for a while: try again."""
    temp.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Even with the dashboard off, Ray starts its process for usage statistics, and that asks the metadata addresses of
    # three clouds where it runs, also when statistics are off (2.60). Nothing of ours needs the process.
    Node.start_api_server = lambda self, **_: None
    ray.init(
        address="local",
        num_cpus=max(os.cpu_count() or 1, int(cpus + 0.99)),
        object_store_memory=_OBJECT_STORE_BYTES,
        include_dashboard=False,
        log_to_driver=False,
        configure_logging=False,
        namespace=cluster.NAMESPACE,
        _node_ip_address="127.0.0.1",  # Ray's own ports are for this machine alone
        _temp_dir=str(temp),
    )


def stop(settings: Settings) -> None:
    """Drain, end the cell, end our Ray or leave the cluster."""
    if ray.is_initialized():
        with contextlib.suppress(ray.exceptions.RayError):  # a cell that is gone already is stopped
            if settings.ray_address is None:
                serve.shutdown()
            else:
                cluster.leave(cluster.app_name(settings))
        ray.shutdown()
