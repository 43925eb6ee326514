"""Audit claims, and count the findings."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.making.material import DAY, Claim
from engine.answers.audit import Auditor
from engine.answers.audit.record import key_of
from engine.corpus import open_corpus

FOUND = (
    "supported",
    "contradicted",
    "related",
    "partly",
    "wrong_pinpoint",
    "not_in_corpus",
    "citation_not_understood",
    "outdated",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A claim, its finding and the reason."""

    claim: Claim
    found: str
    reason: str

    @property
    def is_wanted(self) -> bool:
        """Whether the finding is correct."""
        return self.found in self.claim.wanted

    @property
    def is_wrong(self) -> bool:
        """Whether the finding misleads: a false claim as supported, a true one as contradicted."""
        return self.found in self.claim.wrong


def audited(claims: Sequence[Claim], folders: dict[str, Path]) -> tuple[list[Outcome], float]:
    """Audit each claim alone; also return the seconds without those for opening corpora."""
    outcomes, seconds = [], 0.0
    for name, folder in folders.items():
        auditor = Auditor(open_corpus(folder), day=DAY)
        mine = [one for one in claims if one.collection == name]
        if mine:
            # Warm up: the first claim builds caches.
            auditor.claim(mine[0].text, mine[0].language)
        started = time.perf_counter()
        for one in mine:
            checked = auditor.claim(one.text, one.language)
            outcomes.append(Outcome(one, key_of(checked.finding), checked.reason))
        seconds += time.perf_counter() - started
    return outcomes, seconds


def table(outcomes: Sequence[Outcome], by: Sequence[str]) -> list[dict[str, Any]]:
    """Count findings by fields of the claim."""
    groups: dict[tuple[str, ...], list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault(tuple(getattr(one.claim, field) for field in by), []).append(one)
    return [
        {
            **dict(zip(by, group, strict=True)),
            "claims": len(members),
            **_counted(one.found for one in members),
            "wanted": sum(one.is_wanted for one in members),
            "wrong": sum(one.is_wrong for one in members),
        }
        for group, members in groups.items()
    ]


def _counted(found: Iterable[str]) -> dict[str, int]:
    counts = Counter(found)
    return {name: counts.pop(name, 0) for name in FOUND} | dict(counts)


def markdown(outcomes: Sequence[Outcome], half: str, seconds: float) -> str:
    """Return all figures of the outcomes of a half as Markdown tables."""
    speed = round(len(outcomes) / seconds) if seconds else 0
    lines = [f"# Claims, half: {half}", "", f"{len(outcomes):,} claims, {speed} claims a second."]
    for title, by in (
        ("By kind", ["kind"]),
        ("By kind and collection", ["kind", "collection", "language"]),
        ("By kind and rule", ["kind", "how"]),
    ):
        rows = table(outcomes, by)
        lines += ["", f"## {title}", ""]
        names = list(dict.fromkeys(name for row in rows for name in row))
        lines.append("| " + " | ".join(name.replace("_", " ") for name in names) + " |")
        lines.append("|" + "---|" * len(names))
        lines += ["| " + " | ".join(str(row.get(name, 0)) for name in names) + " |" for row in rows]
    return "\n".join(lines) + "\n"
