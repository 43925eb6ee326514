"""True quotes of the sample and of real law are located to the character, mutated ones are refused."""

from __future__ import annotations

import gzip
import os
from collections import Counter
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ingestion.readers.base import Problem
from engine.ingestion.sources import open_sources
from engine.language.quotes import Refusal, find_quote, locate
from engine.model import Passage
from tests.conftest import SAMPLE
from tests.engine.language.quoting import (
    MUTATIONS,
    Mutated,
    broken_quotes,
    disguised,
    mutated_quotes,
    true_quotes,
)

DATA = Path(os.environ.get("REDSTRING_DATA") or Path(__file__).parents[3].parent / "shared" / "data")
LANGUAGES = ("en", "de", "id", "ar")
EACH = 250
# Characters; the longest table of German law has 90,000.
LONGEST = 2000


@cache
def passages_of_the_sample() -> tuple[Passage, ...]:
    with open_sources([SAMPLE]) as found:
        read = [item for source, reader in found.documents for item in reader.read(source)]
    return tuple(passage for item in read if not isinstance(item, Problem) for passage in item.passages)


def sample(language: str) -> tuple[str, ...]:
    return tuple(passage.text for passage in passages_of_the_sample() if passage.language == language)


def collection(name: str) -> tuple[str, ...]:
    with gzip.open(DATA / name / "corpus.jsonl.gz") as lines:
        texts = [orjson.loads(line)["text"] for line in islice(lines, 0, None, 5)]
    return tuple(text for text in texts if len(text) < LONGEST)


def wrongly_refused(texts: tuple[str, ...], number: int, seed: int) -> list[tuple[str, str]]:
    random = Random(seed)
    wrong = []
    for quoted in true_quotes(texts, number, seed):
        for words in (quoted.words, disguised(quoted.words, random)):
            if find_quote(words, quoted.text) != quoted.span:
                wrong.append((words, quoted.text))
    return wrong


def wrongly_accepted(made: list[Mutated]) -> list[Mutated]:
    return [mutated for mutated in made if locate(mutated.words, mutated.text) is not None]


@pytest.mark.parametrize("language", LANGUAGES)
def test_true_quotes_of_the_sample_are_located_to_the_character(language: str) -> None:
    assert wrongly_refused(sample(language), EACH, seed=5) == []


def test_mutated_quotes_of_the_sample_are_all_refused() -> None:
    made = [one for language in LANGUAGES for one in mutated_quotes(sample(language), EACH, seed=5)]
    assert len(made) == 1000
    assert set(Counter(one.kind for one in made)) == set(MUTATIONS)
    assert wrongly_accepted(made) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_quotes_cut_inside_a_word_are_refused(language: str) -> None:
    made = list(broken_quotes(sample(language), 50, seed=5))
    assert len(made) == 50
    assert wrongly_accepted(made) == []


@pytest.mark.corpora
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no corpora beside the project ({DATA.name})")
@pytest.mark.parametrize("name", ["obliqa_adgm", "de_bundesrecht", "sa_laws_ar", "id_peraturan"])
def test_real_law_keeps_the_same_rules(name: str) -> None:
    texts = collection(name)
    assert wrongly_refused(texts, EACH, seed=7) == []
    assert wrongly_accepted(list(mutated_quotes(texts, EACH, seed=7))) == []


TEXT = (
    "The agent’s non-compliant act within 1.5 days — or 5–10 weeks — is void. Penalty: 10,000 euros.\n"
    "Vehicles;\nAn ofﬁcer may not act. It is so."
)


REFUSED = {
    "": Refusal.EMPTY,
    " \n\u200b": Refusal.EMPTY,
    "…": Refusal.EMPTY,
    "is void": Refusal.SHORT,
    "is so.": Refusal.SHORT,
    "It is": Refusal.SHORT,
    "the agent’s non-compliant act": Refusal.ABSENT,
    "compliant act within 1.5 days": Refusal.BROKEN,
    "non-compliant act within 1": Refusal.ABSENT,
    "5 days — or": Refusal.ABSENT,
    "1.5 days — or 5": Refusal.BROKEN,
    "10 weeks — is void": Refusal.BROKEN,
    "Penalty: 10": Refusal.ABSENT,
    "s non-compliant act within": Refusal.BROKEN,
    "within 1.5 days ... is void": Refusal.ABSENT,
    "An officer may … act.": Refusal.ABSENT,
    '"An officer may not act."': Refusal.ABSENT,
}
ALIKE = {
    "an area of 20 m2 is": "an area of 20 m² is exempt",
    "an area of 1/2 acre": "an area of ½ acre",
    "one of the １ is": "one of the 1 is",
    "the fee ... is due": "the fee … is due",
    "the café is open": "the cafe is open",
    # Arabic vowel signs and hamza tell words apart.
    "كتب العقد في اليوم": "كُتب العقد في اليوم",
    "ان العقد في اليوم": "أن العقد في اليوم",
    # A negation is no article: it cannot be left off.
    "est pas dû à terme": "Le prix n'est pas dû à terme.",
}
BEGINS = [
    ("article 5 du code", "en vertu de l’article 5 du code", 14),
    ("合同应当书面订立", "根据合同应\n当书面订立。", 2),
    ("the agent", "the agent—the principal", 0),
    ("the agent", "agent and re-the agent, the agent", 24),
    ("§ 5 Abs. 2", "nach § 5 Abs. 2 gilt", 5),
    # A border that begins again inside of what nearly matched.
    ("a b a b c", "a b a b a b c", 4),
]


def test_what_is_not_there_word_for_word_is_refused(subtests: pytest.Subtests) -> None:
    for quote, why in REFUSED.items():
        with subtests.test(quote):
            assert find_quote(quote, TEXT) is why


def test_what_only_looks_alike_is_refused(subtests: pytest.Subtests) -> None:
    for quote, text in ALIKE.items():
        with subtests.test(quote):
            assert locate(quote, text) is None


def test_where_words_begin(subtests: pytest.Subtests) -> None:
    for quote, text, begin in BEGINS:
        with subtests.test(quote):
            found = locate(quote, text, fewest_words=1)
            assert found is not None
            assert found.start == begin


@given(st.text(max_size=60), st.text(max_size=20))
def test_what_is_located_stands_in_the_text(text: str, quote: str) -> None:
    found = locate(quote, text)
    assert found is None or (0 <= found.start < found.end <= len(text))
