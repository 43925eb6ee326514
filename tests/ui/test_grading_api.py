"""Grades over HTTP: who may give them, and that what is wrong is told."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from engine.access.users import Person, Role
from engine.corpus.grades import load_grades
from engine.errors import AccessError, InputError
from engine.verbs.verdicts import grade_documents
from tests.ui.callers import called
from ui.shelf import Library, open_library

REVIEWER = Person("", Role.REVIEWER, name="Ada")


@pytest.fixture
def library(tmp_path: Path, sample_folder: Path) -> Library:
    shutil.copytree(sample_folder, tmp_path / "meridia")
    return open_library([tmp_path / "meridia"], tmp_path / "home")


def folder_of(library: Library) -> Path:
    return library.find(None).folder


def test_a_grade_is_given_listed_and_taken_back(library: Library) -> None:
    told = called(grade_documents, library, REVIEWER, act="set", kind="Act", grade="e")
    [row] = [one for one in told["kinds"] if one["kind"] == "act"]
    assert (row["grade"], row["said"]["reviewer"], row["default"]) == ("E", "Ada", "A")
    assert told["version"] == 1
    document = library.corpus(None).documents()[0].id
    told = called(grade_documents, library, REVIEWER, act="set", document=document, grade="none")
    assert told["without_grade"] == [document]
    told = called(grade_documents, library, REVIEWER, act="unset", document=document)
    assert told["documents"] == []
    assert called(grade_documents, library, REVIEWER, act="list") == told


def test_other_visitors_may_not(library: Library) -> None:
    for act in ("list", "set", "unset"):
        with pytest.raises(AccessError, match="graded by its reviewers"):
            called(grade_documents, library, Person("", Role.VISITOR), act=act, kind="act", grade="A")
    assert not load_grades(folder_of(library))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"act": "set", "kind": "act", "grade": "F"}, "grade: 'F' is not a grade; use A, B, C, D or E"),
        ({"act": "set", "kind": "act", "grade": "A" * 10_000}, "grade: longer than the 20"),
        ({"act": "set", "grade": "A"}, "give a kind or a document"),
        ({"act": "set", "kind": "act", "document": "x", "grade": "A"}, "give a kind or a document"),
        ({"act": "set", "document": "<script>", "grade": "A"}, "is not a document"),
        ({"act": "fly"}, "act"),
        ({"act": "list", "corpus": "another"}, "unknown corpus"),
        ({"act": "set", "kind": "act", "grade": "A", "reviewer": "Eve"}, "reviewer: not known here"),
    ],
)
def test_a_wrong_value_is_reported(library: Library, given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        called(grade_documents, library, REVIEWER, **given)
    assert len(str(caught.value)) < 300
    assert not load_grades(folder_of(library))
