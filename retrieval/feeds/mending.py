"""Kinds of findings in a feed: how grave each is, what it is called, and how to mend it, in both languages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from retrieval.feeds.base import Problem

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Kind:
    """`told`: how a reader's own problem of this kind reads, as "column: what; done"; None: no reader tells of it."""

    severity: Severity  # error: a row is left out; warning: the shop should look at it; note: good to know
    en: str
    zh: str
    mend_en: str
    mend_zh: str
    told: str | None = None


# The first that fits a reader's problem counts.
KINDS: dict[str, Kind] = {
    "duplicate_id": Kind(
        "error",
        "an id twice",
        "编号重复",
        "The row named won. Give this one an id of its own, or delete it.",
        "以所指的那一行为准。请为本行另设编号，或删除本行。",
        r"has the same(?: id)?; row skipped$",
    ),
    "missing_title": Kind(
        "error", "no title", "缺少标题", "Fill in a title.", "请填写标题。", r"^title: (?:empty|missing);.*row skipped$"
    ),
    "missing_id": Kind(
        "error", "no id", "缺少编号", "Fill in an id or SKU.", "请填写编号或 SKU。", r"(?:empty|missing); row skipped$"
    ),
    "unusable_row": Kind(
        "error", "a row of no use", "无法使用的行", "Correct the value named.", "请改正所指的值。", r"; row skipped$"
    ),
    "not_on_sale": Kind(
        "note",
        "not shown in the shop",
        "店铺里不展示",
        "Publish it in the shop if it should be found.",
        "若希望被搜到，请先在店铺里上架。",
        r"; product left out$|not published",
    ),
    "file_left_out": Kind(
        "warning",
        "a file left out",
        "略过的文件",
        "Correct the file, or leave it out if it holds no products.",
        "请改正该文件；若其中没有商品，可以移除。",
        r"; file left out$",
    ),
    "encoding": Kind(
        "note", "another encoding", "非 UTF-8 编码", "Save it in UTF-8.", "请另存为 UTF-8。", r"not UTF-8;"
    ),
    "duplicate_sku": Kind(
        "warning",
        "a variant's SKU twice",
        "款式 SKU 重复",
        "The first won. Give each variant a SKU of its own.",
        "以第一个为准。请为每个款式设不同的 SKU。",
        r"two variants have this SKU",
    ),
    "variant_left_out": Kind(
        "warning",
        "a variant left out",
        "略过的款式",
        "Correct the variant's row, or add it.",
        "请改正或补上该款式所在的行。",
        r"; variant left out$|rows of one product",
    ),
    "hidden_characters": Kind(
        "note",
        "hidden characters",
        "隐藏字符",
        "Type the text anew where it was copied from a document.",
        "若文字从别处复制而来，请重新输入。",
        r"hidden characters",
    ),
    "formula": Kind(
        "warning",
        "a formula",
        "公式",
        "Paste the value instead of the formula.",
        "请粘贴数值，不要用公式。",
        r"looks like a formula",
    ),
    "active_html": Kind(
        "warning",
        "scripts in a text",
        "文字里有脚本",
        "Delete scripts and event handlers from it.",
        "请删除其中的脚本与事件代码。",
        r"what a browser would run",
    ),
    "currency_assumed": Kind(
        "warning",
        "no currency",
        "没有币种",
        "Say it: --currency EUR, or a column currency.",
        "请用 --currency CNY 写明，或加一列 currency。",
        r"names no currency;",
    ),
    "unknown_currency": Kind(
        "warning",
        "an unknown currency",
        "未知币种",
        "Use a code such as EUR or a symbol such as €.",
        "请用 CNY 这样的代码或 ¥ 这样的符号。",
        r"not a currency",
    ),
    "bad_price": Kind(
        "warning",
        "a price that cannot be read",
        "无法读取的价格",
        "Write it as 24.90 or 24,90 €.",
        "请写成 24.90 或 24.90 元。",
        r"not a price|: either |two currencies|number of cents",
    ),
    "bad_link": Kind(
        "warning",
        "a link that is none",
        "无效链接",
        "Use an address that begins with https://, or for a picture its file name.",
        "请用 https:// 开头的地址；图片也可以写文件名。",
        r"not an (?:http or https )?address|not a file name",
    ),
    "bad_number": Kind(
        "warning",
        "a value that cannot be read",
        "无法读取的值",
        "Correct the value.",
        "请改正该值。",
        r"not a whole number|not a number|not between|negative stock|not a rating|not a date",
    ),
    "too_much": Kind(
        "warning",
        "more than fits",
        "超出限度",
        "Shorten it, or quote cells that hold separators.",
        "请缩短；含分隔符的单元格请加引号。",
        r"longer than|more than|more cells than",
    ),
    "columns": Kind(
        "note",
        "a column of doubtful meaning",
        "含义不明的列",
        "Say what it means: --map price=HEADER.",
        "请写明含义：--map price=列名。",
        r"another column has this meaning|no column is an id",
    ),
    "missing_price": Kind("warning", "no price", "缺少价格", "Fill in a price.", "请填写价格。"),
    "price_zero": Kind("warning", "a price of 0", "价格为 0", "Fill in the real price.", "请填写真实价格。"),
    "implausible_price": Kind(
        "warning",
        "a price far from its category's",
        "价格与同类商品相差悬殊",
        "See whether the decimal point, the unit or the category is wrong.",
        "请检查小数点、单位或类目是否有误。",
    ),
    "mixed_currencies": Kind(
        "warning",
        "several currencies",
        "币种不一",
        "Export prices in one currency; limits on price count in the main one.",
        "请用同一币种导出价格；价格限制按主要币种计算。",
    ),
    "private_image": Kind(
        "warning",
        "a picture in a private network",
        "图片在内网",
        "Use an address that shoppers can open.",
        "请使用顾客能打开的地址。",
    ),
    "formula_like": Kind(
        "note",
        "a text that begins like a formula",
        "以公式符号开头的文字",
        "Begin the text with a letter or a number.",
        "请以文字或数字开头。",
    ),
    "missing_image": Kind("note", "no picture", "缺少图片", "Fill in a picture.", "请填写图片。"),
    "lone_category": Kind(
        "note",
        "a category of one product",
        "只有一件商品的类目",
        "See whether the category is misspelt.",
        "请检查类目是否写错。",
    ),
    "currency_given": Kind("note", "no currency in the file", "文件里没有币种", "As you said.", "已按您指定的币种。"),
    "other": Kind("warning", "something else", "其他", "Correct the value named.", "请改正所指的值。", r""),
}

_TOLD = [(name, re.compile(kind.told)) for name, kind in KINDS.items() if kind.told is not None]


def kind_of(problem: Problem) -> str:
    """The kind of a reader's problem, a key of KINDS."""
    told = f"{problem.column.lower()}: {problem.what}; {problem.done}"
    return next(name for name, pattern in _TOLD if pattern.search(told))
