"""The command ``cases``: kept by one command, found, replayed and compared by others."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest

from tests.engine.command_line import CommandLine
from tests.engine.harbour import QUESTION


def kept(run: CommandLine, folder: Path, question: str = QUESTION, *more: str) -> str:
    done = run("investigate", question, "--corpus", folder, "--matter", "Harbour", *more)
    assert done.code == 0
    (case_id,) = re.findall(r"^Kept as case ([\w-]{22})$", done.err, re.M)
    return str(case_id)


def test_unasked_nothing_is_kept(run: CommandLine, harbour_folder: Path, home: Path) -> None:
    assert run("investigate", QUESTION, "--corpus", harbour_folder).code == 0
    assert list(home.iterdir()) == []
    done = run("cases", "list")
    assert (done.code, done.out) == (0, "0 of 0\n")


def test_kept_found_shown_and_sound(run: CommandLine, harbour_folder: Path) -> None:
    first = kept(run, harbour_folder)
    second = kept(run, harbour_folder, "Who takes a pilot?", "--preset", "quick")
    listed = run("cases", "list", "--json").json
    assert listed["total"] == 2
    assert {case["id"] for case in listed["cases"]} == {first, second}
    assert [case["id"] for case in run("cases", "list", "--words", "PILOT", "--json").json["cases"]] == [
        second
    ]
    shown = run("cases", "show", first, "--json").json
    assert shown["record"]["question"] == shown["case"]["question"] == QUESTION
    assert QUESTION in run("cases", "show", first).out
    assert run("cases", "verify", first).out.startswith("As it was written; last hash ")
    assert "opened by command line" in run("cases", "events", first).out


def test_a_replay_is_the_same_and_another_case_is_not(run: CommandLine, harbour_folder: Path) -> None:
    first = kept(run, harbour_folder)
    done = run("cases", "replay", first, "--corpus", harbour_folder)
    assert (done.code, done.out) == (0, "The same to the last digit.\n")
    other = kept(run, harbour_folder, QUESTION, "--rounds", "0")
    told = run("cases", "compare", first, other)
    assert "rounds: " in told.out
    assert run("cases", "compare", first, other, "--json").json["same"] is False


def test_names_verdicts_and_means(run: CommandLine, harbour_folder: Path) -> None:
    first = kept(run, harbour_folder)
    assert "Dues" in run("cases", "name", first, "--name", "Dues").out
    assert run("cases", "judge", first, "supported", "--right", "--json").json["verdict_right"] is True
    assert run("cases", "by-verdict", "--matter", "Harbour").out.startswith("supported: cases 1, ")
    assert re.match(r"\d{4}-\d\d-\d\d: cases 1, ", run("cases", "over-time").out)
    low = run("cases", "low-coverage", "--below", "1.1", "--json").json["cases"]
    assert [case["id"] for case in low] in ([first], [])
    assert run("cases", "delete", first).out == "1 deleted\n"
    assert run("cases", "list", "--json").json["total"] == 0


def test_what_cannot_be_done_is_told(run: CommandLine, subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[tuple[str, ...], str], ...] = (
        (("show", "nobody"), "there is no case 'nobody'"),
        (("list", "--matter", "Nowhere"), "there is no matter 'Nowhere'"),
        (("list", "--since", "yesterday"), "--since: not a day"),
        (("list", "--limit", "0"), "--limit: Input should be greater than or equal to 1"),
        (("name", "nobody"), "give --name or --notes"),
        (("undo", "nobody"), "there is no case 'nobody'"),
        (("delete", "nobody"), "there is no case 'nobody'"),
        (("delete",), "name either ids of cases or --matter"),
        (("delete", "nobody", "--matter", "Harbour"), "name either ids of cases or --matter"),
        (("delete", "--matter", "Nowhere"), "there is no matter 'Nowhere'"),
        (("export", "--matter", "Nowhere", "--out", "x.zip"), "there is no matter 'Nowhere'"),
        (("import", "nothing.json", "--matter", "Harbour"), "not a saved investigation"),
        (("share", "nobody"), "there is no case 'nobody'"),
        (("undo", "nobody", "--verdict"), "there is no case 'nobody'"),
    )
    for arguments, told in rows:
        with subtests.test(told, arguments=arguments):
            run.refused(told, "cases", *arguments)


def test_a_changed_case_is_told(run: CommandLine, harbour_folder: Path, home: Path) -> None:
    first = kept(run, harbour_folder)
    with sqlite3.connect(home / "cases.sqlite") as connection:
        connection.execute("update events set who = 'Eve'")
    connection.close()
    done = run("cases", "verify", first)
    assert done.code == 2
    assert "was changed" in done.err


def test_a_place_that_is_none_is_told(run: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDSTRING_CASES", "mysql://h/d")
    done = run("cases", "list")
    assert done.code == 2
    assert "sqlite:///FILE or postgresql://HOST/DATABASE" in done.err
