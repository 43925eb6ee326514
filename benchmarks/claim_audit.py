"""How often the audit finds what a lawyer would: gold claims over two corpora, without a language model.

    python -m benchmarks.claim_audit --corpus meridia=DIR --corpus obliqa_adgm=DIR [--learn] [--json FILE]

``claims/claims.jsonl`` was written by hand before anything was tuned. A hash of its words puts a claim into
one of two halves: thresholds and weights are learned on the half "tuning" alone (``--learn`` does that and
writes ``weights.json``), the half "held out" is only measured. Each claim is audited by itself.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from engine.answers.audit import Auditor, Checked, Finding
from engine.answers.audit.judging import WEIGHTS
from engine.answers.audit.wording import key_of
from engine.corpus import open_corpus

CLAIMS = Path(__file__).parent / "claims" / "claims.jsonl"
DAY = date(2024, 6, 1)
TUNING, HELD_OUT = "tuning", "held out"
NAMES = [key_of(finding) for finding in Finding]
RELATED = ("agreement", "around", "cosine", "equal", "absent")
SAYS = (*RELATED, "gap")
# Inverse strength of the penalty of the logistic models (scikit-learn's C).
PENALTY = 10.0


@dataclass(frozen=True)
class Gold:
    """A claim with what is right about it."""

    id: str
    corpus: str
    language: str
    text: str
    verdict: str
    passages: tuple[str, ...]
    current: str | None = None

    @property
    def half(self) -> str:
        """Which half it is in, by its words alone."""
        return TUNING if hashlib.sha256(self.text.encode()).digest()[0] % 2 == 0 else HELD_OUT


def gold_claims(path: Path = CLAIMS) -> list[Gold]:
    """The claims of the file, in order."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return [Gold(**{**row, "passages": tuple(row["passages"])}) for row in rows]


@dataclass(frozen=True)
class Outcome:
    """A claim and what the audit found."""

    gold: Gold
    found: Checked
    seconds: float

    @property
    def verdict(self) -> str:
        """The finding."""
        return key_of(self.found.finding)

    @property
    def pinned(self) -> bool | None:
        """Whether the quote stands in the right passage; None where no passage is right."""
        if not self.gold.passages:
            return None
        best = self.found.sources[0].passage.id if self.found.sources else ""
        return best in self.gold.passages


def audited(golds: Sequence[Gold], corpora: dict[str, Path]) -> list[Outcome]:
    """Audit each claim by itself."""
    found = []
    for name, folder in corpora.items():
        auditor = Auditor(open_corpus(folder), day=DAY)
        for gold in (one for one in golds if one.corpus == name):
            started = time.perf_counter()
            checked = auditor.claim(gold.text, gold.language)
            found.append(Outcome(gold, checked, time.perf_counter() - started))
    return found


def figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Confusion, precision and recall by finding, share of right pinpoints, seconds."""
    confusion = Counter((one.gold.verdict, one.verdict) for one in outcomes)
    by_name = {}
    for name in NAMES:
        right = confusion[(name, name)]
        gold = sum(count for (expected, _), count in confusion.items() if expected == name)
        said = sum(count for (_, got), count in confusion.items() if got == name)
        by_name[name] = {
            "claims": gold,
            "recall": round(right / gold, 3) if gold else None,
            "precision": round(right / said, 3) if said else None,
        }
    pinned = [one.pinned for one in outcomes if one.pinned is not None]
    seconds = sorted(one.seconds for one in outcomes)
    return {
        "claims": len(outcomes),
        "right": sum(one.gold.verdict == one.verdict for one in outcomes),
        "by_finding": by_name,
        "confusion": {a: {b: confusion[(a, b)] for b in NAMES if confusion[(a, b)]} for a in NAMES},
        "pinpoint": round(sum(pinned) / len(pinned), 3) if pinned else None,
        "seconds_median": round(seconds[len(seconds) // 2], 3) if seconds else None,
    }


def lines(title: str, told: dict[str, Any]) -> Iterable[str]:
    """Figures as a table."""
    yield f"{title}: {told['right']} of {told['claims']} right, pinpoint {told['pinpoint']}, "
    yield f"  median {told['seconds_median']} s a claim"
    yield f"  {'finding':16}{'claims':>7}{'recall':>8}{'precis.':>8}   found as"
    for name, row in told["by_finding"].items():
        found = ", ".join(f"{other} {count}" for other, count in told["confusion"][name].items())
        recall, precision = (
            f"{row[key]:.2f}" if row[key] is not None else "-" for key in ("recall", "precision")
        )
        yield f"  {name:16}{row['claims']:>7}{recall:>8}{precision:>8}   {found}"


def learn(golds: Sequence[Gold], corpora: dict[str, Path]) -> dict[str, Any]:
    """Weights from the claims of the tuning half: gold passages against the nearest of claims that nothing
    speaks of, and passages that say all against those that say a part."""
    assert all(gold.half == TUNING for gold in golds)
    rows: list[tuple[Gold, int, bool, dict[str, float]]] = []
    for name, folder in corpora.items():
        auditor = Auditor(open_corpus(folder), day=DAY)
        for gold in (one for one in golds if one.corpus == name):
            ranked = auditor.compared(auditor.claim(gold.text, gold.language).claim)
            rows += [
                (gold, place, source.passage.id in gold.passages, dict(source.values))
                for place, source in enumerate(ranked[:6])
            ]
    learned = {}
    for suffix, left_out in (("", ()), (" by words", ("cosine",))):
        usable = [row for row in rows if left_out or "cosine" in row[3]]
        said = ("supported", "outdated", "wrong_pinpoint")
        near = [v for g, place, _, v in usable if g.verdict == "not_in_corpus" and place < 3]
        names = tuple(name for name in RELATED if name not in left_out)
        learned[f"related{suffix}"] = _fitted([v for _, _, is_gold, v in usable if is_gold], near, names)
        full = [v for g, _, is_gold, v in usable if is_gold and g.verdict in said]
        part = [v for g, _, is_gold, v in usable if is_gold and g.verdict == "partly"]
        part += [v for g, place, _, v in usable if g.verdict == "not_in_corpus" and place < 2]
        learned[f"says{suffix}"] = _fitted(full, part, tuple(n for n in SAYS if n not in left_out))
    return learned


def _fitted(
    good: list[dict[str, float]], bad: list[dict[str, float]], names: Sequence[str]
) -> dict[str, Any]:
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

    table = np.array([[values[name] for name in names] for values in (*good, *bad)])
    model = LogisticRegression(C=PENALTY, class_weight="balanced")
    model.fit(table, [1] * len(good) + [0] * len(bad))
    return {
        "weights": {name: round(float(w), 3) for name, w in zip(names, model.coef_[0], strict=True)},
        "constant": round(float(model.intercept_[0]), 3),
    }


def main() -> None:
    """Measure, or learn and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--corpus", action="append", required=True, metavar="NAME=DIR")
    parser.add_argument("--learn", action="store_true", help="learn the weights on the tuning half first")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument(
        "--wrong", action="store_true", help="list the claims found wrongly, tuning half only"
    )
    options = parser.parse_args()
    corpora = {name: Path(folder) for name, folder in (one.split("=", 1) for one in options.corpus)}
    golds = [gold for gold in gold_claims() if gold.corpus in corpora]
    if options.learn:
        learned = learn([gold for gold in golds if gold.half == TUNING], corpora)
        WEIGHTS.write_text(json.dumps(learned, indent=1) + "\n", encoding="utf-8")
    outcomes = audited(golds, corpora)
    told = {
        half: figures([one for one in outcomes if half in ("all", one.gold.half)])
        for half in (TUNING, HELD_OUT, "all")
    }
    for half, row in told.items():
        print("\n".join(lines(half, row)))
    if options.wrong:
        for one in outcomes:
            if one.gold.half == TUNING and one.verdict != one.gold.verdict:
                print(f"{one.gold.id} {one.gold.verdict} found {one.verdict}: {one.gold.text}")
    if options.json:
        options.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
