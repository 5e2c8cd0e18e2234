"""The service as the command line sees it: HTTP calls whose failures are problems that say what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
from httpx_sse import connect_sse

from serving.lock import holder_of
from serving.messages import UserError, both
from serving.settings import Settings
from serving.stages.base import Part

_PATIENCE = httpx.Timeout(120.0, connect=3.0)  # a whole answer of a small machine under load


class Door:
    """Calls to the service at `url`. Methods raise UserError: code 3 where nothing answers, else 1."""

    def __init__(self, url: str, key: str = "") -> None:
        self.url = url
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(base_url=url, headers=headers, timeout=_PATIENCE, trust_env=False)

    @classmethod
    def of(cls, settings: Settings, key: str = "") -> Door:
        """Where the user said, else where the owner of this home says it is, else the default address."""
        said = {"api_url", "api_host", "api_port"} & settings.model_fields_set
        holder = None if said else holder_of(settings.home)
        return cls(holder.api if holder and holder.api else settings.service_url, key)

    def alive(self, timeout: float = 2.0) -> bool:
        try:
            return self._client.get("/healthz", timeout=timeout).is_success
        except httpx.HTTPError:
            return False

    def parts(self, timeout: float = 5.0) -> list[Part] | None:
        """The parts of the service; None where it does not say."""
        try:
            reply = self._client.get("/readyz", timeout=timeout)
            return [Part(**part) for part in reply.json()["parts"]]
        except (httpx.HTTPError, ValueError, KeyError, TypeError):
            return None

    def get(self, path: str, *, holds: str) -> dict[str, Any]:
        """The service's answer, which has the field `holds`."""
        try:
            reply = self._client.get(path)
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error
        _check(reply)
        return self._read(reply.text, holds)

    def post(self, path: str, body: dict[str, Any], *, holds: str) -> dict[str, Any]:
        """The service's answer, which has the field `holds`."""
        try:
            reply = self._client.post(path, json=body)
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error
        _check(reply)
        return self._read(reply.text, holds)

    def patch(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """What was changed, and what could not be. An answer that nothing was changed is one too."""
        try:
            reply = self._client.patch(path, json=body)
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error
        _check(reply)
        return self._read(reply.text, "patched")

    def stream(self, path: str, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The JSON of each server-sent event up to [DONE]."""
        try:
            with connect_sse(self._client, "POST", path, json=body) as source:
                if source.response.is_error:
                    source.response.read()
                _check(source.response)
                for event in source.iter_sse():
                    if event.data == "[DONE]":
                        return
                    yield self._read(event.data, "choices")
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error
        raise UserError(both("The answer broke off in the middle.", "回答中途断开了。"), where=self.url)

    def _read(self, text: str, holds: str) -> dict[str, Any]:
        try:
            answer = json.loads(text)
        except ValueError:
            answer = None
        if isinstance(answer, dict) and holds in answer:
            return answer
        raise UserError(
            both("What answers here is not Daogou's service.", "此处应答的不是 Daogou 服务。"),
            where=self.url,
            mend=both(
                "set DAOGOU_API_URL to where `daogou up` runs.", "请把 DAOGOU_API_URL 设为 `daogou up` 所在的地址。"
            ),
        )

    def _unreachable(self, error: httpx.HTTPError) -> UserError:
        if not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            what = both(f"The service stopped answering: {error!r}.", f"服务中断：{error!r}。")
            return UserError(
                what, where=self.url, mend=both("look at it with `daogou doctor`.", "请运行 `daogou doctor` 检查。")
            )
        return UserError(
            both("No service answers.", "服务没有运行。"),
            where=self.url,
            mend=both(
                "start it with `daogou up`, or set DAOGOU_API_URL to where it runs.",
                "请先运行 `daogou up` 启动服务，或把 DAOGOU_API_URL 设为服务地址。",
            ),
            code=3,
        )


def _check(reply: httpx.Response) -> None:
    """Raise what the service said is wrong, in its own words."""
    if not reply.is_error:
        return
    try:
        error = reply.json()["error"]
        what, code = str(error["message"]), str(error["code"])
    except (ValueError, KeyError, TypeError):
        what, code = reply.text[:300] or reply.reason_phrase, ""
    mend = both(
        "wait until it is ready; `daogou doctor` shows how far it is.", "请等待就绪；`daogou doctor` 可查看进度。"
    )
    where = f"{reply.request.url} ({reply.status_code}{' ' + code if code else ''})"
    raise UserError(what, where=where, mend=mend if code == "not_ready" else "")
