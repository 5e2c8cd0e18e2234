"""The main model: vLLM's `AsyncLLM`, with continuous batching in a process of its own (the engine core)."""

from __future__ import annotations

import asyncio
import gc
import importlib
import itertools
import os
import shutil
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

from serving.models.chat import Markup
from serving.profiles import LlmSpec
from serving.stages.base import ChatPrompt, SamplingParams, StageError

CALLER_VARIABLE = "DAOGOU_ENGINE_CALLER"  # pid of the process whose end is also the engine's
_CPU_BLOCK = 32  # tokens of a KV block; vLLM's CPU kernels want multiples of 32, its own default of 128 shares less
# Guesses the next tokens where the last ones stood in the prompt, and checks them in one step. Sentences from a record
# repeat it, so text comes twice as fast, and greedy text is the same (24 of 24 sentences).
_SPECULATION = {"method": "ngram", "num_speculative_tokens": 3, "prompt_lookup_max": 4, "prompt_lookup_min": 1}
_MOST_THREADS = 8
_SPINS = 5000  # turns that a thread waits awake for its next share of a step; the default takes a core from the others
_CPU_STEP_TOKENS = 256  # prompt tokens read in one step, lest a long prompt halts everybody's text for seconds


class VllmEngine:
    """One engine. All methods belong to one event loop, that of `start`.

    `folder` holds the weights (`weights.prepare`), `sockets` is a folder of the engine's own for its Unix sockets: it
    is emptied at every start, and its path must be short (a socket's holds 107 bytes).
    """

    def __init__(self, spec: LlmSpec, folder: Path, sockets: Path) -> None:
        self._spec = spec
        self._folder = folder
        self._sockets = sockets
        self._engine: Any = None
        self._markup: Markup | None = None
        self._numbers = itertools.count()
        self._starting = asyncio.Lock()

    async def start(self) -> None:
        """Load and warm up: 10 s on two slow cores, 26 s where `import_ahead` was not called. Nothing when alive.

        Raises StageError("llm", …). The event loop is not blocked. When cancelled, the engine ends when it is up.
        """
        async with self._starting:
            if self.alive:
                return
            await self._end()
            building = asyncio.ensure_future(asyncio.to_thread(self._build))
            try:
                self._engine = await asyncio.shield(building)
            except asyncio.CancelledError:
                building.add_done_callback(_end_unwanted)
                raise
            except (RuntimeError, ValueError, OSError, ImportError, AssertionError) as error:
                raise StageError("llm", f"The engine for {self._spec.name} did not start: {error}") from error
            self._markup = Markup(self._engine.renderer.tokenizer)
            await self._engine.collective_rpc("loaded")  # of `llm_worker`
            warm = ChatPrompt((("system", "Answer briefly."), ("user", "Say hello. Say hello again.")))
            async with aclosing(self.generate(warm, SamplingParams(max_tokens=8), "warm-up")) as pieces:
                async for _ in pieces:
                    pass

    async def stop(self) -> None:
        """End the engine and what it runs; running generations end with StageError. Safe to call twice."""
        async with self._starting:
            await self._end()

    async def restart(self) -> None:
        """After a death, or to begin afresh. Raises StageError("llm", …)."""
        await self.stop()
        await self.start()

    @property
    def alive(self) -> bool:
        """Whether the engine is up. Turns False within moments of the core's death."""
        return self._engine is not None and not self._engine.errored

    def unfinished(self) -> int:
        """Requests that wait or run inside the engine."""
        return 0 if self._engine is None else int(self._engine.output_processor.get_num_unfinished_requests())

    def pids(self) -> list[int]:
        """The engine core's processes, for status and supervision."""
        manager = self._engine and self._engine.engine_core.resources.engine_manager
        return [process.pid for process in manager.processes if process.pid] if manager else []

    async def generate(self, prompt: ChatPrompt, params: SamplingParams, request_id: str) -> AsyncGenerator[str]:
        """Pieces of new text as the engine makes them; closing or cancelling aborts inside the engine.

        `max_tokens` is capped to what the window leaves; the model's own markup in a message is read as plain
        characters. Raises StageError("llm", …), also in the middle.
        """
        engine = self._engine
        if engine is None or engine.errored:
            raise StageError("llm", "The language model is not running")
        from vllm.exceptions import VLLMClientError, VLLMServerError

        unique = f"{request_id}-{next(self._numbers)}"
        try:
            rendered = await self._render(engine, prompt)
            sampling = self._sampling(params, len(rendered["prompt_token_ids"]))
            async with aclosing(engine.generate(rendered, sampling, request_id=unique)) as outputs:
                async for output in outputs:
                    if text := output.outputs[0].text:
                        yield text
        except VLLMClientError as error:
            raise StageError("llm", f"The engine refused the prompt: {error}") from error
        except VLLMServerError as error:
            state = "went on" if self.alive else "has ended"
            raise StageError("llm", f"The engine failed in the middle of a generation and {state}: {error}") from error

    async def _render(self, engine: Any, prompt: ChatPrompt) -> Any:
        from vllm.renderers.params import ChatParams

        assert self._markup is not None
        messages = [{"role": role, "content": self._markup.defused(content)} for role, content in prompt.messages]
        # Qwen3 would think aloud first; templates that do not know the switch pass over it.
        options = {"add_generation_prompt": True, "tokenize": True, "enable_thinking": False}
        _, (rendered,) = await engine.renderer.render_chat_async([messages], ChatParams(chat_template_kwargs=options))
        return rendered

    def _sampling(self, params: SamplingParams, prompt_tokens: int) -> Any:
        from vllm.sampling_params import RequestOutputKind
        from vllm.sampling_params import SamplingParams as VllmSamplingParams

        room = self._spec.context - prompt_tokens
        if room < 1:
            raise StageError(
                "llm", f"The prompt has {prompt_tokens} tokens, which fill the model's window of {self._spec.context}"
            )
        return VllmSamplingParams(
            max_tokens=min(params.max_tokens, room),
            temperature=params.temperature,
            stop=list(params.stop) or None,
            seed=params.seed,
            output_kind=RequestOutputKind.DELTA,
        )

    def _build(self) -> Any:
        self._sockets.mkdir(parents=True, exist_ok=True, mode=0o700)
        _empty(self._sockets)
        os.environ["VLLM_RPC_BASE_PATH"] = str(self._sockets)
        os.environ.setdefault(CALLER_VARIABLE, str(os.getpid()))
        _environment(on_processor=self._spec.gpu == 0)
        from vllm.engine.arg_utils import AsyncEngineArgs
        from vllm.v1.engine.async_llm import AsyncLLM

        arguments = AsyncEngineArgs(**engine_arguments(self._spec, self._folder))
        config = arguments.create_engine_config()
        if self._spec.gpu == 0:
            os.environ["VLLM_WORKER_MULTIPROC_METHOD"] = "fork"  # what is imported is there; the config sets "spawn"
        return AsyncLLM.from_vllm_config(config, disable_log_stats=arguments.disable_log_stats)

    async def _end(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            await asyncio.to_thread(engine.shutdown, timeout=0)
            del engine
            gc.collect()  # its destructor would otherwise run when the interpreter ends, and complain
            with suppress(FileNotFoundError):
                _empty(self._sockets)


def engine_arguments(spec: LlmSpec, folder: Path) -> dict[str, Any]:
    """What vLLM is told, for the processor (`spec.gpu` is 0) or for one or several cards."""
    common = {
        "model": str(folder),
        "served_model_name": spec.name,
        "trust_remote_code": False,
        "max_model_len": spec.context,
        "max_num_seqs": spec.max_sequences,
        "enable_prefix_caching": True,
        "seed": 0,
        "disable_log_stats": True,
        "use_tqdm_on_load": False,
        "worker_extension_cls": "serving.models.llm_worker.EndsWithCaller",
    }
    if spec.gpu > 0:
        return common | {
            "dtype": spec.dtype,
            "tensor_parallel_size": spec.tensor_parallel,
            "gpu_memory_utilization": spec.gpu_memory_utilization,
        }
    from serving.models.device import dtype_of

    return common | {
        "dtype": str(dtype_of(spec)).removeprefix("torch."),
        "speculative_config": dict(_SPECULATION),
        "enforce_eager": True,  # compiling takes 75 s at every start
        "block_size": _CPU_BLOCK,
        "max_num_batched_tokens": max(_CPU_STEP_TOKENS, spec.max_sequences),
        "kv_cache_memory_bytes": (spec.kv_cache_mb or 512) << 20,
    }


def import_ahead() -> None:
    """Import what an engine on the processor needs, its core too: 16 s of a slow core. The core is then forked."""
    _environment(on_processor=True)
    for module in ("vllm.v1.engine.async_llm", "vllm.v1.engine.core", "vllm.v1.worker.cpu_worker"):
        importlib.import_module(module)


def _environment(*, on_processor: bool) -> None:
    """What vLLM and the libraries below it read from the environment, at import and in the core, which inherits it."""
    os.environ |= {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # the weights are in a folder by now
    if on_processor:
        # The core then runs the model itself, instead of starting one process more that imports torch again.
        os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
        # Numba, which the speculation uses, would set OpenMP's number too: to all cores.
        os.environ["OMP_NUM_THREADS"] = os.environ["NUMBA_NUM_THREADS"] = str(_threads())
        os.environ.setdefault("GOMP_SPINCOUNT", str(_SPINS))
        os.environ.pop("VLLM_CPU_KVCACHE_SPACE", None)  # would overrule our size


def _threads() -> int:
    """Of the model on the processor: half the cores, two where there are two, for the steps are short."""
    cores = len(os.sched_getaffinity(0))
    return min(cores, max(2, cores // 2), _MOST_THREADS)


def _empty(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _end_unwanted(building: asyncio.Future[Any]) -> None:
    if not building.cancelled() and building.exception() is None:
        building.result().shutdown(timeout=0)
