"""Every knob of an investigation, with unit, range, default and meaning, and the four presets.

The page and the command line are generated from these fields: what stands in ``description`` is the
help text, ``unit`` the unit shown, and the bounds are the slider's ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from engine.errors import SettingsError
from engine.threads import threads


class Preset(StrEnum):
    """Named settings: as deep as the question asks, or from the fastest look to every strategy and round."""

    AUTO = "auto"
    QUICK = "quick"
    BALANCED = "balanced"
    THOROUGH = "thorough"
    DETECTIVE = "detective"


AUTO: Final = "auto"
FIXED: Final = "fixed"
BUILT_IN_RETRIEVERS = ("bm25", "dense", "sparse", "late")
VIEW_KINDS = ("part", "side", "clause", "register", "acronym", "terms", "feedback")
# A preset follows the strategies of those before it.
_DEEPER = (Preset.QUICK, Preset.BALANCED, Preset.THOROUGH, Preset.DETECTIVE)

Fraction = Annotated[float, Field(ge=0.0, le=1.0)]


def _listed(value: Any) -> Any:
    """Names between commas, as they are typed, or a list of names, or nothing; without empty ones."""
    names = value.split(",") if isinstance(value, str) else () if value is None else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        return value
    return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))


def _spaced(phrases: tuple[str, ...]) -> tuple[str, ...]:
    """Phrases on one line each: how their words are spaced has no meaning."""
    return tuple(dict.fromkeys(" ".join(phrase.split()) for phrase in phrases))


def _named(value: Any) -> Any:
    """A name; nothing where it is blank."""
    return None if isinstance(value, str) and not value.strip() else value


# Several names; empty for no limit.
Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Phrases = Annotated[Names, AfterValidator(_spaced)]
Year = Annotated[int, Field(ge=1, le=9999)]


def followed(preset: Preset) -> tuple[str, ...]:
    """Names of the strategies that a preset follows."""
    depth = _DEEPER.index(Preset.BALANCED if preset is Preset.AUTO else preset)
    return tuple(name for name, thread in threads().items() if thread.on_from in _DEEPER[: depth + 1])


def knob(
    default: Any,
    meaning: str,
    unit: str,
    *,
    group: str,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
) -> Any:
    """A settings field: its default or what makes it, its meaning, its unit, its panel group, its bounds.

    ``choices`` are the names that a list may hold; where other packages can add some, those that we know.
    """
    extra: dict[str, JsonValue] = {"unit": unit, "group": group}
    if choices:
        extra["choices"] = list(choices)
    start: dict[str, Any] = {"default_factory" if callable(default) else "default": default}
    return Field(**start, description=meaning, json_schema_extra=extra, ge=low, le=high)


class InvestigationSettings(BaseModel):
    """How one investigation runs. Frozen; derive variants with ``changed``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    strategies: Names = knob(
        lambda: followed(Preset.BALANCED), "Threads to follow from each seed, by name.", "names", group="main"
    )
    depth: Literal["auto", "fixed"] = knob(
        FIXED,
        "Who says how deep it goes: the question (auto), within these settings, or they alone.",
        "by",
        group="rounds",
    )
    rounds: int = knob(
        2, "Rounds of expansion after the scan, at most.", "rounds", group="main", low=0, high=5
    )
    pool_size: int = knob(
        500, "Passages the research pool may hold.", "passages", group="main", low=100, high=2000
    )
    top_k: int = knob(20, "Passages in the final ranking.", "passages", group="main", low=1, high=200)

    scan_limit: int = knob(
        100, "Candidates of the broad scan that enter the pool.", "passages", group="scan", low=10, high=500
    )
    scan_depth: int = knob(
        500, "Hits taken from each retriever for each view.", "passages", group="scan", low=10, high=2000
    )
    dense_threshold: Fraction = knob(
        0.15, "Lowest cosine similarity that the scan keeps.", "cosine", group="scan"
    )
    lexical_threshold: Fraction = knob(
        0.05, "Lowest BM25 score that the scan keeps, as a share of the best.", "share", group="scan"
    )
    views: bool = knob(True, "See the question several ways (its parts, its sides).", "on/off", group="plan")
    query_strategy: Literal["precision", "balanced", "recall"] = knob(
        "balanced",
        "Views used: the question alone, those that proved themselves, or all; and the depth of the scan.",
        "name",
        group="plan",
    )
    view_kinds: Names = knob(
        (),
        "Views to use instead of the strategy's: part, side, clause, register, acronym, terms, feedback.",
        "names",
        group="plan",
        choices=VIEW_KINDS,
    )
    must_include: Phrases = knob(
        (), "Only passages that hold each of these words or phrases.", "phrases", group="plan"
    )
    must_exclude: Phrases = knob(
        (), "No passage that holds one of these words or phrases.", "phrases", group="plan"
    )
    fusion: Literal["minmax", "rrf"] = knob(
        "minmax",
        "How lists are joined: normalised scores, or weighted reciprocal ranks.",
        "name",
        group="scan",
    )
    dense_weight: Fraction = knob(
        0.5, "Share of the dense retriever in the fusion; BM25 has the rest.", "share", group="scan"
    )
    retrievers: Names = knob(
        BUILT_IN_RETRIEVERS,
        "Who searches the corpus: bm25, dense, sparse, late. What the corpus has no model for is left out.",
        "names",
        group="scan",
        choices=BUILT_IN_RETRIEVERS,
    )
    sparse_weight: Fraction = knob(
        0.2, "Share of learned sparse search; BM25 and dense have what is left.", "share", group="scan"
    )
    late_weight: Fraction = knob(
        0.1, "Share of late interaction; BM25 and dense have what is left.", "share", group="scan"
    )
    as_of: date | None = knob(None, "Only provisions in force on this day.", "date", group="filters")
    include_superseded: bool = knob(
        False,
        "Show text too that is known to be repealed, superseded or expired.",
        "on/off",
        group="filters",
    )
    documents: Names = knob((), "Only these documents, by id, title or short name.", "names", group="filters")
    types: Names = knob((), "Only documents of these types (act, regulation, ...).", "names", group="filters")
    languages: Names = knob((), "Only documents in these languages.", "codes", group="filters")
    issuers: Names = knob((), "Only documents issued by these bodies.", "names", group="filters")
    statuses: Names = knob((), "Only text of these statuses (in force, ...).", "names", group="filters")
    year_from: Year | None = knob(None, "Only documents of this year or later.", "year", group="filters")
    year_to: Year | None = knob(None, "Only documents of this year or earlier.", "year", group="filters")

    seeds_per_round: int = knob(
        10, "Unexplored passages that become seeds in a round.", "passages", group="rounds", low=1, high=50
    )
    seed_threshold: Fraction = knob(
        0.25,
        "Lowest score, as a share of the best, at which a passage may be a seed.",
        "share",
        group="rounds",
    )
    citation_hops: int = knob(
        2, "References followed in a row from one seed, both ways.", "hops", group="rounds", low=1, high=4
    )
    passages_per_document: int = knob(
        50,
        "Passages of one document that the metadata strategy may bring.",
        "passages",
        group="rounds",
        low=1,
        high=200,
    )
    passages_per_entity: int = knob(
        20, "Passages that one shared entity may bring.", "passages", group="rounds", low=1, high=200
    )
    semantic_radius: Fraction = knob(
        0.55, "Lowest cosine similarity to the centre of a cluster of seeds.", "cosine", group="rounds"
    )
    minimum_cluster: int = knob(
        2,
        "Seeds that make a cluster whose neighbourhood is searched.",
        "passages",
        group="rounds",
        low=1,
        high=20,
    )

    gate_threshold: Fraction = knob(
        0.14, "Lowest gate score at which a lead is admitted.", "score", group="gate"
    )
    budget_per_strategy: int = knob(
        18,
        "Leads admitted in a round from a fully trusted strategy; others get their share.",
        "passages",
        group="gate",
        low=1,
        high=500,
    )
    budget_per_document: int = knob(
        15, "Leads of one document admitted in a round.", "passages", group="gate", low=1, high=500
    )
    budget_per_relation: int = knob(
        30, "Leads of one relation admitted in a round.", "passages", group="gate", low=1, high=500
    )

    close_gaps: bool = knob(True, "Send a query for each area that lacks evidence.", "on/off", group="main")
    transaction_type: Annotated[str | None, BeforeValidator(_named)] = knob(
        AUTO,
        "Type of transaction whose areas are required: auto (the question tells it), none, or one by name.",
        "name",
        group="coverage",
    )

    minimum_new: int = knob(
        1, "Stop when a round admits fewer than this.", "passages", group="stopping", low=1, high=100
    )
    minimum_gain: Fraction = knob(
        0.01, "Stop when a round grows the pool by less than this share.", "share", group="stopping"
    )
    stop_on_coverage: bool = knob(
        False, "Stop when all required areas are covered.", "on/off", group="stopping"
    )
    stop_confidence: Fraction | None = knob(
        None, "Stop when the mean score of the best ten passages reaches this.", "score", group="stopping"
    )
    stop_completeness: Fraction | None = knob(
        None, "Stop when the estimated completeness reaches this.", "share", group="stopping"
    )
    time_budget: float | None = knob(
        None, "Stop after this many seconds.", "seconds", group="stopping", low=0.05, high=600
    )
    call_budget: int | None = knob(
        None,
        "Stop after this many calls of an outside model; a language model is asked no more often.",
        "calls",
        group="stopping",
        low=1,
        high=10_000,
    )

    per_document_limit: int = knob(
        8, "Passages of one document in the final ranking.", "passages", group="ranking", low=1, high=200
    )
    assemble: bool = knob(
        True,
        "Join neighbouring passages of one section into one readable passage.",
        "on/off",
        group="ranking",
    )
    full_passages: bool = knob(
        False,
        "Let passages grow with the text around them, inside their section, to the lengths below.",
        "on/off",
        group="ranking",
    )
    shortest_passage: int = knob(
        512,
        "Tokens to which a passage grows in full, where its section has them.",
        "tokens",
        group="ranking",
        low=0,
        high=4096,
    )
    longest_passage: int = knob(
        1024, "Tokens that a grown passage has at most.", "tokens", group="ranking", low=64, high=8192
    )
    diversity: Fraction = knob(
        0.0,
        "What a passage loses that repeats a better one, as a share of the best score.",
        "share",
        group="ranking",
    )
    reranker: str = knob(
        "none",
        "Model that reads question and best passages together: ce:NAME_OR_FOLDER, or llm (a language model).",
        "spec",
        group="ranking",
    )
    rerank_budget: int = knob(
        500,
        "Time for the reranker; llm needs thousands.",
        "milliseconds",
        group="ranking",
        low=10,
        high=60_000,
    )
    rerank_depth: int = knob(
        50, "Best passages that the reranker may judge.", "passages", group="ranking", low=1, high=500
    )
    rerank_weight: Fraction = knob(
        0.5, "Share of the reranker's judgement in the score of what it judged.", "share", group="ranking"
    )

    # Who does what a language model can do: "plain" is its deterministic twin, "model" the language model,
    # with the twin behind it for when none is connected or it fails; "off" where it may be left out.
    sub_questions: Literal["plain", "model"] = knob(
        "plain", "Who takes the question apart: its own structure, or a language model.", "by", group="model"
    )
    hypothetical: Literal["off", "plain", "model"] = knob(
        "off",
        "Who gives passages that might answer, to search by: the first ones found, or a language model.",
        "by",
        group="model",
    )
    gap_queries: Literal["plain", "model"] = knob(
        "plain",
        "Who words the queries for gaps: the areas' own words, or a language model.",
        "by",
        group="model",
    )
    sufficiency: Literal["off", "plain", "model"] = knob(
        "off",
        "Who may stop it from round 2 on, as enough was found: coverage and gain, or a language model.",
        "by",
        group="model",
    )
    token_budget: int | None = knob(
        None, "Tokens of a language model at most.", "tokens", group="model", low=1, high=100_000_000
    )
    money_budget: float | None = knob(
        None,
        "Money for a language model at most, as its prices have it.",
        "money",
        group="model",
        low=0.0,
        high=1e6,
    )
    model_seconds: float | None = knob(
        None, "No language model is asked later than this.", "seconds", group="model", low=0.05, high=3600
    )
    hypothetical_passages: int = knob(
        3, "Passages that might answer, at most.", "passages", group="model", low=1, high=5
    )
    hypothetical_temperature: Fraction = knob(
        0.0,
        "How freely a language model words passages that might answer; 0 for the likeliest words.",
        "temperature",
        group="model",
    )
    hypothetical_language: Annotated[
        str, BeforeValidator(lambda value: "question" if _named(value) is None else value)
    ] = knob(
        "question",
        "Language in which it words them: question (the question's, where the corpus has it), corpus (its "
        "main one), or a code such as de.",
        "code",
        group="model",
    )

    @field_validator("longest_passage")
    @classmethod
    def _not_below_shortest(cls, longest: int, given: ValidationInfo) -> int:
        shortest = given.data.get("shortest_passage")
        if shortest is not None and longest < shortest:
            raise ValueError(f"must be at least shortest_passage, {shortest}")
        return longest

    def changed(self, **changes: Any) -> InvestigationSettings:
        """A copy with some fields changed, checked again. ``None`` values are passed over.

        Raises SettingsError naming the field, the value and the allowed range.
        """
        given = {name: value for name, value in changes.items() if value is not None}
        return checked({**self.model_dump(), **given})


def checked(values: Mapping[str, Any]) -> InvestigationSettings:
    """Settings from plain values. Raises SettingsError in one line for the first field that is wrong."""
    try:
        return InvestigationSettings.model_validate(dict(values))
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]) or "settings"
        raise SettingsError(f"{name}: {first['msg']} (given: {first['input']!r:.80})") from error


# What each preset changes of the defaults, beside the strategies.
_CHANGES: Mapping[Preset, Mapping[str, Any]] = {
    Preset.QUICK: {
        "retrievers": ("bm25", "dense"),
        "rounds": 1,
        "pool_size": 200,
        "scan_limit": 80,
        "top_k": 10,
        "views": False,
    },
    Preset.AUTO: {
        "depth": AUTO,
        "rounds": 4,
        "pool_size": 1000,
        "scan_limit": 300,
        "seeds_per_round": 15,
        "budget_per_strategy": 50,
        "budget_per_document": 25,
        "budget_per_relation": 80,
        "gate_threshold": 0.10,
    },
    Preset.BALANCED: {},
    Preset.THOROUGH: {
        "rounds": 4,
        "pool_size": 1000,
        "scan_limit": 300,
        "top_k": 40,
        "seeds_per_round": 15,
        "budget_per_strategy": 50,
        "budget_per_document": 25,
        "budget_per_relation": 80,
        "gate_threshold": 0.10,
    },
    Preset.DETECTIVE: {
        "rounds": 5,
        "pool_size": 2000,
        "scan_limit": 500,
        "top_k": 60,
        "seeds_per_round": 25,
        "citation_hops": 3,
        "budget_per_strategy": 100,
        "budget_per_document": 50,
        "budget_per_relation": 150,
        "gate_threshold": 0.05,
        "minimum_gain": 0.0,
    },
}


def preset(name: str) -> InvestigationSettings:
    """The settings of a preset. Raises SettingsError for an unknown name."""
    try:
        found = Preset(name)
    except ValueError:
        known = ", ".join(item.value for item in Preset)
        raise SettingsError(f"unknown preset {name!r}; known presets: {known}") from None
    return InvestigationSettings(strategies=followed(found), **_CHANGES[found])


def presets() -> Mapping[Preset, InvestigationSettings]:
    """The settings of every preset."""
    return {name: preset(name) for name in Preset}
