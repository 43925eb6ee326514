"""What the question names by its number comes first: into the pool, into the ranking, into the brief."""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from engine.answers.answer import answer
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation import Case
from engine.investigation.ranking import Ranking
from engine.investigation.round import LINKED, NAMED, put_named_first
from engine.model import Relation
from engine.records.phrases import trail_sentence
from engine.settings import preset

DAY = date(2026, 1, 1)
QUESTION = "What does Article 14 of the Agency Code say?"
ARTICLE_14 = [f"commercial-agency-code/art-14/para-{number}" for number in range(1, 6)]


def ran(corpus: Corpus, question: str, **changes: object) -> Case:
    case = Case(corpus, question, preset("balanced").model_copy(update=changes), day=DAY)
    list(case.run())
    return case


def test_it_enters_first_and_ranks_first(meridia: Corpus) -> None:
    case = ran(meridia, QUESTION)
    assert [entry.passage_id for entry in case.pool.entries()[:5]] == ARTICLE_14
    assert case.rounds[0].strategies[0].strategy == NAMED
    assert case.order is not None
    first = meridia.passages(case.order.rows[:5])
    assert [passage.id for passage in first] == ARTICLE_14
    top = case.ranking[0]
    assert set(top.assembled_ids) >= {ARTICLE_14[0]}
    assert top.score == pytest.approx(sum(part.value for part in top.breakdown), abs=1e-5)
    assert NAMED in {part.name for part in top.breakdown}


def test_its_trail_says_so(meridia: Corpus) -> None:
    hop = ran(meridia, QUESTION).ranking[0].trails[0][0]
    assert (hop.strategy, hop.relation, hop.source_id, hop.round) == (NAMED, Relation.CITES, None, 0)
    assert hop.quote == "Article 14 of the Agency Code"
    assert trail_sentence([hop], str) == "The question names it (“Article 14 of the Agency Code”)."


def test_it_is_followed_first(meridia: Corpus) -> None:
    case = ran(meridia, QUESTION)
    assert case.rounds[1].seeds[:1] == (ARTICLE_14[0],)


def test_the_brief_begins_with_it(meridia: Corpus) -> None:
    case = ran(meridia, QUESTION)
    told = answer(case.investigation(), meridia)
    cited = {
        place for number in told.sentences[0].citations for place, _ in told.citations[number - 1].places
    }
    assert cited == {ARTICLE_14[0]}
    assert told.sentences[0].text.startswith("No person may confer")
    numbers = {number for sentence in told.sentences for number in sentence.citations}
    every = {place for number in numbers for place, _ in told.citation(number).places}
    assert every <= set(ARTICLE_14)


def test_the_brief_of_more_than_the_provision_goes_on_to_the_rest(meridia: Corpus) -> None:
    question = "What does Article 14 of the Agency Code say on managers, and who may inspect the register?"
    told = answer(ran(meridia, question).investigation(), meridia)
    places = [place for citation in told.citations for place, _ in citation.places]
    assert places[0] in ARTICLE_14
    assert not set(places) <= set(ARTICLE_14)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What does Article 99 of the Agency Code say?", "has no article 99"),
        ("What does Article 5 of the Panama Companies Act say?", "called “Panama Companies Act”"),
        ("What does Article 14 say?", "say which"),
    ],
)
def test_what_is_not_there_or_not_plain_is_no_answer(meridia: Corpus, question: str, words: str) -> None:
    case = ran(meridia, question)
    told = answer(case.investigation(), meridia)
    assert told.sentences == ()
    assert words in told.unanswered
    assert any(words in note for note in case.notes)


def test_lifting_keeps_the_rest_in_order() -> None:
    scores = np.array([0.9, 0.8, 0.5, 0.1], np.float32)
    ranking = Ranking(np.array([7, 3, 5, 1], np.int32), scores, ("question",), scores[None, :], {})
    after = put_named_first(ranking, np.array([1, 5, 99], np.int32))
    assert after.rows.tolist() == [1, 5, 7, 3]
    assert np.all(np.diff(after.scores) < 0)
    assert after.scores == pytest.approx(after.parts.sum(axis=0))
    assert put_named_first(ranking, np.array([99], np.int32)) is ranking


CODE = """---
language: {language}
---
# {title}

## {article} 2
{rule}

## {article} 3
{other}

## {article} 6
{scope}

## {article} 721
{limit}
"""


@pytest.mark.parametrize(
    ("language", "title", "article", "question", "rule", "other", "scope", "limit"),
    [
        (
            "en", "Partnership Code", "Article", "May a manager confer wider powers?",
            "A manager may not confer wider powers than those held under Article 6.",
            "A manager keeps wider records of powers.",
            "What is entered applies, subject to Article 721.",
            "Gifts need the consent of all.",
        ),
        (
            "de", "Handelskodex", "Artikel", "Darf ein Leiter weitere Befugnisse erteilen?",
            "Ein Leiter darf keine weiteren Befugnisse erteilen als nach Artikel 6 zustehen.",
            "Ein Leiter führt ein Verzeichnis weiterer Befugnisse.",
            "Es gilt das Eingetragene, soweit nicht Artikel 721 gilt.",
            "Schenkungen brauchen die Zustimmung aller.",
        ),
        (
            "id", "Kitab Usaha", "Pasal", "Bolehkah pengurus memberikan wewenang lebih luas?",
            "Pengurus dilarang memberikan wewenang lebih luas daripada yang diatur dalam Pasal 6.",
            "Pengurus menyimpan daftar wewenang lebih luas.",
            "Yang berlaku adalah isi daftar, dengan mengingat Pasal 721.",
            "Hibah memerlukan persetujuan semua.",
        ),
    ],
)  # fmt: skip
def test_what_the_first_passage_cites_by_number_comes_behind_it(
    tmp_path: Path, language: str, title: str, article: str, question: str,
    rule: str, other: str, scope: str, limit: str,
) -> None:  # fmt: skip
    texts = {"rule": rule, "other": other, "scope": scope, "limit": limit}
    (tmp_path / "code.md").write_text(CODE.format(language=language, title=title, article=article, **texts))
    build_corpus([tmp_path / "code.md"], tmp_path / "corpus", embedding="none")
    corpus = open_corpus(tmp_path / "corpus")
    case = ran(corpus, question)
    assert [one.passage.label.split()[-1] for one in case.ranking[:3]] == ["2", "6", "721"]
    assert LINKED in {part.name for part in case.ranking[1].breakdown}
    assert all(one.score >= two.score for one, two in pairwise(case.ranking))
    # A user who switches citations off does not want them followed.
    off = tuple(name for name in case.settings.strategies if name != "citations")
    parts = {part.name for one in ran(corpus, question, strategies=off).ranking for part in one.breakdown}
    assert LINKED not in parts
