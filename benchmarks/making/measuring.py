"""Audit generated claims in this process and over HTTP, and compare with word overlap."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.making.material import COPIED, DAY, PARAPHRASE, Claim, Collection
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
TRUE_KINDS = (COPIED, PARAPHRASE)


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


def over_http(claims: Sequence[Claim], address: str, names: dict[str, str]) -> list[Outcome]:
    """Audit the claims by the page's endpoint; a text of several claims has the finding of its worst one.

    ``names``: the page's name of each collection's corpus.
    """
    from gradio_client import Client

    client = Client(address, verbose=False)
    outcomes = []
    for one in claims:
        answer = client.predict(
            text=one.text,
            corpus=names[one.collection],
            day=DAY.isoformat(),
            grade=None,
            api_name="/audit",
        )
        checked = answer["claims"]
        first = checked[0] if checked else {"finding": "no claim found", "reason": ""}
        outcomes.append(Outcome(one, str(first["finding"]).replace(" ", "_"), str(first["reason"])))
    return outcomes


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


def overlap(claims: Sequence[Claim], found: Sequence[Collection]) -> dict[str, Any]:
    """Measure a baseline: a claim is supported if a passage has a large enough share of its words.

    The threshold is the best one for these claims, so that the baseline looks better than in use. Citations,
    which it cannot read, are removed.
    """
    of = {one.name: one for one in found}
    scores = np.array([float(of[one.collection].overlap(one.bare).max()) for one in claims])
    true = np.array([one.kind in TRUE_KINDS for one in claims])
    if not true.any() or true.all():
        return {"threshold": None, "kinds": {}}
    thresholds = np.unique(scores)
    balance = [(scores[true] >= at).mean() + (scores[~true] < at).mean() for at in thresholds]
    best = float(thresholds[int(np.argmax(balance))])
    kinds = {
        kind: {
            "claims": len(rows),
            "supported": int((scores[rows] >= best).sum()),
        }
        for kind in dict.fromkeys(one.kind for one in claims)
        if (rows := [at for at, one in enumerate(claims) if one.kind == kind])
    }
    return {"threshold": round(best, 3), "kinds": kinds}


def markdown(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown tables."""
    lines = [f"# Generated claims, half: {figures['half']}", ""]
    lines.append(f"{figures['claims']:,} claims, {figures['claims_per_second']} claims a second.")
    for title, rows in figures["tables"].items():
        lines += ["", f"## {title}", ""]
        names = list(dict.fromkeys(name for row in rows for name in row))
        lines.append("| " + " | ".join(name.replace("_", " ") for name in names) + " |")
        lines.append("|" + "---|" * len(names))
        lines += ["| " + " | ".join(str(row.get(name, 0)) for name in names) + " |" for row in rows]
    if figures["overlap"]["threshold"] is not None:
        lines += ["", f"## Word overlap, best threshold {figures['overlap']['threshold']}", ""]
        lines += ["| kind | claims | supported |", "|---|---|---|"]
        lines += [
            f"| {kind} | {row['claims']} | {row['supported']} |"
            for kind, row in figures["overlap"]["kinds"].items()
        ]
    if "http" in figures:
        same, count = figures["http"]["same"], figures["http"]["claims"]
        lines += ["", f"Over HTTP: {same} of {count} have the same finding."]
    return "\n".join(lines) + "\n"
