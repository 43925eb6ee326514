"""The command ``review``: queues of kept cases, judged by one command after another, and their figures."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from engine.errors import InputError
from engine.review.model import ItemKind, Verdict
from engine.verbs.review import parse_verdict
from tests.engine.cli.test_cases import kept
from tests.engine.command_line import CommandLine, made_once
from tests.engine.harbour import QUESTION


@pytest.fixture
def case_id(run: CommandLine, harbour_folder: Path, home: Path, held: Path) -> str:
    return made_once(held / "case", home, lambda: kept(run, harbour_folder))


def made(run: CommandLine, corpus: Path, *more: str) -> str:
    """A queue of the matter of the case, by its id."""
    done = run("review", "queue", "--matter", "Harbour", "--corpus", corpus, "--json", *more)
    assert (done.code, done.err) == (0, "")
    return str(done.json["id"])


def say(run: CommandLine, queue: str, number: int, verdict: str, *more: str, by: str = "Ann") -> Any:
    done = run("review", "judge", queue, f"{number}", verdict, "--by", by, "--json", *more)
    assert (done.code, done.err) == (0, "")
    return done.json


def test_from_a_case_to_its_figures(run: CommandLine, harbour_folder: Path, case_id: str, home: Path) -> None:
    none = ("--border", "0", "--alone", "0", "--disagreed", "0")
    queue = made(run, harbour_folder, "--name", "First look", "--best", "4", "--random", "3", *none)
    assert re.fullmatch(rf"{queue}  \S+  Harbour: First look, 0 of \d+ judged\n", run("review", "list").out)
    text = run("review", "next", queue, "--by", "Ann").out
    assert text.startswith("Question: When may the harbour master")
    count = 0
    while (turn := run("review", "next", queue, "--by", "Ann", "--json").json["turn"]) is not None:
        said = say(run, queue, turn["number"], "r" if count % 2 else "not", "--reason", "so")
        assert said["said"]["verdict"] == ("relevant" if count % 2 else "not relevant")
        assert said["said"]["item"]["key"] == turn["item"]["key"]
        count += 1
    assert said["progress"]["judged"] == said["progress"]["items"] == count
    told = run("review", "verdicts", "--queue", queue).out.splitlines()
    assert len(told) == count
    assert re.match(r"1 \S+ not relevant by Ann, .+: so$", told[0])
    found = run("review", "estimate", queue, "--ranks", "4", "--json").json
    assert (found["judged"], found["drawn"]) == (count, count)
    assert found["precision"]["at"]["4"]["value"] == 0.5
    assert 0 < found["recall"]["low"] <= found["recall"]["value"] <= found["recall"]["high"] <= 1
    assert "precision at 4: 0.50 (" in run("review", "estimate", queue, "--ranks", "4").out
    assert run("review", "delete", queue).out == "1 deleted\n"
    assert run("review", "list").out == ""
    assert len(run("review", "verdicts", "--case", case_id, "--json").json["verdicts"]) == count


def test_put_off_changed_and_taken_back(run: CommandLine, harbour_folder: Path, case_id: str) -> None:
    queue = made(run, harbour_folder, "--case", case_id, "--best", "2", "--random", "0", "--border", "0",
                 "--alone", "0", "--disagreed", "0")  # fmt: skip
    say(run, queue, 0, "later")
    assert run("review", "next", queue, "--by", "Ann", "--json").json["turn"]["number"] == 1
    say(run, queue, 1, "partly", "--note", "only\nhalf")
    done = run("review", "judge", queue, "0", "rel", "--by", "Ann").out
    assert "2 of 2 judged, 2 by you; 0 left for you" in done
    meanwhile = "another reviewer has judged this in the meantime"
    run.refused(meanwhile, "review", "judge", queue, "0", "rel", "--by", "Ben")
    assert run("review", "undo", queue, "--by", "Ann").out.startswith("Taken back: ")
    standing = run("review", "verdicts", "--queue", queue, "--json").json["verdicts"]
    assert [(one["verdict"], one["note"]) for one in standing] == [("partly", "only\nhalf")]
    every = run("review", "verdicts", "--queue", queue, "--all").out
    assert len(every.splitlines()) == 4
    assert "(takes back 3)" in every
    say(run, queue, 1, "not-relevant", "--settle", by="Lead")
    assert run("review", "undo", queue, "--by", "Ann").code == 0
    run.refused("no verdict in this queue that can be withdrawn", "review", "undo", queue, "--by", "Ann")


def test_criteria_and_what_was_said_before_them(
    run: CommandLine, harbour_folder: Path, case_id: str, home: Path
) -> None:
    queue = made(run, harbour_folder)
    matter = ("--matter", "Harbour")
    assert run("review", "criteria", *matter).out.startswith("There are no criteria")
    say(run, queue, 0, "relevant")
    assert run("review", "verdicts", *matter, "--outdated").out == ""
    done = run("review", "criteria", *matter, "--text", "What binds us.", "--by", "Ann").out
    assert re.match(r"Version 1, by Ann, .*\nWhat binds us\.\n1 standing verdicts", done)
    assert "What counts (version 1): What binds us." in run("review", "next", queue, "--by", "Ann").out
    (home / "criteria.txt").write_text("What binds us.\r\nAnd others.\n", encoding="utf-8-sig")
    told = run("review", "criteria", *matter, "--file", home / "criteria.txt", "--json").json
    assert (told["criteria"]["version"], told["criteria"]["who"], told["outdated"]) == (2, "command line", 1)
    assert run("review", "criteria", *matter, "--json").json == told
    (old,) = run("review", "verdicts", *matter, "--outdated", "--json").json["verdicts"]
    assert (old["criteria"], old["verdict"]) == (0, "relevant")


def test_hops_are_shown_with_both_ends(run: CommandLine, harbour_folder: Path, case_id: str) -> None:
    none = [f"--{name}=0" for name in ("best", "border", "alone", "disagreed", "random")]
    queue = made(run, harbour_folder, *none, "--hops", "3", "--reviewers", "2", "--assign", "Ann", "Ben")
    turn = run("review", "next", queue, "--by", "Ben", "--json").json
    assert turn["verdicts"] == ["right", "wrong kind", "wrong target", "useless", "later"]
    item, text = turn["turn"]["item"], run("review", "next", queue, "--by", "Ben").out
    for part in (item["source_text"], item["text"], item["relation"], item["quote"]):
        assert part in text
    wrong = run("review", "judge", queue, f"{turn['turn']['number']}", "w", "--by", "Ben")
    assert (wrong.code, "'w' may be wrong kind, wrong target" in wrong.err) == (2, True)
    assert say(run, queue, turn["turn"]["number"], "wrong t", by="Ben")["said"]["verdict"] == "wrong target"
    assert "0 left for you" in run("review", "next", queue, "--by", "Cem").out


def written_hop(run: CommandLine, queue: str) -> dict[str, Any]:
    """The first hop of a queue that follows a reference, as it is handed out."""
    while turn := run("review", "next", queue, "--by", "Ann", "--json").json["turn"]:
        if turn["item"]["strategy"] == "citations":
            return dict(turn)
        say(run, queue, turn["number"], "useless")
    raise AssertionError("no hop follows a reference")


def followed(run: CommandLine, folder: Path) -> set[tuple[str, str, str]]:
    found = run("investigate", QUESTION, "--corpus", folder, "--preset", "detective", "--json").json
    trails = (trail for passage in found["passages"] for trail in passage["trails"])
    return {(hop["source"], hop["relation"], hop["target"]) for trail in trails for hop in trail}


def test_a_hop_judged_wrong_is_gone_from_the_next_case_and_there_again_once_taken_back(
    run: CommandLine, harbour_folder: Path, home: Path
) -> None:
    folder = home / "harbour"
    shutil.copytree(harbour_folder, folder)
    kept(run, folder, QUESTION, "--preset", "detective")
    none = [f"--{name}=0" for name in ("best", "border", "alone", "disagreed", "random")]
    queue = made(run, folder, *none, "--hops", "40", "--reviewers", "2")
    turn = written_hop(run, queue)
    item, judging = turn["item"], ("review", "judge", queue, f"{turn['number']}")
    hop = (item["source_id"], item["relation"], item["passage_id"])
    before = followed(run, folder)
    assert hop in before
    unnamed = run(*judging, "wrong target", "--by", "Ann").out
    assert "the link itself was not judged: name its corpus by --corpus\n" in unnamed
    assert followed(run, folder) == before
    assert "name its corpus by --corpus\n" in run("review", "undo", queue, "--by", "Ann").out
    there = ("--corpus", str(folder))
    told = run(*judging, "wrong target", "--by", "Ann", *there).out
    assert re.match(r"\d+ \S+ wrong target by Ann, .+\nthe next case leaves the link out\n", told)
    assert hop not in followed(run, folder)
    assert say(run, queue, turn["number"], "right", *there, by="Ben")["link"].startswith(
        "another reviewer has"
    )
    assert hop not in followed(run, folder)
    assert (
        "\nthe verdict on the link is withdrawn\n" in run("review", "undo", queue, "--by", "Ann", *there).out
    )
    assert followed(run, folder) == before
    assert say(run, queue, turn["number"], "right", *there)["link"] == "the link is confirmed"


def test_another_corpus_than_that_of_the_case_is_refused_before_anything_is_kept(
    run: CommandLine, harbour_folder: Path, sample_folder: Path, case_id: str
) -> None:
    queue = made(run, harbour_folder)
    done = run("review", "judge", queue, "0", "rel", "--by", "Ann", "--corpus", sample_folder)
    assert (done.code, "--corpus: the case was asked of" in done.err) == (2, True)
    assert run("review", "verdicts", "--queue", queue).out == ""
    assert say(run, queue, 0, "relevant", "--corpus", str(harbour_folder))["link"] == ""


def test_what_cannot_be_done_is_refused(
    run: CommandLine, harbour_folder: Path, case_id: str, subtests: pytest.Subtests
) -> None:
    queue = made(run, harbour_folder)
    new = ("queue", "--matter", "Harbour", "--corpus", str(harbour_folder))
    rows: tuple[tuple[tuple[str, ...], str], ...] = (
        ((*new, "--case", "x"), "there is no case 'x'"),
        ((*new, "--best", "-1"), "0 to 2,000"),
        (("list", "--matter", "Nowhere"), "there is no matter 'Nowhere'"),
        (("next", "nobody", "--by", "Ann"), "there is no queue 'nobody'"),
        (("judge", queue, "999", "r", "--by", "Ann"), "there is no item 999"),
        (("judge", queue, "0", "right", "--by", "Ann"), "'right' is no verdict on a passage; there are"),
        (("undo", queue, "--by", "Ann"), "Ann has given no verdict"),
        (("criteria", "--matter", "Harbour", "--file", "nothing.txt"), "cannot be read"),
        (("verdicts", "--outdated"), "name a --matter"),
        (("estimate", queue, "--partly", "2"), "--partly is 0 to 1"),
        (("estimate", queue, "--ranks", "0"), "--ranks at least 1"),
        (("delete", "nobody"), "there is no queue 'nobody'"),
    )
    for arguments, told in rows:
        with subtests.test(told, arguments=arguments):
            run.refused(told, "review", *arguments)


@pytest.mark.parametrize(
    ("letters", "kind", "verdict"),
    [
        ("R", ItemKind.PASSAGE, Verdict.RELEVANT),
        ("Not_Rel", ItemKind.PASSAGE, Verdict.IRRELEVANT),
        ("wrong-t", ItemKind.HOP, Verdict.WRONG_TARGET),
        ("wrong", ItemKind.SENTENCE, Verdict.WRONG),
        ("wrong", ItemKind.HOP, None),
    ],
)
def test_a_verdict_is_meant_by_its_first_letters_unless_another_has_them(
    letters: str, kind: ItemKind, verdict: Verdict | None
) -> None:
    if verdict:
        assert parse_verdict(letters, kind) is verdict
    else:
        with pytest.raises(InputError, match="may be"):
            parse_verdict(letters, kind)


def test_two_who_differ_and_a_third_who_is_asked(
    run: CommandLine, harbour_folder: Path, case_id: str
) -> None:
    queue = made(run, harbour_folder, "--best", "1", "--random", "0", "--border", "0", "--alone", "0",
                 "--disagreed", "0", "--reviewers", "2", "--assign", "Ann", "Ben")  # fmt: skip
    say(run, queue, 0, "r")
    say(run, queue, 0, "not", by="Ben")
    assert "0 of 1 judged, 1 to be settled\n" in run("review", "list").out
    assert run("review", "next", queue, "--by", "Cem", "--json").json["turn"] is None
    assert run("review", "assign", queue, "Cem").out == "Asked to review Review: Ann, Ben, Cem\n"
    assert run("review", "next", queue, "--by", "Cem", "--json").json["turn"]["number"] == 0
    say(run, queue, 0, "not", by="Cem")
    assert run("review", "list").out.endswith("1 of 1 judged\n")
