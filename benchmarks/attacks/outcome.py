"""What came of a class of attacks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

# Failures that are told one by one; of the rest the number is told.
MOST_TOLD = 20


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attack. ``held``: the product did what its threat model says. ``note``: what happened instead."""

    name: str
    held: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """All attacks of a class. ``failures`` has a line for each that was not held."""

    kind: str
    tries: int
    failures: tuple[str, ...]

    @property
    def held(self) -> int:
        """How many attacks were held."""
        return self.tries - len(self.failures)


def counted(kind: str, attempts: Iterable[Attempt]) -> Outcome:
    """The outcome of attempts that are made one after the other."""
    tries, failures = 0, []
    for attempt in attempts:
        tries += 1
        if not attempt.held:
            failures.append(f"{attempt.name}: {attempt.note or 'not held'}")
    return Outcome(kind, tries, tuple(failures))


def table(outcomes: Iterable[Outcome]) -> str:
    """A Markdown table of classes, and the failures below it."""
    rows = list(outcomes)
    lines = ["| class | tries | held | failed |", "| --- | --- | --- | --- |"]
    lines += [f"| {row.kind} | {row.tries:,} | {row.held:,} | {len(row.failures):,} |" for row in rows]
    tries, held = sum(row.tries for row in rows), sum(row.held for row in rows)
    lines.append(f"| all | {tries:,} | {held:,} | {tries - held:,} |")
    for row in rows:
        if row.failures:
            lines += ["", f"{row.kind}:", *(f"- {failure}" for failure in row.failures[:MOST_TOLD])]
            if len(row.failures) > MOST_TOLD:
                lines.append(f"- and {len(row.failures) - MOST_TOLD:,} more")
    return "\n".join(lines)
