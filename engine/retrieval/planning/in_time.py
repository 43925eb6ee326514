"""Questions for what changed ("What changed since 2022?"), and for how two provisions are related."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from engine.language.analysis import analyzer
from engine.language.characters import western_digits
from engine.language.dates import dates_in
from engine.retrieval.planning.words import words_of

_YEAR = re.compile(r"(?<![\w.,/-])(?:1[89]|20|21)\d\d(?![\w/-]|[.,]\d)")
_ENDS = " \t?!.؟？。"


@dataclass(frozen=True, slots=True)
class ChangesAsked:
    """Two days whose law a question compares, and the words for what it is about; "" for everything."""

    first: date
    last: date
    topic: str


def asks_for_relation(text: str, language: str) -> bool:
    """Return whether a question asks how two things relate to each other."""
    return any(pattern.search(text) for pattern in words_of(language).relates)


def changes_asked(text: str, language: str, today: date) -> ChangesAsked | None:
    """Return the days and the topic of a question for what changed; None for another question.

    A question with one day asks for the time since then. A year begins on its first day, and as the second
    one ends on its last.
    """
    question = western_digits(" ".join(text.split())).strip(_ENDS)
    words = words_of(language)
    match = next((found for one in words.changes if (found := one.fullmatch(question))), None)
    if match is None:
        return None
    rest = " ".join(filter(None, match.groups()))
    days: list[tuple[int, date, date]] = []
    for written in reversed(list(dates_in(rest, language))):
        days.append((written.span.start, written.day, written.day))
        blank = " " * (written.span.end - written.span.start)
        rest = f"{rest[: written.span.start]}{blank}{rest[written.span.end :]}"
    for year in _YEAR.finditer(rest):
        number = int(year[0])
        days.append((year.start(), date(number, 1, 1), date(number, 12, 31)))
    days.sort()
    if not days:
        return None
    first = days[0][1]
    last = min(days[-1][2], today) if len(days) > 1 else today
    if first >= last:
        return None
    around = (*words.dates.since, *words.dates.until, *words.dates.between, *words.dates.through)
    plain = _YEAR.sub(" ", rest)
    for one in sorted((*around, *words.dates.since_behind), key=len, reverse=True):
        plain = re.sub(rf"(?<!\w)(?:{one})(?!\w)", " ", plain, flags=re.IGNORECASE)
    topic = " ".join(plain.split()).strip(_ENDS + ",;:")
    return ChangesAsked(first, last, topic if analyzer(language).query_words(topic) else "")
