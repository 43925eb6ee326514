from __future__ import annotations

from dataclasses import replace

import pytest

from engine.answers.record import Citations
from engine.answers.relevance import QuestionMatcher
from engine.answers.selection import Candidate
from engine.answers.sources import OF_FOCUS, PASSAGES_READ, PRIOR, find_candidates
from engine.corpus.protocol import Corpus
from engine.investigation.evidence import weigh_words
from engine.investigation.record import Investigation
from engine.model import AreaCoverage, AreaState, RankedPassage
from tests.engine.answers.conftest import investigated

CERTIFICATE, ALLOCATION = "Who needs a certificate of exemption?", "Is there an allocation of berths?"


def candidates(found: Investigation, corpus: Corpus, question: str) -> list[Candidate]:
    bearing = QuestionMatcher(weigh_words(question, "en", corpus), question)
    return list(find_candidates(found, corpus, bearing, Citations(found, corpus)))


def read(found: list[Candidate]) -> list[str]:
    return [one.unit.pieces[-1].passage.id for one in found]


def ranked(found: Investigation, corpus: Corpus, row_of: str, rank: int = 1) -> RankedPassage:
    [passage] = corpus.passages(corpus.rows([row_of]))
    return replace(found.passages[0], passage=passage, rank=rank, assembled_ids=(row_of,))


@pytest.fixture(scope="module")
def found(bare: Corpus) -> Investigation:
    return investigated(bare, CERTIFICATE)


def test_passages_are_read_by_their_rank_and_once(bare: Corpus, found: Investigation) -> None:
    twice = replace(found, passages=(*found.passages, *found.passages))
    units = candidates(twice, bare, CERTIFICATE)
    assert read(units) == [
        "harbour-act/art-7",
        "harbour-act/art-6/para-1",
        "harbour-act/art-6/para-2",
        "pilot-regulation/section-2",
    ]
    best = found.passages[0].score
    assert [one.prior for one in units] == pytest.approx(
        [p.score / best for p in found.passages for _ in range(1 + (p.rank == 2))]
    )
    assert [one.place for one in units] == [0, 0, 1, 0]
    assert [one.areas for one in units] == [
        ("part-words-1", "part-words-2"),
        (),
        ("part-words-1",),
        ("part-words-1",),
    ]
    assert units[1].around == units[2].around
    assert units[2].unit.text in units[1].around


def test_a_provision_of_the_pool_is_read_whose_heading_says_the_question(
    bare: Corpus, found: Investigation
) -> None:
    units = candidates(replace(found, passages=found.passages[1:]), bare, CERTIFICATE)
    assert read(units)[-1] == "harbour-act/art-7"
    assert PRIOR < units[-1].prior < PRIOR + OF_FOCUS
    assert units[-1].near is None
    # In the other order nothing but its heading tells of it; a question on something else is not told.
    assert "harbour-act/art-7" not in read(
        candidates(replace(found, passages=found.passages[1:]), bare, "Who pilots?")
    )


def test_a_paragraph_brings_the_others_of_the_provision_that_is_asked_for(
    bare: Corpus, found: Investigation
) -> None:
    alone = replace(found, passages=(ranked(found, bare, "harbour-act/art-3/para-3"),))
    whole = [f"harbour-act/art-3/para-{number}" for number in (1, 2, 3)]
    assert [one for one in read(candidates(alone, bare, ALLOCATION)) if "art-3" in one] == whole
    assert [one for one in read(candidates(alone, bare, CERTIFICATE)) if "art-3" in one] == whole[2:]


def test_only_so_many_passages_are_read(bare: Corpus, found: Investigation) -> None:
    names = [f"harbour-act/art-{article}" for article in ("4", "7", "8", "9", "10")]
    names += [f"harbour-act/art-{article}/para-{number}" for article in (2, 3, 5, 6, 11) for number in (1, 2)]
    every = tuple(ranked(found, bare, name, rank) for rank, name in enumerate(names, 1))
    units = candidates(replace(found, passages=every), bare, "Who pays?")
    assert [one for one in dict.fromkeys(read(units)) if one in names] == names[:PASSAGES_READ]


def test_definitions_are_read_where_one_is_asked_for(bare: Corpus) -> None:
    question = "What does berth mean?"
    found = investigated(bare, question)
    defining = [one for one in read(candidates(found, bare, question)) if "art-1/" in one]
    assert bool(defining) is any(one.relation == "defines" for one in found.plan.named)


def test_another_language_is_read_where_none_of_the_best_is_in_the_questions(
    bare: Corpus, found: Investigation
) -> None:
    def foreign(name: str, rank: int) -> RankedPassage:
        one = ranked(found, bare, name, rank)
        return replace(one, passage=replace(one.passage, language="de-CH"))

    for rank, expected in ((8, ["harbour-act/art-4"]), (9, ["harbour-act/art-7", "harbour-act/art-4"])):
        mixed = (foreign("harbour-act/art-7", 1), ranked(found, bare, "harbour-act/art-4", rank))
        units = candidates(replace(found, passages=mixed), bare, "Who pays?")
        assert [one for one in read(units) if "art-6" not in one] == expected


def test_areas_stand_in_the_order_in_which_a_passage_is_evidence_of_them(
    bare: Corpus, found: Investigation
) -> None:
    def area(name: str, place: int) -> AreaCoverage:
        evidence = (*["other"] * place, "harbour-act/art-7")
        return AreaCoverage(name, name, AreaState.COVERED, True, evidence, 1, 1.0)

    # Among the closest ten all are as close; the question's own order decides.
    for places, expected in (((10, 0), ("a", "b")), ((11, 0), ("b", "a"))):
        areas = tuple(map(area, "ab", places))
        assert candidates(replace(found, areas=areas), bare, CERTIFICATE)[0].areas == expected
