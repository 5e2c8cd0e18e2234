"""A process that imports the models' libraries ahead and forks whoever needs them.

The imports of vLLM cost 15 s of a slow core. The nursery pays them once, while Ray starts, and a process that it forks
has them at once, also at every restart, with their memory shared. Whoever connects to its socket and names a host (one
line) gets a process of that kind, which talks over this very connection and ends with it.

Without a nursery (a card's driver must not be forked; another machine of a cluster) a host starts by itself, slower.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import structlog

from serving import child
from serving.binding import bind_stage
from serving.settings import Settings

HOSTS = {"engine": "serving.engine_host"}  # a module with `prepare()` and `host(sock)`
_REQUEST_BYTES = 64
_REQUEST_SECONDS = 5.0

log = structlog.get_logger()


def address(run_dir: Path) -> Path:
    return run_dir / "nursery.sock"


def wanted(settings: Settings) -> bool:
    """Whether a nursery would be of use: the models run on the processor, and here."""
    return settings.llm_url is None and settings.models.llm.gpu == 0


def start(run_dir: Path) -> subprocess.Popen[bytes]:
    """Start the nursery of a run as a child that ends with this process. Who connects while it imports, waits.

    Raises OSError where the socket or the process cannot be made.
    """
    path = address(run_dir)
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(16)
        handle = listener.fileno()
        command = [sys.executable, "-m", "serving.child", "serving.nursery", "--listen", str(handle)]
        env = os.environ | {child.PARENT_VARIABLE: str(os.getpid())}
        return subprocess.Popen(command, env=env, pass_fds=[handle])


def open_host(name: str, run_dir: Path) -> socket.socket:
    """A connection to a new process of the kind `name`, from the nursery where there is one.

    Raises OSError where no process can be started.
    """
    sock = socket.socket(socket.AF_UNIX)
    try:
        sock.connect(str(address(run_dir)))
        sock.sendall(name.encode() + b"\n")
    except (FileNotFoundError, ConnectionError):
        sock.close()
        return open_by_itself(name)
    except OSError:
        sock.close()
        raise
    return sock


def open_by_itself(name: str) -> socket.socket:
    """A connection to a new process that no nursery made. Raises OSError where it cannot be started."""
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-m", "serving.nursery", "--host", str(theirs.fileno()), name]
        try:
            subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, start_new_session=True)
        except OSError:
            ours.close()
            raise
    return ours


def _host(name: str, sock: socket.socket) -> NoReturn:
    """Be that process. Leaves without the caller's clean-up: nothing in a forked process is its own to clean up."""
    code = 1
    try:
        with closing(sock):
            importlib.import_module(HOSTS[name]).host(sock)
        code = 0
    except Exception:  # above us is only the forking process's code; the caller sees the end
        log.exception("a host failed", host=name)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _serve(listener: socket.socket) -> NoReturn:
    bind_stage("engine")  # before a library starts threads
    with listener:
        for module in HOSTS.values():
            importlib.import_module(module).prepare()
        gc.collect()
        gc.freeze()  # a collection in a forked process would else write to, and so copy, all of this
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forked ones: their callers see the socket
        while True:
            sock, _ = listener.accept()
            with sock:
                name = _requested(sock)
                if name in HOSTS and os.fork() == 0:
                    listener.close()
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    os.setsid()
                    _host(name, sock)


def _requested(sock: socket.socket) -> str:
    """One line, and not a byte more, for what follows belongs to the host."""
    until = time.monotonic() + _REQUEST_SECONDS
    line = b""
    try:
        while len(line) < _REQUEST_BYTES:
            sock.settimeout(max(until - time.monotonic(), 0.001))
            if (byte := sock.recv(1)) in (b"", b"\n"):
                break
            line += byte
    except OSError:  # left, or says nothing
        return ""
    sock.settimeout(None)
    return line.decode(errors="replace")


def main(arguments: Sequence[str]) -> NoReturn:
    """`--listen HANDLE`: the nursery; `--host HANDLE NAME`: a host by itself. `HANDLE`: an inherited socket."""
    sock = socket.socket(fileno=int(arguments[1]))
    if arguments[0] == "--host":
        bind_stage("engine")
        _host(arguments[2], sock)
    _serve(sock)


if __name__ == "__main__":
    main(sys.argv[1:])
