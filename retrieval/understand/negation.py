"""What is not wanted: "no zipper", "anything but black", 不要拉链, 除了手表."""

from __future__ import annotations

import regex

from retrieval.understand.reading import Reading
from retrieval.understand.vocabulary import Name, Vocabulary


def _compiled(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern, regex.IGNORECASE)


# Said of anything: the noun after it is refused.
_STRONG = (
    r"without|except(?: for)?|excluding|other than|(?:any(?:thing|one)?(?:(?! but\b)\s+\w+){0,2}|everything"
    r"|all) but|apart from|aside from|avoid(?:ing)?|skip(?: the)?|minus"
    r"|(?:don'?t|do not|doesn'?t|does not|didn'?t|never|not) (?:really )?(?:want|like|need|have|include|contain|use"
    r"|show me|wear|come with|look for|looking for|interested in|allergic)"
    r"|hates?|dislikes?|can'?t stand|allergic to|free (?:of|from)|nothing (?:with|in|from|by|made (?:of|from|with))"
    r"|not (?:in|with|from|by|made (?:of|from|with))|no(?! more| less| rush| hurry| problem| idea| matter"
    r"| preference| worries| thanks| need| doubt| budget| limit| longer| one| reason| big| wonder| nonsense)|zero"
    r"|sans"
)
_WEAK = r"not|nor|never|n't|rather than|instead of"  # only names are refused by these
_CUE = _compiled(rf"(?<![\w-])(?:(?P<strong>{_STRONG})|(?P<weak>{_WEAK}))\s+")
_NON = _compiled(r"\bnon[- ](?=[a-z])|\b(?P<thing>[a-z]+)[- ]free\b(?! (?:shipping|delivery|gift|returns?))")
_NO_REFUSAL = _compiled(
    r"\bnot (?:too|very|so|that|really|sure|only|just|necessarily|bad|picky|fussy)\b|\bnon[- ](?:stick|slip|iron"
    r"|skid|toxic)\w*"
    r"|\bno[- ](?:iron|slip|show|brainer|frills|fuss|name)\b|\b(?:hands|scot|duty|tax|stress|hassle|worry|gluten"
    r"|wrinkle|lint|bpa|cruelty|carefree)[- ]free\b|feel free"
    r"|不粘锅?|不锈钢|不错|不一样|不限|不贵|不知道|不太\p{Han}|不要紧|不含税|要不要|是不是|有没有|不需要太\p{Han}|不用太\p{Han}|不要太\p{Han}{1,2}|别太\p{Han}{1,2}"
    r"|非常|除此|除非|除湿|除菌|除臭|别墅|别致|特别|分别|区别|个别|别人|无线|无论|无所谓|无聊|无人机|没问题|没关系|没想好|没事|非洲|并非|不着急|不急"
)
_PART = _compiled(r"\b(?:without|with no|minus|sans)\s+$")
_PART_HAN = _compiled(r"(?:不带|没有|无|不含|带|有)$")
_ARTICLES = _compiled(
    r"(?:(?:a|an|the|any|anything|one|ones|some|of|with|in|by|from|made|made of|made from|much|brand|visible|to|see"
    r"|me|is|something|please)\s+)*"
)
_STOPS = (
    r"please|thanks?|but|under|over|below|above|for|that|which|with|in|on|at|because|since|as|if|just|only|around"
    r"|between|from|up|less|more|max"
    r"|is|are|i|my|we|it|than|to|who|when|size|within|about|though|pls|rated|either|at all|whatsoever|though|by|allowed"
)
_TERM = _compiled(
    rf"(?:(?!(?:{_STOPS}|or|nor|and|no|not|without)\b)[\p{{Latin}}\d][\p{{L}}\d'-]*)(?:\s+(?!(?:{_STOPS}|or|nor|and"
    rf"|no|not|without)\b)[\p{{Latin}}\d][\p{{L}}\d'-]*){{0,3}}"
)
_LONGEST_NAME = 60  # characters
_JOIN = _compiled(r"\s*(?:,\s*)?(?P<or>or|nor)\s+|\s*(?P<and>,\s*and|,|and|&|/)\s*")
_CUE_HAN = _compiled(
    r"除了|除去|(?:我?(?:不想?要|不需要|不喜欢|不爱|不考虑|不买|不看|不接受|不能有|不能是|不想看到|不希望有?|不选|不带|不含|不是|不用|别要|别给我|别推荐|别来|别用|别选|别有|别是|别带|讨厌"
    r"|拒绝|排除|避开|去掉|剔除|过滤掉?|不许有|没有|无需|(?<![\p{Han}])无|不做|勿|非)|不要|别|无)"
)
_LEAD_HAN = _compiled(r"(?:任何|什么|有|带|用|是|含|那种|这种|任意|一切|再|推荐|给我|的|看|来|买|要|牌子|品牌|:|\s)*")
_TERM_HAN = _compiled(
    r"[^\s,.;!?:！？；：\0]+?(?=以外|之外|外|都|的|就|也|,|\.|;|!|\?|！|？|；|\0|\s|$|和|或|与|跟|及|、|还|但|吗|呢|了|啊|吧|款|系列|牌|品牌|材质|类|预算"
    r"|价格|最好|便宜)"
)
_JOIN_HAN = _compiled(r"(?:的|牌子?|品牌|款|系列|材质|类)*\s*(?P<j>和|或者?|与|跟|及|以及|,)\s*(?:也?(?:不要|别要))?")
_BACK_HAN = _compiled(
    r"(?P<t>[^\s,.;!?、\0]{1,20}?)(?:的|款|色)?(?:我)?(?:都|就|也|一律|通通)?(?:以外|之外|不要了?|不考虑|除外|免谈|不行|不喜欢|就算了|不用|达咩)(?=$"
    r"|[\s,.;!?\0]|的)"
)


class Refused:
    """Brands, categories and other terms that must not be."""

    def __init__(self) -> None:
        self.brands: list[str] = []
        self.categories: list[str] = []
        self.terms: list[str] = []

    def add(self, name: Name, typed: str = "") -> None:
        """`typed`: the name is a part of something ("without a cap"), so no category of goods."""
        if typed and name.kind == "category":
            self.add_term(typed.lower())
            return
        kept = {"brand": self.brands, "category": self.categories}.get(name.kind, self.terms)
        if name.name not in kept:
            kept.append(name.name)

    def add_term(self, term: str) -> None:
        if term and term not in self.terms:
            self.terms.append(term)


def read_refusals(reading: Reading, vocabulary: Vocabulary) -> Refused:
    """Takes what is not wanted out of the reading."""
    refused = Refused()
    quiet = _NO_REFUSAL.sub(lambda match: "\0" * len(match.group()), reading.left)
    _read_non(quiet, reading, vocabulary, refused)
    for cue in _CUE.finditer(quiet):
        if reading.left[cue.start()] != "\0":
            end = _read_terms(
                reading,
                vocabulary,
                refused,
                cue.end(),
                names_only=cue["strong"] is None,
                part=_PART.search(reading.left[: cue.end()]) is not None,
            )
            if end > cue.end():
                reading.take("exclude", cue.start(), end)
    for cue in _CUE_HAN.finditer(quiet):
        if reading.left[cue.start()] != "\0":
            end = _read_terms_han(reading, vocabulary, refused, cue.end(), alone=len(cue.group()) == 1)
            if end > cue.end():
                reading.take("exclude", cue.start(), end)
    for match in _BACK_HAN.finditer(reading.left):
        names = vocabulary.find(match["t"])
        for name in names:
            refused.add(name)
        if names:
            reading.take("exclude", match.start("t") + names[0].start, match.end())
    return refused


def _read_non(quiet: str, reading: Reading, vocabulary: Vocabulary, refused: Refused) -> None:
    """ "non-leather", "leather-free": names alone."""
    for match in _NON.finditer(quiet):
        if match["thing"]:
            named, end = vocabulary.find(match["thing"])[:1], match.end()
        else:
            named = [name for name in vocabulary.find(reading.left[match.end() :])[:1] if name.start == 0]
            end = match.end() + (named[0].end if named else 0)
        for name in named:
            refused.add(name)
            reading.take("exclude", match.start(), end)


def _read_terms(
    reading: Reading, vocabulary: Vocabulary, refused: Refused, at: int, *, names_only: bool, part: bool
) -> int:
    """Reads a list of terms from `at` on; returns where it ends, or `at` where nothing is refused."""
    end, joined = at, "or"
    while True:
        articles = _ARTICLES.match(reading.left, at)
        at = articles.end() if articles else at
        term = _TERM.match(reading.left, at)
        if not term:
            return end
        brand = next(iter(vocabulary.find(reading.left[at : at + _LONGEST_NAME])), None)
        if brand and brand.start == 0 and brand.kind == "brand":  # "Tarn & Vole" is no list
            refused.add(brand)
            end = at = at + brand.end
        elif names := [name for name in vocabulary.find(term.group()) if _leads(term.group(), name, names_only)]:
            end = at = term.start() + _add_names(refused, names, term.group(), part=part)
        elif names_only or joined != "or":
            return end
        else:
            refused.add_term(term.group().lower())
            end = at = term.end()
        join = _JOIN.match(reading.left, at)
        if not join:
            return end
        joined, at = ("or" if join["or"] else "and"), join.end()


def _leads(term: str, name: Name, names_only: bool) -> bool:
    """A name counts where the term begins with it, or ends with it ("leather straps" are no leather and no term)."""
    return name.start == 0 or (not names_only and name.end == len(term) and name.kind != "category")


def _add_names(refused: Refused, names: list[Name], term: str, *, part: bool) -> int:
    """Adds the names; a part made of something is refused as a whole ("leather strap"). Returns where they end."""
    first = names[0]
    tail = term[first.end :].strip()
    if (
        first.start == 0
        and first.kind in {"color", "material"}
        and tail
        and not tail.lower().startswith(("one", "thing", "colour", "color"))
    ):
        refused.add(first)
        return len(term)
    for name in names:
        refused.add(name, term[name.start : name.end] if part else "")
    return names[-1].end if not tail else len(term)


def _read_terms_han(reading: Reading, vocabulary: Vocabulary, refused: Refused, at: int, *, alone: bool) -> int:
    """As `_read_terms`; after a cue of one sign (别, 无, 非) only names are refused."""
    end, joined = at, "和"
    while True:
        lead = _LEAD_HAN.match(reading.left, at)
        at = lead.end() if lead else at
        term = _TERM_HAN.match(reading.left, at)
        names = vocabulary.find(reading.left[at : at + 24])
        if names and names[0].start == 0:
            part = _PART_HAN.search(reading.left[:at]) is not None
            refused.add(names[0], reading.left[at : at + names[0].end] if part else "")
            end = at = at + names[0].end
        elif not term or alone or joined == "," or len(term.group()) > 8:
            return end
        else:
            refused.add_term(term.group().lower())
            end = at = term.end()
        join = _JOIN_HAN.match(reading.left, at)
        if not join:
            return end
        joined, at = join["j"], join.end()
