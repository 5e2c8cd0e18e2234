"""Runs the assistant inside a network namespace of its own and counts what would leave the machine.

Run as `unshare --net python offline_run.py PORT UI_PORT`. The namespace has the loopback interface and one way out, a
virtual cable to nowhere: whatever is sent to another machine is counted there and goes no further. Prints JSON.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx

_READY_SECONDS = 300
_EVERY_PROTOCOL = 3  # ETH_P_ALL


def main(api_port: str, ui_port: str) -> None:
    _lay_cable()
    leaving = _Leaving()
    daogou = str(Path(sys.executable).with_name("daogou"))
    env = os.environ | {"DAOGOU_API_PORT": api_port, "DAOGOU_UI_PORT": ui_port}
    up = subprocess.Popen([daogou, "up"], env=env, stdout=sys.stderr)
    try:
        _wait_ready(f"http://127.0.0.1:{api_port}/readyz", up)
        ask = [daogou, "ask", "a waterproof jacket", "--json"]
        answer = subprocess.run(ask, env=env, capture_output=True, text=True, timeout=120, check=True)
        page = httpx.get(f"http://127.0.0.1:{ui_port}/", trust_env=False, timeout=30)
    finally:
        up.send_signal(signal.SIGTERM)
        up.wait(90)
    sent = leaving.seen()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:  # shows that what leaves is seen
        probe.sendto(b"?", ("198.51.100.7", 9))
    control = leaving.seen()
    seen = {"sent": sent, "control": control, "answer": answer.stdout, "page": page.status_code}
    sys.stdout.write(json.dumps(seen))


def _lay_cable() -> None:
    for command in (
        "ip link set lo up",
        "ip link add out0 type veth peer name out1 address 02:00:00:00:00:02",
        "ip addr add 192.0.2.1/24 dev out0",
        "ip link set out0 up",
        "ip link set out1 up",
        "ip route add default via 192.0.2.2 dev out0",
        "ip neigh add 192.0.2.2 lladdr 02:00:00:00:00:02 dev out0",
    ):
        if command.startswith("ip addr"):  # the kernel's own greetings to IPv6 neighbours are not ours
            for end in ("out0", "out1"):
                Path(f"/proc/sys/net/ipv6/conf/{end}/disable_ipv6").write_text("1")
        subprocess.run(command.split(), check=True)


class _Leaving:
    """The packets that reach the far end of the cable."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_EVERY_PROTOCOL))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self._socket.bind(("out1", _EVERY_PROTOCOL))

    def seen(self) -> list[str]:
        """Destination and content of what came since the last call, e.g. a name that was looked up."""
        time.sleep(1)
        self._socket.setblocking(False)
        found = []
        while True:
            try:
                packet, origin = self._socket.recvfrom(65535)
            except BlockingIOError:
                return found
            if origin[2] != socket.PACKET_OUTGOING:
                text = "".join(chr(byte) if 32 < byte < 127 else "." for byte in packet[28:120])
                found.append(f"{socket.inet_ntoa(packet[16:20])} protocol {packet[9]}: {text}")


def _wait_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _READY_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            reply = httpx.get(url, trust_env=False, timeout=5).json()
            states = {part["name"]: part["state"] for part in reply["parts"]}
            if reply["ready"] and states["llm"] == "ready":
                return
        except (httpx.TransportError, ValueError):
            pass
        time.sleep(0.5)
    raise SystemExit("the assistant is not ready")


if __name__ == "__main__":
    main(*sys.argv[1:])
