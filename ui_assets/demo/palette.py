"""The colours that things come in, named so that a plain colour word is part of every name."""

from __future__ import annotations

from dataclasses import dataclass

from ui_assets.demo.draw.colours import RGB, rgb
from ui_assets.demo.spec import Text


@dataclass(frozen=True)
class Colour:
    key: str
    name: Text
    code: str  # in SKUs
    rgb: RGB
    partner: RGB  # an accent that sits well beside it


_TABLE = """
black     BLK  black            黑色      2c2d33  d9654f
white     WHT  white            白色      f3f1ec  8fa3b5
cream     CRM  cream white      米白色    efe6d2  c08a5a
grey      GRY  light grey       浅灰色    c2c5c9  5c6c80
charcoal  CHR  charcoal grey    炭灰色    55585f  e3b04b
navy      NVY  navy blue        藏蓝色    2f4163  e9dcc3
sky       SKY  sky blue         天蓝色    86b6d9  f6f3ea
cobalt    COB  cobalt blue      钴蓝色    3a63b8  f2c14e
teal      TEL  teal green       青绿色    2f8080  f4e3c1
forest    FOR  forest green     墨绿色    3c5f4a  d9b36c
sage      SAG  sage green       灰绿色    a3b598  f4efe2
olive     OLV  olive green      橄榄绿色  767a4c  e8dcc0
mint      MNT  mint green       薄荷绿色  a5d8c3  fbf7ee
mustard   MUS  mustard yellow   姜黄色    d8a33f  4c4a47
lemon     LEM  lemon yellow     柠檬黄色  f1d865  5d7fa3
orange    ORG  burnt orange     焦橙色    d9793f  33485e
coral     COR  coral red        珊瑚红色  e8806f  fbe9dc
red       RED  brick red        砖红色    b8493e  f1e2cc
burgundy  BUR  burgundy red     酒红色    7d3344  e6c9a8
pink      PNK  dusty pink       灰粉色    dba9a8  8c5a63
rose      ROS  rose pink        玫瑰粉色  e58fa6  fff2ec
lavender  LAV  lavender purple  薰衣草紫色 b3a5d3 fbf4f4
plum      PLM  plum purple      梅紫色    6d476f  e8cfa5
tan       TAN  tan brown        浅棕色    c19367  5a3f2e
brown     BRN  chocolate brown  深棕色    6d4b38  d9b98c
beige     BGE  sand beige       沙米色    d9c6a5  7a6a55
silver    SLV  silver           银色      c9cdd2  5a6270
gold      GLD  gold             金色      d7b56d  4a4038
rosegold  RGD  rose gold        玫瑰金色  dca993  6b4a45
copper    COP  copper           铜色      c27d55  3f3a38
"""


def _read() -> dict[str, Colour]:
    colours: dict[str, Colour] = {}
    for line in _TABLE.strip().splitlines():
        key, code, *name, zh, hexadecimal, partner = line.split()
        colours[key] = Colour(key, (" ".join(name), zh), code, rgb(hexadecimal), rgb(partner))
    return colours


COLOURS = _read()
