"""`daogou …`, the one door for the shop's owner. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import importlib.metadata
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from serving.commands.eval_app import eval_app
from serving.messages import UserError, both, examples

if TYPE_CHECKING:
    from serving.settings import Settings

_CODES = both(
    "Exit codes: 0 done; 1 error; 2 wrong usage; 3 no service is running; 4 and 5 see ingest; 130 interrupted.",
    "退出码：0 完成；1 出错；2 用法错误；3 服务没有运行；4、5 见 ingest；130 被中断。",
)


class _Group(TyperGroup):
    """Turns whatever a command raises into one readable block and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort, TyperException, BrokenPipeError):
            raise
        except UserError as error:
            problem = error
        except KeyboardInterrupt:
            problem = UserError(both("Interrupted.", "已中断。"), code=130)
        except Exception as error:
            if os.environ.get("DAOGOU_LOG_LEVEL") == "debug":
                raise
            problem = UserError(
                f"{type(error).__name__}: {error}",
                mend=both(
                    "DAOGOU_LOG_LEVEL=debug shows where it happened.", "设 DAOGOU_LOG_LEVEL=debug 可查看出错位置。"
                ),
            )
        typer.echo(str(problem), err=True)
        raise typer.Exit(problem.code)


app = typer.Typer(
    name="daogou",
    cls=_Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help=both(
        "A shopping assistant over your own catalogue, on one machine.\n\n"
        "`daogou up` starts all of it; `daogou doctor` looks for what is wrong. Settings are DAOGOU_* variables.",
        "运行在一台机器上、以您自己的商品目录作答的导购助手。\n\n"
        "`daogou up` 启动全部；`daogou doctor` 检查问题。设置见 DAOGOU_* 环境变量。",
    ),
    epilog=_CODES,
)

Json = Annotated[bool, typer.Option("--json", help=both("Print JSON, for scripts.", "输出 JSON，供脚本使用。"))]


def _settings() -> Settings:
    from serving.settings import settings_or_told

    return settings_or_told()


def _version(asked: bool) -> None:
    if asked:
        try:
            version = importlib.metadata.version("daogou")
        except importlib.metadata.PackageNotFoundError:
            version = both("(run from its source, not installed)", "（直接从源码运行，未安装）")
        typer.echo(f"daogou {version}")
        raise typer.Exit


@app.callback()
def daogou(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help=both("Print the version.", "显示版本。")),
    ] = False,
) -> None:
    """The options before a command."""


@app.command(
    help=both(
        "Start everything: the page, the service and its models. Ctrl-C stops it and leaves nothing behind.",
        "启动全部：页面、服务与模型。按 Ctrl-C 停止，不留任何进程。",
    ),
    epilog=examples("daogou up", "daogou up --share", "DAOGOU_UI_PORT=7900 DAOGOU_HOME=~/shop daogou up"),
)
def up(
    share: Annotated[
        bool,
        typer.Option("--share", help=both("Also open a public link, behind a password.", "另开一个带密码的公网链接。")),
    ] = False,
    no_ui: Annotated[bool, typer.Option("--no-ui", help=both("Without the page.", "不启动页面。"))] = False,
) -> None:
    if share and no_ui:
        raise UserError(both("--share needs the page.", "--share 需要页面。"), mend="--share | --no-ui", code=2)
    from serving.run import Run

    raise typer.Exit(Run(_settings(), "up", page=not no_ui, service=True, share=share).go())


@app.command(
    help=both("Start the service without the page.", "只启动服务，不启动页面。"),
    epilog=examples("daogou serve", "DAOGOU_API_HOST=0.0.0.0 daogou serve"),
)
def serve() -> None:
    from serving.run import Run

    raise typer.Exit(Run(_settings(), "serve", page=False, service=True).go())


@app.command(
    help=both("Start the page only, for a service that runs elsewhere.", "只启动页面，连接别处运行的服务。"),
    epilog=examples("daogou ui", "DAOGOU_API_URL=http://10.0.0.5:8000 daogou ui"),
)
def ui() -> None:
    from serving.run import Run

    raise typer.Exit(Run(_settings(), "ui", page=True, service=False).go())


@app.command(
    help=both("Ask the running assistant; the answer appears as it is written.", "向运行中的助手提问，回答逐字显示。"),
    epilog=examples('daogou ask "a waterproof jacket under $80"', 'daogou ask "适合送妈妈的礼物" --lang zh --json'),
)
def ask(
    question: Annotated[str, typer.Argument(help=both("The question.", "问题。"))],
    as_json: Json = False,
    lang: Annotated[
        Literal["en", "zh"] | None,
        typer.Option("--lang", help=both("Language of the answer.", "回答的语言。")),
    ] = None,
) -> None:
    from serving.commands.ask import ask_service

    ask_service(_settings(), question, lang, as_json=as_json)


@app.command(
    help=both("Search the catalogue of the running service.", "在运行中的服务里搜索商品。"),
    epilog=examples(
        'daogou search "red running shoes"', 'daogou search lamp --limit 3 --json | jq ".data[].product.id"'
    ),
)
def search(
    query: Annotated[str, typer.Argument(help=both("What to look for.", "搜索内容。"))],
    as_json: Json = False,
    limit: Annotated[
        int, typer.Option(min=1, max=100, help=both("At most so many products.", "最多返回的商品数。"))
    ] = 10,
) -> None:
    from serving.commands.ask import search_service

    search_service(_settings(), query, limit, as_json=as_json)


@app.command(
    help=both(
        "Load a catalogue in place of the one before. A running service loads it itself. Rows that cannot be used are "
        "written to quarantine.csv in the home; mended, they load with --keep-missing.\n\n"
        "Exit codes: 0 loaded, or with --dry-run nothing to mend; 4 with --dry-run: usable, with warnings or rows left "
        "out; 5 nothing in it can be used.",
        "载入商品目录，取代原有目录。若服务正在运行，由它载入。无法使用的行写入数据目录的 quarantine.csv，改好后可用 "
        "--keep-missing 载入。\n\n"
        "退出码：0 已载入，或 --dry-run 未发现问题；4 --dry-run：可用，但有警告或被略过的行；5 没有可用的内容。",
    ),
    epilog=examples(
        "daogou ingest products.csv --dry-run",
        "daogou ingest products.csv --map price=售价 --currency CNY",
        "daogou ingest products.jsonl --json",
    ),
)
def ingest(
    file: Annotated[
        str,
        typer.Argument(
            help=both("The shop's export, or its https address.", "店铺导出的文件，或其 https 地址。"),
            show_default=False,
        ),
    ],
    as_json: Json = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help=both("Only report what is in it; load nothing.", "只报告内容，不载入。")),
    ] = False,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="ROLE=HEADER",
            help=both(
                "What a column means, such as price=售价; image= says that there is none. Remembered for this feed.",
                "列的含义，如 price=售价；image= 表示没有。会为此文件记住。",
            ),
        ),
    ] = None,
    currency: Annotated[
        str | None,
        typer.Option(
            "--currency", help=both("Of prices that name none. Remembered.", "未写币种的价格所用的币种，会记住。")
        ),
    ] = None,
    quarantine: Annotated[
        Path | None,
        typer.Option("--quarantine", help=both("Where rows left out are written.", "被略过的行写到哪个文件。")),
    ] = None,
    keep_missing: Annotated[
        bool,
        typer.Option("--keep-missing", help=both("Keep products that the file lacks.", "保留文件里没有的商品。")),
    ] = False,
) -> None:
    from serving.commands.ingest import ingest_file
    from serving.commands.report import Wishes

    wishes = Wishes(tuple(column or ()), currency, quarantine, dry_run=dry_run, keep_missing=keep_missing)
    raise typer.Exit(ingest_file(_settings(), file, wishes, as_json=as_json))


@app.command(
    help=both(
        "Load what is dropped into a folder, into the running service. A table of ids with prices or stocks, without "
        "titles, changes single products; everything else is a catalogue, as for `daogou ingest`.",
        "载入放进文件夹的文件（服务须正在运行）。有编号和价格或库存、没有标题的表格只更新相应商品；"
        "其他文件按商品目录载入，同 `daogou ingest`。",
    ),
    epilog=examples("daogou watch ~/exports", "daogou watch ~/exports --once"),
)
def watch(
    folder: Annotated[Path, typer.Argument(help=both("The folder.", "文件夹。"), show_default=False)],
    once: Annotated[
        bool, typer.Option("--once", help=both("Load what is new and exit.", "载入新文件后退出。"))
    ] = False,
) -> None:
    from serving.commands.watch import watch_folder

    watch_folder(_settings(), folder, once=once)


@app.command(
    help=both(
        "Look at the machine and the settings, and say how to mend what is wrong. Exits with 1 if anything fails.",
        "检查机器与设置，并说明如何解决问题。有任何一项不通过时退出码为 1。",
    ),
    epilog=examples("daogou doctor", "daogou doctor --json"),
)
def doctor(as_json: Json = False) -> None:
    from serving.commands.doctor import print_findings

    raise typer.Exit(print_findings(_settings(), as_json=as_json))


@app.command(
    help=both(
        "Print how each profile divides a card's memory, and whether it fits. Worked out; no card is needed.",
        "列出每个配置如何分配显存、是否放得下。均为计算值，无需显卡。",
    ),
    epilog=examples("daogou vram", "daogou vram --profile gpu --card 24", "daogou vram --card 80 --cards 4 --json"),
)
def vram(
    as_json: Json = False,
    profile: Annotated[
        Literal["embedded", "cpu-hub", "gpu", "gpu-70b"] | None,
        typer.Option("--profile", help=both("Only this profile.", "只看此配置。")),
    ] = None,
    card: Annotated[
        int | None, typer.Option("--card", min=1, help=both("Only cards of so many GB.", "只看此容量（GB）的显卡。"))
    ] = None,
    cards: Annotated[int | None, typer.Option("--cards", min=1, help=both("So many of them.", "显卡数量。"))] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help=both("Print a Markdown table.", "输出 Markdown 表格。"))
    ] = False,
) -> None:
    from serving.commands.vram import SIZES, print_plans
    from serving.profiles import PROFILES

    names = [profile] if profile else list(PROFILES)
    print_plans(names, [card] if card else list(SIZES), cards, as_json=as_json, markdown=markdown)


@app.command(
    help=both(
        "Show where each part of the running service is: host, process, cores, card, memory.",
        "显示运行中服务各部分的位置：主机、进程、CPU 核、显卡、内存。",
    ),
    epilog=examples("daogou where", "daogou where --json"),
)
def where(as_json: Json = False) -> None:
    from serving.commands.where import print_places

    print_places(_settings(), as_json=as_json)


app.add_typer(eval_app)


def main() -> None:
    app()


if __name__ == "__main__":
    main()
