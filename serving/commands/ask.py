"""`daogou ask` and `daogou search`: questions to the running service."""

from __future__ import annotations

import json
from typing import Any

import typer

from retrieval.product import Product, in_language
from serving.door import Door
from serving.messages import UserError, both, chinese
from serving.openai_schema import MODEL
from serving.settings import Settings
from serving.wording import NUMBERS, facts


def ask_service(settings: Settings, question: str, lang: str | None, *, as_json: bool) -> None:
    """Print the answer: the shelf, then the text as it comes; with `as_json` the whole answer at its end."""
    body: dict[str, Any] = {
        "model": MODEL,
        "messages": [{"role": "user", "content": question}],
        "daogou": {"lang": lang},
    }
    door = Door.of(settings)
    if as_json:
        _print_json(door.post("/v1/chat/completions", body, holds="choices"))
        return
    shown = lang or "en"
    for piece in door.stream("/v1/chat/completions", body | {"stream": True}):
        event = piece.get("daogou", {}).get("event", {})
        match event.get("type"):
            case "understood":
                shown = event["lang"]
            case "shelf":
                typer.echo("\n".join(_line(item, shown) for item in event["items"]) + "\n")
            case "notice":
                typer.echo(f"({event['message']})", err=True)
            case "error":
                raise UserError(event["message"], where=f"{door.url} ({event['code']})")
        if text := piece["choices"][0]["delta"].get("content"):
            typer.echo(text, nl=False)
    typer.echo()


def search_service(settings: Settings, query: str, limit: int, *, as_json: bool) -> None:
    """Print the products found, best first."""
    reply = Door.of(settings).post("/v1/search", {"query": query, "limit": limit}, holds="data")
    if as_json:
        _print_json(reply)
        return
    if not reply["data"]:
        typer.echo(both("Nothing found.", "没有找到。"))
    shown = "zh" if chinese() else str(reply["lang"])
    for item in reply["data"]:
        typer.echo(_line(item, shown))


def _line(item: dict[str, Any], lang: str) -> str:
    """ "① Title – $24.90, only 2 left [id]" """
    product = Product.model_validate(item["product"])
    number = item["number"]
    mark = NUMBERS[number - 1] if number <= len(NUMBERS) else f"{number}."
    stated = facts(product, lang)
    return f"{mark} {in_language(product.title, lang)}{' – ' + stated if stated else ''} [{product.id}]"


def _print_json(reply: dict[str, Any]) -> None:
    typer.echo(json.dumps(reply, ensure_ascii=False, indent=2))
