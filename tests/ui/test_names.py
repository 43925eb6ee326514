"""Wherever a person names something, a name that cannot be seen or has control characters is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from typing import Any

import orjson
import pytest

from engine.access import users
from engine.access.users import Person, Role, Users
from engine.corpus import open_corpus
from engine.corpus.extracted import Judgement
from engine.corpus.grades import set_grade
from engine.corpus.journal import Journals
from engine.corpus.judgements import Act, WeightsLine, add_weights, make_confirmation
from engine.corpus.ontology import checked
from engine.corpus.protocol import Corpus
from engine.errors import InputError, RedstringError
from engine.extraction.judging import Ends, judge_link
from engine.model import Grade
from engine.operator_settings import OperatorSettings
from engine.records.case_file import case_bytes, parse_saved
from engine.records.store.database import Matter, MatterWeights
from engine.records.store.store import CaseStore
from engine.review.case_verdicts import passage_items
from engine.review.model import Verdict
from engine.review.queues import QueuedItem
from engine.review.store import ReviewStore
from tests.engine.corpus.test_signing import BAD_NAMES
from tests.engine.investigation.story import finished, record_of
from tests.ui.access.test_sessions import LIGHT
from ui.cases.storage import KeptCases, keeping_for
from ui.shelf import Library, checked_name, open_library

QUESTION = "May a manager grant broader powers?"
ANNA = Person("anna" * 8, Role.VISITOR)


@dataclass
class Places:
    """All that names are given to."""

    library: Library
    cases: KeptCases
    corpus: Corpus
    matter: Matter
    case_id: str
    queue: str
    record: dict[str, Any]
    home: Path

    @property
    def store(self) -> CaseStore:
        return self.cases.store()

    @property
    def reviews(self) -> ReviewStore:
        return self.cases.reviews()

    @property
    def weights(self) -> MatterWeights:
        return self.cases.weights()


@pytest.fixture(scope="module")
def places(corpus_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    root = tmp_path_factory.mktemp("names")
    corpus = open_corpus(Path(copytree(corpus_folder, root / "corpus")))
    library = open_library([root / "corpus"], root / "home", OperatorSettings())
    cases = KeptCases(library.settings, library.home)
    record = record_of(finished(corpus, QUESTION))
    with closing(cases.store()) as store, closing(cases.reviews()) as reviews, closing(cases.weights()):
        matter = store.matter("Harbour")
        case_id = store.keep(record, matter, application="cli", who="Ann")
        items = [QueuedItem(one) for one in passage_items(record, case_id, corpus)]
        queue = reviews.make_queue(matter, "Queue", items, who="Ann").id
        yield Places(library, cases, corpus, matter, case_id, queue, record, root)


def filed_with(there: Places, name: str) -> None:
    """The file of a case in which somebody has put another name."""
    values = orjson.loads(case_bytes(*there.store.handed(there.case_id)))
    values["case"]["name"] = name
    try:
        parse_saved(orjson.loads(orjson.dumps(values)), "file")
    except orjson.JSONEncodeError as error:
        raise InputError("no file contains half a character") from error


# What takes a name, and whether it may be left empty.
GIVEN: dict[str, tuple[Callable[[Places, str], object], bool]] = {
    "matter": (lambda there, name: there.store.matter(name), False),
    "case": (lambda there, name: there.store.describe(there.case_id, who="Ann", name=name), True),
    "verdict of a case": (lambda there, name: there.store.judge(there.case_id, name, who="Ann"), False),
    "queue": (lambda there, name: there.reviews.make_queue(there.matter, name, items(there), who="A"), True),
    "maker of a queue": (
        lambda there, name: there.reviews.make_queue(there.matter, "", items(there), who=name),
        False,
    ),
    "reviewer asked": (lambda there, name: there.reviews.assign(there.queue, name), False),
    "reviewer who judges": (
        lambda there, name: there.reviews.judge(items(there)[0].item, Verdict.RELEVANT, reviewer=name),
        False,
    ),
    "reviewer whose turn it is": (lambda there, name: there.reviews.turn(there.queue, name), False),
    "author of criteria": (
        lambda there, name: there.reviews.write_criteria(there.matter, "x", who=name),
        False,
    ),
    "corpus": (lambda there, name: checked_name(name), False),
    "place of a corpus": (lambda there, name: there.library.place_for(name, ANNA.key), False),
    "who grades": (
        lambda there, name: set_grade(there.corpus, "document", "act", Grade.A, reviewer=name),
        True,
    ),
    "who judges a link": (
        lambda there, name: judge_link(there.corpus, link(there), Judgement.ACCEPTED, reviewer=name),
        True,
    ),
    "who keeps weights": (
        lambda there, name: add_weights(journals(there), WeightsLine(act=Act.SHIPPED), name),
        True,
    ),
    "who goes back in a matter": (lambda there, name: there.weights.ship(there.matter, "x", who=name), True),
    "who confirms": (
        lambda there, name: make_confirmation("It is so.", ("a", "0" * 64), "supported", reviewer=name),
        True,
    ),
    "user": (
        lambda there, name: Users(there.home / "u.json").put(name, Role.VISITOR, "x" * 12),
        False,
    ),
    "area": (lambda there, name: checked({"areas": [{"id": "a", "names": {"en": name}}]}), False),
    "id of an area": (lambda there, name: checked({"areas": [{"id": name}]}), False),
    "matter of a page": (lambda there, name: keeping_for(there.cases, ANNA, name), True),
    "matter asked": (lambda there, name: there.cases.learned_in(ANNA, name, there.corpus), True),
    "case of a file": (filed_with, True),
}


def items(there: Places) -> list[QueuedItem]:
    return [QueuedItem(one) for one in passage_items(there.record, there.case_id, there.corpus)]


def link(there: Places) -> Ends:
    reference = next(one for one in there.corpus.all_references() if one.target_id)
    return Ends(reference.source_id, str(reference.target_id))


def journals(there: Places) -> Journals:
    assert there.corpus.journals is not None
    return there.corpus.journals


@pytest.mark.parametrize("what", GIVEN)
def test_no_bad_name_is_taken(places: Places, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(users, "_hasher", lambda: LIGHT)
    give, may_be_empty = GIVEN[what]
    give(places, "Name")
    for name in BAD_NAMES:
        if may_be_empty and not name.strip():
            continue
        with pytest.raises(RedstringError):
            give(places, name)
