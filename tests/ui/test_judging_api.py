"""Verdicts over HTTP: who may give them, and that what is wrong is told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.access.users import Person, Role
from engine.corpus import open_corpus
from engine.corpus.extracted import Judgement
from engine.errors import AccessError, InputError
from engine.extraction.judging import Ends, unjudge_link
from engine.extraction.judging import judge_link as record_verdict
from engine.investigation import Case
from engine.model import Relation, Status, TargetKind
from engine.settings import preset
from engine.verbs.verdicts import judge_link
from tests.ui.callers import called
from ui.investigate.case_views import as_judged, judge_met, may_judge
from ui.investigate.passages import link_of
from ui.open_case import OpenCase
from ui.shelf import Library, open_library

REVIEWER = Person("", Role.REVIEWER, name="Ada")


@pytest.fixture
def library(tmp_path: Path, sample_folder: Path) -> Library:
    shutil.copytree(sample_folder, tmp_path / "meridia")
    return open_library([tmp_path / "meridia"], tmp_path / "home")


def a_link(library: Library) -> tuple[str, str, Relation]:
    corpus = library.corpus(None)
    numbers = corpus.reference_numbers(statuses=[Status.RESOLVED], relations=[Relation.CITES])
    found = next(one for one in corpus.references(numbers.tolist()) if one.target_kind is TargetKind.PASSAGE)
    return found.source_id, str(found.target_id), found.relation


def test_a_verdict_is_given_listed_counted_and_taken_back(library: Library) -> None:
    source, target, relation = a_link(library)
    done = called(
        judge_link, library, REVIEWER, act="reject", source=source, target=target, relation=relation
    )
    assert done["verdicts"][0]["reviewer"] == "Ada"
    assert called(judge_link, library, REVIEWER, act="list")["total"] == len(done["verdicts"])
    figures = called(judge_link, library, REVIEWER, act="rates")["rates"]
    assert figures["relation"]["cites"]["rate"] == 0.0
    low, high = figures["relation"]["cites"]["interval_95"]
    assert low == 0.0 < high < 1.0
    called(judge_link, library, REVIEWER, act="undo", source=source, target=target, relation=relation)
    assert called(judge_link, library, REVIEWER, act="list")["total"] == 0


def test_who_may_judge(library: Library) -> None:
    source, target, _ = a_link(library)
    visitor, operator = Person("", Role.VISITOR), Person("", Role.OPERATOR)
    with pytest.raises(AccessError, match="reviewers"):
        called(judge_link, library, visitor, act="reject", source=source, target=target)
    with pytest.raises(AccessError):
        called(judge_link, library, visitor, act="list")
    assert not may_judge(library, visitor, None)
    assert may_judge(library, operator, None)
    assert may_judge(library, REVIEWER, None)


def test_a_page_that_may_not_judge_cannot_by_sending_it(library: Library) -> None:
    source, target, relation = a_link(library)
    corpus = library.corpus(None)
    opened = OpenCase(Case(corpus, "?", preset("quick")), corpus, "?", ())
    with pytest.raises(AccessError):
        judge_met(opened, "reject", f'["{source}", "{target}", "{relation}"]')
    opened.may_judge = True
    for told in (None, "", "{}", "[1]", f'["{source}", "{target}", "unheard"]', "x" * 10_000):
        with pytest.raises(InputError):
            judge_met(opened, "reject", told)
    judge_met(opened, "reject", f'["{source}", "{target}", "{relation}"]')
    assert opened.rejected == {(source, target, relation.value)}
    judge_met(opened, "unreject", f'["{source}", "{target}", "{relation}"]')
    assert not opened.rejected


def test_what_is_rejected_elsewhere_is_struck_on_the_open_case(library: Library) -> None:
    corpus = library.corpus(None)
    question = "Can a manager with limited authority grant an agent broader powers?"
    opened = OpenCase(Case(corpus, question, preset("quick")), corpus, question, ())
    list(opened.case.run())
    links = {link for hop in opened.case.pool.hops() if (link := link_of(hop)) is not None}
    source, target, relation = sorted(links)[0]
    ends = Ends(source, target, Relation(relation))
    as_judged(opened)
    assert not opened.rejected
    record_verdict(corpus, ends, Judgement.REJECTED)
    as_judged(opened)
    assert (source, target, relation) in opened.rejected <= links
    # By command, in another process: only the file beside the corpus tells.
    unjudge_link(open_corpus(corpus.folder or Path()), ends)
    as_judged(opened)
    assert not opened.rejected
