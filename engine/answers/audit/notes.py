"""What is to be said of an audit as a whole: what was off and which verdicts that concerns, and what a lowest
grade left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engine.answers.audit.record import SAID, Checked, Finding
from engine.corpus.grades import words_of
from engine.model import Grade
from engine.records.wording import plural

MOST_NAMED = 12
_MEANING_OFF = "dense search is off"
# Verdicts that a passage in other words might have changed.
_MAY_CHANGE = (Finding.NOT_IN_CORPUS, Finding.RELATED)


def with_reach(notes: Iterable[str], checked: Sequence[Checked]) -> Iterator[str]:
    """Notes of the search; where passages are not searched by meaning, with the claims that this concerns."""
    for note in notes:
        yield f"{note}; {_concerned(checked)}" if note.startswith(_MEANING_OFF) else note


def _concerned(checked: Sequence[Checked]) -> str:
    numbers = [one.claim.number for one in checked if one.finding in _MAY_CHANGE]
    if not numbers:
        return "no verdict on this text is of that kind"
    return f"of this text that concerns {_named(numbers)}"


def grade_notes(checked: Sequence[Checked], minimum: Grade | None) -> Iterator[str]:
    """What a lowest grade did to the claims of a text, none of them passed in silence."""
    if minimum is None:
        return
    below = [one for one in checked if not one.graded and one.finding in SAID]
    for grade in dict.fromkeys(one.grade for one in below):
        numbers = [one.claim.number for one in below if one.grade is grade]
        rests = "rests" if len(numbers) == 1 else "rest"
        yield (
            f"{_named(numbers)} {rests} on sources with {words_of(grade)}, and grade {minimum.value} was "
            "asked for: not counted as said or grounded"
        )


def _named(numbers: Sequence[int]) -> str:
    more = " …" if len(numbers) > MOST_NAMED else ""
    return f"{plural(len(numbers), 'claim')} ({', '.join(map(str, numbers[:MOST_NAMED]))}{more})"
