"""`daogou eval …`: how good the assistant is, on questions whose answers are known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from serving.messages import both, examples

_SEARCH = "daogou eval search --catalogue products.jsonl --qrels judged.csv"
_UNDERSTAND = "daogou eval understand messages.jsonl"

eval_app = typer.Typer(
    name="eval",
    no_args_is_help=True,
    help=both("Measure how good it is, on questions whose answers are known.", "用已知答案的问题衡量效果。"),
    epilog=examples(_SEARCH, _UNDERSTAND),
)

Json = Annotated[bool, typer.Option("--json", help=both("Print JSON, for scripts.", "输出 JSON，供脚本使用。"))]


@eval_app.command(
    help=both(
        "Search a catalogue for judged queries: nDCG, recall and MRR of each stage.",
        "用带标注的查询检索商品目录，给出各阶段的 nDCG、召回率与 MRR。",
    ),
    epilog=examples(_SEARCH, f"{_SEARCH} --json"),
)
def search(
    catalogue: Annotated[Path, typer.Option(help=both("A shop's export.", "店铺导出的文件。"))],
    qrels: Annotated[Path, typer.Option(help=both("TREC qrels, or a CSV.", "TREC qrels 或 CSV。"))],
    as_json: Json = False,
) -> None:
    from serving.commands.eval_search import evaluate_search
    from serving.settings import settings_or_told

    evaluate_search(settings_or_told(), catalogue, qrels, as_json=as_json)


@eval_app.command(
    help=both(
        'Score what is understood of messages: a JSONL file of {"q": "…", "want": {…}}.',
        '评测对消息的理解：每行为 {"q": "…", "want": {…}} 的 JSONL 文件。',
    ),
    epilog=examples(_UNDERSTAND, f"{_UNDERSTAND} --json"),
)
def understand(
    file: Annotated[Path, typer.Argument(help=both("The labelled messages.", "带标注的消息。"), show_default=False)],
    as_json: Json = False,
    catalogue: Annotated[
        Path | None,
        typer.Option(
            "--catalogue",
            help=both(
                "Whose words the messages use; the demo's if not given.", "消息所用词汇来自的商品目录，默认为演示目录。"
            ),
        ),
    ] = None,
) -> None:
    from serving.commands.eval_understand import print_understanding

    print_understanding(file, catalogue, as_json=as_json)
