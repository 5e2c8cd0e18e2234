"""Names of columns by what they mean, in the languages that shops write in."""

from __future__ import annotations

# The likeliest first, in lower case without spaces and signs.
NAMES = {
    "id": (
        "id sku productid itemid itemno articleno articlenumber artnr artikelnummer référence reference "
        "code 编号 商品编号 商品id 产品编号 货号 商品编码 产品编码 编码 条码 スキュー 商品コード 品番"
    ),
    "title": (
        "title name productname producttitle itemname itemtitle titel bezeichnung produktname nom nombre "
        "nome titre 标题 商品标题 名称 商品名称 产品名称 产品标题 品名 商品名 商品 宝贝标题 タイトル"
    ),
    "description": (
        "description bodyhtml body longdescription productdescription details shortdescription "
        "beschreibung descripción descrizione descripcion 描述 商品描述 产品描述 详情 商品详情 简介 说明 "
        "介绍 宝贝描述 説明 商品説明"
    ),
    "category": (
        "category categories producttype type productcategory department kategorie catégorie categorie "
        "categoría categoria 类目 类别 分类 品类 商品分类 商品类目 产品类别 所属分类 カテゴリ カテゴリー"
    ),
    "brand": (
        "brand vendor manufacturer supplier make marke hersteller marque marca 品牌 商品品牌 厂商 厂家 "
        "制造商 供应商 ブランド メーカー"
    ),
    "price": (
        "price unitprice regularprice retailprice amount cost preis prix precio prezzo 价格 售价 单价 "
        "销售价 零售价 商品价格 价钱 定价 価格 販売価格"
    ),
    "sale_price": (
        "saleprice specialprice promoprice discountedprice offerprice angebotspreis 促销价 活动价 优惠价 "
        "特价 折扣价 券后价 到手价 セール価格"
    ),
    "list_price": "listprice msrp compareatprice rrp uvp 原价 市场价 吊牌价 划线价 定価",
    "currency": "currency currencycode währung devise moneda valuta 币种 货币 币别 通貨",
    "stock": (
        "stock quantity qty inventory inventoryquantity stockquantity availability availabilitystatus "
        "lagerbestand bestand menge existencias 库存 库存量 数量 库存数量 现货 可售数量 在庫 在庫数"
    ),
    "rating": "rating averagerating ratingaverage stars bewertung note 评分 评价分 星级 评级 評価",
    "rating_count": (
        "ratingcount reviewcount reviewscount numberofreviews ratings numreviews 评价数 评论数 评价数量 "
        "评分人数 レビュー数"
    ),
    "image": (
        "image imageurl imagelink picture photo img images pictures imagesrc imghigh thumbnail mainimage "
        "bild bildurl imagen immagine 图片 主图 图片链接 商品图片 图片地址 图片url 主图链接 图 画像 "
        "画像url"
    ),
    "url": (
        "url link producturl productlink permalink weburl lien enlace 链接 商品链接 网址 产品链接 "
        "详情链接 商品地址 リンク"
    ),
    "ignored": "createdat updatedat metacreatedat metaupdatedat metaqrcode discountpercentage attributeset",
}
