"""Verdicts confirmed and overruled over HTTP: by whom, of what; what is wrong leaves nothing behind."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from engine.access.users import Person, Role
from engine.corpus.judgements import load_confirmations
from engine.errors import AccessError, InputError
from engine.ingestion.build import build_corpus
from engine.operator_settings import ANYWHERE, OperatorSettings
from engine.verbs.verdicts import review_audit
from tests.tables import table
from tests.ui.callers import called
from ui.shelf import Library, open_library

LAW: str = table(__file__, "LAW")
MEMO = """The master of a vessel shall pay the harbour fee within ten days of arrival.
The master of a vessel shall pay the harbour fee within twenty days of arrival.
"""
REVIEWER, VISITOR = Person("", Role.REVIEWER, name="Ada"), Person("", Role.VISITOR)
ANNA, BERT = "a" * 32, "b" * 32


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("review")
    (folder / "harbour.md").write_text(LAW, encoding="utf-8")
    build_corpus([folder / "harbour.md"], folder / "corpus", name="harbour", embedding="none")
    return folder / "corpus"


@pytest.fixture
def library(built: Path, tmp_path: Path) -> Library:
    shutil.copytree(built, tmp_path / "harbour")
    return open_library([tmp_path / "harbour"], tmp_path / "home", OperatorSettings(host=ANYWHERE))


def reviewing(library: Library, person: Person, act: str, *claims: str, **more: Any) -> dict[str, Any]:
    return called(review_audit, library, person, act=act, claims=list(claims), text=MEMO, **more)


def kept(library: Library) -> int:
    return len(load_confirmations(library.find(None).folder))


def test_verdicts_are_confirmed_overruled_listed_and_taken_back(library: Library) -> None:
    done = reviewing(library, REVIEWER, "confirm", "1", "2", "1", note="read", name="Eve")
    assert [one["reviewer"] for one in done["confirmations"]] == ["Ada", "Ada"]
    told = [one["said"] for one in done["verification_log"]["entries"]]
    assert all(one.startswith("Confirmed by Ada") and one.endswith("(read)") for one in told)
    done = reviewing(library, REVIEWER, "overrule", "2", instead="Related")
    assert done["verification_log"]["entries"][1]["review"]["instead"] == "related"
    assert reviewing(library, REVIEWER, "list")["total"] == 2
    done = reviewing(library, REVIEWER, "undo", "1", "2")
    assert done["verification_log"]["reviewed"] == 0
    assert reviewing(library, REVIEWER, "list") == {
        "corpus": "harbour",
        "confirmations": [],
        "total": 0,
    }


def test_a_name_counts_where_nobody_is_logged_in(library: Library) -> None:
    [one] = reviewing(library, Person("", Role.OPERATOR), "confirm", "1", name="Eve")["confirmations"]
    assert one["reviewer"] == "Eve"


def test_what_is_right_of_it_is_not_kept_where_something_is_wrong(library: Library) -> None:
    for claims, more in (
        (("1", "9"), {}),
        (("1", "2"), {"instead": "contradicted"}),
        (("1", "2"), {"name": "\ud800"}),
    ):
        act = "overrule" if "instead" in more else "confirm"
        with pytest.raises(InputError):
            reviewing(library, Person("", Role.OPERATOR), act, *claims, **more)
        assert kept(library) == 0
    reviewing(library, REVIEWER, "confirm", "1")
    with pytest.raises(InputError, match="there is no review of 2"):
        reviewing(library, REVIEWER, "undo", "1", "2")
    assert kept(library) == 1


@pytest.mark.parametrize("act", ["confirm", "overrule", "undo", "list"])
def test_other_visitors_may_not(library: Library, act: str) -> None:
    with pytest.raises(AccessError, match="confirmed by its reviewers"):
        reviewing(library, VISITOR, act, "1", instead="related" if act == "overrule" else "")
    assert kept(library) == 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"act": "fly"}, "act: Input should be"),
        ({"act": "confirm"}, "claims: name the claims to confirm"),
        ({"act": "confirm", "claims": ["1"], "text": " "}, "there is no text"),
        ({"act": "confirm", "claims": ["1"] * 201}, "claims: more than the 200"),
        ({"act": "confirm", "claims": ["<script>"]}, "there is no claim '<script>'; there are 1 to 2"),
        ({"act": "confirm", "claims": ["1"], "instead": "related"}, "instead: the right verdict is given to"),
        ({"act": "overrule", "claims": ["1"], "instead": "supported"}, "the verdict is the same"),
        ({"act": "confirm", "claims": ["1"], "reviewer": "Eve"}, "reviewer: not known here"),
    ],
)
def test_a_wrong_value_is_reported(library: Library, given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        called(review_audit, library, REVIEWER, **{"text": MEMO} | given)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 300
    assert kept(library) == 0
