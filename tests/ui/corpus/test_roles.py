"""Who may change what, where people log in: every request that changes something asks the same function."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import orjson
import pytest

from engine.access.audit_log import audit_log, audit_path
from engine.access.users import Person, Role
from engine.operator_settings import OperatorSettings
from ui.calls import answer
from ui.corpus.access import CorpusDesk
from ui.corpus.panel import CALLS
from ui.shelf import open_library

ANNA = Person("anna-" * 6, Role.OPERATOR, "anna", "203.0.113.7")
RITA = Person("rita-" * 6, Role.REVIEWER, "rita")
VERA = Person("vera-" * 6, Role.VISITOR, "vera")
REFUSED = "cannot be changed here"
CHANGING = sorted(name for name, call in CALLS.items() if call.needs is not None)


@pytest.fixture
def settings(tmp_path: Path) -> OperatorSettings:
    return OperatorSettings(access="login", home=tmp_path / "home")


@pytest.fixture
def desk(settings: OperatorSettings, corpus_folder: Path, made: Path, tmp_path: Path) -> CorpusDesk:
    """One corpus of the agency, and one that Vera made."""
    # A copy: the jobs of these tests may go on after them.
    agency = shutil.copytree(corpus_folder, tmp_path / "agency" / "act")
    library = open_library([agency], settings.home_folder, settings)
    shutil.copytree(made, library.place_for("Mine", VERA.key))
    return CorpusDesk(library)


def ask(desk: CorpusDesk, person: Person, do: str, **more: Any) -> dict[str, Any]:
    return answer(desk, CALLS, {"do": do, "visitor": "x" * 32, **more}, lambda token: person)


def attempt(desk: CorpusDesk, person: Person, do: str, corpus: str) -> str:
    """The error of a call, empty for none."""
    every = {
        "refs": [0],
        "said": {"key": "x", "judgement": "accepted"},
        "ontology": {},
        "reading": {},
        "link": ["a", "b", "cites"],
    }
    sent = {name: value for name, value in every.items() if name in CALLS[do].form.model_fields}
    return str(ask(desk, person, do, corpus=corpus, **sent).get("error", ""))


def refused(desk: CorpusDesk, person: Person, do: str, corpus: str) -> bool:
    return REFUSED in attempt(desk, person, do, corpus)


@pytest.mark.parametrize("do", CHANGING)
def test_what_belongs_to_everybody_is_changed_by_role(desk: CorpusDesk, do: str) -> None:
    assert refused(desk, VERA, do, "Small")
    assert refused(desk, RITA, do, "Small") is (do in ("add", "remove", "delete", "embed", "embed-stop"))
    if do not in ("remove", "apply", "add"):
        assert not refused(desk, ANNA, do, "Small")


@pytest.mark.parametrize("do", sorted(set(CHANGING) - {"add", "remove", "apply", "delete"}))
def test_ones_own_corpus_is_ones_own_whatever_the_role(desk: CorpusDesk, do: str) -> None:
    assert not refused(desk, VERA, do, "Mine")
    for other in (ANNA, RITA):
        assert "unknown corpus" in attempt(desk, other, do, "Mine")


def test_every_request_that_changes_something_is_on_the_list() -> None:
    reading = {
        "shelf", "overview", "documents", "nodes", "piece", "head", "path", "targets", "citing", "place",
        "poll", "cancel", "report", "cases", "suggest", "statistics", "areas", "areas-measure",
        "areas-file", "rules", "links", "link", "extraction", "extract-poll", "extract-stop",
        "names", "name", "grades", "vectors", "report-questions", "report-start", "report-poll",
        "report-stop", "law-changes", "law-outdated",
    }  # fmt: skip
    assert set(CALLS) == reading | set(CHANGING) | {"create", "forget-me"}


def test_a_request_cannot_say_who_it_is_from(desk: CorpusDesk) -> None:
    request = {"do": "delete", "corpus": "Small"}
    told = answer(desk, CALLS, {**request, "visitor": ANNA.key}, lambda token: VERA)
    assert REFUSED in told["error"]
    for claim in ("role", "reviewer", "address"):
        told = answer(desk, CALLS, {**request, claim: "operator"}, lambda token: VERA)
        assert told["error"] == f"{claim}: not known here"


def test_what_is_shown_is_what_may_be_done(desk: CorpusDesk) -> None:
    def shown(person: Person) -> dict[str, tuple[bool, bool, bool]]:
        corpora = ask(desk, person, "shelf")["corpora"]
        return {one["name"]: (one["writable"], one["addable"], one["deletable"]) for one in corpora}

    assert shown(VERA) == {"Small": (False, False, False), "Mine": (True, True, True)}
    assert shown(RITA) == {"Small": (True, False, False)}
    assert shown(ANNA) == {"Small": (True, True, False)}


def test_where_corpora_belong_to_everybody_an_operator_makes_them(settings: OperatorSettings) -> None:
    desk = CorpusDesk(open_library([], settings.home_folder, settings.changed(shared=True)))
    for person in (VERA, RITA):
        assert "an operator makes them" in ask(desk, person, "create", name="New")["error"]
    assert "no file yet" in ask(desk, ANNA, "create", name="New")["error"]


def test_a_verdict_has_the_name_of_the_login(desk: CorpusDesk) -> None:
    key = ask(desk, RITA, "links", corpus="Small")["keys"][0]
    said = {"key": key, "judgement": "accepted", "reviewer": "somebody else"}
    told = ask(desk, RITA, "judge", corpus="Small", said=said)
    assert "rita" in told["html"]
    assert "somebody else" not in told["html"]


def test_one_forgets_ones_own_and_nothing_else(desk: CorpusDesk) -> None:
    assert ask(desk, ANNA, "forget-me") == {}
    assert [one["name"] for one in ask(desk, VERA, "shelf")["corpora"]] == ["Small", "Mine"]
    with desk.changing.taken(desk.books.of(VERA.key)[0].folder.absolute(), "it"):
        assert "is being changed" in ask(desk, VERA, "forget-me")["error"]
    assert ask(desk, VERA, "forget-me") == {}
    assert [one["name"] for one in ask(desk, VERA, "shelf")["corpora"]] == ["Small"]


def test_what_was_done_and_refused_is_written_down_without_content(
    desk: CorpusDesk, settings: OperatorSettings
) -> None:
    with audit_log(settings):
        ask(desk, VERA, "delete", corpus="Small")
        ask(desk, VERA, "delete", corpus="Mine")
        ask(desk, VERA, "delete", corpus="words of a question that nobody may read")
        ask(desk, VERA, "cases", corpus="Small")
    text = audit_path(settings).read_text(encoding="utf-8")
    lines = [orjson.loads(line) for line in text.splitlines()]
    assert [(line["who"], line["action"], line["outcome"]) for line in lines] == [
        ("vera", "delete", "refused"), ("vera", "delete", "done"), ("vera", "delete", "refused"),
    ]  # fmt: skip
    assert lines[0]["object"] == "act"
    # The name that a visitor gave a corpus of their own is theirs.
    assert "mine" not in lines[1]["object"].lower()
    assert "words of a question" not in text
