"""A person is forgotten: nothing below the home folder has their name, their words or their key any more."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import orjson
import pytest

from engine.access.audit_log import audit_log, audit_path, list_corpora, record
from engine.access.users import Person, Role, key_of, server_secret
from engine.cli.main import main
from engine.corpus import open_corpus
from engine.corpus.extracted import Judgement
from engine.corpus.grades import set_grade
from engine.corpus.judgements import Act, WeightsLine, add_confirmation, add_weights, make_confirmation
from engine.extraction.judging import Ends, judge_link
from engine.model import Grade
from engine.operator_settings import ANYWHERE, OperatorSettings
from engine.review.case_verdicts import passage_items
from engine.review.drafts import Draft
from engine.review.model import Verdict
from engine.review.queues import QueuedItem
from engine.review.sampling import Sampling, queue_settings
from tests.engine.investigation.story import finished, record_of
from ui.calls import answer
from ui.cases.access import CasesDesk
from ui.cases.panel import CALLS as CASE_CALLS
from ui.cases.storage import PAGE, KeptCases
from ui.corpus.ingestion import store_report
from ui.review.access import ReviewDesk
from ui.review.panel import CALLS as REVIEW_CALLS
from ui.shelf import Library, open_library

QUESTION = "May a manager grant broader powers?"
NAME = "zanzibarina"
# A word of the person's own for each place that takes any.
WORDS = {
    *("corpusword", "matterword", "caseword", "notesword", "verdictword", "queueword", "criteriaword"),
    *("reasonword", "noteword", "broughtword", "gradeword", "linkword", "confirmationword", "questionword"),
    *("reportword", "othersqueueword"),
}
# The criteria of another's matter stay in force there, without the name.
STAYS = {"criteriaword"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REDSTRING_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("REDSTRING_AUDIT", "on")
    monkeypatch.setenv("REDSTRING_AUDIT_ADDRESSES", "plain")
    return tmp_path / "home"


def test_nothing_of_a_person_is_left(
    corpus_folder: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = OperatorSettings(host=ANYWHERE, home=home, audit="on", share_cases=True)
    shared = Path(copytree(corpus_folder, home / "corpora" / "everybodys-0a1b2c3d"))
    key = key_of(NAME, "login", server_secret(home))
    person = Person(key, Role.REVIEWER, NAME, "192.0.2.77")
    library = open_library([shared], home, settings)
    cases = KeptCases(settings, home)
    with audit_log(settings), closing(cases.store()), closing(cases.reviews()), closing(cases.weights()):
        live(library, cases, person, shared)
        assert main(["forget", "--person", NAME, "--dry-run"]) == 0
        found = places(home, {NAME, key, person.address, *WORDS})
        # What is not there before shows nothing when it is gone.
        assert set(found) >= {NAME, person.address, *WORDS}, set(WORDS) - set(found)
        assert main(["forget", "--person", NAME]) == 0
        # The server goes on meanwhile: what is in its open files counts, too.
        assert places(home, {NAME, key, person.address, *WORDS} - STAYS) == {}
        logged = audit_path(settings).read_bytes().splitlines()
        assert all(orjson.loads(line)["action"] for line in logged)
        # What others did and said is as it was.
        (other,) = cases.store().ids(None, "otto" * 8)
        assert cases.store().verify(other, "otto" * 8) == []
        said = cases.reviews().assessments(None, "otto" * 8, is_current=True)
        assert {one.verdict for one in said} >= {Verdict.RELEVANT, Verdict.IRRELEVANT}
        assert "Otto's note" in {one.note for one in said}
        assert [one.folder for one in list_corpora(home) if not one.owner] == [shared]
    assert main(["forget", "--person", NAME]) == 0
    assert capsys.readouterr().out.endswith("there is nothing to delete\n")


def places(home: Path, words: set[str]) -> dict[str, set[str]]:
    """In which files below a folder words stand, in their names or in their bytes."""
    found: dict[str, set[str]] = {}
    for path in home.rglob("*"):
        told = str(path.relative_to(home)).encode() + (path.read_bytes() if path.is_file() else b"")
        for word in words:
            if word.encode() in told:
                found.setdefault(word, set()).add(path.name)
    return found


def live(library: Library, cases: KeptCases, person: Person, shared: Path) -> None:
    """All that a person may leave on a server, and what others leave next to it."""
    folder = library.place_for("My corpusword", person.key)
    copytree(shared, folder)
    store_report(folder, {"files": ["reportword.pdf"]})
    mine = library.find("Small", person.key)
    record(person, "investigate", folder.name, "done")  # As earlier versions logged it.
    record(person, "evaluate", replace(mine, folder=folder, private=True).logged_as, "done")
    record(Person(role=Role.OPERATOR, name="(command line)"), "user added", f"{NAME} as reviewer", "done")
    record(Person(role=Role.OPERATOR, name="(retention)"), "forget", folder.name, "done")
    corpus = open_corpus(shared)
    assert corpus.journals is not None
    name = person.name
    set_grade(corpus, "document", "act", Grade.B, note='A "gradeword" ü', reviewer=name)
    reference = next(one for one in corpus.all_references() if one.target_id)
    ends = Ends(reference.source_id, str(reference.target_id))
    judge_link(corpus, ends, Judgement.ACCEPTED, note="linkword\nof two lines", reviewer=name)
    confirmed = make_confirmation(
        "A claim.", ("a", "0" * 64), "supported", note="confirmationword", reviewer=name
    )
    add_confirmation(corpus.journals, confirmed)
    add_weights(corpus.journals, WeightsLine(act=Act.SHIPPED), name)
    kept_record = record_of(finished(corpus, QUESTION))
    keep_own(library, cases, person, kept_record)
    review_others(library, cases, person, kept_record)


def keep_own(library: Library, cases: KeptCases, person: Person, record: dict[str, Any]) -> None:
    """A case of the person's own, with all that can be said of it, and a queue of it."""
    store, owner = cases.store(), cases.owner_of(person)
    assert owner
    matter = store.matter("My matterword", owner)
    asked = {**record, "question": "Is there a questionword?"}
    case = store.keep(asked, matter, application=PAGE, who=person.name)
    desk = CasesDesk(cases, library)
    for request in (
        {"do": "describe", "name": "My caseword", "notes": "My notesword"},
        {"do": "judge", "verdict": "verdictword", "right": "yes"},
        {"do": "share", "shared": True},
        {"do": "export", "format": "json"},
    ):
        told = answer(desk, CASE_CALLS, {"id": case, **request}, lambda _: person)
        assert "error" not in told, told
    items = [
        QueuedItem(one, assigned=(person.name,)) for one in passage_items(asked, case, corpus_of(library))
    ]
    cases.reviews().make_queue(matter, "My queueword", items[:2], who=person.name)


def corpus_of(library: Library) -> Any:
    return library.corpus("Small", "")


def review_others(library: Library, cases: KeptCases, person: Person, record: dict[str, Any]) -> None:
    """Verdicts, criteria, leases and learned weights of the person in the matter of another."""
    store, reviews, other = cases.store(), cases.reviews(), "otto" * 8
    matter = store.matter("Otto's", other)
    case = store.keep(record, matter, application=PAGE, who="Otto")
    items = [
        QueuedItem(one, assigned=(person.name, "Otto"), wanted=2)
        for one in passage_items(record, case, corpus_of(library))
    ]
    sampling = queue_settings(Sampling(assigned=(person.name, "Otto"), reviewers=2))
    queue = reviews.make_queue(matter, "Otto's queue", items, who="Otto", settings=sampling).id
    reviews.assign(queue, "Third", other)
    reviews.turn(queue, person.name, "tab")
    desk = ReviewDesk(cases, library)
    first = items[0].item
    request = {"do": "verdict", "queue": queue, "case": case, "key": first.key, "verdict": "relevant"}
    request |= {"reason": "A reasonword", "note": "A noteword of my own", "tab": "tab"}
    answer(desk, REVIEW_CALLS, request, lambda _: person)
    reviews.judge(first, Verdict.IRRELEVANT, reviewer="Otto", queue=queue, note="Otto's note")
    second = items[1].item
    reviews.judge(second, Verdict.IRRELEVANT, reviewer=person.name, queue=queue, note="othersqueueword")
    brought = Draft(second.kind, Verdict.RELEVANT, reviewer=person.name, note="broughtword", where="file")
    reviews.import_verdicts([(brought, second)], queue=queue, owner=other, signed="Otto")
    reviews.write_criteria(matter, "A criteriaword", who=person.name)
    cases.weights().ship(matter, "Small", who=person.name)
