"""Errors as clients see them: OpenAI's shape, a stable `code`, a message that says what, where and how to mend it."""

from __future__ import annotations

from reprlib import Repr
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

_SHORT = Repr()  # what was given may be a megabyte
_SHORT.maxstring = _SHORT.maxother = 80


class ApiError(Exception):
    """Ends a request with `status` and `code`."""

    def __init__(self, status: int, code: str, message: str, *, param: str | None = None, retry_after: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.param = param
        self.retry_after = retry_after


def body(status: int, code: str, message: str, param: str | None = None) -> dict[str, Any]:
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def _response(error: ApiError) -> JSONResponse:
    headers = {"Retry-After": str(error.retry_after)} if error.retry_after else None
    return JSONResponse(body(error.status, error.code, error.message, error.param), error.status, headers)


def _from_validation(error: RequestValidationError) -> ApiError:
    """One problem, in words: which field, what it was, what is wanted."""
    problem = max(error.errors(), key=lambda each: len(each["loc"]))  # what is deepest says most
    if problem["type"] == "json_invalid":
        where = problem.get("ctx", {}).get("error", "")
        return ApiError(
            400, "invalid_json", f"The request body is not valid JSON ({where} at character {problem['loc'][-1]})."
        )
    # A union's branches are in the location too, by their Python names, with brackets.
    param = ".".join(str(part) for part in problem["loc"][1:] if "[" not in str(part)) or "body"
    wanted = problem["msg"].removeprefix("Value error, ")
    given = _SHORT.repr(problem.get("input"))
    return ApiError(400, "invalid_request", f"{param}: {wanted} (given: {given}).", param=param)


def install(app: FastAPI) -> None:
    """Give `app` these errors, also for what FastAPI and Starlette raise themselves, and for faults of our own."""

    @app.exception_handler(Exception)
    async def _fault(_: Request, error: Exception) -> JSONResponse:  # logged by the server, which raises it again
        message = f"Something went wrong here ({type(error).__name__}). The service's log says more; please report it."
        return _response(ApiError(500, "internal_error", message))

    @app.exception_handler(ApiError)
    async def _api(_: Request, error: ApiError) -> JSONResponse:
        return _response(error)

    @app.exception_handler(RequestValidationError)
    async def _validation(_: Request, error: RequestValidationError) -> JSONResponse:
        return _response(_from_validation(error))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> JSONResponse:
        codes = {404: "not_found", 405: "method_not_allowed"}
        message = f"{request.method} {request.url.path}: {error.detail}. See /docs for what there is."
        return _response(ApiError(error.status_code, codes.get(error.status_code, "http_error"), message))
