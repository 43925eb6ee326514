"""The cost of reading a text grows with its length, whatever is repeated in it.

Compared are the processor times of a text and of one four times as long: a linear reader takes four times as
long, a quadratic one sixteen times. Half-way between them is the limit.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable

import pytest

from engine.language.dates import dates_in, parse_date
from engine.language.references import read_mentions
from engine.language.references.readings import defined_names, find_mentions, grammars
from engine.language.statements.quantities import quantities_in
from engine.language.terms import terms_of
from tests.tables import tuples

LENGTH, TIMES, LIMIT = 2_000, 4, 9.0
# Where the longer text takes fewer seconds there is nothing to gain for an attacker, and nothing to measure.
HARMLESS = 0.09

Read = Callable[[str, str], object]

# Lists, ranges, blanks and marks that were quadratic once, and their like in each language.
REPEATED = tuples(__file__, "REPEATED")
IN_ANY = ("9", "(", "1, ", " ", "\n", "\u200b", "Directive 2016/679 ", "(EU) 2016/679, ", "«", '"a" ', "1.1.")


def _taken(read: Read, text: str, language: str) -> float:
    start = time.process_time()
    read(text, language)
    return time.process_time() - start


def growth(read: Read, atom: str, language: str) -> float:
    """How many times as long the longer text takes; the least of three, as others use the machine too."""
    short, long = (atom * (length // len(atom)) for length in (LENGTH, TIMES * LENGTH))
    read(atom, language)
    least = _taken(read, long, language)
    if least < HARMLESS:
        return 0.0
    before = min(_taken(read, short, language) for _ in range(3))
    for _ in range(2):
        if least < LIMIT * before:
            break
        least = min(least, _taken(read, long, language))
    return least / before


def read_dates(text: str, language: str) -> object:
    return list(dates_in(text, language))


def read_terms(text: str, language: str) -> object:
    return list(terms_of(text, language))


def test_the_measure_tells_a_square() -> None:
    def square(text: str, language: str) -> object:
        return [sum(1 for _ in text[start::4]) for start in range(len(text))]

    assert growth(square, "a", "en") > LIMIT


READERS: tuple[tuple[Read, Iterable[str]], ...] = (
    (find_mentions, REPEATED),
    (read_mentions, ("en", "de")),
    (defined_names, ("en", "de", "ar")),
    (quantities_in, ("en", "de", "ar", "zh")),
    (read_terms, ("en", "de", "id", "ar", "fr")),
    (read_dates, ("en",)),
)


@pytest.mark.parametrize(
    ("read", "language"), [(read, language) for read, languages in READERS for language in languages]
)
def test_no_repetition_makes_a_reader_quadratic(read: Read, language: str) -> None:
    slow = {
        atom: round(times, 1)
        for atom in (*REPEATED[language], *IN_ANY)
        if (times := growth(read, atom, language)) > LIMIT
    }
    assert slow == {}


@pytest.mark.parametrize("digit", ["9", "٩", "一"])
@pytest.mark.parametrize("language", [grammar.languages[0] for grammar in grammars()])
def test_a_number_of_any_length_is_read_or_passed_over(language: str, digit: str) -> None:
    number = digit * 5000
    grammar = next(one for one in grammars() if language in one.languages)
    for example in grammar.examples[:4]:
        text = re.sub(r"\d+|[一二三四五六七八九十]+", number, example.text)
        find_mentions(text, language)
        defined_names(text, language)
        quantities_in(text, language)
    assert parse_date(f"1. January {number}", language) is None
