"""How often the audit finds what a lawyer would: gold claims over two corpora, without a language model.

    python -m benchmarks.claim_audit --corpus meridia=DIR --corpus obliqa_adgm=DIR [--json FILE]

``claims/claims.jsonl`` was written by hand before anything was tuned. A hash of its words puts a claim into
one of two halves: rules were looked at on the half "tuning" alone. Each claim is audited by itself. They were
written by who builds the check, so `claims_made` and claims of others tell more.
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

from engine.answers.audit import Auditor, Checked, Finding
from engine.answers.audit.record import key_of
from engine.corpus import open_corpus

CLAIMS = Path(__file__).parent / "claims" / "claims.jsonl"
DAY = date(2024, 6, 1)
TUNING, HELD_OUT = "tuning", "held out"
NAMES = [key_of(finding) for finding in Finding]


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


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--corpus", action="append", required=True, metavar="NAME=DIR")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument(
        "--wrong", action="store_true", help="list the claims found wrongly, tuning half only"
    )
    options = parser.parse_args()
    corpora = {name: Path(folder) for name, folder in (one.split("=", 1) for one in options.corpus)}
    golds = [gold for gold in gold_claims() if gold.corpus in corpora]
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
