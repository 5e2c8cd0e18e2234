"""`python -m app`: the page as its own process."""

from __future__ import annotations

import argparse
import contextlib
import errno
import gc
import logging
import socket
import sys
import threading
from typing import TYPE_CHECKING

from app.i18n import for_terminal
from app.settings import SettingsError, UiSettings, load_settings

if TYPE_CHECKING:
    from app.share import Gate


def main() -> int:
    """Serve the page until told to stop. Exit code 1 where it cannot start."""
    parser = argparse.ArgumentParser(prog="python -m app", description="The shopping assistant's page.")
    parser.add_argument("--share", action="store_true", help="open a public link, behind a password (DAOGOU_SHARE=1)")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        settings = load_settings()
        listening = _listen(settings)
    except (SettingsError, OSError) as error:
        sys.stderr.write(f"{for_terminal()['cli_cannot_start']} {error}\n")
        return 1
    import uvicorn  # from here on it takes seconds: a wrong setting or a taken port is told before

    from app.share import Gate
    from app.web import build_app

    # Gradio looks for matplotlib before and after every piece it sends; told that there is none, it need not search.
    sys.modules.setdefault("matplotlib", None)  # type: ignore[arg-type]  # this is how Python is told so
    gate = Gate() if arguments.share or settings.share else None
    app = build_app(settings, gate)
    host = "127.0.0.1" if settings.ui_host in ("0.0.0.0", "::") else settings.ui_host
    words = for_terminal()
    _say(words["cli_page"].format(address=f"http://{f'[{host}]' if ':' in host else host}:{settings.ui_port}"))
    if gate is not None:
        _say(words["cli_password"].format(password=gate.password))
        # A thread that may be left behind: opening the tunnel can take a minute, and leaving should not.
        threading.Thread(target=_share, args=(host, settings.ui_port, gate), daemon=True).start()
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=2,
        timeout_keep_alive=60,  # browsers and tests keep connections while a busy machine is slow
        proxy_headers=False,
        server_header=False,
    )
    gc.freeze()  # what was made until here stays, and need not be looked through again and again
    with listening, contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])
    return 0


def _listen(settings: UiSettings) -> socket.socket:
    """The page's port, taken. Raises OSError with what to do about it."""
    host, port, words = settings.ui_host, settings.ui_port, for_terminal()
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        taken = socket.socket(family, kind, proto)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(address)
        taken.listen(1024)
    except socket.gaierror as error:
        raise OSError(words["cli_host_unknown"].format(host=host, reason=error.strerror)) from error
    except OSError as error:
        key = "cli_port_taken" if error.errno == errno.EADDRINUSE else "cli_port_unusable"
        raise OSError(words[key].format(port=port, host=host, reason=error.strerror, next=port % 65535 + 1)) from error
    return taken


def _share(host: str, port: int, gate: Gate) -> None:
    from app.share import open_tunnel

    address, words = open_tunnel(host, port), for_terminal()
    if address is None:
        _say(words["cli_no_public"])
    else:
        _say(words["cli_public"].format(address=address, password=gate.password))


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
