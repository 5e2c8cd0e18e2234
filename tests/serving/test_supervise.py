"""Process care on real processes: nothing of a run is lost from sight, and nothing is left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from serving import supervise
from serving.lock import NOTE, Holder
from serving.settings import Settings

Daogou = Callable[..., "subprocess.CompletedProcess[str]"]

# A parent that dies by SIGKILL, as vLLM's callers do, and a child that renames itself, as Ray's workers do, and
# ignores SIGTERM. Prints the child's pid.
TREE = """
import os, signal, subprocess, sys
child = '''
import signal, time
from setproctitle import setproctitle
signal.signal(signal.SIGTERM, signal.SIG_IGN)
setproctitle("ray::" + "x" * 4000)
print("up", flush=True)
time.sleep(600)
'''
process = subprocess.Popen([sys.executable, "-c", child], stdout=subprocess.PIPE, start_new_session=True)
process.stdout.readline()
print(process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def settings(home: Path) -> Settings:
    return Settings(home=home)


@pytest.fixture
def orphan(settings: Settings) -> Iterator[tuple[str, psutil.Process]]:
    """The id of a run, and a process of it that is left after its parent was killed."""
    run = uuid.uuid4().hex
    env = supervise.environment(settings, run, settings.run_dir)
    done = subprocess.run([sys.executable, "-c", TREE], env=env, stdout=subprocess.PIPE, text=True, check=False)
    process = psutil.Process(int(done.stdout))
    yield run, process
    if process.is_running():
        process.kill()


def gone(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def test_an_orphan_that_renamed_itself_is_still_a_member(orphan: tuple[str, psutil.Process]) -> None:
    run, process = orphan
    assert [member.pid for member in supervise.members(run)] == [process.pid]
    assert supervise.members(uuid.uuid4().hex) == []


def test_sweep_ends_members_that_ignore_sigterm_and_removes_their_traces(
    orphan: tuple[str, psutil.Process], settings: Settings
) -> None:
    run, process = orphan
    (settings.run_dir / "ray").mkdir(parents=True)
    shm = Path("/dev/shm")
    ours = [shm / f"__KMP_REGISTERED_LIB_{process.pid}_0", shm / f"sem.loky-{process.pid}-abc"]
    others = shm / f"sem.loky-{os.getpid()}-abc"
    for file in (*ours, others):
        file.write_text("")
    try:
        ended = supervise.sweep(run, settings.run_dir, grace=0.5)
        assert len(ended) == 1
        assert str(process.pid) in ended[0]
        assert gone(process)
        assert not settings.run_dir.exists()
        assert not any(file.exists() for file in ours)
        assert others.exists()
    finally:
        for file in (*ours, others):
            file.unlink(missing_ok=True)


def test_the_next_command_cleans_up_after_an_owner_that_was_killed(
    orphan: tuple[str, psutil.Process], settings: Settings, daogou: Daogou
) -> None:
    run, process = orphan
    settings.home.mkdir()
    settings.run_dir.mkdir()
    dead = Holder(pid=process.pid, born=process.create_time() - 999, run=run, command="up")  # the pid was given again
    (settings.home / NOTE).write_text(dead.model_dump_json())
    feed = settings.home / "feed.csv"
    feed.write_text("id,title\n1,Mug\n")
    assert daogou("ingest", str(feed)).returncode == 0
    assert gone(process)
    assert not settings.run_dir.exists()
    assert not (settings.home / NOTE).exists()


def test_a_damaged_note_hinders_nobody(settings: Settings, daogou: Daogou) -> None:
    settings.home.mkdir()
    (settings.home / NOTE).write_text('{"pid": ')
    assert "does not exist" in daogou("ingest", "nowhere.csv").stderr


def test_the_environment_of_a_run_turns_telemetry_off_whatever_the_user_set(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RAY_USAGE_STATS_ENABLED", "GRADIO_ANALYTICS_ENABLED"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("no_proxy", "shop.example")
    env = supervise.environment(settings, "run-1", settings.run_dir)
    assert env["DAOGOU_RUN"] == "run-1"
    assert (env["RAY_USAGE_STATS_ENABLED"], env["GRADIO_ANALYTICS_ENABLED"]) == ("0", "False")
    assert (env["DO_NOT_TRACK"], env["VLLM_NO_USAGE_STATS"], env["HF_HUB_OFFLINE"]) == ("1", "1", "1")
    assert env["NO_PROXY"] == env["no_proxy"] == "shop.example,127.0.0.1,localhost"


def test_only_profiles_with_hub_models_may_reach_the_hub(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    settings = Settings(home=home, profile="cpu-hub")
    assert "HF_HUB_OFFLINE" not in supervise.environment(settings, "run-1", settings.run_dir)


def test_a_child_dies_when_its_parent_is_killed(tmp_path: Path) -> None:
    (tmp_path / "sleeper.py").write_text("import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(600)\n")
    code = (
        "import os, signal, subprocess, sys\n"
        "env = os.environ | {'DAOGOU_PARENT': str(os.getpid()), 'PYTHONPATH': sys.argv[1]}\n"
        "command = [sys.executable, '-m', 'serving.child', 'sleeper']\n"
        "child = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)\n"
        "print(child.stdout.readline(), flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True, check=False)
    _, alive = psutil.wait_procs([psutil.Process(int(done.stdout))], timeout=20) if done.stdout.strip() else ([], [1])
    assert alive == []


def test_a_dead_holder_is_not_alive() -> None:
    me = Holder.me("run-1", "up")
    assert me.alive
    assert not me.model_copy(update={"born": me.born - 60}).alive
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert not me.model_copy(update={"pid": ended.pid}).alive
    assert json.loads(me.model_dump_json())["run"] == "run-1"


def test_a_runs_folder_on_another_host_is_private_or_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    for _ in range(2):  # two cells of one host
        supervise.share_run_dir(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    with pytest.raises(PermissionError, match="not a private folder"):
        supervise.share_run_dir(folder)
