"""Chinese questions to the demo catalogue, found by words alone, for an embedder that reads no Chinese."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import numpy as np
import pytest
import pytest_asyncio
from numpy.typing import NDArray

from retrieval.feeds.detect import read
from retrieval.ingest import ingest
from retrieval.product import Product
from retrieval.search import SearchQuery, search_many
from retrieval.store.base import Filter, Range
from retrieval.store.edge import EdgeStore
from retrieval.understand.turn import understand
from tests.products import HashEncoder
from ui_assets.demo import CATALOGUE

ENCODER = HashEncoder()

pytestmark = pytest.mark.asyncio(loop_scope="module")

# The first thirty were there while words were tuned; the others came later and decided one choice, that of heads.
QUESTIONS = {
    "防水外套": "外套夹克",
    "有没有适合雨天骑车穿的夹克？": "外套夹克",
    "100美元以内的外套": "外套夹克",
    "我想买一双跑鞋": "跑步鞋",
    "推荐一双轻便的跑步鞋": "跑步鞋",
    "登山鞋，要防水的": "登山徒步鞋",
    "150美元以下的徒步靴": "登山徒步鞋",
    "夏天穿的裙子": "连衣裙",
    "红色连衣裙": "连衣裙",
    "羊毛衫有哪些": "毛衣针织",
    "想要一件暖和的毛衣": "毛衣针织",
    "白色衬衫": "衬衫与T恤",
    "男士裤子": "裤装",
    "送女朋友的手提包": "女包手袋",
    "装得下笔记本电脑的双肩包": "双肩背包",
    "上学用的书包": "双肩背包",
    "遮阳帽": "帽子",
    "折叠雨伞": "雨伞",
    "墨镜": "太阳镜",
    "有现货的蓝牙耳机吗": "耳机",
    "安静的机械键盘": "键盘",
    "床头灯": "灯具",
    "咖啡杯": "马克杯",
    "手冲咖啡壶": "咖啡茶具",
    "不粘平底锅": "锅具",
    "敏感肌用的面霜": "护肤",
    "两个人用的帐篷": "帐篷",
    "保温水壶，500毫升左右": "水杯水壶",
    "三岁孩子的积木玩具": "玩具",
    "潜水手表": "手表",
    "下雨天撑的伞": "雨伞",
    "出门旅行背的大包": "双肩背包",
    "给妈妈买个护手霜": "护肤",
    "泡茶用的壶": "咖啡茶具",
    "煎牛排的锅": "锅具",
    "孩子玩的木头火车": "玩具",
    "开会戴的正装表": "手表",
    "健身房喝水的杯子": "水杯水壶",
    "冬天穿的羽绒服": "外套夹克",
    "办公室用的台灯": "灯具",
    "打游戏的键盘": "键盘",
    "跑步戴的耳机": "耳机",
    "夏天戴的草帽": "帽子",
    "短袖T恤": "衬衫与T恤",
    "牛仔裤": "裤装",
    "高领毛衣": "毛衣针织",
    "晚宴穿的长裙": "连衣裙",
    "斜挎包": "女包手袋",
    "越野跑鞋": "跑步鞋",
    "爬山穿的鞋": "登山徒步鞋",
    "防晒霜": "护肤",
    "开车戴的太阳眼镜": "太阳镜",
    "家庭露营大帐篷": "帐篷",
    "练普拉提的垫子": "瑜伽垫",
    "大容量马克杯": "马克杯",
    "冲锋衣": "外套夹克",
    "洗面奶": "护肤",
    "毛绒小熊": "玩具",
    "铸铁锅": "锅具",
    "30美元以下的雨伞": "雨伞",
}


class NoScorer:
    """A scorer that must not be asked."""

    def score(self, asked: Sequence[tuple[str, Sequence[str]]]) -> list[NDArray[np.float32]]:
        raise AssertionError(f"asked to score {asked}")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shop(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EdgeStore]:
    store = EdgeStore.open(tmp_path_factory.mktemp("shop"), ENCODER.id)
    await ingest(
        read(CATALOGUE).products, store, ENCODER, source="", source_digest="", progress=lambda *_: None, batch=200
    )
    yield store
    await store.close()


async def ask(shop: EdgeStore, *messages: str) -> list[Product]:
    understood = understand(messages)
    query = SearchQuery(understood.query, understood.lang, understood.filter, by_words=True)
    (found,) = await search_many(shop, ENCODER, NoScorer(), [query])
    assert [time.name for time in found.times] == ["retrieve"]
    return [hit.product for hit in found.hits]


async def test_chinese_questions_find_the_right_shelf(shop: EdgeStore) -> None:
    shelves = {question: [item.category["zh"] for item in await ask(shop, question)] for question in QUESTIONS}
    not_first = [question for question, wanted in QUESTIONS.items() if shelves[question][:1] != [wanted]]
    nowhere = [question for question, wanted in QUESTIONS.items() if wanted not in shelves[question]]
    assert len(not_first) <= 8, not_first  # 7 of 60 as this was written
    assert len(nowhere) <= 3, nowhere  # 2


async def test_limits_hold_and_are_not_looked_for(shop: EdgeStore) -> None:
    found = await ask(shop, "100美元以内的外套")
    assert len(found) == 6
    assert all(item.price and item.price.amount <= 100 and item.category["zh"] == "外套夹克" for item in found)
    cheaper = await ask(shop, "100美元以内的外套", "80美元以内的呢")
    assert cheaper[0].category["zh"] == "外套夹克"
    assert all(item.price and item.price.amount <= 80 for item in cheaper)


async def test_what_the_shop_does_not_have_is_not_found(shop: EdgeStore) -> None:
    assert await ask(shop, "有没有狗粮") == []
    assert await ask(shop, "你好") == []


async def test_few_are_not_filled_up(shop: EdgeStore) -> None:
    found = await ask(shop, "电动牙刷")
    assert 0 < len(found) < 6


async def test_each_question_of_a_batch_goes_its_own_way(shop: EdgeStore) -> None:
    class Same:
        def score(self, asked: Sequence[tuple[str, Sequence[str]]]) -> list[NDArray[np.float32]]:
            return [np.zeros(len(texts), np.float32) for _, texts in asked]

    cheap = Filter((Range("price", lte=30),))
    queries = [
        SearchQuery("防水外套", "zh", by_words=True),
        SearchQuery("rain jacket"),
        SearchQuery("50美元以内的外套", "zh", cheap, by_words=True),
        SearchQuery("30美元以内的", "zh", cheap, by_words=True),  # no words: whatever keeps the limit
        SearchQuery("墨镜", "zh", limit=3, by_words=True),
    ]
    together = await search_many(shop, ENCODER, Same(), queries)
    for query, found in zip(queries, together, strict=True):
        (alone,) = await search_many(shop, ENCODER, Same(), [query])
        assert found.hits == alone.hits
    assert [len(found.times) for found in together] == [1, 3, 1, 3, 1]
    assert [len(found.hits) for found in together][:2] == [6, 6]
    assert [len(found.hits) for found in together][3:] == [6, 3]
    assert all(hit.product.price and hit.product.price.amount <= 30 for hit in together[3].hits)
