"""A library whose cases are kept and reviewed, people who ask, and the door of the Review view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from engine.access.users import Person, Role
from engine.corpus import open_corpus
from engine.ingestion.build import build_corpus
from engine.operator_settings import OperatorSettings
from engine.records.store import EVERYBODY
from engine.review.model import Assessment
from engine.review.store import ReviewStore
from tests.engine.investigation.story import finished, record_of
from tests.ui.corpus.conftest import ACT, ARABIC, REGULATION
from ui.calls import answer
from ui.cases.storage import PAGE, KeptCases
from ui.review.access import ReviewDesk
from ui.review.panel import CALLS
from ui.shelf import Library, open_library

QUESTION = "May a manager grant an agent broader powers?"
ANNA = Person("anna" * 8, Role.VISITOR)
# Who has logged in is known by a name.
REVA, OPAL = Person("reva" * 8, Role.REVIEWER, "Reva"), Person("opal" * 8, Role.OPERATOR, "Opal")
BELA = Person("bela" * 8, Role.VISITOR)
Keep = Callable[..., str]
# What is drawn of a case in most tests: few passages, all hops.
FEW = {"best": 3, "border": 0, "alone": 0, "disagreed": 0, "random": 0, "hops": 0}


@pytest.fixture(scope="package")
def three_laws(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("three laws")
    folder = root / "laws"
    folder.mkdir()
    for name, text in {"act.md": ACT, "regulation.md": REGULATION, "nizam.md": ARABIC}.items():
        (folder / name).write_text(text, encoding="utf-8")
    build_corpus([folder], root / "corpus", name="Small", embedding="none")
    return root / "corpus"


@pytest.fixture(scope="package")
def asked(three_laws: Path) -> dict[str, Any]:
    return record_of(finished(open_corpus(three_laws), QUESTION))


@pytest.fixture
def corpus_copy(three_laws: Path, tmp_path: Path) -> Path:
    """Three laws of this test's own: verdicts on hops are kept beside them."""
    return Path(copytree(three_laws, tmp_path / "corpus"))


@pytest.fixture
def library(corpus_copy: Path, tmp_path: Path) -> Library:
    settings = OperatorSettings(host="127.0.0.1")
    return open_library([corpus_copy], tmp_path / "home", settings)


@pytest.fixture
def desk(library: Library) -> Iterator[ReviewDesk]:
    kept = KeptCases(library.settings, library.home)
    yield ReviewDesk(kept, library)
    kept.store().close()
    kept.reviews().close()


@pytest.fixture
def store(desk: ReviewDesk) -> ReviewStore:
    return desk.kept.reviews()


@pytest.fixture
def keep(desk: ReviewDesk, asked: dict[str, Any]) -> Keep:

    def one(person: Person = ANNA, matter: str = "General", **changed: Any) -> str:
        cases = desk.kept.store()
        owner = desk.kept.owner_of(person)
        assert owner is not None
        return cases.keep({**asked, **changed}, cases.matter(matter, owner), application=PAGE, who="Ann")

    return one


class Caller:
    """The door, for one person."""

    def __init__(self, desk: ReviewDesk, person: Person = ANNA, name: str = "Ann", tab: str = "tab") -> None:
        self.desk, self.person, self.name, self.tab = desk, person, name, tab

    def __call__(self, do: str, **more: Any) -> dict[str, Any]:
        # The script of a queue sends its tab of the browser, the other ones do not.
        tab = {"tab": self.tab} if do in ("enter", "turns", "verdict", "take-back") else {}
        request = {"do": do, "visitor": self.person.key, "reviewer": self.name, **tab, **more}
        return answer(self.desk, CALLS, request, lambda token: self.person)

    def good(self, do: str, **more: Any) -> dict[str, Any]:
        told = self(do, **more)
        assert "error" not in told, told
        return told

    def made(self, **more: Any) -> str:
        owner = self.desk.kept.owner_of(self.person)
        (matter, *_) = self.desk.kept.store().matters(owner or "")
        queue: str = self.good("make-queue", **{"matter": matter.id, **FEW, **more})["made"]
        return queue

    def first(self, queue: str) -> dict[str, Any]:
        piece: dict[str, Any] = self.good("enter", queue=queue, slots=["a"])["turns"][0]
        return piece

    def verdict(self, queue: str, piece: dict[str, Any], verdict: str, **more: Any) -> dict[str, Any]:
        return self("verdict", queue=queue, case=piece["case"], key=piece["key"], verdict=verdict, **more)


@pytest.fixture
def ann(desk: ReviewDesk) -> Caller:
    return Caller(desk)


def said(store: ReviewStore) -> list[Assessment]:
    return store.assessments(owner=EVERYBODY)
