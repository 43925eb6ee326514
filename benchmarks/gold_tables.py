"""The tables of the gold sets, as Markdown, with their floors."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.evaluation import Evaluation, QuestionResult, summarise
from engine.evaluation.ablation import Ablation
from engine.evaluation.metrics import calibration
from engine.settings import InvestigationSettings

# Figures of sets below which a change is not good enough, fractions of 1.
FLOORS: Mapping[tuple[str, str], float] = {
    ("obliqa_xref", "complete@10"): 0.84,
    ("obliqa_mp", "recall@10"): 0.63,
    ("obliqa_adgm", "recall@10"): 0.80,
    ("hipporag_2wiki", "recall@5"): 0.90,
    ("hipporag_2wiki", "complete@5"): 0.76,
    ("2wiki_dev164", "recall@5"): 0.90,
    ("musique_dev200", "recall@5"): 0.66,
    ("musique_dev200", "recall@20"): 0.86,
    ("hipporag_musique_train100", "recall@5"): 0.69,
    ("hipporag_musique_train100", "recall@20"): 0.88,
    ("hotpotqa_dev200", "recall@5"): 0.90,
    ("hotpotqa_dev200", "complete@5"): 0.80,
}

RANKING = ("recall@5", "recall@10", "recall@20", "recall@100", "complete@5", "complete@10", "ndcg@10")
ABLATION = ("recall@5", "recall@10", "complete@10", "ndcg@10", "pool recall")


@dataclass(slots=True)
class Suite:
    """A run over several sets: preset, settings, command, and the results of each set."""

    preset: str
    settings: InvestigationSettings
    arguments: Sequence[str]
    evaluations: dict[str, Evaluation] = field(default_factory=dict)
    results: dict[str, list[QuestionResult]] = field(default_factory=dict)
    ablations: dict[str, Ablation] = field(default_factory=dict)
    date: str = field(default_factory=lambda: datetime.now(UTC).date().isoformat())

    def add(self, name: str, results: list[QuestionResult]) -> None:
        """Add the results of a set's questions."""
        self.results[name] = results
        self.evaluations[name] = summarise(results)

    @property
    def calibration(self) -> dict[str, float]:
        """The calibration of the completeness estimate over the questions of all sets."""
        return calibration([result for found in self.results.values() for result in found])

    @property
    def command(self) -> str:
        """The command that made the figures, with folders by their names only."""
        shown = [Path(word).name if Path(word).is_absolute() else word for word in self.arguments]
        return shlex.join(["python", "-m", "benchmarks.gold_sets", *shown])


def markdown(suite: Suite) -> str:
    """Return all tables of a suite for RESULTS.md."""
    lines = [
        f"{suite.date}, preset `{suite.preset}`:",
        "",
        f"    {suite.command}",
        "",
        f"Settings: {_settings(suite.settings)}.",
        "",
        *_rankings(suite.evaluations),
        "",
        *_pools(suite.evaluations, suite.calibration),
        "",
        *_floors(suite.evaluations),
        *(["", *_ablation(suite.ablations)] if suite.ablations else []),
    ]
    return "\n".join(lines) + "\n"


def _settings(settings: InvestigationSettings) -> str:
    """Return the main settings and those that differ from the defaults."""
    plain, default = settings.model_dump(mode="json"), InvestigationSettings().model_dump(mode="json")
    main = ("strategies", "rounds", "pool_size", "retrievers", "query_strategy")
    shown = {name: plain[name] for name in plain if name in main or plain[name] != default[name]}
    return "; ".join(f"{name} {_plain(value)}" for name, value in shown.items())


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def _head(*cells: str) -> list[str]:
    return [_row(*cells), _row(*["---"] * len(cells))]


def _rankings(evaluations: Mapping[str, Evaluation]) -> Iterator[str]:
    yield from _head("set", "ranking", *RANKING)
    for name, found in evaluations.items():
        scan, final = found.scan, found.investigation
        yield _row(f"{name} ({found.queries:,})", "scan", *(_share(scan[key]) for key in RANKING))
        cells = [
            f"**{_share(final[key])}**" if final[key] >= scan[key] else _share(final[key]) for key in RANKING
        ]
        yield _row("", "investigation", *cells)


def _pools(evaluations: Mapping[str, Evaluation], together: Mapping[str, float]) -> Iterator[str]:
    yield "Precision: share of the pool that is gold / gold or one stated relation away from gold (a"
    yield "reference either way, the next passage) / or shares an entity with gold that at most 20 passages"
    yield "mention."
    yield ""
    yield from _head(
        "set", "pool recall", "pool complete", "mean size", "precision", "estimated completeness (mean)",
        "share found if the estimate is 90% or more", "share found if it is under 60%", "p50 ms", "p95 ms",
    )  # fmt: skip
    for name, found in evaluations.items():
        pool, said = found.pool, found.completeness
        precision = " / ".join(_share(pool[key]) for key in ("gold", "precision", "with_entities"))
        yield _row(
            name,
            _share(pool["recall"]),
            _share(pool["complete"]),
            f"{pool['mean_size']:.0f}",
            precision,
            _share(said["estimate"]) if said else "-",
            _held(said, "held_when_90", "said_90"),
            _held(said, "held_under_60", "said_under_60"),
            f"{found.milliseconds['p50']:.0f}",
            f"{found.milliseconds['p95']:.0f}",
        )

    if together:
        said_90, said_60 = (
            _held(together, "held_when_90", "said_90"),
            _held(together, "held_under_60", "said_under_60"),
        )
        yield _row("all sets", "", "", "", "", _share(together["estimate"]), said_90, said_60, "", "")


def _held(said: Mapping[str, float], held: str, count: str) -> str:
    return f"{_share(said[held])} ({said[count]:.0f})" if held in said else "-"


def _floors(evaluations: Mapping[str, Evaluation]) -> Iterator[str]:
    yield from _head("set", "figure", "scan", "here", "floor")
    for (name, figure), floor in FLOORS.items():
        if found := evaluations.get(name):
            scan, here = found.scan[figure], found.investigation[figure]
            yield _row(name, figure, _share(scan), f"**{_share(here)}**", _share(floor))


def _ablation(ablations: Mapping[str, Ablation]) -> Iterator[str]:
    yield "Contribution of each part in points of 100 (without a part: the full settings minus that run; a"
    yield "round: the run with it minus the one before; only a part, or with a part that is off by default:"
    yield "that run minus the full settings). A star: the 95% interval of the paired bootstrap excludes 0,"
    yield "and p is below .05 by randomisation."
    yield ""
    yield from _head("set", "part", *ABLATION, "mean pool", "p50 ms")
    for name, found in ablations.items():
        full = [f"{100 * found.full[key]:.1f}" for key in ABLATION]
        yield _row(f"{name} ({found.questions:,})", "full settings", *full, "", "")
        for row in found.rows:
            cells = []
            for key in ABLATION:
                value = row.differences[key]
                cells.append(f"{100 * value.difference:+.1f}{'*' if value.significant else ''}")
            yield _row("", row.variant.label, *cells, f"{row.mean_size:.0f}", f"{row.milliseconds:.0f}")


def _share(value: float) -> str:
    """Format a fraction with three decimals and no zero before the point."""
    text = f"{value:.3f}"
    return text[1:] if text.startswith("0.") else text
