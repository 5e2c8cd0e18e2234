"""The words of a product and of a question, as sparse vectors: finding by words, in languages no embedder has learned.

Every store gets its vectors from here, so that all give the same answers. A vector holds BM25's share of the product
or the question; how rare a word is (IDF), the engine knows from what it holds.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import qdrant_edge as qe
import regex
import rjieba

from retrieval.product import Product

VERSION = "words/1"  # rises with every change, also of the segmenter, that gives a product other words

_NAMED = 3  # how often the words of title and category count
_QUESTION = 64  # words of a question that are looked for; later ones of a long message are not
_AVERAGE = 150  # words of a product, repetitions counted; BM25 holds longer texts for less to the point
_PIECE = regex.compile(r"\p{Han}+|[\p{L}\p{M}--\p{Han}]+|\p{N}+(?:[.,]\p{N}+)*", regex.V1)
_HAN = regex.compile(r"\p{Han}")
# What a Chinese question says around its matter: particles and pronouns; wanting, asking, recommending; measures and
# limits. English ones are left to BM25.
_STOP_WORDS = """
的 地 得 了 着 过 吗 呢 吧 啊 呀 么 我 我们 你 你们 您 他 她 它 这 那 这个 那个 这些 那些 和 与 或 或者 跟 以及 及 但 而
是 在 有 没 没有 有没 有没有 不 很 最 太 更 比较 也 都 就 还 上 下 里 中 时 时候 为 为了 对 把 被 让 从 到
要 想 想要 需要 买 想买 找 来 给 送 用 能 会 可以 请 请问 帮 帮我 帮忙 麻烦 看看 推荐 介绍 适合 合适 什么 哪 哪些 哪种
哪款 怎么 怎么样 如何 多少 几 谢谢 你好 您好 好 好的 好看 好用 东西 商品 产品
一 个 款 件 双 只 条 种 些 一个 一款 一件 一双 一只 一条 一种 一把 一台 一套 一顶 一副 一支 一瓶 一张 一块 一些 一点
一下 左右 以内 以下 以上 之间 之内 便宜 便宜点 价格 预算 钱 元 美元
"""
_STOP = frozenset(_STOP_WORDS.split())
_SUFFIXES = "子儿"
_BM25 = qe.Bm25(
    qe.Bm25Config(
        tokenizer=qe.TokenizerType.Whitespace,
        language="english",  # stems and stop words of English; Chinese words pass through
        avg_len=_AVERAGE,
    )
)


class Words(NamedTuple):
    """A sparse vector: distinct indices, and the weight of each."""

    indices: list[int]
    values: list[float]


def product_words(product: Product) -> Words:
    """The words of a record in all its languages; none where it is written without letters and numbers."""
    names = [*product.title.values(), *product.category.values()]
    named = [word for name in names for word in (*_words(name), *_heads(name))]
    attributes = (f"{key} {value}" for key, text in product.attributes.items() for value in text.values())
    told = [word for text in (product.brand, *attributes, *product.description.values()) for word in _words(text)]
    vector = _BM25.embed_document(" ".join([*named * _NAMED, *told]))
    return Words(vector.indices, vector.values)


def question_words(text: str) -> Words:
    """The words to look for; none where the text says nothing but "do you have something"."""
    words = [*islice(_words(text), _QUESTION), *islice(_heads(text), _QUESTION)]
    vector = _BM25.embed_query(" ".join(words))
    return Words(vector.indices, vector.values)


def _pieces(text: str) -> list[str]:
    pieces: list[str] = _PIECE.findall(unicodedata.normalize("NFKC", text).lower())
    return pieces


def _words(text: str) -> Iterator[str]:
    """The words of a text in order; of a Chinese word also the words inside it."""
    for piece in _pieces(text):
        if _HAN.match(piece):
            yield from (word for word in rjieba.cut_for_search(piece) if word not in _STOP)
        else:
            yield piece


def _heads(text: str) -> Iterator[str]:
    """For each Chinese word the character that says what kind of thing it is, marked as such: the last that means any.

    So 跑鞋 finds 跑步鞋, and 裙子 finds 连衣裙. Names of products have heads, descriptions have not.
    """
    for piece in filter(_HAN.match, _pieces(text)):
        for word in rjieba.cut(piece):
            head = word[-2] if word[-1] in _SUFFIXES and len(word) > 1 else word[-1]
            if word not in _STOP and head not in _STOP:
                yield f"~{head}"
