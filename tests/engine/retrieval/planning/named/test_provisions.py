"""What a number names in documents that are known, or in any."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.model import NamedProvision, Naming
from engine.retrieval.planning.named import provisions_named
from engine.retrieval.planning.named.provisions import FEW_PASSAGES, MOST_CHOICES
from tests.tables import table

DAY = date(2026, 1, 1)
VERSION: str = table(__file__, "VERSION")


@pytest.fixture(scope="module")
def tolls(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """An act in three versions, the newest without its Article 2, and many codes with an Article 7."""
    root = tmp_path_factory.mktemp("tolls")
    for year, until in ((2001, "2009-12-31"), (2010, "2019-12-31"), (2020, "")):
        more = f"\n### Article 2 Fines\n\nThe fine is {year} crowns.\n" if year < 2020 else ""
        (root / f"tolls-{year}.md").write_text(
            VERSION.format(year=year, until=until) + more, encoding="utf-8"
        )
    for number, name in enumerate("ABCDEFGHIJ"):
        count, language = FEW_PASSAGES + 1 if name == "B" else 1, "de" if name == "J" else "en"
        paragraphs = "".join(f"\n({part}) Rule {part} of code {name}.\n" for part in range(1, count + 1))
        head = f"---\nid: code-{number}\ntitle: Code {name}\nlanguage: {language}\n---\n\n# Code\n\n"
        (root / f"{number}.md").write_text(f"{head}### Article 7 Rules\n{paragraphs}", encoding="utf-8")
    build_corpus([root], root / "corpus", embedding="none")
    return open_corpus(root / "corpus")


def named(corpus: Corpus, question: str, day: date = DAY, mask: np.ndarray | None = None) -> NamedProvision:
    [found] = provisions_named(corpus, question, "en", day, mask)
    return found


def test_a_provision_is_found_whole_or_by_its_part(bare: Corpus) -> None:
    whole, part = (
        named(bare, "Article 11 of the Harbour Act"),
        named(bare, "Article 11(2) of the Harbour Act"),
    )
    assert (whole.status, whole.leads, whole.note) == (Naming.FOUND, True, "")
    assert whole.passage_ids == ("harbour-act/art-11/para-1", "harbour-act/art-11/para-2")
    assert part.passage_ids == whole.passage_ids[1:]
    lacking = named(bare, "Article 11(9) of the Harbour Act")
    assert (lacking.passage_ids, lacking.note) == (
        whole.passage_ids,
        "there is no (9) in it: it is shown as a whole",
    )
    # An article that prints no paragraphs does not tell what it lacks.
    assert named(bare, "Article 7(9) of the Harbour Act").note == ""


def test_what_the_case_is_limited_to_is_kept(bare: Corpus) -> None:
    mask = np.ones(len(bare), np.bool_)
    mask[bare.rows(["harbour-act/art-11/para-1"])] = False
    assert named(bare, "Article 11 of the Harbour Act", mask=mask).passage_ids == (
        "harbour-act/art-11/para-2",
    )
    mask[bare.rows(["harbour-act/art-11/para-2"])] = False
    found = named(bare, "Article 11 of the Harbour Act", mask=mask)
    assert (found.status, found.note) == (
        Naming.MISSING,
        "Article 11 of the Harbour Act is left out by the filters of the case",
    )


def test_the_version_of_the_day_is_meant_else_the_newest_before_it(
    tolls: Corpus, subtests: pytest.Subtests
) -> None:
    before = "the version of the day has no such provision: this is that of "
    rows = [
        ("Article 1", 2026, "tolls-2020", ""),
        ("Article 1", 2012, "tolls-2010", ""),
        ("Article 2", 2005, "tolls-2001", ""),
        ("Article 2", 2026, "tolls-2010", f"{before}2010-01-01; not in force on 2026-01-01"),
        ("Article 1", 1990, "tolls-2001", ""),
    ]
    for number, year, document, note in rows:
        with subtests.test(number=number, year=year):
            found = named(tolls, f"{number} of the Toll Act", date(year, 1, 1))
            assert (found.status, found.passage_ids[0].split("/")[0], found.note) == (
                Naming.FOUND,
                document,
                note,
            )
            # Without its document it is the same: versions of one text are one.
            alone = named(tolls, f"What does {number} say?", date(year, 1, 1))
            assert (alone.passage_ids, alone.note, alone.leads) == (found.passage_ids, note, True)


def test_a_number_of_many_documents_is_a_choice(tolls: Corpus) -> None:
    found = named(tolls, "What does Article 7 say?")
    assert (found.status, len(found.choices), len(found.passage_ids)) == (
        Naming.SEVERAL,
        MOST_CHOICES,
        MOST_CHOICES,
    )
    labels = [choice.label for choice in found.choices]
    assert {*labels} < {f"Code {name}, Article 7" for name in "ABCDEFGHI"}
    assert found.note.startswith(f"Article 7 may be {labels[0]}; {labels[1]}; ")
    assert found.note.endswith(" and 1 more: say which"), "nine of ten are in the language of the question"
    mask = np.zeros(len(tolls), np.bool_)
    mask[tolls.rows(["code-3/art-7"])] = True
    assert named(tolls, "What does Article 7 say?", mask=mask).passage_ids == ("code-3/art-7",)
    assert named(tolls, "What does Article 77 say?").note == "no document has Article 77"


def test_what_is_long_does_not_stand_first(tolls: Corpus) -> None:
    question = "Under Code {}, which rules are kept by Article 7 for ships?"
    assert named(tolls, question.format("A")).leads
    long = named(tolls, question.format("B"))
    assert (len(long.passage_ids), long.leads) == (FEW_PASSAGES + 1, False)
