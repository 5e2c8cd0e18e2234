"""The life of one turn, as one generator of typed events. Knows neither HTTP nor where the stages run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import structlog

from retrieval.product import Lang, in_language
from retrieval.understand.language import language
from retrieval.understand.turn import Understanding, understand
from serving import wording
from serving.events import (
    Chip,
    Done,
    Error,
    Event,
    Notice,
    Refusal,
    Shelf,
    ShelfItem,
    Text,
    Turn,
    TurnState,
    Understood,
)
from serving.profiles import Profile
from serving.prompts import fit_sentence, shelf_prose
from serving.stages.base import Part, Retrieved, SamplingParams, StageError, Stages, TurnQuery
from serving.trace import TurnClock

TOLD = 3  # products that get words of their own; the rest of the shelf is cards
SENTENCE = SamplingParams(max_tokens=48, stop=("\n",))
_PROSE = SamplingParams(max_tokens=512, temperature=0.3)

log = structlog.get_logger()


async def answer(turn: Turn, stages: Stages, profile: Profile) -> AsyncGenerator[Event]:
    """Understood, shelf, text…, trace, done; or a refusal or an error in place of what cannot be.

    Notices may come anywhere before `trace`. Closing the generator aborts what the engine does for this turn.
    """
    clock = TurnClock(turn.request_id)
    understood = understand([m.content for m in turn.messages if m.role == "user"], turn.lang)
    lang = understood.lang
    catalogue = next((part for part in await stages.status() if part.name == "catalogue"), None)
    chips = _chips(understood, catalogue)
    yield Understood(lang=lang, query=understood.query, chips=chips)
    clock.add("understand", 0.0)

    try:
        retrieved = await _retrieve(understood, turn, stages, profile, clock)
    except StageError as error:
        log.error("retrieval failed", request_id=turn.request_id, stage=error.stage, error=str(error))
        yield Error(code="retrieval_failed", message=wording.say("stage_failed", lang))
        return
    if not retrieved.verdict.allowed:
        yield Refusal(category=retrieved.verdict.category, message=_refusal(retrieved.verdict.category, lang))
        yield clock.event()
        yield Done(state=turn.state)
        return

    items = tuple(
        ShelfItem(number=number, product=hit.product, score=hit.score)
        for number, hit in enumerate(retrieved.hits, start=1)
    )
    for notice in _notices(understood, items, profile, catalogue):
        yield notice
    yield Shelf(items=items)

    began = clock.now()
    async with aclosing(_words(turn, understood, items, stages, profile, catalogue)) as words:
        async for event in words:
            if isinstance(event, Text):
                clock.text_began()
            yield event
    clock.add("generate", began)
    yield clock.event()
    state = TurnState(shelf=tuple(item.product.id for item in items), chips=chips)
    products = [item.product for item in items]
    yield Done(state=state, follow_ups=wording.follow_ups(products, understood.limits, lang))


async def _retrieve(
    understood: Understanding, turn: Turn, stages: Stages, profile: Profile, clock: TurnClock
) -> Retrieved:
    query = TurnQuery(
        text=understood.query,
        lang=understood.lang,
        filter=understood.filter,
        limit=turn.limit or profile.shelf,
        candidates=profile.candidates,
    )
    began = clock.now()
    (retrieved,) = await stages.retrieve([query])
    clock.add_pass(retrieved, began)
    clock.add("retrieval pass", began, retrieved.bytes_copied)
    return retrieved


def _refusal(category: str, lang: Lang) -> str:
    return wording.say("refused_self_harm" if category == "self-harm" else "refused", lang)


def _chips(understood: Understanding, catalogue: Part | None) -> tuple[Chip, ...]:
    currency = understood.currency(_shop_currency(catalogue))
    return wording.chips(understood.limits, understood.lang, currency, understood.hard_brands)


def _shop_currency(catalogue: Part | None) -> str:
    return str(catalogue.facts.get("currency", "")) if catalogue else ""


def _notices(
    understood: Understanding, items: Sequence[ShelfItem], profile: Profile, catalogue: Part | None
) -> list[Notice]:
    lang, notices = understood.lang, []
    if catalogue is not None and catalogue.state == "loading" and not catalogue.facts.get("count"):
        message = wording.say("reindexing", lang, done=catalogue.done, total=catalogue.total or "?")
        notices.append(Notice(code="catalogue_loading", message=message))
    shop, stated = _shop_currency(catalogue), understood.limits.currency
    if stated and shop and understood.currency(shop) != stated:
        message = wording.say("other_currency", lang, shop=shop, stated=stated)
        notices.append(Notice(code="other_currency", message=message))
    if not items and language(understood.query) not in profile.embedder.languages:
        notices.append(Notice(code="embedder_language", message=wording.say("embedder_language", lang)))
    return notices


async def _words(
    turn: Turn,
    understood: Understanding,
    items: tuple[ShelfItem, ...],
    stages: Stages,
    profile: Profile,
    catalogue: Part | None,
) -> AsyncGenerator[Event]:
    lang = understood.lang
    if not items:
        empty = catalogue is not None and catalogue.state == "ready" and catalogue.total == 0
        yield Text(text=_nothing(understood, catalogue, empty=empty), source="records")
        return
    if profile.llm.plan == "prose":
        async with aclosing(_prose(turn, understood, items, stages)) as events:
            async for event in events:
                yield event
        return
    yield Text(text=wording.introduction([item.product for item in items], lang), source="records")
    if lang in profile.llm.languages:
        async with aclosing(_told_by_model(turn, understood, items[:TOLD], stages)) as events:
            async for event in events:
                yield event
    else:
        yield Text(text=_told_by_records(items[:TOLD], lang), source="records")


def _nothing(understood: Understanding, catalogue: Part | None, *, empty: bool) -> str:
    if empty:
        return wording.say("empty_catalogue", understood.lang)
    labels = [chip.label for chip in _chips(understood, catalogue) if chip.hard]
    joined = ("（{}）" if understood.lang == "zh" else " ({})").format(", ".join(labels)) if labels else ""
    return wording.say("none", understood.lang, limits=joined)


def _told_by_records(items: Sequence[ShelfItem], lang: Lang) -> str:
    """A headline and the first sentence of the description for each product."""
    lines = []
    for item in items:
        told = wording.first_sentence(in_language(item.product.description, lang))
        space = "" if lang == "zh" else " "
        lines.append(f"\n\n{wording.headline(item.number, item.product, lang)}{space}{told}".rstrip())
    return "".join(lines)


async def _told_by_model(
    turn: Turn, understood: Understanding, items: tuple[ShelfItem, ...], stages: Stages
) -> AsyncGenerator[Event]:
    """One sentence for each product, told in the order of the shelf.

    The first is generated by itself and then the others at once: it is there a third sooner, and whoever reads it does
    not wait for the others.
    """
    lang = understood.lang
    writers = [first := _Writer(turn, understood, items[0], stages)]
    writers += [_Writer(turn, understood, item, stages, after=first) for item in items[1:]]
    try:
        for position, (item, writer) in enumerate(zip(items, writers, strict=True)):
            yield Text(text=f"\n\n{wording.headline(item.number, item.product, lang)} ", source="records")
            written = ""
            try:
                async for piece in writer.pieces():
                    piece = piece if written else piece.lstrip()
                    if piece:
                        written += piece
                        yield Text(text=piece)
            except StageError as error:
                log.error("generation failed", request_id=turn.request_id, error=str(error))
                code = "llm_broke_off" if written else "llm_down"
                yield Notice(code=code, message=wording.say(code, lang))
                told = wording.first_sentence(in_language(item.product.description, lang))
                yield Text(text=("… " if written else "") + told, source="records")
                rest = items[position + 1 :]
                if rest:
                    yield Text(text=_told_by_records(rest, lang), source="records")
                return
            if written and written.rstrip()[-1:] not in tuple(".!?。！？"):
                yield Text(text="…")
    finally:
        for writer in writers:
            writer.stop()


class _Writer:
    """Reads one generation, however fast it is told. It begins when that of `after` has ended."""

    def __init__(
        self,
        turn: Turn,
        understood: Understanding,
        item: ShelfItem,
        stages: Stages,
        after: _Writer | None = None,
    ) -> None:
        self._ended = asyncio.Event()
        self._news = asyncio.Event()
        self._untold = ""
        self._failed: StageError | None = None
        prompt = fit_sentence(understood.query, item.product, understood.lang)
        limit = min(turn.max_tokens or SENTENCE.max_tokens, SENTENCE.max_tokens)
        params = SamplingParams(max_tokens=limit, temperature=turn.temperature or 0.0, stop=SENTENCE.stop)
        pieces = stages.generate(prompt, params, f"{turn.request_id}-{item.number}")
        self._task = asyncio.create_task(self._read(pieces, after))

    async def _read(self, pieces: AsyncGenerator[str], after: _Writer | None) -> None:
        try:
            if after is not None:
                await after._ended.wait()
            async with aclosing(pieces):
                async for piece in pieces:
                    self._untold += piece
                    self._news.set()
        except StageError as error:
            self._failed = error
        finally:
            self._ended.set()
            self._news.set()

    async def pieces(self) -> AsyncGenerator[str]:
        """What is new, as it comes; at once what came before anybody asked. Raises StageError where it failed."""
        ended = False
        while not ended:
            await self._news.wait()
            self._news.clear()
            ended = self._ended.is_set()
            text, self._untold = self._untold, ""
            if text:
                yield text
        if self._failed is not None:
            raise self._failed
        await self._task  # a fault of our own is not swallowed

    def stop(self) -> None:
        self._task.cancel()


async def _prose(
    turn: Turn, understood: Understanding, items: tuple[ShelfItem, ...], stages: Stages
) -> AsyncGenerator[Event]:
    """One prompt over the shelf, free prose."""
    lang = understood.lang
    prompt = shelf_prose(understood.query, items, lang, turn.messages[:-1])
    params = SamplingParams(
        max_tokens=min(turn.max_tokens or _PROSE.max_tokens, _PROSE.max_tokens),
        temperature=_PROSE.temperature if turn.temperature is None else turn.temperature,
    )
    written = False
    try:
        async with aclosing(stages.generate(prompt, params, turn.request_id)) as pieces:
            async for piece in pieces:
                written = True
                yield Text(text=piece)
    except StageError as error:
        log.error("generation failed", request_id=turn.request_id, error=str(error))
        code = "llm_broke_off" if written else "llm_down"
        yield Notice(code=code, message=wording.say(code, lang))
        intro = wording.introduction([item.product for item in items], lang)
        told = _told_by_records(items[:TOLD], lang)
        yield Text(text=("…\n\n" if written else "") + intro + told, source="records")
