"""The exports of real shops, as they are: counts, and the fields of some products of each."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from retrieval.feeds.base import Feed
from retrieval.feeds.detect import read
from retrieval.product import Money, Product, Variant


def by_id(feed: Feed) -> dict[str, Product]:
    return {product.id: product for product in feed.products}


def usd(amount: str) -> Money:
    return Money(amount=Decimal(amount), currency="USD")


ASSUMED = "names no currency; USD taken, in other rows too"


def test_magento(testdata: Path) -> None:
    feed = read(testdata / "feeds/magento_luma/ConfigurableSampleData_products.csv")
    found = by_id(feed)
    assert (feed.kind, len(found), sum(len(product.variants) for product in found.values())) == ("Magento", 147, 1847)
    assert [str(problem) for problem in feed.problems] == [f"row 17, price: {ASSUMED}"]
    hoodie = found["MH01"]
    assert hoodie.title == {"en": "Chaz Kangeroo Hoodie"}
    assert hoodie.description["en"].startswith("Ideal for cold-weather training")
    assert "<" not in hoodie.description["en"]
    assert hoodie.description["en"].endswith("• Machine wash/dry.")
    assert hoodie.category == {"en": "Men > Tops > Hoodies & Sweatshirts"}
    assert (hoodie.price, hoodie.stock, hoodie.image) == (usd("52"), 1500, "m/h/mh01-gray_main.jpg")
    assert hoodie.attributes["climate"] == {"en": "All-weather, Cool, Indoor, Spring, Windy"}
    assert hoodie.attributes["color"] == {"en": "Black, Gray, Orange"}
    assert hoodie.variants[0] == Variant(
        sku="MH01-XS-Black", options={"size": "XS", "color": "Black"}, price=usd("52"), stock=100
    )
    assert len(hoodie.variants) == 15
    tee, pants = found["MS04"], found["WP01"]
    assert (tee.title, tee.price, len(tee.variants)) == ({"en": "Gobi HeatTec® Tee"}, usd("29"), 15)
    assert (pants.category, len(pants.variants)) == ({"en": "Women > Bottoms > Pants"}, 6)
    assert {variant.options["size"] for variant in pants.variants} == {"28", "29"}
    assert {variant.price for variant in pants.variants} == {pants.price}


def test_magento_gear(testdata: Path) -> None:
    names = ("bags", "fitness_equipment", "fitness_equipment_ball", "fitness_equipment_strap", "watches")
    feeds = [read(testdata / f"feeds/magento_luma/products_gear_{name}.csv") for name in names]
    assert [len(feed.products) for feed in feeds] == [14, 9, 9, 3, 9]
    found = {key: product for feed in feeds for key, product in by_id(feed).items()}
    bag, band, ball = found["24-WB05"], found["24-UG02"], found["24-WG081-pink"]
    assert (bag.title, bag.price, bag.stock) == ({"en": "Savvy Shoulder Tote"}, usd("24"), 100), "on sale"
    assert bag.category["en"].startswith("Gear > Bags")
    assert band.title == {"en": "Pursuit Lumaflex™ Tone Band"}
    assert (ball.price, ball.attributes["color"], ball.attributes["size"]) == (
        usd("23"),
        {"en": "Red"},
        {"en": "55 cm"},
    )


def test_shopify(testdata: Path) -> None:
    feed = read(testdata / "feeds/shopify_packt/Product-data.csv")
    found = by_id(feed)
    assert (feed.kind, len(found)) == ("Shopify", 20)
    lamp, gloves, bowl = found["floor-lamp"], found["gardening-gloves"], found["wicker-bowl"]
    assert (lamp.title, lamp.description) == ({"en": "Floor Lamp"}, {"en": "Black floor lamp"})
    assert (lamp.brand, lamp.category, lamp.price, lamp.stock) == ("Company 123", {"en": "Indoor"}, usd("69.99"), 1)
    assert lamp.attributes == {"Tags": {"en": "Black, Lamp"}}
    assert lamp.image
    assert lamp.image.startswith("https://cdn.shopify.com/")
    assert not lamp.variants
    assert gloves.variants == (
        Variant(sku="gardening-gloves/Green", options={"Color": "Green"}, price=usd("9.99"), stock=1),
        Variant(sku="gardening-gloves/Yellow", options={"Color": "Yellow"}, price=usd("15.99"), stock=3),
    )
    assert (gloves.price, gloves.stock, gloves.attributes["Color"]) == (usd("9.99"), 4, {"en": "Green, Yellow"})
    assert (bowl.price, bowl.stock) == (usd("750.00"), None), "nobody tracks it, so it is on sale"


def test_woocommerce(testdata: Path) -> None:
    feed = read(testdata / "feeds/woocommerce_sample/sample_products.csv")
    found = by_id(feed)
    assert (feed.kind, len(found), sum(len(product.variants) for product in found.values())) == ("WooCommerce", 14, 9)
    assert [str(problem) for problem in feed.problems] == [
        f"row 2, price: {ASSUMED}",
        "row 9, Visibility in catalog 'hidden': not shown in the shop; product left out",
    ]
    hoodie, belt, donation = found["cc-hoodie"], found["cc-belt"], found["cp-donation"]
    red = next(variant for variant in hoodie.variants if variant.sku == "cc-hoodie-red")
    assert red == Variant(sku="cc-hoodie-red", options={"Color": "Red", "Logo": "No"}, price=usd("42"))
    assert (len(hoodie.variants), hoodie.price, hoodie.category) == (6, usd("42"), {"en": "Clothing > Hoodies"})
    assert (belt.title, belt.price, belt.category) == ({"en": "Belt"}, usd("55"), {"en": "Clothing > Accessories"})
    assert (donation.price, donation.url) == (usd("30"), "https://www.classicpress.net/donate/")
    tee = found["cc-tee"]
    assert [variant.options for variant in tee.variants] == [{"Color": color} for color in ("Blue", "Green", "Red")]
    assert tee.image
    assert tee.image.endswith("/t-shirt-green.png")
    assert found["cc-album"].category == {"en": "Music"}
    small = by_id(read(testdata / "feeds/woocommerce_sample/importer_unit_sample.csv"))
    assert len(small) == 5
    assert small["WOOALBUM"].attributes["Vinyl"] == {"en": "180-Gram"}
    assert [variant.price for variant in small["WOOIDEA"].variants] == [usd("20"), usd("17.99")]


def test_a_json_api_with_reviews(testdata: Path) -> None:
    feed = read(testdata / "feeds/dummyjson/products.json")
    found = by_id(feed)
    assert (feed.kind, len(found), sum(bool(product.brand) for product in found.values())) == ("JSON array", 194, 102)
    mascara = found["1"]
    assert (mascara.title, mascara.brand) == ({"en": "Essence Mascara Lash Princess"}, "Essence")
    assert (mascara.price, mascara.stock, mascara.rating, mascara.rating_count) == (usd("9.99"), 99, 2.56, 3)
    assert mascara.attributes["warranty information"] == {"en": "1 week warranty"}
    assert mascara.attributes["dimensions width"] == {"en": "15.14"}
    assert not [key for key in mascara.attributes if "review" in key]
    assert (found["2"].price, found["2"].stock) == (usd("19.99"), 34)
    dior = found["8"]
    assert dior.image
    assert "'" in dior.image
    assert not found["16"].brand


def test_prices_in_units_and_nanos(testdata: Path) -> None:
    feed = read(testdata / "feeds/gcp_boutique/products.json")
    found = by_id(feed)
    assert (len(found), feed.problems) == (9, ())
    assert {
        key: str(found[key].price and found[key].price.amount) for key in ("OLJCESPC7Z", "LS4PSXUNUM", "6E92ZMYYFZ")
    } == {
        "OLJCESPC7Z": "19.99",
        "LS4PSXUNUM": "18.49",
        "6E92ZMYYFZ": "8.99",
    }
    assert found["2ZYFJ3GM2N"].category == {"en": "hair, beauty"}
    assert found["6E92ZMYYFZ"].image == "static/img/products/mug.jpg"


def test_a_plain_csv(testdata: Path) -> None:
    found = by_id(read(testdata / "feeds/azure_contoso/products.csv"))
    assert len(found) == 20
    assert [(found[key].title["en"], found[key].brand, found[key].price) for key in ("1", "2", "3")] == [
        ("TrailMaster X4 Tent", "OutdoorLiving", usd("250.0")),
        ("Adventurer Pro Backpack", "HikeMate", usd("90.0")),
        ("Summit Breeze Jacket", "MountainStyle", usd("120.0")),
    ]
    assert found["1"].category == {"en": "Tents"}


def test_a_folder_of_zips_with_prices_in_cents(testdata: Path) -> None:
    feed = read(testdata / "icecat")
    found = by_id(feed)
    assert (feed.kind, len(feed.products), len(found)) == ("Icecat", 19_406, 19_406)
    assert {problem.file for problem in feed.problems if not problem.row} == {
        "ICECAT_DATA_README.md",
        "LICENSE",
        "qrels_dev.csv",
    }
    toner, laptop, cable = found["3920564"], found["2101957"], found["694159"]
    assert toner.title == {"en": "Xerox 006R90321 toner cartridge Original Black 6 pc(s)"}
    assert (toner.brand, toner.price) == ("Xerox", usd("49.95"))
    assert (toner.attributes["black toner page yield"], toner.attributes["EAN"]) == (
        {"en": "23000"},
        {"en": "0095205603217"},
    )
    assert (laptop.brand, laptop.price, laptop.category) == ("HP", usd("109.95"), {"en": "Notebook"})
    assert laptop.attributes["contrast ratio (typical)"] == {"en": "200:1"}
    assert laptop.attributes["touchscreen"] == {"en": "no"}
    assert (cable.price, cable.image) == (
        usd("6.95"),
        "http://images.icecat.biz/img/norm/medium/694159-StarTech.com.jpg",
    )
    assert sum(bool(product.description) for product in found.values()) == 18_685
    assert not any("<br" in product.description.get("en", "") for product in found.values())


def test_a_folder_of_a_shop(testdata: Path) -> None:
    feed = read(testdata / "feeds/magento_luma")
    found = by_id(feed)
    assert (len(found), sum(len(product.variants) for product in found.values())) == (147 + 44, 1847)
    left_out = {problem.file for problem in feed.problems if problem.done == "file left out"}
    assert "ReviewSampleData_products_reviews.csv" in left_out
    assert not any("jpg" in name for name in left_out)
