"""What verdicts on hops do to links: of one reviewer, of several who differ, settled, taken back."""

from __future__ import annotations

import shutil
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from engine.corpus import open_corpus
from engine.corpus.extracted import Judgement, current_verdicts, load_validations
from engine.corpus.protocol import Corpus
from engine.extraction.judging import UNWRITTEN, Ends, judge_link, rejected_links, unjudge_link
from engine.model import Reference, Relation, Status, TargetKind
from engine.review.links import (
    LINK_CONFIRMED,
    LINK_REJECTED,
    LINK_STAYS_REJECTED,
    apply_to_link,
    link_followed,
    withdraw_from_link,
)
from engine.review.model import Assessment, Item, ItemKind, Verdict
from tests.engine.review.judged import said

RIGHT, KIND, TARGET = Verdict.RIGHT, Verdict.WRONG_KIND, Verdict.WRONG_TARGET
USELESS, LATER = Verdict.USELESS, Verdict.LATER
NUMBERS = count(1)


@pytest.fixture
def corpus(tmp_path: Path, sample_folder: Path) -> Corpus:
    shutil.copytree(sample_folder, tmp_path / "meridia")
    return open_corpus(tmp_path / "meridia")


def references(corpus: Corpus) -> list[Reference]:
    """What leads from one passage to another by words."""
    numbers = corpus.reference_numbers(statuses=[Status.RESOLVED], relations=[Relation.CITES])
    found = corpus.references(numbers.tolist())
    return [one for one in found if one.target_kind is TargetKind.PASSAGE and one.target_id != one.source_id]


@pytest.fixture
def hop(corpus: Corpus) -> Item:
    return hop_of(references(corpus)[0])


def hop_of(one: Reference) -> Item:
    key = f"hop:{one.source_id}>cites>{one.target_id}"
    return Item("case", ItemKind.HOP, key, str(one.target_id), source_id=one.source_id, relation="cites")


def says(hop: Item, verdict: Verdict, who: str = "Ann", **more: Any) -> Assessment:
    return replace(said(hop, verdict, who, next(NUMBERS)), **more)


def is_out(corpus: Corpus, hop: Item) -> bool:
    """Whether the link is rejected, as somebody finds it who opens the corpus then."""
    ends = link_followed(hop)
    assert ends is not None
    assert corpus.folder is not None
    return bool(rejected_links(open_corpus(corpus.folder), [ends]))


def test_the_last_of_one_reviewer_counts(corpus: Corpus, hop: Item) -> None:
    for verdict, told, out in (
        (TARGET, LINK_REJECTED, True),
        (KIND, LINK_REJECTED, True),
        (RIGHT, LINK_CONFIRMED, False),
        (TARGET, LINK_REJECTED, True),
        (USELESS, "", False),
        (KIND, LINK_REJECTED, True),
        (LATER, "", False),
    ):
        assert apply_to_link(corpus, says(hop, verdict)) == told, verdict
        assert is_out(corpus, hop) is out, verdict
    assert not withdraw_from_link(corpus, says(hop, LATER))
    apply_to_link(corpus, says(hop, TARGET))
    assert withdraw_from_link(corpus, says(hop, TARGET))
    assert not is_out(corpus, hop)


def test_rejected_by_one_it_stays_out_though_another_confirms_it(corpus: Corpus, hop: Item) -> None:
    apply_to_link(corpus, says(hop, TARGET, "Ann"))
    assert apply_to_link(corpus, says(hop, RIGHT, "Ben")) == LINK_STAYS_REJECTED
    assert is_out(corpus, hop)
    withdraw_from_link(corpus, says(hop, RIGHT, "Ben"))
    assert is_out(corpus, hop)
    withdraw_from_link(corpus, says(hop, TARGET, "Ann"))
    assert not is_out(corpus, hop)


def test_confirmed_by_one_and_rejected_by_another_it_is_left_out_until_that_is_taken_back(
    corpus: Corpus, hop: Item
) -> None:
    apply_to_link(corpus, says(hop, RIGHT, "Ann"))
    assert apply_to_link(corpus, says(hop, KIND, "Ben")) == LINK_REJECTED
    assert is_out(corpus, hop)
    withdraw_from_link(corpus, says(hop, KIND, "Ben"))
    assert standing(corpus) == {("Ann", Judgement.ACCEPTED)}


def test_rejected_by_two_it_is_left_out_until_both_have_taken_it_back(corpus: Corpus, hop: Item) -> None:
    for first, second in (("Ann", "Ben"), ("Ben", "Ann")):
        for who in ("Ann", "Ben"):
            assert apply_to_link(corpus, says(hop, TARGET, who)) == LINK_REJECTED
        withdraw_from_link(corpus, says(hop, TARGET, first))
        assert is_out(corpus, hop)
        assert standing(corpus) == {(second, Judgement.REJECTED)}
        withdraw_from_link(corpus, says(hop, TARGET, second))
        assert not is_out(corpus, hop)


@pytest.mark.parametrize(
    ("verdict", "told", "out"),
    [(RIGHT, LINK_CONFIRMED, False), (USELESS, "", False), (KIND, LINK_REJECTED, True)],
)
def test_settled_what_others_said_counts_no_more(
    corpus: Corpus, hop: Item, verdict: Verdict, told: str, out: bool
) -> None:
    apply_to_link(corpus, says(hop, RIGHT, "Ann"))
    apply_to_link(corpus, says(hop, TARGET, "Ben"))
    assert apply_to_link(corpus, says(hop, verdict, "Lead", settles=True)) == told
    assert is_out(corpus, hop) is out


def test_what_a_reviewer_said_of_another_link_of_the_passage_stays(corpus: Corpus) -> None:
    every = references(corpus)
    first, second = next(
        (one, other)
        for one in every
        for other in every
        if one.source_id == other.source_id and one.target_id != other.target_id
    )
    apply_to_link(corpus, says(hop_of(first), TARGET, "Ann"))
    apply_to_link(corpus, says(hop_of(second), TARGET, "Ben"))
    apply_to_link(corpus, says(hop_of(second), USELESS, "Ann"))
    assert is_out(corpus, hop_of(first))
    assert is_out(corpus, hop_of(second))


def test_a_hop_that_was_followed_back_judges_the_link_as_it_leads(corpus: Corpus, hop: Item) -> None:
    back = replace(hop, passage_id=hop.source_id, source_id=hop.passage_id, backward=True)
    assert link_followed(back) == link_followed(hop)
    apply_to_link(corpus, says(back, TARGET))
    assert is_out(corpus, hop)


def test_long_words_are_shortened_and_a_long_name_is_kept(corpus: Corpus, hop: Item) -> None:
    long = says(hop, TARGET, "x" * 200, reason="why", note="n" * 20_000)
    assert apply_to_link(corpus, long) == LINK_REJECTED
    assert withdraw_from_link(corpus, long)
    assert not is_out(corpus, hop)


def test_where_there_is_no_such_link_the_words_say_so(corpus: Corpus, hop: Item) -> None:
    gone = replace(hop, source_id="gone")
    assert apply_to_link(corpus, says(gone, TARGET)).startswith("the link itself was not judged: 'gone'")
    assert apply_to_link(corpus, says(gone, USELESS)) == ""
    assert not withdraw_from_link(corpus, says(gone, TARGET))


def test_what_is_no_link_is_not_acted_on(hop: Item) -> None:
    for relation in (*UNWRITTEN, "of another engine", ""):
        assert link_followed(replace(hop, relation=str(relation))) is None
    assert link_followed(replace(hop, kind=ItemKind.PASSAGE)) is None
    # A name that a passage shares with what defines it: no words make a link.
    shared = replace(hop, strategy="entities", relation=Relation.DEFINES.value)
    assert link_followed(shared) is None
    assert link_followed(replace(shared, strategy="definitions")) is not None


def test_undone_by_command_it_is_freed_of_what_all_said(corpus: Corpus, hop: Item) -> None:
    ends = Ends(hop.source_id, hop.passage_id, Relation.CITES)
    for who in ("Ann", "Ben"):
        judge_link(corpus, ends, Judgement.REJECTED, reviewer=who)
    unjudge_link(corpus, ends)
    assert not is_out(corpus, hop)
    assert standing(corpus) == set()


def standing(corpus: Corpus) -> set[tuple[str, Judgement]]:
    """Who has said what of links, as it counts."""
    assert corpus.journals is not None
    return {
        (one.reviewer, one.judgement) for one in current_verdicts(load_validations(corpus.journals)).values()
    }
