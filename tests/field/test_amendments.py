"""Words of one text that change those of another: as references, in the audit and in answers.

Each case of ``amendments.yaml`` has its own acts; all are ingested together.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.answers.answer import answer
from engine.answers.audit import Auditor, Finding
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation import Case
from engine.model import Relation
from engine.records.text import reference_rows
from engine.settings import preset

DAY = date(2026, 11, 27)
CASES = yaml.safe_load(Path(__file__).with_name("amendments.yaml").read_text(encoding="utf-8"))
# A claim that only both texts together decide is neither right nor wrong.
FINDINGS = {
    "right": (Finding.SUPPORTED,),
    "wrong": (Finding.OUTDATED, Finding.CONTRADICTED),
    "read": (Finding.AMENDED,),
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root = tmp_path_factory.mktemp("amendments")
    for number, case in enumerate(CASES):
        for place, text in enumerate(case["texts"]):
            (root / f"{number:02}-{place}.md").write_text(text, encoding="utf-8")
    build_corpus([root], root / "corpus", embedding="none")
    return open_corpus(root / "corpus")


@pytest.fixture(scope="module")
def auditor(corpus: Corpus) -> Auditor:
    return Auditor(corpus, day=DAY)


@pytest.mark.parametrize("case", CASES, ids=[one["texts"][0].split("\n")[0] for one in CASES])
def test_the_audit_knows_what_later_texts_changed(auditor: Auditor, case: dict[str, Any]) -> None:
    for judged, claims in case["claims"].items():
        for claim in claims:
            found = auditor.claim(claim, case["language"])
            assert found.finding in FINDINGS[judged], (claim, found.reason)


BEFORE = [
    (
        "en",
        "The master shall pay the mooring fee within 14 days of arrival "
        "(rule 4 of the Mooring Fees Rules, 2011).",
    ),
    ("fr", "Le passeur tient le registre pendant trois ans (article 4 du décret n° 2008-77)."),
    ("de", "Der Fährmann bewahrt das Fahrtenbuch zwei Jahre auf (§ 7 des Fährgesetzes)."),
]


@pytest.mark.parametrize(("language", "claim"), BEFORE)
def test_an_amendment_holds_from_its_day_on(corpus: Corpus, language: str, claim: str) -> None:
    before = Auditor(corpus, day=date(2012, 1, 1)).claim(claim, language)
    assert before.finding is Finding.SUPPORTED
    after = Auditor(corpus, day=DAY).claim(claim, language)
    assert after.finding is Finding.OUTDATED
    # Both texts are shown: what said so, and what changed it.
    assert after.successor is not None
    assert [one.row for one in after.sources[:2]] == [after.sources[0].row, after.successor.row]


def test_words_of_amendment_are_references_that_amend_with_the_words(corpus: Corpus) -> None:
    rows = [row for row in reference_rows(corpus, Relation.AMENDS) if len(row) > 5]
    words = {row[5] for row in rows}
    assert {
        "replaced: “14 days” → “21 days”",
        "replaced: “trois ans” → “cinq ans”",
        "replaced: “zwei Jahre” → “vier Jahre”",
        "replaced: “15 يوما” → “45 يوما”",
        "replaced: “十日” → “三十日”",
        "after: “slipway” → “with the written consent of the harbour master”",
        "rewritten: “Pemilik kapal wajib membayar retribusi paling lambat 30 hari setelah sandar.”",
    } <= words
    assert not [row for row in reference_rows(corpus, Relation.CITES) if row[1] == "00-0/4"]


def test_an_answer_shows_what_amends_its_sources(corpus: Corpus) -> None:
    case = Case(corpus, "Within how many days must the master pay the mooring fee?", preset("quick"), day=DAY)
    for _ in case.run():
        continue
    made = answer(case.investigation(), corpus)
    (one,) = [one.words for one in made.conflicts if "Mooring Fees (Amendment) Rules" in one.words]
    assert "amends Mooring Fees Rules, 2011, 4: “21 days” for “14 days”" in one
    assert any("21 days" in citation.quote for citation in made.citations)
