"""Quotes against record and corpus: what is the same is said to be, and nothing else."""

from __future__ import annotations

import pytest

from engine.corpus.protocol import Corpus
from engine.exports.memo.content import Check, Checker
from engine.records.record import read_record
from tests.engine.exports.conftest import Record
from tests.engine.harbour import NEW_ARTICLE_12

DAYS = "suspends the withdrawal for fourteen days"
# Stands in the corpus and in no ranked passage.
BESIDE = ("harbour-act/art-9", "Warships take a pilot in accordance with Article 6(1).")


@pytest.fixture
def ranked(asked: Record) -> str:
    return str(next(one["id"] for one in asked["passages"] if NEW_ARTICLE_12 in one["assembled"]))


def test_words_that_stand_in_record_and_corpus_are_checked(
    asked: Record, harbour: Corpus, ranked: str
) -> None:
    checker = Checker(read_record(asked), harbour, unchanged=False)
    assert checker.quoted(DAYS, (NEW_ARTICLE_12,)).check is Check.SAME
    assert (
        checker.quoted("suspends  the withdrawal\nfor fourteen days", (NEW_ARTICLE_12,)).check is Check.SAME
    )
    assert checker.changed() == []


def test_words_that_the_corpus_has_no_more_differ_and_are_told(
    asked: Record, amended: Corpus, ranked: str
) -> None:
    checker = Checker(read_record(asked), amended, unchanged=False)
    found = checker.quoted(DAYS, (NEW_ARTICLE_12,))
    assert found.check is Check.DIFFERS
    assert "forty days" in found.now
    assert checker.changed() == [ranked]


def test_words_that_the_record_has_not_differ_though_they_stand_in_the_corpus(
    asked: Record, amended: Corpus, ranked: str
) -> None:
    checker = Checker(read_record(asked), amended, unchanged=False)
    found = checker.quoted("suspends the withdrawal for forty days", (NEW_ARTICLE_12,))
    assert found.check is Check.RECORDED


def test_one_digit_is_a_difference(asked: Record, harbour: Corpus) -> None:
    checker = Checker(read_record(asked), harbour, unchanged=True)
    passage = ("dues-act/art-2/para-2",)
    assert checker.quoted("not paid within ten days of the invoice", passage).check.holds
    assert checker.quoted("not paid within eleven days of the invoice", passage).check is Check.DIFFERS


def test_what_the_record_does_not_hold_is_checked_as_far_as_the_corpus_is_the_same(
    asked: Record, harbour: Corpus
) -> None:
    passage, words = BESIDE
    case = read_record({**asked, "passages": []})
    assert Checker(case, harbour, unchanged=True).quoted(words, (passage,)).check is Check.SAME
    assert Checker(case, harbour, unchanged=False).quoted(words, (passage,)).check is Check.NOW


def test_what_is_gone_or_not_opened_is_not_said_to_be_checked(asked: Record, harbour: Corpus) -> None:
    case = read_record(asked)
    gone = Checker(case, harbour, unchanged=True).quoted(DAYS, ("harbour-act/art-99",))
    closed = Checker(case, None, unchanged=True).quoted(DAYS, (NEW_ARTICLE_12,))
    assert (gone.check, closed.check) == (Check.NOT_FOUND, Check.UNCHECKED)
    assert not gone.check.holds
    assert not closed.check.holds
