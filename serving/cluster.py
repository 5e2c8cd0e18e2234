"""A Ray cluster that runs already, where `RAY_ADDRESS` names one: joined as a guest, left as it was found.

The cluster, its daemons and its settings are its owner's. Ours are one Serve application, its group and its processes.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import sys

import grpc
import psutil
import ray
from ray import serve
from ray._private import services
from ray._private.authentication.authentication_token_setup import maybe_enable_token_auth_if_token_available
from ray._private.grpc_utils import init_grpc_channel
from ray._private.state import available_resources_per_node
from ray.core.generated import gcs_service_pb2, gcs_service_pb2_grpc
from ray.experimental import internal_kv
from ray.serve.context import _get_global_client

from serving.messages import UserError, both
from serving.settings import Settings, load_settings

NAMESPACE = "daogou"
NODE_LABEL = "ray.io/node-id"
_HEAD = "node:__internal_head__"  # a resource that only the head's node has
_STARTED_SERVE = b"daogou-started-serve"  # the application for which Serve was started
_ANSWER_SECONDS = 8.0
# What a local Ray inherits from us, and a worker of a cluster must be told. Keys and tokens stay out: everybody who may
# look at the cluster may read this. Settings travel as an argument.
_TRAVELS = re.compile(
    r"DAOGOU_(RUN|RUN_DIR|LOG_LEVEL)|TMPDIR|SPT_NOENV|PYTHONUNBUFFERED|DO_NOT_TRACK|LANG|LC_[A-Z]+|no_proxy|NO_PROXY"
    r"|RAY_SERVE_[A-Z_]+|RAY_USAGE_STATS_ENABLED|(HF|TRANSFORMERS|VLLM|OMP|GRADIO)_[A-Z_]+"
)
_SECRET = re.compile(r"TOKEN|KEY|SECRET|PASSWORD")


def app_name(settings: Settings) -> str:
    """The Serve application of this home on this host: several shops may be guests of one cluster."""
    return f"{settings.run_dir.name}-{platform.node()}"


def travelling() -> dict[str, str]:
    """The variables of this process that its workers in a cluster need."""
    return {name: value for name, value in os.environ.items() if _TRAVELS.fullmatch(name) and not _SECRET.search(name)}


def join(address: str) -> None:
    """Connect to the cluster at `address` (`host:port` or `auto`). Raises UserError, soon, where that cannot be."""
    try:
        found = services.canonicalize_bootstrap_address(address)
    except (ValueError, OSError) as error:
        raise _no_cluster(address, str(error)) from error
    if found is None or "://" in found:
        raise _no_cluster(address, both("not of the form host:port", "格式不是 host:port"))
    try:
        _check(address, found)
    except grpc.RpcError as error:
        if error.code() != grpc.StatusCode.UNAUTHENTICATED:
            raise _no_cluster(address, error.details() or str(error.code())) from error
        raise _closed(address) from error
    try:
        ray.init(address=found, namespace=NAMESPACE, log_to_driver=False, configure_logging=False)
    except (RuntimeError, ValueError, OSError) as error:
        raise _no_cluster(address, str(error)) from error


def _check(address: str, found: str) -> None:
    """Ask before Ray does, which waits for two minutes where nobody answers. Raises grpc.RpcError and UserError."""
    try:
        _greet(address, found)
    except grpc.RpcError as error:
        if error.code() != grpc.StatusCode.UNAUTHENTICATED or not maybe_enable_token_auth_if_token_available(False):
            raise
        _greet(address, found)


def _greet(address: str, found: str) -> None:
    with init_grpc_channel(found) as channel:
        asked = gcs_service_pb2.InternalKVGetRequest(key=b"CLUSTER_METADATA", namespace=b"cluster")
        told = gcs_service_pb2_grpc.InternalKVGcsServiceStub(channel).InternalKVGet(asked, timeout=_ANSWER_SECONDS)
        nodes = gcs_service_pb2_grpc.NodeInfoGcsServiceStub(channel).GetAllNodeInfo(
            gcs_service_pb2.GetAllNodeInfoRequest(), timeout=_ANSWER_SECONDS
        )
    versions = json.loads(told.value)
    theirs = versions["ray_version"], versions["python_version"]
    ours = ray.__version__, platform.python_version()
    if theirs != ours:
        raise UserError(
            both(
                f"The cluster runs Ray {theirs[0]} on Python {theirs[1]}; here are Ray {ours[0]} and Python {ours[1]}.",
                f"集群使用 Ray {theirs[0]} 与 Python {theirs[1]}；本机是 Ray {ours[0]} 与 Python {ours[1]}。",
            ),
            where=f"RAY_ADDRESS={address}",
            mend=both(
                "start the cluster from the environment in which Daogou is installed, or unset RAY_ADDRESS.",
                "请用安装了 Daogou 的环境启动集群，或取消 RAY_ADDRESS。",
            ),
        )
    own = {link.address for links in psutil.net_if_addrs().values() for link in links}
    if not any(node.state == 0 and node.node_manager_address in own for node in nodes.node_info_list):
        raise UserError(
            both("This host is no node of the cluster.", "本机不是该集群的节点。"),
            where=f"RAY_ADDRESS={address}",
            mend=both(
                f"run `ray start --address={found}` here first.", f"请先在本机运行 `ray start --address={found}`。"
            ),
        )


def _no_cluster(address: str, reason: str) -> UserError:
    return UserError(
        both(f"No Ray cluster answers: {reason}.", f"没有 Ray 集群应答：{reason}。"),
        where=f"RAY_ADDRESS={address}",
        mend=both(
            "set it to host:port of a cluster's head (`ray start --head` prints it), or unset it: then Daogou starts "
            "Ray itself.",
            "请设为集群头节点的 host:port（`ray start --head` 会显示），或取消该变量，由 Daogou 自行启动 Ray。",
        ),
    )


def _closed(address: str) -> UserError:
    return UserError(
        both("The Ray cluster wants another token.", "Ray 集群要求另一个令牌。"),
        where=f"RAY_ADDRESS={address}",
        mend=both(
            "set RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN_PATH to the cluster's token.",
            "请设置 RAY_AUTH_MODE=token，并把 RAY_AUTH_TOKEN_PATH 设为集群的令牌文件。",
        ),
    )


def room(*, anywhere: bool) -> list[dict[str, float]]:
    """What is free now on each host, or on this one."""
    free = available_resources_per_node()
    return list(free.values()) if anywhere else [free.get(here(), {})]


def here() -> str:
    """The node of this host, by its id."""
    return str(ray.get_runtime_context().get_node_id())


def _is_head(node: str) -> bool:
    return any(each["NodeID"] == node and _HEAD in each["Resources"] for each in ray.nodes())


def check_door(settings: Settings) -> None:
    """Whether Serve's proxy, which stands before several cells and the classic graph, will be where we look for it.

    A Serve that runs keeps its HTTP options. Raises UserError.
    """
    client = _get_global_client(raise_if_no_controller_running=False)
    if client is not None and settings.api_url is None and client.http_config.port != settings.api_port:
        raise UserError(
            both(
                f"Serve runs in the cluster already; its proxy listens on port {client.http_config.port}.",
                f"集群中已有 Serve 在运行，其代理监听端口 {client.http_config.port}。",
            ),
            where=f"DAOGOU_API_PORT={settings.api_port}",
            mend=f"DAOGOU_API_PORT={client.http_config.port}",
        )
    no_proxy = client is not None and not serve.status().proxies
    if no_proxy or (settings.cells > 1 and settings.api_url is None and not _is_head(here())):
        raise UserError(
            both(
                "Several cells, and the classic graph, answer through Serve's proxy, and this host has none for sure.",
                "多个单元（及经典图）经由 Serve 代理应答，而本机不一定有代理。",
            ),
            where=f"DAOGOU_CELLS={settings.cells}, DAOGOU_STAGES={settings.stages}",
            mend=both(
                "start it on the cluster's head, with a Serve whose proxies are not disabled, or set DAOGOU_CELLS=1 "
                "and DAOGOU_STAGES=cell.",
                "请在集群头节点上启动，且 Serve 的代理未被禁用；或设 DAOGOU_CELLS=1 且 DAOGOU_STAGES=cell。",
            ),
        )


def serve_runs() -> bool:
    return _get_global_client(raise_if_no_controller_running=False) is not None


def note_serve_started(app: str) -> None:
    """Whoever ends `app` last may end Serve, also after a kill."""
    internal_kv._internal_kv_put(_STARTED_SERVE, app.encode(), namespace=NAMESPACE.encode())


def leave(app: str) -> None:
    """Delete the application, and Serve where it was started for it and has no other. The cluster stays."""
    if app in serve.status().applications:
        serve.delete(app)
    if serve.status().applications or not serve_runs():
        return
    namespace = NAMESPACE.encode()
    if internal_kv._internal_kv_get(_STARTED_SERVE, namespace=namespace) == app.encode():
        serve.shutdown()
        internal_kv._internal_kv_del(_STARTED_SERVE, namespace=namespace)


def main() -> None:
    """For a service that was killed: its application would be started again and again by Serve."""
    settings = load_settings()
    if settings.ray_address is not None:
        with contextlib.suppress(UserError, ray.exceptions.RayError, TimeoutError):
            join(settings.ray_address)
            leave(app_name(settings))
            return
    sys.exit(1)


if __name__ == "__main__":
    main()
