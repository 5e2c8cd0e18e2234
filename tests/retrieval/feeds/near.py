"""Files near the layouts that the readers know, for property tests."""

from __future__ import annotations

import csv
import json
import zipfile
from io import BytesIO, StringIO
from typing import Any
from xml.sax.saxutils import escape

import openpyxl
from hypothesis import strategies as st

HEADERS = {
    "Shopify": "Handle,Title,Body (HTML),Vendor,Type,Published,Option1 Name,Option1 Value,Variant SKU,"
    "Variant Inventory Qty,Variant Price,Image Src,Image Position,Gift Card,Status",
    "WooCommerce": "ID,Type,SKU,Name,Published,In stock?,Stock,Sale price,Regular price,Categories,Parent,Images,"
    "Attribute 1 name,Attribute 1 value(s)",
    "Magento": "sku,store_view_code,attribute_set_code,product_type,categories,name,product_online,visibility,price,"
    "special_price,additional_attributes,qty,is_in_stock,configurable_variations,base_image",
    "Google": "id,title,description,link,image_link,price,sale_price,availability,condition,item_group_id,color,brand",
    "plain": "sku,title,title_zh,price,price_cents,sale price,currency,stock,rating,rating_count,image,url,colour",
}
ODD = [
    "",
    "1",
    "2",
    "A",
    "Mug",
    "陶瓷杯",
    "19.90",
    "33.61 EUR",
    "1.299,00 €",
    "¥5,999",
    "1e9",
    "-5",
    "NaN",
    "true",
    "active",
    "variable",
    "variation",
    "simple",
    "configurable",
    "id:1",
    "sku=A,size=S|sku=B,size=M",
    "a=b,c=d",
    "in stock",
    "=1+1",
    "<p>Text<script>x</script>",
    "javascript:x",
    "https://shop.example/a b",
    "http://[",
    "a/b.jpg",
    "../x",
    "\x00\x1b",
    "\ud800",
    "\u202e\u2066x",
    "&#0;&#x202e;&lt;b&gt;",
    "\u0085x",
    '"',
    "9" * 40,
]

cells = st.one_of(st.sampled_from(ODD), st.text(max_size=30))
values = st.recursive(
    st.one_of(cells, st.none(), st.booleans(), st.integers(), st.floats()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(cells, inner, max_size=4)),
    max_leaves=6,
)
FIELDS = [
    *("id", "sku", "title", "name", "price", "price_cents", "currency", "stock", "description", "image", "url"),
    *("rating", "rating_count", "brand", "category", "variants", "attributes", "offers", "@type", "reviews"),
    *("supplier", "img_high", "attr_t_colour"),
]
money = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("amount", "currency", "currencyCode", "units", "nanos", "value"), values)
)
localized = st.dictionaries(st.sampled_from(["en", "zh", "x"]), cells, min_size=1, max_size=2)
objects = st.fixed_dictionaries(
    {"id": cells, "title": st.one_of(cells, localized)},
    optional={
        **{field: values for field in FIELDS if field not in ("id", "title")},
        "price": st.one_of(money, cells, st.floats(0, 1e6)),
        "description": st.one_of(cells, localized),
        "attributes": st.dictionaries(cells, localized, max_size=2),
        "variants": st.lists(
            st.fixed_dictionaries({"sku": cells}, optional={"options": st.dictionaries(cells, cells), "price": money}),
            max_size=2,
        ),
    },
)


@st.composite
def tables(draw: st.DrawFn) -> bytes:
    """CSV in one of the layouts."""
    header = HEADERS[draw(st.sampled_from(sorted(HEADERS)))].split(",")
    kept = [name for name in header if draw(st.integers(0, 9))]
    likely = {name: draw(st.sampled_from(ODD)) for name in kept}
    file = StringIO()
    writer = csv.writer(
        file, delimiter=draw(st.sampled_from(",;\t|")), lineterminator=draw(st.sampled_from(["\n", "\r\n"]))
    )
    writer.writerow(kept)
    for _ in range(draw(st.integers(0, 5))):
        row = [likely[name] if draw(st.booleans()) else draw(cells) for name in kept]
        writer.writerow(row[: draw(st.integers(0, len(row)))] if not draw(st.integers(0, 5)) else row)
    return file.getvalue().encode(draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "gb18030"])), "replace")


@st.composite
def workbooks(draw: st.DrawFn) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.append(HEADERS[draw(st.sampled_from(sorted(HEADERS)))].split(","))
    for row in draw(
        st.lists(
            st.lists(st.one_of(cells, st.integers(), st.floats(), st.booleans(), st.dates()), max_size=12), max_size=4
        )
    ):
        sheet.append(
            [
                "".join(part for part in cell if part in "\n\t" or part.isprintable())
                if isinstance(cell, str)
                else cell
                for cell in row
            ]
        )
    file = BytesIO()
    book.save(file)
    return file.getvalue()


@st.composite
def json_files(draw: st.DrawFn) -> bytes:
    """An array, lines, or an object that holds an array."""
    found: list[Any] = draw(st.lists(st.one_of(objects, objects, objects, values), max_size=4))
    form = draw(st.sampled_from(["array", "lines", "inside"]))
    if form == "lines":
        return "\n".join(json.dumps(value) for value in found).encode()
    return json.dumps(found if form == "array" else {"meta": draw(values), "products": found}).encode()


@st.composite
def xml_files(draw: st.DrawFn) -> bytes:
    items = []
    for _ in range(draw(st.integers(0, 4))):
        names = draw(st.lists(st.sampled_from([*HEADERS["Google"].split(","), "product_detail"]), max_size=10))
        fields = [
            f"<g:{name}>{escape(cell) if draw(st.integers(0, 9)) else cell}</g:{name}>"
            for name, cell in (("id", draw(cells)), ("title", draw(cells)), *((name, draw(cells)) for name in names))
        ]
        items.append(f"<item>{''.join(fields)}</item>")
    text = f'<rss xmlns:g="http://base.google.com/ns/1.0"><channel>{"".join(items)}</channel></rss>'
    return text.encode("utf-8", "replace")


@st.composite
def pages(draw: st.DrawFn) -> bytes:
    """Products of schema.org in JSON-LD and microdata."""
    offers = st.one_of(
        values, st.fixed_dictionaries({"price": st.one_of(cells, st.floats())}, optional={"priceCurrency": cells})
    )
    found = draw(
        st.lists(
            st.fixed_dictionaries(
                {"@type": st.just("Product"), "name": cells, "sku": cells},
                optional={
                    **dict.fromkeys(
                        ("image", "url", "brand", "description", "aggregateRating", "additionalProperty"), values
                    ),
                    "offers": offers,
                    "hasVariant": st.lists(
                        st.fixed_dictionaries({"sku": cells}, optional={"offers": offers, "size": cells})
                    ),
                },
            ),
            max_size=3,
        )
    )
    text = json.dumps(found if draw(st.booleans()) else {"@graph": found})
    micro = "".join(
        f'<b itemprop="{draw(st.sampled_from(FIELDS))}">{draw(cells)}</b>' for _ in range(draw(st.integers(0, 5)))
    )
    return (
        f'<html><script type="application/ld+json">{text}</script>'
        f'<div itemscope itemtype="https://schema.org/Product">{micro}</div></html>'
    ).encode("utf-8", "replace")


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """One of the others with some bytes of it changed, cut off, or inside a zip."""
    content = bytearray(draw(st.one_of(tables(), json_files(), xml_files(), pages())))
    for place in draw(st.lists(st.integers(0, max(0, len(content) - 1)), max_size=4)):
        content[place : place + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    if not draw(st.integers(0, 3)):
        del content[draw(st.integers(0, len(content))) :]
    if draw(st.integers(0, 3)):
        return bytes(content)
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a", bytes(content))
    return file.getvalue()


FILES: dict[str, st.SearchStrategy[bytes]] = {
    "tables": tables(),
    "workbooks": workbooks(),
    "JSON": json_files(),
    "XML": xml_files(),
    "pages": pages(),
    "damaged files": damaged(),
    "bytes": st.one_of(st.binary(max_size=200), st.binary(max_size=60).map(lambda tail: b"id,title\n" + tail)),
}
