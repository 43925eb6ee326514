"""Every knob of an investigation, with unit, range, default and meaning, and the four presets.

The page and the command line are generated from these fields: what stands in ``description`` is the
help text, ``unit`` the unit shown, and the bounds are the slider's ends.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
    field_validator,
)

from engine.errors import SettingsError
from engine.strategy_registry import load_strategies

# Conditions on the figures and counts of a case, such as "coverage >= 0.9 and passages >= 30".

# Shares or mean similarities, 0..1; ``engine.model.Metrics`` defines them.
FIGURES = (
    "coverage",
    "similarity",
    "similarity_top",
    "references",
    "efficiency",
    "coherence",
    "completeness",
)
# Passages of the pool, rounds, passages that the last round admitted, calls of external models, seconds.
COUNTS = ("passages", "rounds", "admitted", "calls", "seconds")
# Figures of the passages that would be shown now.
OF_THE_SHOWN = frozenset({"similarity", "similarity_top", "references", "coherence"})
# Decimal places of the bound.
DIGITS = 6
_COMPARED: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_WRITTEN = re.compile(r"\s*([a-z_]+)\s*(>=|<=|>|<)\s*(\d*\.?\d+)\s*(%?)\s*")


@dataclass(frozen=True, slots=True)
class Condition:
    """A figure or count, a comparison and a bound; the bound of a figure is 0..1."""

    figure: str
    comparison: str
    wanted: float

    def holds(self, value: float) -> bool:
        """Return whether a value of the figure meets the condition."""
        return _COMPARED[self.comparison](value, self.wanted)

    def __str__(self) -> str:
        number = f"{self.wanted:.{DIGITS}f}".rstrip("0").rstrip(".")
        return f"{self.figure} {self.comparison} {number}"


def condition(written: str) -> Condition:
    """Parse one condition; 90% is 0.9. Raises ValueError with the problem and the known figures."""
    found = _WRITTEN.fullmatch(written)
    if found is None:
        raise ValueError(f"{written!r} is not a condition: write it as coverage >= 0.9")
    figure, comparison, number, percent = found.groups()
    if figure not in (*FIGURES, *COUNTS):
        known = f"known figures: {', '.join(FIGURES)}; known counts: {', '.join(COUNTS)}"
        raise ValueError(f"{figure!r} is not a figure of a case; {known}")
    wanted = round(float(number) / 100 if percent else float(number), DIGITS)
    if figure in COUNTS:
        if percent:
            raise ValueError(f"{written!r}: {figure} are counted; write a number without %")
        return Condition(figure, comparison, wanted)
    if not 0.0 <= wanted <= 1.0:
        raise ValueError(f"{written!r}: a figure must be between 0 and 1")
    return Condition(figure, comparison, wanted)


def joined_conditions(written: str) -> tuple[Condition, ...]:
    """Parse conditions joined by "and". Raises ValueError as ``condition`` does."""
    return tuple(map(condition, _AND.split(written.strip())))


class Preset(StrEnum):
    """Named settings: as deep as the question asks, or from the fastest look to every strategy and round."""

    AUTO = "auto"
    QUICK = "quick"
    BALANCED = "balanced"
    THOROUGH = "thorough"
    DETECTIVE = "detective"


AUTO: Final = "auto"
FIXED: Final = "fixed"
BUILT_IN_RETRIEVERS = ("bm25", "dense", "sparse")
MODEL_TASKS = SUB_QUESTIONS, HYPOTHETICAL, GAP_QUERIES, SUFFICIENCY = (
    "sub-questions",
    "hypothetical",
    "gap-queries",
    "sufficiency",
)
# A preset follows the strategies of those before it.
_DEEPER = (Preset.QUICK, Preset.BALANCED, Preset.THOROUGH, Preset.DETECTIVE)


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


def _conditions(written: tuple[str, ...]) -> tuple[str, ...]:
    """Conditions as they are kept: one way to write each."""
    return tuple(dict.fromkeys(" and ".join(map(str, joined_conditions(text))) for text in written))


Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
# Several names; empty for no limit.
Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Phrases = Annotated[Names, AfterValidator(_spaced)]
Conditions = Annotated[Names, AfterValidator(_conditions)]
Year = Annotated[int, Field(ge=1, le=9999)]


def preset_strategies(preset: Preset) -> tuple[str, ...]:
    """Names of the strategies that a preset follows."""
    depth = _DEEPER.index(Preset.BALANCED if preset is Preset.AUTO else preset)
    return tuple(name for name, thread in load_strategies().items() if thread.on_from in _DEEPER[: depth + 1])


def setting_field(
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

    strategies: Names = setting_field(
        lambda: preset_strategies(Preset.BALANCED),
        "Threads to follow from each seed, by name.",
        "names",
        group="main",
    )
    follow: bool = setting_field(
        True,
        "Follow threads and close gaps; off: the plain hybrid list alone.",
        "on/off",
        group="main",
    )
    rounds: int = setting_field(
        2, "Rounds of expansion after the scan, at most.", "rounds", group="main", low=0, high=5
    )
    pool_size: int = setting_field(
        500,
        "Passages the research pool may hold; the scan, the seeds and the threads' budgets grow with it.",
        "passages",
        group="main",
        low=10,
        high=2000,
    )
    top_k: int = setting_field(
        20, "Passages in the final ranking.", "passages", group="main", low=1, high=200
    )
    per_document: int = setting_field(
        0,
        "Passages of one document in the final ranking, at most; 0 for no limit.",
        "passages",
        group="main",
        low=0,
        high=200,
    )
    close_gaps: bool = setting_field(
        True, "Send a query for each area that lacks evidence.", "on/off", group="main"
    )
    citation_direction: Literal["both", "out", "in"] = setting_field(
        "both",
        "Which references are followed: what a passage cites (out), what cites it (in), or both.",
        "name",
        group="main",
    )
    transaction_type: Annotated[str | None, BeforeValidator(_named)] = setting_field(
        AUTO,
        "Type of transaction whose areas are required: auto (from the question), none, or one by name.",
        "name",
        group="main",
    )

    as_of: date | None = setting_field(None, "Only provisions in force on this day.", "date", group="filters")
    include_superseded: bool = setting_field(
        False,
        "Show text too that is known to be repealed, superseded or expired.",
        "on/off",
        group="filters",
    )
    documents: Names = setting_field(
        (), "Only these documents, by id, title or short name.", "names", group="filters"
    )
    types: Names = setting_field(
        (), "Only documents of these types (act, regulation, ...).", "names", group="filters"
    )
    languages: Names = setting_field((), "Only documents in these languages.", "codes", group="filters")
    issuers: Names = setting_field((), "Only documents issued by these bodies.", "names", group="filters")
    statuses: Names = setting_field(
        (), "Only text of these statuses (in force, ...).", "names", group="filters"
    )
    year_from: Year | None = setting_field(
        None, "Only documents of this year or later.", "year", group="filters"
    )
    year_to: Year | None = setting_field(
        None, "Only documents of this year or earlier.", "year", group="filters"
    )

    query_strategy: Literal["precision", "balanced", "recall"] = setting_field(
        "balanced",
        "Views used: the question alone, those that proved themselves, or all; and the depth of the scan.",
        "name",
        group="search",
    )
    retrievers: Names = setting_field(
        BUILT_IN_RETRIEVERS,
        "Who searches the corpus: bm25, dense, sparse. What the corpus has no model for is left out.",
        "names",
        group="search",
        choices=BUILT_IN_RETRIEVERS,
    )
    must_include: Phrases = setting_field(
        (), "Only passages that hold each of these words or phrases.", "phrases", group="filters"
    )
    must_exclude: Phrases = setting_field(
        (), "No passage that holds one of these words or phrases.", "phrases", group="filters"
    )
    reranker: str = setting_field(
        "none",
        "Model that reads question and best passages together: ce:NAME_OR_FOLDER, or llm (a language model).",
        "spec",
        group="search",
    )

    depth: Literal["auto", "fixed"] = setting_field(
        FIXED,
        "What sets the depth: the question, within these settings (auto), or these settings alone.",
        "by",
        group="stopping",
    )
    stop_when: Conditions = setting_field(
        (),
        "Stop when one of these holds, such as coverage >= 0.9 and passages >= 30; known figures: "
        f"{', '.join(FIGURES)}; known counts: {', '.join(COUNTS)}.",
        "conditions",
        group="stopping",
    )
    time_budget: float | None = setting_field(
        None, "Stop after this many seconds.", "seconds", group="stopping", low=0.05, high=600
    )
    call_budget: int | None = setting_field(
        None,
        "Stop after this many calls of an outside model; a language model is asked no more often.",
        "calls",
        group="stopping",
        low=1,
        high=10_000,
    )

    # Each task has a deterministic fallback, which does it where no language model is connected, or it fails.
    model_tasks: Names = setting_field(
        (),
        "What a language model does: sub-questions, hypothetical (passages to search by), gap-queries, "
        "sufficiency (whether enough was found).",
        "names",
        group="model",
        choices=MODEL_TASKS,
    )
    token_budget: int | None = setting_field(
        None, "Tokens of a language model at most.", "tokens", group="model", low=1, high=100_000_000
    )
    money_budget: float | None = setting_field(
        None,
        "Money for a language model at most, as its prices have it.",
        "money",
        group="model",
        low=0.0,
        high=1e6,
    )
    hypothetical_passages: int = setting_field(
        3, "Passages that might answer, at most.", "passages", group="model", low=1, high=5
    )
    hypothetical_temperature: Fraction = setting_field(
        0.0,
        "How freely a language model words passages that might answer; 0 for the likeliest words.",
        "temperature",
        group="model",
    )
    hypothetical_language: Annotated[
        str, BeforeValidator(lambda value: "question" if _named(value) is None else value)
    ] = setting_field(
        "question",
        "Language in which it words them: question (the question's, where the corpus has it), corpus (its "
        "main one), or a code such as de.",
        "code",
        group="model",
    )

    @field_validator("model_tasks")
    @classmethod
    def _check_tasks(cls, tasks: tuple[str, ...]) -> tuple[str, ...]:
        unknown = [task for task in tasks if task not in MODEL_TASKS]
        if unknown:
            raise ValueError(
                f"{unknown[0]!r} is no task of a language model; known: {', '.join(MODEL_TASKS)}"
            )
        return tasks

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
        why = first["msg"].removeprefix("Value error, ")
        raise SettingsError(f"{name}: {why} (given: {first['input']!r:.80})") from error


# What each preset changes of the defaults, beside the strategies.
_CHANGES: Mapping[Preset, Mapping[str, Any]] = {
    Preset.QUICK: {
        "retrievers": ("bm25", "dense"),
        "rounds": 1,
        "pool_size": 200,
        "top_k": 10,
        "query_strategy": "precision",
    },
    Preset.AUTO: {"depth": AUTO, "rounds": 2, "pool_size": 1000},
    Preset.BALANCED: {},
    Preset.THOROUGH: {"rounds": 3, "pool_size": 1000, "top_k": 40},
    Preset.DETECTIVE: {"rounds": 4, "pool_size": 2000, "top_k": 60},
}


def preset(name: str) -> InvestigationSettings:
    """The settings of a preset. Raises SettingsError for an unknown name."""
    try:
        found = Preset(name)
    except ValueError:
        known = ", ".join(item.value for item in Preset)
        raise SettingsError(f"unknown preset {name!r}; known presets: {known}") from None
    return InvestigationSettings(strategies=preset_strategies(found), **_CHANGES[found])


def presets() -> Mapping[Preset, InvestigationSettings]:
    """The settings of every preset."""
    return {name: preset(name) for name in Preset}
