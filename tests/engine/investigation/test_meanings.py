"""Questions for the meaning of a term begin where the corpus defines it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.answers.answer import answer
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation import Case
from engine.investigation.definitions import find_definition, find_definitions
from engine.model import Naming, Relation
from engine.records.phrases import trail_sentence
from engine.settings import preset
from tests.engine.investigation.test_leading import ran
from tests.tables import table

GERMAN: str = table(__file__, "GERMAN")
OTHER: str = table(__file__, "OTHER")
FURTHER = (
    OTHER.replace("id: rules", "id: statute")
    .replace("Port Rules", "Port Statute")
    .replace("is licensed", "guides vessels")
)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root: Path = tmp_path_factory.mktemp("port")
    for name, text in (("a", GERMAN), ("b", OTHER), ("c", FURTHER)):
        (root / f"{name}.md").write_text(text, encoding="utf-8")
    build_corpus(sorted(root.glob("*.md")), root / "corpus", name="port", embedding="none")
    return open_corpus(root / "corpus")


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("Was bedeutet „unverzüglich“?", "de", "gesetz/sec-1"),
        ("Was bedeutet unverzüglich", "de", "gesetz/sec-1"),
        ("Was ist ein Lotse?", "de", "gesetz/sec-3"),
    ],
)
def test_a_definition_in_brackets_and_one_in_prose(
    port: Corpus, question: str, language: str, expected: str
) -> None:
    found = find_definition(port, question, language, None)
    assert found is not None
    assert (found.status, found.relation, found.leads) == (Naming.FOUND, Relation.DEFINES, True)
    assert found.passage_ids == (expected,)


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("What is an agent?", "en", "commercial-agency-code/art-3/para-2"),
        ('What does "power of attorney" mean?', "en", "commercial-agency-code/art-3/para-4"),
        ("Was ist eine Vollmacht?", "de", "commercial-agency-code-de/sec-3/para-4"),
        ("ما المقصود بالوكيل؟", "ar", "commercial-agency-code-ar/art-3/para-2"),
        ("Apa yang dimaksud dengan kuasa?", "id", "commercial-agency-code-id/art-3/para-2"),
    ],
)
def test_the_definition_stands_first(meridia: Corpus, question: str, language: str, expected: str) -> None:
    case = ran(meridia, question)
    assert case.ranking[0].passage.id == expected
    hop = case.ranking[0].trails[0][0]
    assert hop.relation is Relation.DEFINES
    assert trail_sentence([hop], str).startswith("Defines a term of the question")
    told = answer(case.investigation(), meridia)
    places = [place for place, _ in told.citations[told.sentences[0].citations[-1] - 1].places]
    assert places == [expected]


def test_documents_whose_definitions_differ_are_named(port: Corpus) -> None:
    pilot = find_definition(port, "What is a pilot?", "en", None)
    assert pilot is not None
    assert pilot.note == "defined in 2 documents: Port Rules; Port Statute"
    assert len(pilot.passage_ids) == 2
    named = find_definition(port, "What is a pilot under the Port Statute?", "en", None, ["statute"])
    assert named is not None
    assert named.passage_ids[0].startswith("statute/")


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("What is the deadline?", "en"),
        ("Which berths may a pilot leave?", "en"),
        ("What is a carbon tax?", "en"),
        ("Was ist ein Zollager?", "de"),
        ("", "en"),
    ],
)
def test_other_questions_and_unknown_terms_name_nothing(port: Corpus, question: str, language: str) -> None:
    assert find_definition(port, question, language, None) is None


def test_what_uses_a_term_does_not_define_it(port: Corpus) -> None:
    found = find_definitions(port, "berth", "en")
    assert {one.passage.section_id for one in found} == {"rules/art-1", "statute/art-1"}


def test_a_provision_that_is_named_goes_before_a_term(meridia: Corpus) -> None:
    case = Case(meridia, "What is Article 14 of the Agency Code?", preset("balanced"))
    (named,) = case.make_plan().named
    assert named.relation is Relation.CITES
