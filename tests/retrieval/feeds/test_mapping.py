"""Tables and JSON of any field names: what a column means is proposed, and can be said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from retrieval.feeds.base import FeedError
from tests.retrieval.feeds.test_formats import SHOPIFY, feed, money, one


def test_chinese_columns_in_any_order(tmp_path: Path) -> None:
    text = '图片,价格(元),库存,品牌,标题,类目,材质\nhttps://x.example/1.jpg,"5,999",有货,华为,手机 智能,数码,玻璃\n'
    product = one(shop := feed(tmp_path, text.encode("gb18030")))
    assert (product.id, product.title, product.brand) == ("手机 智能", {"zh": "手机 智能"}, "华为")
    assert (product.price, product.stock, product.category) == (money("5999", "CNY"), None, {"zh": "数码"})
    assert (product.image, product.attributes) == ("https://x.example/1.jpg", {"材质": {"zh": "玻璃"}})
    assert {column.header: column.role for column in shop.columns} == {
        "图片": "image",
        "价格(元)": "price",
        "库存": "stock",
        "品牌": "brand",
        "标题": "title",
        "类目": "category",
        "材质": "attribute",
    }
    assert json.loads(json.dumps(shop.understood()))["columns"][1]["confidence"] == 0.89


def test_columns_are_understood_by_what_they_hold(tmp_path: Path) -> None:
    text = 'nr,Name,Wert,Foto vorn,Wo\n1,Tasse,"1.299,00 €",https://x.example/a.webp,https://x.example/a\n'
    product = one(shop := feed(tmp_path, "ArtikelNr" + text[2:]))
    assert (product.price, product.image, product.url) == (
        money("1299.00", "EUR"),
        "https://x.example/a.webp",
        "https://x.example/a",
    )
    assert [column.confidence for column in shop.columns[2:]] == [0.5, 0.5, 0.5]


def test_the_shop_says_what_a_column_is(tmp_path: Path) -> None:
    text = "sku,title,price,售价,stock\n1,Mug,9.99,7.50,3\n"
    mapped = feed(tmp_path, text, mapping={"price": "售价", "stock": ""})
    product = one(mapped)
    assert (product.price, product.stock) == (money("7.50"), None)
    assert product.attributes == {"price": {"en": "9.99"}, "stock": {"en": "3"}}
    assert mapped.columns[3].confidence == 1
    assert mapped.digest != feed(tmp_path, text).digest


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"cost": "price"}, "'cost' is nothing that a column can be. Use one of: id, title"),
        ({"price": "Preis"}, "no column 'Preis'. Its columns are: sku, title"),
        ({"title": ""}, "no column title"),
    ],
)
def test_a_mapping_that_does_not_fit_is_refused(tmp_path: Path, mapping: dict[str, str], message: str) -> None:
    with pytest.raises(FeedError, match=message):
        feed(tmp_path, "sku,title\n1,Mug\n", mapping=mapping)


def test_special_exports_take_no_mapping(tmp_path: Path) -> None:
    with pytest.raises(FeedError, match="in the form of Shopify"):
        feed(tmp_path, SHOPIFY, mapping={"price": "Variant Price"})


def test_json_of_any_fields(tmp_path: Path) -> None:
    items = [{"商品编号": 1, "商品名称": "杯子", "售价": 33.61, "规格": {"容量": "300ml"}, "big": 10**400}]
    product = one(shop := feed(tmp_path, json.dumps({"total": 1, "data": {"items": items}}, ensure_ascii=False)))
    assert (shop.kind, product.id, product.title, product.price) == ("JSON object", "1", {"zh": "杯子"}, money("33.61"))
    assert product.attributes == {"规格 容量": {"en": "300ml"}, "big": {"en": "1.000000E+400"}}
    lines = "\n".join(json.dumps({"sku": n, "name": f"Mug {n}", "price": "$5"}) for n in range(3))
    assert [product.id for product in feed(tmp_path, lines).products] == ["0", "1", "2"]


def test_jp_sheets_in_shift_jis(tmp_path: Path) -> None:
    text = "商品コード,商品名,価格,在庫\n" + "".join(f"{n},陶器のカップとソーサー,1200円,{n}\n" for n in range(20))
    product = next(iter(feed(tmp_path, text.encode("shift_jis")).products))
    assert (product.id, product.price, product.stock) == ("0", money("1200", "JPY"), 0)
