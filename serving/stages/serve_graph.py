"""The classic graph: one Serve deployment for each model, composed by handles. The way to compare a cell with.

The same pass over the same models as in a cell; each step is a call to another replica, and vectors and candidates
travel between them through Ray.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar, cast

import structlog
from ray import serve
from ray.exceptions import RayError
from ray.serve.exceptions import BackPressureError, RayServeException
from ray.serve.handle import DeploymentHandle

from retrieval.encoding import Asked, EncoderId, Scores, Vectors
from retrieval.product import Product
from retrieval.store.base import Filter, Hit, ProductStore, StoreError
from serving.change import Applied, Change
from serving.engine import EngineKeeper
from serving.events import Verdict
from serving.job import Job
from serving.placement import classic
from serving.settings import Settings
from serving.stages.base import ChatPrompt, Part, Retrieved, SamplingParams, StageError, TurnQuery
from serving.tasks import end
from serving.where import of_processes

_ONGOING = 10_000  # admission is the gateway's
_POLL_SECONDS = 1.0
_STATUS_SECONDS = 10.0
_DOWN = (RayError, RayServeException, BackPressureError)

T = TypeVar("T")

log = structlog.get_logger()


class _Loads:
    """A replica that answers while its model loads in a thread; `part` tells how far."""

    def __init__(self, name: str, load: Callable[[], Any]) -> None:
        self._name = name
        self._model: Any = None
        self._part = Part(name, "loading", "loading")
        asyncio.get_event_loop().set_default_executor(ThreadPoolExecutor(1, name))
        self._loading = asyncio.get_event_loop().create_task(self._load(load))

    async def _load(self, load: Callable[[], Any]) -> None:
        try:
            self._model = await asyncio.to_thread(load)
        except Exception as error:  # whatever a model's loader raises: told to operators by `part`
            log.exception("not loaded", stage=self._name)
            self._part = Part(self._name, "failed", f"{type(error).__name__}: {error}")
            return
        self._part = Part(self._name, "ready", facts={"pid": os.getpid()})

    async def part(self) -> Part:
        return self._part

    def _ready(self) -> Any:
        if self._model is None:
            raise StageError("encoders", f"{self._name}: {self._part.state}, {self._part.detail}")
        return self._model


class _Embedder(_Loads):
    def __init__(self, settings: Settings) -> None:
        def load() -> Any:
            from serving.models.embedder import Embedder
            from serving.models.weights import prepare

            spec = settings.models.embedder
            return Embedder(spec, prepare(spec, settings.weights_dir, lambda *_: None))

        super().__init__("embedder", load)

    async def encode(self, texts: list[str]) -> Vectors:
        return cast(Vectors, await asyncio.to_thread(self._ready().encode, texts))

    async def encoder_id(self) -> EncoderId:
        return cast(EncoderId, self._ready().id)


class _Reranker(_Loads):
    def __init__(self, settings: Settings) -> None:
        def load() -> Any:
            from serving.models.bundle import load_scorer

            return load_scorer(settings)

        super().__init__("reranker", load)

    async def score(self, asked: list[tuple[str, list[str]]]) -> list[Scores]:
        return cast(list[Scores], await asyncio.to_thread(self._ready().score, asked))


class _Guard(_Loads):
    def __init__(self, settings: Settings) -> None:
        def load() -> Any:
            from serving.models.bundle import load_guard

            return load_guard(settings)

        super().__init__("guard", load)

    async def screen(self, texts: list[str]) -> list[Verdict]:
        return cast(list[Verdict], await asyncio.to_thread(self._ready().screen, texts))


class _Retriever:
    """The catalogue and its index; asks the embedder's replica for vectors while it loads."""

    def __init__(self, settings: Settings, embedder: DeploymentHandle[Any]) -> None:
        self._settings, self._embedder = settings, embedder
        self._catalogue: Any = None
        self._part = Part("catalogue", "loading", "waits for the embedder")
        self._opening = asyncio.get_event_loop().create_task(self._open())

    async def _open(self) -> None:
        from serving.catalogue import CatalogueKeeper

        try:
            while (part := await self._embedder.part.remote()).state == "loading":  # noqa: ASYNC110 - of another replica
                await asyncio.sleep(_POLL_SECONDS)
            if part.state == "failed":
                raise StageError("encoders", part.detail)
            own = _HandleEncoder(self._embedder, await self._embedder.encoder_id.remote())
            keeper = CatalogueKeeper(self._settings, own)
            await keeper.open()
            self._catalogue = keeper
        except (StageError, StoreError, OSError, *_DOWN) as error:
            log.error("catalogue not opened", error=str(error))
            self._part = Part("catalogue", "failed", str(error))

    async def part(self) -> Part:
        return self._part if self._catalogue is None else cast(Part, self._catalogue.part)

    async def query(self, vectors: Vectors, limit: int, filter: Filter | None) -> list[list[Hit]]:
        return await self._store().query(vectors, limit, filter)

    async def query_text(self, texts: list[str], limit: int, filter: Filter | None) -> list[list[Hit]]:
        return await self._store().query_text(texts, limit, filter)

    async def examples(self, lang: str) -> list[str]:
        return [] if self._catalogue is None else cast(list[str], self._catalogue.examples(lang))

    async def load_catalogue(self, job: Job) -> bool:
        if self._catalogue is None:
            raise StageError("catalogue", f"{self._part.state}: {self._part.detail}")
        return bool(await self._catalogue.load(job))

    async def update(self, change: Change) -> Applied:
        self._store()
        return cast(Applied, await self._catalogue.update(change))

    async def products(self, ids: list[str]) -> list[Product]:
        return await self._store().get(ids)

    def _store(self) -> ProductStore:
        if self._catalogue is None:
            raise StageError("encoders", f"catalogue {self._part.state}: {self._part.detail}")
        return cast(ProductStore, self._catalogue.store)


class _Llm:
    def __init__(self, settings: Settings) -> None:
        self._engine = EngineKeeper(settings)
        self._engine.start()

    async def part(self) -> Part:
        return await self._engine.looked_into()

    async def generate(self, prompt: ChatPrompt, params: SamplingParams, request_id: str) -> AsyncGenerator[str]:
        async with contextlib.aclosing(self._engine.generate(prompt, params, request_id)) as pieces:
            async for piece in pieces:
                yield piece


class _HandleEncoder:
    """The embedder's replica as a `RemoteEncoder`."""

    def __init__(self, handle: DeploymentHandle[Any], own_id: EncoderId) -> None:
        self._handle, self.id = handle, own_id

    async def encode(self, texts: Sequence[str]) -> Vectors:
        try:
            return cast(Vectors, await self._handle.encode.remote(list(texts)))
        except _DOWN as error:
            raise StoreError(f"the embedder does not answer: {error}") from error


def deployments(settings: Settings, extra: dict[str, Any]) -> list[Any]:
    """The graph's models, bound: embedder, reranker, guard, retriever, main model. `extra`: options of every actor."""
    shares = classic(settings.models)

    def made(stage: type, *arguments: Any) -> Any:
        name = stage.__name__.strip("_").lower()
        options = {"num_cpus": shares[name].get("CPU", 0), "num_gpus": shares[name].get("GPU", 0)} | extra
        deployment = serve.deployment(stage, name=name, max_ongoing_requests=_ONGOING)
        return deployment.options(ray_actor_options=options).bind(settings, *arguments)

    embedder = made(_Embedder)
    return [embedder, made(_Reranker), made(_Guard), made(_Retriever, embedder), made(_Llm)]


async def _answer(response: Any) -> Any:
    """What a replica answers. Raises StageError and StoreError as they were raised, StageError where it is down."""
    try:
        return await response
    except _DOWN as error:
        for cause in (getattr(error, "cause", None), error.__cause__):
            if isinstance(cause, StageError | StoreError):
                raise cause from None
        raise StageError("encoders", f"a stage does not answer: {type(error).__name__}: {error}") from error


class _RemoteStages:
    """Embedder, reranker, guard and index as the pass calls them: each call goes to another replica."""

    def __init__(self, embedder: Any, reranker: Any, guard: Any, retriever: Any) -> None:
        self._embedder, self._reranker, self._guard, self._retriever = embedder, reranker, guard, retriever

    async def encode(self, texts: Sequence[str]) -> Vectors:
        return cast(Vectors, await _answer(self._embedder.encode.remote(list(texts))))

    async def score(self, asked: Asked) -> list[Scores]:
        return cast(list[Scores], await _answer(self._reranker.score.remote([(q, list(t)) for q, t in asked])))

    async def screen(self, texts: Sequence[str]) -> list[Verdict]:
        return cast(list[Verdict], await _answer(self._guard.screen.remote(list(texts))))

    async def query(self, vectors: Vectors, limit: int, filter: Filter | None = None) -> list[list[Hit]]:
        return cast(list[list[Hit]], await _answer(self._retriever.query.remote(vectors, limit, filter)))

    async def query_text(self, texts: Sequence[str], limit: int, filter: Filter | None = None) -> list[list[Hit]]:
        return cast(list[list[Hit]], await _answer(self._retriever.query_text.remote(list(texts), limit, filter)))


class ServeGraphStages:
    """`Stages` over the deployments of `deployments`, in their order. Make it inside the gateway's replica."""

    def __init__(self, settings: Settings, handles: Sequence[DeploymentHandle[Any]]) -> None:
        from serving.retrieval_pass import PassModels, RetrievalPass

        *models, llm = handles
        self._handles = dict(zip(("embedder", "reranker", "guard", "catalogue", "llm"), handles, strict=True))
        self._stream = llm.options(stream=True)
        remote = _RemoteStages(*models)
        own = PassModels(remote, remote, remote, "one deployment for each model")
        self._pass = RetrievalPass(own, lambda: cast(ProductStore, remote), settings.models)
        self._parts = {name: Part(name, "loading", "starting") for name in self._handles}
        self._watch: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._watch = asyncio.create_task(self._keep_parts())

    async def stop(self) -> None:
        await end(self._watch)

    async def _keep_parts(self) -> None:
        while True:
            for name, handle in self._handles.items():
                try:
                    async with asyncio.timeout(_STATUS_SECONDS):
                        self._parts[name] = await handle.part.remote()
                except (TimeoutError, *_DOWN) as error:
                    log.warning("a stage does not tell its state", stage=name, error=str(error))
                    self._parts[name] = Part(name, "restarting", "its replica does not answer")
            await asyncio.sleep(_POLL_SECONDS)

    async def retrieve(self, queries: Sequence[TurnQuery]) -> list[Retrieved]:
        return await self._pass.retrieve(queries)

    async def screen(self, texts: Sequence[str]) -> list[Verdict]:
        return await self._pass.screen(texts)

    async def generate(self, prompt: ChatPrompt, params: SamplingParams, request_id: str) -> AsyncGenerator[str]:
        pieces = self._stream.generate.remote(prompt, params, request_id)
        ended = False
        try:
            while (piece := await _piece(pieces)) is not None:
                yield piece
            ended = True
        finally:
            if not ended:
                pieces.cancel()

    async def examples(self, lang: str) -> list[str]:
        return cast(list[str], await _answer(self._handles["catalogue"].examples.remote(lang)))

    async def load_catalogue(self, job: Job) -> bool:
        over = await _answer(self._handles["catalogue"].load_catalogue.remote(job))
        self._parts["catalogue"] = await _answer(self._handles["catalogue"].part.remote())
        return bool(over)

    async def update(self, change: Change) -> Applied:
        return cast(Applied, await self._of_catalogue("update", change))

    async def products(self, ids: Sequence[str]) -> list[Product]:
        return cast(list[Product], await self._of_catalogue("products", list(ids)))

    async def _of_catalogue(self, name: str, argument: Any) -> Any:
        try:
            return await _answer(getattr(self._handles["catalogue"], name).remote(argument))
        except StoreError as error:
            raise StageError("catalogue", str(error)) from error

    async def status(self) -> list[Part]:
        models = [self._parts[name] for name in ("embedder", "reranker", "guard")]
        worst = next((part for part in models if part.state != "ready"), None)
        encoders = Part("encoders", "ready") if worst is None else Part("encoders", worst.state, worst.detail)
        gateway = Part("gateway", "ready", facts={"pid": os.getpid()})
        return [encoders, self._parts["catalogue"], self._parts["llm"], gateway, *models]

    async def where(self) -> list[Part]:
        parts = {part.name: part for part in await self.status() if part.name != "encoders"}
        return await asyncio.to_thread(
            lambda: [replace(part, facts=part.facts | of_processes(part.facts)) for part in parts.values()]
        )


async def _piece(pieces: Any) -> str | None:
    """The next piece, None at the end. Raises StageError("llm", …)."""
    try:
        return cast(str, await anext(pieces))
    except StopAsyncIteration:
        return None
    except _DOWN as error:
        cause = getattr(error, "cause", None)
        raise StageError("llm", str(cause or error)) from error
