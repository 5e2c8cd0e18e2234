"""The engine in a process of its own: from a nursery, by itself, and what is left when one of them is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, suppress
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from serving import engine_process, nursery
from serving.engine_process import EngineProcess
from serving.stages.base import ChatPrompt, SamplingParams, StageError
from tests.serving.models.checkpoints import LONG, SPEC

HELLO = ChatPrompt((("user", "Which boots are waterproof?"),))

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def run_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """With a nursery."""
    folder = tmp_path_factory.mktemp("r")
    process = nursery.start(folder)
    yield folder
    process.terminate()
    process.wait(30)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(tiny: Path, run_dir: Path) -> AsyncIterator[EngineProcess]:
    made = EngineProcess(SPEC, tiny, run_dir)
    assert not made.alive
    with pytest.raises(StageError, match="not running"):
        await text(made)
    await made.start()
    yield made
    await made.stop()


async def text(engine: EngineProcess, params: SamplingParams | None = None) -> str:
    async with aclosing(engine.generate(HELLO, params or SamplingParams(max_tokens=20), "r")) as pieces:
        return "".join([piece async for piece in pieces])


async def gone(pids: list[int], seconds: float = 30) -> bool:
    alive = [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)]
    _, left = await asyncio.to_thread(psutil.wait_procs, alive, timeout=seconds)
    return not [process for process in left if process.status() != psutil.STATUS_ZOMBIE]


async def test_text_comes_from_another_process_that_the_nursery_forked(engine: EngineProcess) -> None:
    host, core = engine.pids()
    parent = psutil.Process(host).parent()
    assert parent is not None
    assert "serving.nursery" in parent.cmdline()
    assert parent.ppid() == os.getpid()
    assert psutil.Process(core).ppid() == host
    assert len(await text(engine)) >= 20
    assert await engine.unfinished() == 0
    with pytest.raises(StageError, match="512") as error:
        await anext(engine.generate(ChatPrompt((("user", "boots " * 1000),)), LONG, "r"))
    assert error.value.stage == "llm"
    assert engine.alive


async def test_leaving_aborts_inside_the_engine(engine: EngineProcess) -> None:
    async with aclosing(engine.generate(HELLO, LONG, "leaver")) as pieces:
        await anext(pieces)
        assert await engine.unfinished() == 1
    while await engine.unfinished():
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("victim", [0, 1], ids=["host", "core"])
async def test_a_killed_process_is_told_in_the_middle_and_takes_the_other_along(
    engine: EngineProcess, victim: int
) -> None:
    pids = engine.pids()

    async def read() -> None:
        async with aclosing(engine.generate(HELLO, LONG, "victim")) as pieces:
            async for _ in pieces:
                if psutil.pid_exists(pids[victim]):
                    os.kill(pids[victim], signal.SIGKILL)

    with pytest.raises(StageError) as error:
        await read()
    assert error.value.stage == "llm"
    assert await gone(pids)
    while engine.alive:
        await asyncio.sleep(0.02)
    await engine.stop()
    await engine.start()
    assert set(engine.pids()).isdisjoint(pids)
    assert len(await text(engine)) >= 20


async def test_both_end_when_the_caller_is_gone(tiny: Path, run_dir: Path) -> None:
    lonely = EngineProcess(SPEC, tiny, run_dir / "second")
    (run_dir / "second").mkdir()
    nursery.address(run_dir / "second").symlink_to(nursery.address(run_dir))
    await lonely.start()
    pids = lonely.pids()
    assert lonely._connection is not None
    lonely._connection._wire.close()  # as the kernel does it for a caller that is killed
    assert await gone(pids)
    assert not lonely.alive


@pytest.mark.parametrize("how", ["caller leaves", "host is killed"])
async def test_nothing_is_left_of_a_start_that_is_cut_off(tiny: Path, run_dir: Path, how: str) -> None:
    forker = next(child for child in psutil.Process().children() if "serving.nursery" in child.cmdline())
    before = {child.pid for child in forker.children(recursive=True)}
    starting = asyncio.create_task(EngineProcess(SPEC, tiny, run_dir / "third").start())
    (run_dir / "third").mkdir(exist_ok=True)
    nursery.address(run_dir / "third").symlink_to(nursery.address(run_dir))
    while len(new := [child for child in forker.children(recursive=True) if child.pid not in before]) < 2:
        await asyncio.sleep(0.01)  # the host, and what it forks or starts first
    if how == "caller leaves":
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
    else:
        new[0].kill()
        with pytest.raises(StageError):
            await starting
    assert await gone([child.pid for child in new])
    assert {child.pid for child in forker.children(recursive=True)} <= before
    nursery.address(run_dir / "third").unlink()


async def test_stop_leaves_nothing_and_may_come_twice(engine: EngineProcess) -> None:
    pids = engine.pids()
    await engine.stop()
    await engine.stop()
    assert await gone(pids, 5)
    assert not engine.alive
    with pytest.raises(StageError, match="not running"):
        await text(engine)
    await engine.start()


async def test_folder_without_a_model_is_told_and_nothing_is_left(run_dir: Path, tmp_path: Path) -> None:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    broken = EngineProcess(SPEC, tmp_path, run_dir)
    with pytest.raises(StageError, match="tiny-qwen3 did not start") as error:
        await broken.start()
    assert error.value.stage == "llm"
    assert not broken.alive
    assert await gone([c.pid for c in psutil.Process().children(recursive=True) if c.pid not in before])


@pytest.mark.parametrize("sent", [b"", b"\n", b"nobody\n", b"x" * 200, b"\xff\xfe\n"])
async def test_the_nursery_survives_strangers(engine: EngineProcess, run_dir: Path, sent: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.connect(str(nursery.address(run_dir)))
        stranger.sendall(sent)
        stranger.shutdown(socket.SHUT_WR)
        stranger.settimeout(10)
        with suppress(ConnectionResetError):  # closed with bytes unread
            assert stranger.recv(1) == b""
    await engine.stop()
    await engine.start()
    assert engine.alive


@pytest.mark.parametrize("nursery_that", ["was killed", "hangs", "ends while asked"])
async def test_without_a_nursery_the_engine_starts_by_itself(
    tiny: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, nursery_that: str
) -> None:
    monkeypatch.setattr(engine_process, "_GREETING_SECONDS", 15.0)
    folder = tmp_path_factory.mktemp("n")
    engine = EngineProcess(SPEC, tiny, folder)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(nursery.address(folder)))
        if nursery_that != "was killed":  # which leaves its address behind
            listener.listen()
        starting = asyncio.create_task(engine.start())
        if nursery_that == "ends while asked":
            (await asyncio.to_thread(listener.accept))[0].close()
        await starting
    host, _ = pids = engine.pids()
    assert psutil.Process(host).ppid() == os.getpid()
    assert len(await text(engine)) >= 20
    await engine.stop()
    assert await gone(pids)


async def test_a_stranger_who_dawdles_holds_up_the_nursery_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nursery, "_REQUEST_SECONDS", 0.5)
    ours, theirs = socket.socketpair()

    async def dawdle() -> None:
        for _ in range(40):
            theirs.send(b"x")
            await asyncio.sleep(0.1)

    with ours, theirs:
        dawdling = asyncio.create_task(dawdle())
        assert await asyncio.to_thread(nursery._requested, ours) == ""
        assert not dawdling.done()
        dawdling.cancel()
