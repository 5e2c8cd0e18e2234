"""The split of a card's memory: the arithmetic, that nothing exceeds a card, and refusals whose way out does fit."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from serving import cards as machine
from serving.cards import encoders_fraction, plan_here, profile_here
from serving.commands.vram import SIZES, cases, tables
from serving.footprints import llm_share
from serving.models.shapes import SHAPES, Shape, UnknownModelError, shape_of
from serving.placement import demand
from serving.profiles import PROFILES, LlmSpec, Profile, ProfileName
from serving.settings import Settings
from serving.vram import VramError, VramPlan, fitted, plan

Daogou = Callable[..., "subprocess.CompletedProcess[str]"]

GIB = 1 << 30
DOCUMENT = Path(__file__).parents[2] / "docs" / "vram.md"
ON_CARDS: list[tuple[ProfileName, int]] = [("gpu", 1), ("gpu-70b", 2), ("gpu-70b", 4)]


def card(gigabytes: int) -> int:
    return SIZES[gigabytes] << 20


def with_llm(name: ProfileName, /, **changes: object) -> Profile:
    profile = PROFILES[name]
    return profile.model_copy(update={"llm": profile.llm.model_copy(update=changes)})


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")


# --- the arithmetic


@pytest.mark.parametrize("name", SHAPES)
def test_parameters_counted_from_the_shape_are_those_published(name: str) -> None:
    assert SHAPES[name].parameters == SHAPES[name].published


def test_every_model_of_every_profile_has_a_shape() -> None:
    for profile in PROFILES.values():
        for spec in (profile.embedder, profile.reranker, profile.guard, profile.llm):
            assert spec.source == "builtin" or shape_of(spec).layers


def test_kv_cache_of_a_token_by_hand() -> None:
    assert SHAPES["qwen3-8b"].kv_bytes() == 2 * 36 * 8 * 128 * 2 == 147_456
    assert SHAPES["llama-3.3-70b-instruct"].kv_bytes() == 2 * 80 * 8 * 128 * 2 == 327_680


def test_weights_are_close_to_what_others_saw_vllm_load() -> None:
    """In logs: 5.71 GiB for Qwen3-8B-AWQ, 14.96 for Llama-3-8B, and activations of 1.26 (vLLM pull request 10511)."""
    assert SHAPES["qwen3-8b"].weight_bytes("awq") / GIB == pytest.approx(5.71, rel=0.02)
    llama = Shape(32, 4096, 32, 8, 128, 14_336, 128_256, 8_030_261_248, tied=False)
    assert llama.parameters == llama.published
    assert llama.weight_bytes("bfloat16") / GIB == pytest.approx(14.96, rel=0.01)


def test_activations_of_the_engine_are_close_to_what_others_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SHAPES, "llama-3-8b", Shape(32, 4096, 32, 8, 128, 14_336, 128_256, 0, tied=False))
    for cards in (1, 2):
        share = llm_share(LlmSpec(name="x/Llama-3-8B", licence="-", max_sequences=256), cards)
        assert (share.weights + share.activations) / GIB == pytest.approx(14.96 / cards + 1.26, rel=0.15)


def test_quantization_leaves_embeddings_and_output_layer_in_16_bits() -> None:
    shape = SHAPES["qwen3-8b"]
    at_least = 2 * 2 * shape.vocabulary * shape.hidden + shape.linear // 2
    assert at_least < shape.weight_bytes("awq") < at_least * 1.03
    assert shape.weight_bytes("fp8") < shape.weight_bytes("bfloat16")


# --- plans


def fits_in_any_order(made: VramPlan) -> bool:
    """vLLM finds its share free while the encoders hold all that they may, and the other way round."""
    shares = {share.process: share for share in made.shares if share.card == 0}
    assert made.gpu_memory_utilization is not None
    assert made.encoders_fraction is not None
    held = (made.gpu_memory_utilization + made.encoders_fraction) * made.card_bytes
    return held + shares["llm"].context + shares["encoders"].context < made.card_bytes


@pytest.mark.parametrize(("name", "cards"), ON_CARDS)
def test_a_plan_never_exceeds_a_card_and_a_larger_card_never_holds_less(name: ProfileName, cards: int) -> None:
    before = 0
    for mib in range(16_000, 150_000, 777):
        try:
            made = plan(PROFILES[name], mib << 20, cards)
        except VramError:
            assert not before, "a larger card was refused where a smaller one did"
            continue
        assert all(0 < made.used(each) < made.card_bytes for each in range(cards))
        assert fits_in_any_order(made)
        assert made.kv_tokens >= max(before, PROFILES[name].llm.context)
        before = made.kv_tokens
    assert before


def test_the_parts_of_a_plan_on_one_card_of_24_gb() -> None:
    made = plan(PROFILES["gpu"], card(24), 1)
    encoders, llm = made.shares
    assert (encoders.process, llm.process, made.order) == ("encoders", "llm", ("llm", "encoders"))
    assert encoders.weights == sum(
        2 * SHAPES[name].published for name in ("bge-m3", "bge-reranker-v2-m3", "qwen3guard-gen-0.6b")
    )
    assert llm.weights / GIB == pytest.approx(5.68, abs=0.01)
    assert made.kv_tokens == (llm.kv_cache // (16 * 147_456) - 1) * 16
    assert made.sequences == made.kv_tokens // 8192 >= 1


def test_cards_share_the_big_model_and_the_first_has_the_encoders_too() -> None:
    two, four = plan(PROFILES["gpu-70b"], card(141), 2), plan(PROFILES["gpu-70b"], card(141), 4)
    assert [(s.process, s.card) for s in two.shares] == [("encoders", 0), ("llm", 0), ("llm", 1)]
    assert [s.process for s in four.shares if s.card == 3] == ["llm"]
    assert two.shares[1].weights == pytest.approx(2 * four.shares[1].weights, rel=1e-6)
    assert four.kv_tokens > 2 * two.kv_tokens


def test_a_profile_without_cards_needs_none() -> None:
    for name in ("embedded", "cpu-hub"):
        assert plan(PROFILES[name], card(16), 1).shares == ()
        assert fitted(PROFILES[name], card(16), 1) is PROFILES[name]


def test_where_the_main_model_runs_elsewhere_only_the_encoders_count() -> None:
    made = plan(PROFILES["gpu"], card(16), 1, llm_here=False)
    assert made.order == ("encoders",)
    assert made.gpu_memory_utilization is None
    with pytest.raises(VramError, match="cpu-hub"):
        plan(PROFILES["gpu"], 5 * GIB, 1, llm_here=False)


@pytest.mark.parametrize(("cards", "spread"), [(2, 2), (3, 2), (4, 4), (8, 4)])
def test_a_fitted_profile_has_the_figures_of_the_plan(cards: int, spread: int) -> None:
    profile = fitted(PROFILES["gpu-70b"], card(141), cards)
    made = plan(PROFILES["gpu-70b"], card(141), cards)
    assert profile.llm.gpu_memory_utilization == made.gpu_memory_utilization
    assert profile.llm.tensor_parallel == made.cards == spread
    assert demand(profile)["GPU"] == spread
    assert profile.llm.context == PROFILES["gpu-70b"].llm.context


# --- refusals


def refused(profile: Profile, gigabytes: int, cards: int = 1) -> VramError:
    with pytest.raises(VramError) as caught:
        plan(profile, card(gigabytes), cards)
    return caught.value


def test_a_refusal_adds_up_and_names_the_next_profile() -> None:
    error = refused(PROFILES["gpu"], 16)
    total, size, *parts = map(float, re.findall(r"([\d.]+) GiB", error.what))
    assert size == 15.0
    assert total == pytest.approx(sum(parts) + 0.02 * size, abs=0.3)
    assert error.needed / GIB == pytest.approx(total, abs=0.05)
    assert total > size
    assert error.mend.endswith("; or set DAOGOU_PROFILE=cpu-hub.")
    assert refused(PROFILES["gpu-70b"], 24, 4).mend == "set DAOGOU_PROFILE=gpu."


def test_a_card_of_what_is_needed_holds_the_profile_and_a_smaller_one_does_not() -> None:
    for name in ("gpu", "gpu-70b"):
        profile = PROFILES[name]
        needed = refused(profile, 16).needed
        assert plan(profile, int(needed * 1.03), 1).sequences >= 1
        with pytest.raises(VramError):
            plan(profile, int(needed * 0.97), 1)


def test_the_context_of_a_refusal_is_the_largest_that_fits() -> None:
    found = re.search(r"context=(\d+) for the llm of gpu", refused(with_llm("gpu", context=90_000), 24).mend)
    assert found
    largest = int(found[1])
    assert plan(with_llm("gpu", context=largest), card(24), 1).sequences == 1
    refused(with_llm("gpu", context=largest + 1), 24)


@pytest.mark.parametrize(("gigabytes", "cards", "formats"), [(141, 1, "FP8 AWQ"), (48, 2, "AWQ"), (48, 4, "FP8 AWQ")])
def test_the_quantized_weights_of_a_refusal_do_fit(gigabytes: int, cards: int, formats: str) -> None:
    error = refused(PROFILES["gpu-70b"], gigabytes, cards)
    assert re.findall(r"FP8|AWQ", error.mend) == formats.split()
    for weights in formats.split():
        profile = with_llm("gpu-70b", name=f"someone/Llama-3.3-70B-Instruct-{weights}")
        made = plan(profile, card(gigabytes), cards)
        assert f"{weights} {made.shares[-1].weights / GIB:.1f} GiB" in error.mend


def test_a_refusal_speaks_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    error = refused(PROFILES["gpu"], 16)
    assert "显卡 0" in error.what
    assert error.mend.endswith("；或设 DAOGOU_PROFILE=cpu-hub。")


def test_a_model_of_unknown_shape_is_said_to_be_so() -> None:
    with pytest.raises(UnknownModelError, match=r"serving/models/shapes\.py"):
        plan(with_llm("gpu", name="someone/else-9B"), card(24), 1)


# --- what is printed


def test_the_tables_of_the_document_are_current() -> None:
    current = tables(list(cases(list(PROFILES), list(SIZES))))
    assert current in DOCUMENT.read_text(), f"docs/vram.md should have (daogou vram --markdown):\n{current}"


def test_the_command_prints_every_plan_and_refusal(daogou: Daogou) -> None:
    rows = json.loads(daogou("vram", "--json").stdout)
    assert {row["profile"] for row in rows} == set(PROFILES)
    assert all((row["plan"] is None) == (row["refusal"] is not None) == (not row["fits"]) for row in rows)
    seen = {(row["card_gb"], row["cards"]) for row in rows if row["profile"] == "gpu-70b"}
    assert seen == {(size, cards) for size in SIZES for cards in (1, 2, 4)}


@pytest.mark.parametrize("name", PROFILES)
def test_the_command_knows_every_profile(daogou: Daogou, name: str) -> None:
    done = daogou("vram", "--profile", name, "--card", "48", "--cards", "2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{name}, ")


# --- this machine


def machine_with(folder: Path, listed: list[str]) -> Path:
    """A folder for PATH with an `nvidia-smi` that lists these cards."""
    tool = folder / "bin" / "nvidia-smi"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(listed) + "\nEND\n")
    tool.chmod(0o755)
    return tool.parent


@pytest.fixture
def two_h200(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PATH", f"{machine_with(tmp_path, ['NVIDIA H200, 143771'] * 2)}:/usr/bin:/bin")
    machine.cards.cache_clear()
    yield
    machine.cards.cache_clear()


@pytest.mark.usefixtures("two_h200")
def test_profile_and_encoders_are_fitted_to_the_cards_of_this_machine() -> None:
    settings = Settings(profile="gpu-70b")
    made = plan(PROFILES["gpu-70b"], card(141), 2)
    assert plan_here(settings) == made
    assert profile_here(settings) == fitted(PROFILES["gpu-70b"], card(141), 2)
    assert encoders_fraction(settings) == made.encoders_fraction
    elsewhere = Settings(profile="gpu-70b", llm_url="http://other/v1")
    assert demand(profile_here(elsewhere))["GPU"] == pytest.approx(0.1), "the encoders alone"
    assert plan_here(elsewhere) == plan(PROFILES["gpu-70b"], card(141), 2, llm_here=False)
    assert profile_here(Settings(profile="embedded")) == PROFILES["embedded"]
    assert encoders_fraction(Settings(profile="embedded")) is None


@pytest.mark.parametrize(
    ("profile", "listed", "state", "told"),
    [
        ("gpu", ["NVIDIA A10, 23028"], "ok", "NVIDIA A10, 23028 MiB"),
        ("gpu", ["Tesla T4, 15360"], "fail", "needs 15.6 GiB of card 0"),
        ("gpu-70b", ["NVIDIA H200, 143771"] * 2, "ok", "H200"),
        ("gpu-70b", ["NVIDIA H200, 143771"], "fail", "Llama-3.3-70B-Instruct"),
        ("embedded", ["Tesla T4, 15360"], "ok", "none needed"),
    ],
)
def test_doctor_holds_the_plan_against_the_cards_that_it_finds(
    daogou: Daogou, tmp_path: Path, profile: str, listed: list[str], state: str, told: str
) -> None:
    done = daogou("doctor", "--json", DAOGOU_PROFILE=profile, PATH=f"{machine_with(tmp_path, listed)}:/usr/bin:/bin")
    checks = json.loads(done.stdout)["checks"]
    (gpu,) = [check for check in checks if check["name"] == "gpu"]
    assert gpu["state"] == state
    assert told in gpu["found"]
    assert bool(gpu["mend"]) == (state == "fail")
