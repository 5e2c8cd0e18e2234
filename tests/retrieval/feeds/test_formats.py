# ruff: noqa: E501 - rows as shops export them
"""Each form of feed from a small file of its own: what is understood, and what is told."""

from __future__ import annotations

import gc
import json
import zipfile
from datetime import date
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from retrieval.feeds.base import Feed, FeedError
from retrieval.feeds.detect import read
from retrieval.product import Money, Product, Variant


def feed(folder: Path, content: str | bytes, name: str = "export", **how: Any) -> Feed:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read(path, **how)


def one(feed: Feed) -> Product:
    (product,) = feed.products
    return product


def money(amount: str, currency: str = "USD") -> Money:
    return Money(amount=Decimal(amount), currency=currency)


def told(feed: Feed) -> list[str]:
    return [str(problem) for problem in feed.problems]


# --- shops

SHOPIFY = """Handle,Title,Body (HTML),Vendor,Type,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,\
Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price,Image Src,\
Image Position,Gift Card,Fabric (product.metafields.custom.fabric),Status
tee,Tee,<p>Soft<script>alert(1)</script></p>,Acme,Shirts,true,Size,S,Color,Red,T-S,shopify,4,deny,19.90,https://x.example/2.jpg,2,false,Linen,active
card,Gift card,,Acme,,true,Value,10,,,,,0,deny,10.00,,,true,,active
old,Old,,Acme,,true,Title,Default Title,,,,,1,deny,1,,,false,,draft
tee,,,,,,,M,,Red,T-M,shopify,-3,deny,18.90,https://x.example/1.jpg,1,,,
hidden,Hidden,,Acme,,false,Title,Default Title,,,,,1,deny,1,,,false,,active
tee,,,,,,,,,,,,,,,https://x.example/3.jpg,3,,,
tee,,,,,,,L,,Blue,T-L,shopify,0,continue,20.90,,,,,
"""


def test_shopify_rows_of_one_handle_may_lie_apart(tmp_path: Path) -> None:
    shop = feed(tmp_path, SHOPIFY)
    found = {product.id: product for product in shop.products}
    tee = found["tee"]
    assert (shop.kind, list(found)) == ("Shopify", ["tee", "card"])
    assert tee.variants == (
        Variant(sku="T-S", options={"Size": "S", "Color": "Red"}, price=money("19.90"), stock=4),
        Variant(sku="T-M", options={"Size": "M", "Color": "Red"}, price=money("18.90"), stock=0),
        Variant(sku="T-L", options={"Size": "L", "Color": "Blue"}, price=money("20.90")),
    )
    assert (tee.price, tee.stock, tee.image) == (money("18.90"), 4, "https://x.example/1.jpg")
    assert (tee.description, tee.attributes["fabric"]) == ({"en": "Soft"}, {"en": "Linen"})
    assert tee.attributes["Color"] == {"en": "Red, Blue"}
    assert (found["card"].category, found["card"].stock) == ({"en": "Gift card"}, None)
    assert told(shop) == [
        "row 2, Variant Price: names no currency; USD taken, in other rows too",
        "row 2, Variant Inventory Qty '-3': negative stock; 0 taken",
        "row 2, Body (HTML) '<p>Soft<script>alert(1)</script></p>': holds what a browser would run; only its text taken",
        "row 4, Status 'draft': not on sale; product left out",
        "row 6, Published 'false': not shown in the shop; product left out",
    ]


def test_shopifys_newer_columns(tmp_path: Path) -> None:
    header = "Title,URL handle,Description,Vendor,Type,Published on online store,Status,SKU,Option1 name,Option1 value,Price,"
    row = 'Mug,mug,Warm,Acme,Cups,true,Active,M-1,Title,Default Title,"1,299.00",'
    product = one(feed(tmp_path, f"{header}Inventory tracker,Inventory quantity,Product image URL\n{row}shopify,7,\n"))
    assert (product.id, product.price, product.stock, product.variants) == ("mug", money("1299.00"), 7, ())
    assert product.attributes["SKU"] == {"en": "M-1"}


def test_woocommerce_variations_before_their_parent(tmp_path: Path) -> None:
    shop = feed(
        tmp_path,
        "ID,Type,SKU,Name,Published,In stock?,Stock,Sale price,Regular price,Date sale price ends,Categories,Parent,"
        "Attribute 1 name,Attribute 1 value(s)\n"
        f"9,variation,,Cap - Red,1,1,3,8,10,{date.today().year + 1}-01-01,,id:5,Color,Red\n"
        '8,"variation, virtual",C-B,Cap - Blue,1,0,3,8,10,2020-01-01,,id:5,Color,Blue\n'
        "7,variation,C-X,Lost,1,1,,,10,,,gone,Color,Blue\n"
        '5,variable,CAP,Cap,1,1,,,,,"Wear, Wear > Caps",,Color,"Red, Blue"\n'
        "6,simple,SECRET,Secret,0,1,,,10,,,,,\n",
    )
    cap = one(shop)
    assert cap.variants == (
        Variant(sku="CAP/Red", options={"Color": "Red"}, price=money("8"), stock=3),
        Variant(sku="C-B", options={"Color": "Blue"}, price=money("10"), stock=0),
    )
    assert (cap.price, cap.stock, cap.category) == (money("8"), 3, {"en": "Wear > Caps"})
    assert told(shop)[1:] == [
        "row 4, Parent 'gone': no such product; row skipped",
        "row 6, Published '0': not published; product left out",
    ]


def test_magento_views_missing_children_and_special_prices(tmp_path: Path) -> None:
    shop = feed(
        tmp_path,
        "sku,store_view_code,attribute_set_code,product_type,categories,name,product_online,visibility,price,special_price,"
        "special_price_to_date,additional_attributes,qty,is_in_stock,configurable_variations,base_image\n"
        'A,,Top,configurable,"Default Category/Men,Default Category/Men/Tops",Jacket,1,"Catalog, Search",90,,,'
        '"material=Wool|Silk,care=wash warm, dry flat,brand=Luma",0,1,"sku=A-S,size=S|sku=A-M,size=M",../../etc/passwd\n'
        "A,zh,,,,夹克,,,,,,,,,,\n"
        "A-S,,Top,simple,,Jacket S,1,Not Visible Individually,90,80,,,5,1,,\n"
        "B,,Top,simple,,Ghost,1,Not Visible Individually,9,,,,5,1,,\n"
        "C,,Top,simple,,Belt,1,Catalog,9,8,1/31/20,,-5,1,,b/belt.jpg\n"
        "D,,Top,simple,,Off,2,Catalog,9,,,,5,1,,\n",
    )
    jacket, belt = shop.products
    assert jacket.title == {"en": "Jacket", "zh": "夹克"}
    assert jacket.variants == (Variant(sku="A-S", options={"size": "S"}, price=money("80"), stock=5),)
    assert (jacket.price, jacket.brand, jacket.category) == (money("80"), "Luma", {"en": "Men > Tops"})
    assert jacket.attributes["care"] == {"en": "wash warm, dry flat"}
    assert (jacket.image, belt.image, belt.price, belt.stock) == (None, "b/belt.jpg", money("9"), 0)
    assert [text for text in told(shop) if "currency" not in text] == [
        "row 2, configurable_variations 'A-M': no row has this SKU; variant left out",
        "row 2, base_image '../../etc/passwd': not a file name inside the picture folder; value left out",
        "row 5, visibility 'Not Visible Individually': neither visible nor the variant of a product; product left out",
        "row 6, qty '-5': negative stock; 0 taken",
        "row 7, product_online '2': disabled; product left out",
    ]


# --- Google Merchant

G = 'xmlns:g="http://base.google.com/ns/1.0"'
RSS = f"""<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" {G}><channel><title>Shop</title>
<item><g:id>1</g:id><title>Lamp &amp; shade</title><description><![CDATA[<p>Bright<br>light</p>]]></description>
<link>https://shop.example/1</link><g:image_link>https://shop.example/1.jpg</g:image_link><g:price>29.95 EUR</g:price>
<g:sale_price>24.95 EUR</g:sale_price><g:availability>in_stock</g:availability><g:brand>Lumo</g:brand>
<g:product_type>Home &gt; Lamps</g:product_type><g:product_detail><g:attribute_name>Socket</g:attribute_name>
<g:attribute_value>E27</g:attribute_value></g:product_detail></item>
<item><g:id>S-R</g:id><g:item_group_id>S</g:item_group_id><title>Sari</title><g:price>69.00 INR</g:price><g:color>Red</g:color>
<g:availability>out of stock</g:availability></item>
<item><g:id>S-G</g:id><g:item_group_id>S</g:item_group_id><title>Sari</title><g:price>1,069.00 INR</g:price>
<g:color>Green</g:color><g:availability>in stock</g:availability></item></channel></rss>"""


def test_google_merchant_rss(tmp_path: Path) -> None:
    shop = feed(tmp_path, RSS)
    lamp, sari = shop.products
    assert (shop.kind, shop.problems) == ("Google Merchant", ())
    assert lamp == Product(
        id="1",
        title={"en": "Lamp & shade"},
        description={"en": "Bright\nlight"},
        category={"en": "Home > Lamps"},
        brand="Lumo",
        price=money("24.95", "EUR"),
        attributes={"Socket": {"en": "E27"}},
        image="https://shop.example/1.jpg",
        url="https://shop.example/1",
    )
    assert sari.variants == (
        Variant(sku="S-R", options={"color": "Red"}, price=money("69.00", "INR"), stock=0),
        Variant(sku="S-G", options={"color": "Green"}, price=money("1069.00", "INR")),
    )
    assert (sari.id, sari.price, sari.in_stock) == ("S", money("69.00", "INR"), True)


@pytest.mark.parametrize("encoding", ["utf-16", "gb18030"])
def test_google_merchant_atom_in_other_encodings(tmp_path: Path, encoding: str) -> None:
    text = (
        f'<?xml version="1.0" encoding="{encoding}"?><feed xmlns="http://www.w3.org/2005/Atom" {G}><entry><g:id>1</g:id>'
        '<title>红色防水跑步鞋，轻便透气</title><link href="https://shop.example/1"/><g:price>5,999 CNY</g:price></entry></feed>'
    )
    product = one(feed(tmp_path, text.encode(encoding)))
    assert product.title == {"zh": "红色防水跑步鞋，轻便透气"}
    assert (product.price, product.url) == (money("5999", "CNY"), "https://shop.example/1")


def test_google_merchant_tsv(tmp_path: Path) -> None:
    text = "id\ttitle\timage link\tprice\tavailability\tsale price\n1\tCup\thttps://x.example/c.png\t29.95 EUR\tout_of_stock\t\n"
    product = one(shop := feed(tmp_path, text))
    assert (shop.kind, product.price, product.stock) == ("Google Merchant", money("29.95", "EUR"), 0)


def test_a_google_feed_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FeedError, match=r"after item 1\. Was the file cut off"):
        feed(tmp_path, RSS[: RSS.index("<item><g:id>S-R")])


# --- pages

JSON_LD = {
    "@context": "https://schema.org",
    "@graph": [
        {"@type": "BreadcrumbList", "name": "Home"},
        {
            "@type": "Product",
            "sku": "K-1",
            "name": "Kettle",
            "image": ["/k.jpg", "/k2.jpg"],
            "brand": {"@type": "Brand", "name": "Boil"},
            "offers": {
                "@type": "Offer",
                "price": 33.61,
                "priceCurrency": "EUR",
                "availability": "https://schema.org/InStock",
            },
            "aggregateRating": {"ratingValue": "8.8", "bestRating": "10", "reviewCount": "12"},
            "additionalProperty": [{"@type": "PropertyValue", "name": "Volume", "value": "1.7 l"}],
        },
    ],
}
VARIANTS = {
    "@type": "ProductGroup",
    "productGroupID": "P",
    "name": "Poncho",
    "hasVariant": [
        {"@type": "Product", "sku": "P-S", "size": "S", "offers": {"price": "1.299,00", "priceCurrency": "EUR"}},
        {"@type": "Product", "sku": "P-M", "size": "M", "offers": {"price": "1299.50", "priceCurrency": "EUR"}},
    ],
}
MICRODATA = """<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Vase <b>blue</b></h1>
<meta itemprop="sku" content="V-1"><a itemprop="url" href="/vase">more</a><img itemprop="image" src="/v.jpg">
<div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="priceCurrency" content="GBP">
<span itemprop="price">12.50</span><link itemprop="availability" href="https://schema.org/OutOfStock"></div></div>"""


def page(*parts: Any) -> str:
    texts = [
        part if isinstance(part, str) else f'<script type="application/ld+json">{json.dumps(part)}</script>'
        for part in parts
    ]
    return (
        '<!DOCTYPE html><html><head><link rel="canonical" href="https://shop.example/p/1"></head>'
        f"<body>{''.join(texts)}</body></html>"
    )


def test_products_of_pages(tmp_path: Path) -> None:
    shop = feed(tmp_path, page('<script type="application/ld+json">{broken</script>', JSON_LD, VARIANTS, MICRODATA))
    kettle, poncho, vase = shop.products
    assert (shop.kind, told(shop)) == (
        "schema.org",
        [
            "file, ld+json '{broken': no JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1); "
            "script left out"
        ],
    )
    assert kettle == Product(
        id="K-1",
        title={"en": "Kettle"},
        brand="Boil",
        price=money("33.61", "EUR"),
        rating=4.4,
        rating_count=12,
        attributes={"Volume": {"en": "1.7 l"}},
        image="https://shop.example/k.jpg",
        url="https://shop.example/p/1",
    )
    assert poncho.variants == (
        Variant(sku="P-S", options={"size": "S"}, price=money("1299.00", "EUR")),
        Variant(sku="P-M", options={"size": "M"}, price=money("1299.50", "EUR")),
    )
    assert (vase.id, vase.title, vase.price, vase.stock) == ("V-1", {"en": "Vase blue"}, money("12.50", "GBP"), 0)
    assert (vase.image, vase.url) == ("https://shop.example/v.jpg", "https://shop.example/vase")


# --- sheets, zips, folders


def workbook(*rows: list[Any]) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def test_xlsx(tmp_path: Path) -> None:
    content = workbook(["编号", "标题", "价格", "库存"], [7, "陶瓷杯", 33.61, 4.0], ["A8", "茶壶", "¥5,999", None])
    shop = feed(tmp_path, content, currency="CNY")
    cup, pot = shop.products
    assert (shop.kind, cup.id, cup.title, cup.price, cup.stock) == (
        "XLSX",
        "7",
        {"zh": "陶瓷杯"},
        money("33.61", "CNY"),
        4,
    )
    assert pot.price == money("5999", "CNY")


def test_xlsx_formulas_have_no_value_of_their_own(tmp_path: Path) -> None:
    shop = feed(tmp_path, workbook(["sku", "title", "price"], ["1", "Mug", "=1+1"], ["2", '=HYPERLINK("http://x")', 3]))
    assert [(product.id, product.price) for product in shop.products] == [("1", None)], "never calculated, so no value"


def test_parquet(tmp_path: Path) -> None:
    table = pa.table(
        {
            "sku": [1, 2],
            "product_name": ["Mug", "Cup"],
            "price": pa.array([Decimal("24.90"), None], pa.decimal128(10, 2)),
            "tags": [["a", "b"], []],
            "weight": [0.1, 33.61],
        }
    )
    path = tmp_path / "export"
    pq.write_table(table, path)
    shop = read(path)
    mug, cup = shop.products
    assert (shop.kind, mug.id, mug.title, mug.price) == ("Parquet", "1", {"en": "Mug"}, money("24.90"))
    assert (mug.attributes, cup.attributes) == (
        {"tags": {"en": "a, b"}, "weight": {"en": "0.1"}},
        {"weight": {"en": "33.61"}},
    )


def test_a_zip_of_several_files(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "shop.bin", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/one.csv", "id,title,price\n1,Mug,5 EUR\n1,Again,5 EUR\n")
        archive.writestr("../../two.xml", RSS.replace("<g:id>1<", "<g:id>2<"))
        archive.writestr("readme.txt", "nothing to see")
        archive.writestr("a/mug.jpg", b"\xff\xd8\xff\xe0 picture")
        archive.writestr("__MACOSX/one.csv", "id,title\n9,Ghost\n")
    shop = read(tmp_path / "shop.bin")
    assert [product.id for product in shop.products] == ["1", "2", "S"]
    assert shop.kind == "several forms"
    assert [problem.file for problem in shop.problems] == ["readme.txt", "a/one.csv"]
    assert str(shop.problems[1]) == "a/one.csv, row 3, id '1': row 2 has the same id; row skipped"


def test_a_folder_of_pages(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    for name, part in (("a.html", JSON_LD), ("b.html", MICRODATA)):
        (tmp_path / "pages" / name).write_text(page(part))
    (tmp_path / "pages" / ".hidden.csv").write_text("id,title\n1,Ghost\n")
    (tmp_path / "elsewhere.csv").write_text("id,title\n1,Ghost\n")
    (tmp_path / "pages" / "link.csv").symlink_to(tmp_path / "elsewhere.csv")
    shop = read(tmp_path / "pages")
    assert [product.id for product in shop.products] == ["K-1", "V-1"]
    assert told(shop) == ["link.csv: leads out of the folder; file left out"]


# --- plain tables


def test_what_was_unpacked_stays_while_its_products_are_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "shop.zip", "w") as archive:
        archive.writestr("one.csv", "id,title\n1,Mug\n2,Cup\n")
        archive.writestr("two.csv", "id,title\n3,Lamp\n")
    products = iter(read(tmp_path / "shop.zip").products)  # nobody holds the feed any more
    gc.collect()
    assert [product.id for product in products] == ["1", "2", "3"]
