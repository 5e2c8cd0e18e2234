"""One spelling for what is typed in several: width, traditional characters. Never changes the length of a text."""

from __future__ import annotations

_TRADITIONAL = (
    "內顏紅藍綠黃銀質塊錢萬兩過預個雙條買號碼貨評級價貴邊間圍點裝錶機鍵盤傘燈帳絲鋼鐵鋁銅膠紗絨連給對於現幾約費還"
    "無帶說樣長裡爾場鬆製純織麼請問灣圓歐鎊為媽節禮婚慶運動戶輕適閃寬電腦陽鏡護膚靜種選擇顧體歲達當標準韓時鈕釦鏈"
    "覺從關們這麗馬亞羅蘋華別會僅後應僱樂聲環兒幫顆張壺鍋"
)
_SIMPLIFIED = (
    "内颜红蓝绿黄银质块钱万两过预个双条买号码货评级价贵边间围点装表机键盘伞灯帐丝钢铁铝铜胶纱绒连给对于现几约费还"
    "无带说样长里尔场松制纯织么请问湾圆欧镑为妈节礼婚庆运动户轻适闪宽电脑阳镜护肤静种选择顾体岁达当标准韩时钮扣链"
    "觉从关们这丽马亚罗苹华别会仅后应雇乐声环儿帮颗张壶锅"
)
_TABLE: dict[int, str | int] = {0xFF01 + offset: 0x21 + offset for offset in range(94)}  # full width to half
_TABLE |= {ord("　"): " ", ord("￥"): "¥", ord("\0"): " ", ord("’"): "'", ord("‘"): "'", ord("–"): "-", ord("—"): "-"}
_TABLE |= {ord("～"): "~", ord("，"): ",", ord("。"): ".", ord("、"): ","}
_TABLE |= {ord(old): new for old, new in zip(_TRADITIONAL, _SIMPLIFIED, strict=True)}


def plain(text: str) -> str:
    """The text in half width and simplified characters, character for character, case kept."""
    return text.translate(_TABLE)
