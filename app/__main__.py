"""`python -m app`: the page as its own process."""

from __future__ import annotations

import argparse
import contextlib
import errno
import logging
import socket
import sys
import threading
from typing import TYPE_CHECKING

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
        _say(f"The page cannot start. {error}")
        return 1
    import uvicorn  # from here on it takes seconds: a wrong setting or a taken port is told before

    from app.share import Gate
    from app.web import build_app

    gate = Gate() if arguments.share or settings.share else None
    app = build_app(settings, gate)
    host = "127.0.0.1" if settings.ui_host in ("0.0.0.0", "::") else settings.ui_host
    _say(f"Page:     http://{f'[{host}]' if ':' in host else host}:{settings.ui_port}")
    if gate is not None:
        _say(f"Password: {gate.password}")
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
    with listening, contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])
    return 0


def _listen(settings: UiSettings) -> socket.socket:
    """The page's port, taken. Raises OSError with what to do about it."""
    host, port = settings.ui_host, settings.ui_port
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        taken = socket.socket(family, kind, proto)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(address)
        taken.listen(1024)
    except socket.gaierror as error:
        raise OSError(f"DAOGOU_UI_HOST={host!r} is no address of this machine ({error.strerror}).") from error
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise OSError(
                f"Port {port} on {host} is taken by another program. "
                f"Stop that one, or choose another port: DAOGOU_UI_PORT={port % 65535 + 1} python -m app"
            ) from error
        raise OSError(
            f"Port {port} on {host} cannot be used ({error.strerror}); see DAOGOU_UI_HOST and DAOGOU_UI_PORT."
        ) from error
    return taken


def _share(host: str, port: int, gate: Gate) -> None:
    from app.share import open_tunnel

    address = open_tunnel(host, port)
    if address is not None:
        _say(f"Public:   {address}  (password: {gate.password}; whoever has both can use the page)")
        return
    _say(
        "Public:   the link could not be made. Gradio's tunnel needs the internet: api.gradio.app and, the first\n"
        "          time, its tunnel program. The page goes on here, behind the password. Instead you can set\n"
        "          DAOGOU_UI_HOST=0.0.0.0 and give this machine's address to people in your own network, or put a\n"
        "          reverse proxy with TLS before the port."
    )


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
