"""`daogou eval …`: how good the assistant is, on questions whose answers are known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from serving.messages import both

eval_app = typer.Typer(
    name="eval",
    no_args_is_help=True,
    help=both("Measure how good it is, on questions whose answers are known.", "用已知答案的问题衡量效果。"),
)

Json = Annotated[bool, typer.Option("--json", help=both("Print JSON, for scripts.", "输出 JSON，供脚本使用。"))]


@eval_app.command(
    help=both(
        "Search a catalogue for judged queries: nDCG, recall and MRR of each stage.",
        "用带标注的查询检索商品目录，给出各阶段的 nDCG、召回率与 MRR。",
    )
)
def search(
    catalogue: Annotated[Path, typer.Option(help=both("A shop's export.", "店铺导出的文件。"))],
    qrels: Annotated[Path, typer.Option(help=both("TREC qrels, or a CSV.", "TREC qrels 或 CSV。"))],
    as_json: Json = False,
) -> None:
    from serving.commands.eval_search import evaluate_search
    from serving.settings import settings_or_told

    evaluate_search(settings_or_told(), catalogue, qrels, as_json=as_json)
