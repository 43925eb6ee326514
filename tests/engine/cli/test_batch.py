"""The command ``batch``: each question a case, none asked twice, what cannot be asked told at the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.investigation import Case
from engine.investigation.record import Event
from tests.engine.command_line import CommandLine
from tests.engine.harbour import QUESTION

OTHER = "Who takes a pilot?"


def test_each_question_is_a_case_and_none_is_asked_twice(
    run: CommandLine, harbour_folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "q.txt").write_text(f"{QUESTION}\n\n{OTHER}\n{OTHER}\n", encoding="utf-8")
    given = ("batch", home / "q.txt", "--corpus", harbour_folder, "--matter", "Nightly")
    first = run(*given, "--json").json
    assert [case["question"] for case in first["cases"]] == [QUESTION, OTHER]
    assert first["kept_before"] == 0
    assert first["means"]["passages"] == sum(case["passages"] for case in first["cases"]) / 2
    listed = run("cases", "list", "--matter", "Nightly", "--json").json
    assert {case["id"] for case in listed["cases"]} == {case["id"] for case in first["cases"]}
    asked: list[str] = []

    def run_no_more(case: Case) -> Iterator[Event]:
        asked.append(case.question)
        return iter(())

    monkeypatch.setattr(Case, "run", run_no_more)
    again = run(*given, "--json").json
    assert (asked, again["kept_before"]) == ([], 2)
    assert again["cases"] == first["cases"]


def test_other_settings_are_other_cases(run: CommandLine, harbour_folder: Path, home: Path) -> None:
    (home / "q.jsonl").write_text(f'{{"id": "1", "text": "{OTHER}"}}\n', encoding="utf-8")
    given = ("batch", home / "q.jsonl", "--corpus", harbour_folder, "--matter", "Nightly")
    run(*given)
    done = run(*given, "--rounds", "0")
    assert done.code == 0
    assert done.out.endswith("1 cases, 0 of them kept before\n")
    assert run("cases", "list", "--json").json["total"] == 2


def test_what_cannot_be_asked_is_named_and_the_rest_is_kept(
    run: CommandLine, harbour_folder: Path, home: Path
) -> None:
    (home / "q.txt").write_text(f"year:2020..abc +\n{OTHER}\nas_of:nonsense\n", encoding="utf-8")
    done = run("batch", home / "q.txt", "--corpus", harbour_folder, "--matter", "Nightly", "--json")
    told = done.json
    assert OTHER in [case["question"] for case in told["cases"]]
    assert len(told["cases"]) + len(told["failed"]) == 3
    assert done.code == (2 if told["failed"] else 0)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\n \n", "there is no question in it"),
        (b'{"id": 1}\n', "line 1: JSON with a field text is wanted"),
        (b'ok\n{"text": 5}\n', "line 2: text is no text"),
        (b"{no json\n", "line 1: JSON"),
        (b"\xff\xfe", "cannot be read"),
        (b"x" * 4001, "line 1: a question of more than 4,000 characters"),
    ],
)
def test_a_file_without_questions_is_refused(
    run: CommandLine, harbour_folder: Path, home: Path, content: bytes, told: str
) -> None:
    (home / "q.txt").write_bytes(content)
    run.refused(told, "batch", home / "q.txt", "--corpus", harbour_folder, "--matter", "Nightly")
