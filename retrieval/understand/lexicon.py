"""General words of shops in both languages: colours, materials, kinds of goods, well-known brands.

What a catalogue knows comes before this; a row of equal words is one meaning.
"""

from __future__ import annotations

_ENGLISH_COLOURS = """
black white grey silver gold rose-gold beige brown red pink orange yellow green blue purple violet navy teal turquoise
burgundy maroon khaki olive cream ivory charcoal coral mustard lavender lilac plum tan mint magenta cyan indigo
crimson
scarlet emerald peach champagne bronze camel taupe aqua fuchsia off-white multicolour rainbow cobalt cognac
"""
_SHADES = """
light dark deep pale bright hot baby royal sky forest navy brick midnight dusty pastel neon cobalt bottle lime jet
army
steel slate powder wine blood cherry rust coffee chocolate electric soft warm cool burnt ice sage olive emerald mint
rose
"""
_CHINESE_COLOURS = """
黑色 白色 灰色 银色 金色 玫瑰金色 米色 棕色 褐色 红色 粉色 粉红色 橙色 橘色 黄色 绿色 蓝色 紫色 藏蓝色 藏青色 深蓝色
浅蓝色 天蓝色
宝蓝色 湖蓝色 青色 青绿色 墨绿色 军绿色 薄荷绿色 浅绿色 深绿色 酒红色 玫红色 大红色 深红色 卡其色 驼色 杏色 裸色
奶白色 米白色 象牙色
咖啡色 香槟色 深灰色 浅灰色 炭灰色 深棕色 浅棕色 淡紫色 浅紫色 浅粉色 姜黄色 柠檬黄色 奶油色 彩色 咖色 米黄色 淡蓝色
淡粉色 浅黄色
"""
_ENGLISH_MATERIALS = """
leather|faux leather|vegan leather|genuine leather|full-grain leather|patent leather|suede|cotton|organic cotton|wool
merino|merino wool|cashmere|silk|satin|linen|denim|polyester|recycled polyester|nylon|recycled nylon|spandex|fleece
velvet|canvas|mesh|rubber|natural rubber|silicone|plastic|wood|bamboo|oak|walnut|beech|glass|ceramic|porcelain|stoneware
stainless steel|carbon steel|steel|cast iron|aluminium|titanium|copper|brass|carbon fibre|gore-tex|goose down|duck down
rattan|marble|cork|acetate|acrylic|viscose|rayon|modal|lycra|tweed|corduroy|lambswool|alpaca|mohair|hemp|jute|latex
memory foam|metal|resin|clay|flannel|chiffon|lace|fur|faux fur|crystal|enamel|tritan|felt|sheepskin|straw|terracotta
"""
_CHINESE_MATERIALS = """
真皮 皮革 皮质 牛皮 头层牛皮 羊皮 人造革 人造皮 皮 绒面 绒面革 麂皮 反绒皮 纯棉 全棉 棉 棉质 有机棉 棉麻 羊毛
美利奴羊毛 美利奴 羊绒
真丝 丝绸 桑蚕丝 缎面 亚麻 麻 牛仔布 涤纶 再生涤纶 聚酯纤维 尼龙 再生尼龙 氨纶 抓绒 摇粒绒 天鹅绒 帆布 网布 网面
橡胶 天然橡胶 硅胶
塑料 木头 木质 木制 实木 竹子 竹制 竹 玻璃 陶瓷 瓷 骨瓷 粗陶 不锈钢 钢 铸铁 铁 铝 铝合金 钛 钛合金 纯钛 铜 黄铜 紫铜
碳纤维 羽绒 鸭绒
鹅绒 藤编 大理石 软木 板材 腈纶 莫代尔 粘胶 灯芯绒 羊驼毛 马海毛 金属 树脂 记忆棉 珐琅 搪瓷 毛呢 雪纺 蕾丝 皮草 乳胶
紫砂 法兰绒 石头
"""
SPELLINGS = {
    "gray": "grey", "aluminum": "aluminium", "fiber": "fibre", "color": "colour", "wooden": "wood", "woolen": "wool",
    "woollen": "wool", "golden": "gold", "multicolored": "multicolour", "multicoloured": "multicolour",
    "multicolor": "multicolour", "metallic": "metal", "silken": "silk", "violet": "violet",
}  # fmt: skip
# Chinese words that hold the sign of a colour or a material and mean neither.
_NOT_MEANT = """
蓝牙 蓝光 绿茶 红茶 红酒 白酒 黄酒 红包 黄金周 白天 白领 白金 黑科技 黑五 黑胡桃 黑框 白噪音 青轴 红轴 茶轴 黄轴
青少年 青年 青春 粉底 粉丝
奶粉 面粉 粉末 灰尘 防灰 紫外线 银行 金额 美金 现金 奖金 基金 金属 红外线 橙汁 皮肤 调皮 皮带 树皮 铁路 地铁 高铁 木马
木星 积木 竹炭 棉花糖
铜锣 钢琴 钢笔 玻璃心 麻烦 麻将 芝麻 麻辣 瓷砖 皮卡 金枪鱼 黄瓜 不粘锅 青椒 皮实 真金
"""
# What is no material though it begins like one.
NO_MATERIAL = "candy|buds?|swabs?|pads?|balls?|wool balls?|noodles?|ducks?|plants?|pulp|whip|plated|effect|look"
# After these English words of colour something else is meant.
NOT_COLOURED = "tea wine friday light-blocking noise juice scent scented oil extract lotion flavour flavor soap blossom"

_KINDS = """
backpack backpacks rucksack rucksacks daypack | 双肩背包 双肩包 背包 书包
coffee-maker coffee-makers teapot teapots kettle kettles coffee-machine | 咖啡茶具 咖啡壶 咖啡机 茶壶 茶具
cookware pan pans pot pots frying-pan saucepan | 锅具 锅 炒锅 平底锅 汤锅
dress dresses gown gowns | 连衣裙 裙子 裙
handbag handbags purse purses tote totes bag bags | 女包手袋 手提包 女包 手袋 包包 包
hat hats cap caps beanie beanies | 帽子 帽
headphones headphone earphones earbuds headset | 耳机 耳麦
hiking-boots hiking-boot boots boot | 登山徒步鞋 登山鞋 徒步鞋 靴子
jacket jackets coat coats parka parkas | 外套夹克 外套 夹克 大衣 冲锋衣 羽绒服 上衣
keyboard keyboards | 键盘
knitwear sweater sweaters jumper jumpers cardigan cardigans pullover | 毛衣针织 毛衣 针织衫 开衫
lamp lamps light lights | 灯具 台灯 落地灯 灯
mug mugs cup cups | 马克杯 杯子
running-shoes running-shoe trainers sneakers trainer sneaker runners shoe shoes | 跑步鞋 跑鞋 运动鞋 球鞋 鞋子 鞋
shirt shirts t-shirt t-shirts tee tees tshirt blouse top tops | 衬衫与t恤 衬衫 t恤 短袖 衬衣
skincare moisturiser moisturizer serum cleanser sunscreen | 护肤 护肤品 面霜 防晒霜 乳液 洁面
sunglasses | 太阳镜 墨镜
tent tents | 帐篷
toy toys puzzle puzzles | 玩具 积木 拼图
trousers pants shorts jeans chinos leggings | 裤装 裤子 长裤 短裤 牛仔裤
umbrella umbrellas | 雨伞 伞
watch watches | 手表 腕表 表
water-bottle water-bottles bottle bottles flask | 水杯水壶 水杯 水壶 保温杯 杯
yoga-mat yoga-mats mat mats | 瑜伽垫 垫子
skirt skirts | 半身裙
sock socks | 袜子
sandal sandals | 凉鞋 拖鞋
glove gloves | 手套
scarf scarves | 围巾
belt belts | 皮带 腰带
sofa sofas couch | 沙发
chair chairs | 椅子
table tables desk desks | 桌子
phone phones smartphone | 手机
laptop laptops notebook | 笔记本电脑 电脑
camera cameras | 相机
television televisions tv tvs | 电视
ring rings necklace necklaces earrings bracelet bracelets jewellery jewelry | 戒指 项链 耳环 手链 首饰
suit suits blazer blazers | 西装 西服
hoodie hoodies sweatshirt | 卫衣 帽衫
"""
BRANDS = """
Nike|Adidas|Puma|Reebok|Under Armour|New Balance|Asics|Converse|Vans|Salomon|Patagonia|The North Face|Columbia
Timberland|Levi's|Uniqlo|Zara|Apple|Samsung|Sony|Bose|Philips|Dyson|Logitech|Lenovo|Dell|Asus|Huawei|Xiaomi|Casio|Seiko|Fossil
Ray-Ban|Lego|Ikea|Bosch|Tefal|Le Creuset|Gucci|Prada|Canon|Nikon|Fjällräven|Stanley|Birkenstock|Crocs|Skechers
耐克|阿迪达斯|彪马|新百伦|优衣库|苹果|三星|索尼|戴森|飞利浦|罗技|联想|华为|小米|卡西欧|李宁|安踏|乐高|宜家|双立人|膳魔师
"""


def _pieces(text: str) -> tuple[str, ...]:
    return tuple(piece.strip() for line in text.strip().splitlines() for piece in line.split("|"))


ENGLISH_COLOURS = tuple(name.replace("rose-gold", "rose gold") for name in _ENGLISH_COLOURS.split())
SHADES = frozenset(_SHADES.split())
NOT_MEANT = tuple(_NOT_MEANT.split())
CHINESE_COLOURS = tuple(_CHINESE_COLOURS.split())
MATERIALS = (*_pieces(_ENGLISH_MATERIALS), *_CHINESE_MATERIALS.split())
BRAND_NAMES = _pieces(BRANDS)
# Words of goods by kind, English with a blank for the hyphen where two words are one thing.
KINDS = tuple(
    frozenset(
        word if word in {"t-shirt", "t-shirts"} else word.replace("-", " ") for word in line.split() if word != "|"
    )
    for line in _KINDS.strip().splitlines()
)
