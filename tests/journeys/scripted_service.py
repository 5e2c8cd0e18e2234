"""A stand-in for the service that says what a test tells it to: faults and hostile texts which the real one lacks.

`python scripted_service.py PORT`. It speaks the service's HTTP contract. `POST /script` sets the keys of SCRIPT;
`GET /seen` tells the bodies of the questions asked and how many streams were closed by the other side.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

SCRIPT: dict[str, Any] = {"ready": True, "events": None, "pause": 0.0, "done": True}
SEEN: dict[str, Any] = {"questions": [], "closed": 0}
LOADING = [
    {"name": "encoders", "state": "loading", "detail": "reading weights", "done": 0, "total": 0},
    {"name": "llm", "state": "ready", "detail": "", "done": 0, "total": 0},
    {"name": "catalogue", "state": "loading", "detail": "", "done": 120, "total": 480},
]
# A picture of one grey pixel.
WEBP = bytes.fromhex("524946461a000000574542505650384c0d0000002f00000010071011118888fe0700")

app = FastAPI()


@app.post("/script")
async def script(changes: dict[str, Any]) -> dict[str, Any]:
    SCRIPT.update(changes)
    SEEN.update(questions=[], closed=0)
    return SCRIPT


@app.get("/seen")
async def seen() -> dict[str, Any]:
    return SEEN


@app.get("/readyz")
async def readyz() -> JSONResponse:
    ready = SCRIPT["ready"]
    return JSONResponse({"ready": ready, "parts": [] if ready else LOADING}, 200 if ready else 503)


@app.get("/v1/examples")
async def examples(lang: str = "en") -> dict[str, list[str]]:
    return {"questions": [f"example {number} {lang}" for number in range(4)]}


@app.get("/v1/catalogue/pictures/{name}")
async def picture(name: str) -> Response:
    return Response(WEBP, media_type="image/webp")


@app.post("/v1/chat/completions", response_model=None)
async def chat(request: Request) -> Response:
    if not SCRIPT["ready"] or SCRIPT["events"] is None:  # also before it was told what to say
        error = {"message": "still starting", "type": "server_error", "code": "not_ready"}
        return JSONResponse({"error": error}, 503, {"Retry-After": "1"})
    SEEN["questions"].append(await request.json())

    async def stream() -> AsyncGenerator[str]:
        try:
            for event in SCRIPT["events"]:
                yield f"data: {json.dumps({'choices': [], 'daogou': {'event': event}})}\n\n"
                await asyncio.sleep(SCRIPT["pause"])
            if SCRIPT["done"]:
                yield "data: [DONE]\n\n"
        except asyncio.CancelledError:
            SEEN["closed"] += 1
            raise

    return StreamingResponse(stream(), media_type="text/event-stream")


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
