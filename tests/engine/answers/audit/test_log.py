"""The verification log: what was held against what, and as long as what is a person's word on it good."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path

import orjson
import pytest

from engine.answers.audit import Auditor, audit
from engine.answers.audit.export import (
    annotated,
    audit_to_json,
    log_markdown,
    log_page,
    log_to_json,
    markdown,
    review_words,
)
from engine.answers.audit.log import Log, ReviewAction, parse_verdict, record_reviews, tally, verification_log
from engine.answers.audit.page import html_page
from engine.corpus import open_corpus
from engine.corpus.grades import set_grade
from engine.corpus.judgements import digest_of, load_confirmations
from engine.errors import InputError
from engine.ingestion.build import build_corpus
from engine.model import Grade
from tests.tables import table

LAW: str = table(__file__, "LAW")
MEMO = """# Memo

See Article 2 of the Harbour Act, and Article 9 of the Harbour Act.

The master of a vessel shall pay the harbour fee within ten days of arrival (Article 1 of the Harbour Act).
The master of a vessel shall pay the harbour fee within twenty days of arrival.
The moon is made of green cheese on Tuesdays.
"""
DAY = date(2026, 1, 1)


def made(folder: Path, law: str = LAW) -> Path:
    (folder / "harbour.md").write_text(law, encoding="utf-8")
    build_corpus([folder / "harbour.md"], folder / "corpus", name="Harbour", embedding="none")
    return folder / "corpus"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("log"))


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "corpus"))


def logged(folder: Path, memo: str = MEMO) -> Log:
    corpus = open_corpus(folder)
    return verification_log(audit(memo, Auditor(corpus, day=DAY)), corpus)


def test_every_claim_and_citation_is_listed_with_what_it_was_held_against(folder: Path) -> None:
    log = logged(folder)
    assert [(one.number, one.finding) for one in log.entries] == [
        ("1", "supported"), ("2", "contradicted"), ("3", "not_in_corpus"),
        ("c1", "resolved"), ("c2", "no_such_provision"),
    ]  # fmt: skip
    first = log.entry("1")
    assert first.compared is not None
    corpus = open_corpus(folder)
    text = corpus.passages(corpus.rows([first.compared.passage_id]))[0].text
    assert first.compared.sha256 == digest_of(text)
    assert first.compared.quote in text
    assert first.compared.grade is Grade.A
    assert [cited.compared == first.compared for cited in first.citations] == [True]
    assert log.entry("3").compared is None
    assert "no Article 9" in log.entry("c2").reason
    with pytest.raises(InputError, match="there is no claim '9'; there are 1 to 3, and c1 to c2"):
        log.entry("9")


def test_a_persons_word_holds_and_is_taken_back(folder: Path) -> None:
    corpus, log = open_corpus(folder), logged(folder)
    record_reviews(corpus, log, [ReviewAction("confirm", "1")], reviewer="Ada", note="read")
    record_reviews(corpus, log, [ReviewAction("overrule", "2", "related")], reviewer="Ada")
    record_reviews(corpus, log, [ReviewAction("confirm", "c2")])
    log = logged(folder)
    assert review_words(log.entry("1")).startswith("Confirmed by Ada, 20")
    assert review_words(log.entry("2")).endswith(": related: read it")
    assert "by a reviewer" in review_words(log.entry("c2"))
    assert {one.number for one in log.reviewed} == {"1", "2", "c2"}
    record_reviews(corpus, log, [ReviewAction("undo", "2")])
    assert {one.number for one in logged(folder).reviewed} == {"1", "c2"}
    with pytest.raises(InputError, match="there is no review of 2"):
        record_reviews(corpus, logged(folder), [ReviewAction("undo", "2")])
    assert not verification_log(audit(MEMO, Auditor(corpus, day=DAY)), corpus, reviews=False).reviewed


@pytest.mark.parametrize("told", ["wrong", "", "<b>", "supported" * 2000])
def test_what_is_no_verdict_is_refused(folder: Path, told: str) -> None:
    with pytest.raises(InputError, match="is no verdict; there are supported"):
        parse_verdict(told, logged(folder).entry("1"))
    claim, citation = logged(folder).entry("1"), logged(folder).entry("c2")
    assert parse_verdict(" No such  provision", claim) == "no_such_provision"
    assert parse_verdict("resolved", citation) == "resolved"
    with pytest.raises(InputError, match="'resolved' is no verdict"):
        parse_verdict("resolved", claim)
    if told:
        with pytest.raises(InputError):
            record_reviews(open_corpus(folder), logged(folder), [ReviewAction("overrule", "1", told)])
    assert not load_confirmations(folder)


def test_it_holds_after_ingesting_again_where_the_words_are_the_same(folder: Path, tmp_path: Path) -> None:
    record_reviews(open_corpus(folder), logged(folder), [ReviewAction("confirm", "1")], reviewer="Ada")
    (tmp_path / "harbour.md").write_text(LAW.replace("two hours", "three hours"), encoding="utf-8")
    build_corpus([tmp_path / "harbour.md"], folder, name="Harbour", embedding="none")
    assert logged(folder).entry("1").review is not None
    changed = LAW.replace("within ten days of arrival.", "within ten days of arrival. The office may wait.")
    (tmp_path / "harbour.md").write_text(changed, encoding="utf-8")
    build_corpus([tmp_path / "harbour.md"], folder, name="Harbour", embedding="none")
    entry = logged(folder).entry("1")
    assert entry.review is None
    assert "the words of the source have changed since" in review_words(entry)


def test_it_holds_for_the_same_claim_in_another_text_and_for_no_other(folder: Path) -> None:
    record_reviews(open_corpus(folder), logged(folder), [ReviewAction("confirm", "2")], reviewer="Ada")
    same = "Hello.\n\nThe master of a vessel shall pay  the harbour fee\nwithin twenty days of arrival.\n"
    assert logged(folder, same).entry("1").review is not None
    other = same.replace("twenty", "thirty")
    assert not review_words(logged(folder, other).entry("1"))


def test_another_verdict_is_not_confirmed_by_what_was_said_of_the_first(folder: Path) -> None:
    corpus, log = open_corpus(folder), logged(folder)
    entry = log.entry("1")
    other = replace(log, entries=(replace(entry, finding="related"),))
    record_reviews(corpus, other, [ReviewAction("confirm", "1")], reviewer="Ada")
    now = logged(folder).entry("1")
    assert now.review is None
    assert "the verdict was “related: read it” then" in review_words(now)


def test_the_log_in_all_its_forms(folder: Path) -> None:
    corpus = open_corpus(folder)
    hostile = MEMO.replace("The moon", "The <script>alert(1)</script> moon | `x`")
    found = audit(hostile, Auditor(corpus, day=DAY))
    log = verification_log(found, corpus)
    record_reviews(
        corpus,
        log,
        [ReviewAction("confirm", "3")],
        note="<img src=x onerror=alert(1)>",
        reviewer="<b>Ada</b>",
    )
    log = verification_log(found, corpus)
    for made_of in (log_page(log), html_page(found, log)):
        assert "<script>alert" not in made_of
        assert "<img" not in made_of
        assert "&lt;b&gt;Ada" in made_of
        assert digest_of("") not in made_of
    for text in (log_markdown(log), markdown(found, log), annotated(found, log)):
        assert "<script>" not in text.partition("erification log")[2]
        assert "SHA-256 " in text
    assert "## Appendix: verification log" in annotated(found, log)
    plain = orjson.loads(orjson.dumps(audit_to_json(found, log)))
    assert plain["verification_log"] == orjson.loads(orjson.dumps(log_to_json(log)))
    assert plain["verification_log"]["entries"][2]["review"]["review"] == "confirmed"


def test_a_lowest_grade_passes_nothing_in_silence(folder: Path) -> None:
    corpus = open_corpus(folder)
    assert tally(audit(MEMO, Auditor(corpus, day=DAY, minimum=Grade.A))).correct.claims == 1
    set_grade(corpus, "kind", "act", None)
    found = audit(MEMO, Auditor(corpus, day=DAY, minimum=Grade.E))
    counted = tally(found)
    assert (counted.correct.claims, counted.grounded.claims) == (0, 0)
    assert any("claim (1) rests on sources with no grade" in note for note in found.notes)
    assert "no grade: not counted" in markdown(found)
    told = audit_to_json(found)
    assert (told["below_minimum_grade"], told["grades_version"]) == ([1], 1)
    assert told["claims"][0]["grounded"] is False
    assert tally(audit(MEMO, Auditor(corpus, day=DAY))).correct.claims == 1


def test_that_dense_search_is_off_names_the_claims_it_concerns(folder: Path) -> None:
    found = audit(MEMO, Auditor(open_corpus(folder), day=DAY))
    [note] = [note for note in found.notes if note.startswith("dense search is off")]
    assert note.endswith("claims of this text concerned: 1 claim (3)")
    sure = audit(MEMO.rpartition("The moon")[0], Auditor(open_corpus(folder), day=DAY))
    assert any(note.endswith("no verdict on this text is of that kind") for note in sure.notes)
