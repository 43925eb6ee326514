"""``review export`` and ``review import``: verdicts go out, and come into another store, once and whole."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd  # type: ignore[import-untyped]
import pytest

from tests.engine.cli.test_cases import kept
from tests.engine.cli.test_review import made, say
from tests.engine.command_line import CommandLine, made_once
from tests.engine.harbour import QUESTION

HEAD = "case_id,passage_id,verdict,reviewer,at\n"


@pytest.fixture
def case_id(run: CommandLine, harbour_folder: Path, home: Path, held: Path) -> str:
    save = ("--save", str(home / "case.json"))
    return made_once(held / "case", home, lambda: kept(run, harbour_folder, QUESTION, *save))


@pytest.fixture
def queue(run: CommandLine, harbour_folder: Path, home: Path, held: Path, case_id: str) -> str:
    """A queue of passages and hops, of which two reviewers have judged some."""
    return made_once(held / "queue", home, lambda: judged(run, harbour_folder))


def judged(run: CommandLine, harbour_folder: Path) -> str:
    queue = made(run, harbour_folder, "--hops", "2", "--reviewers", "2")
    say(run, queue, 0, "relevant", "--note", "=1+1")
    say(run, queue, 0, "not", "--reason", 'a "b"; c', by="Bén عمر")
    say(run, queue, 1, "partly", "--note", "two\nlines")
    say(run, queue, 2, "later")
    say(run, queue, 0, "partly", "--settle", by="Lead")
    for number in range(3, 20):
        turn = run("review", "next", queue, "--by", "Cem", "--json").json["turn"]
        if turn["item"]["kind"] == "hop":
            say(run, queue, turn["number"], "wrong kind", by="Cem")
            break
        say(run, queue, turn["number"], "partly" if number % 2 else "not", by="Cem")
    return queue


def test_to_another_machine_and_back(
    run: CommandLine, harbour_folder: Path, queue: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, table = home / "v", home / "v.csv"
    done = run("review", "export", "--queue", queue, "--format", "jsonl", "--out", out, "--json")
    assert done.json["bytes"] == out.stat().st_size
    run("review", "export", "--matter", "Harbour", "--format", "csv", "--out", table)
    before = table.read_bytes()
    assert run("review", "import", out, "--format", "jsonl", "--queue", queue, "--json").json["kept"] == 0
    monkeypatch.setenv("REDSTRING_HOME", str(home / "elsewhere"))
    run("cases", "import", home / "case.json", "--matter", "There")
    bring = ("review", "import", out, "--format", "jsonl", "--matter", "There", "--corpus", harbour_folder)
    told = run(*bring, "--json").json
    assert told == {"kept": done.json["verdicts"], "known": 0, "older": 0, "reworded": 0, "missing": 0}
    assert run(*bring).out == f"0 verdicts kept\n{told['kept']} were here before\n"
    again = run("review", "export", "--matter", "There", "--format", "csv", "--out", table)
    assert again.out == f"{table}: {len(before):,} bytes, of {told['kept']} verdicts\n"
    assert sorted(table.read_bytes().splitlines()) == sorted(before.splitlines())


def test_judgements_of_a_collection(
    run: CommandLine, harbour_folder: Path, queue: str, case_id: str, home: Path
) -> None:
    out = home / "v.qrels"
    run("review", "export", "--case", case_id, "--format", "qrels", "--out", out)
    lines = out.read_text().splitlines()
    # Relevant, not relevant and partly: the lower median.
    assert lines[0].endswith(" 1")
    bring = ("review", "import", out, "--format", "qrels", "--case", case_id, "--corpus", harbour_folder)
    refused = run(*bring)
    assert (refused.code, refused.err) == (
        2, f"redstring: {out}, line 1: no reviewer: name one (--by)\n"
    )  # fmt: skip
    out.write_text(out.read_text() + f"{lines[0].split()[0]} 0 nowhere 2\nq17 0 {lines[0].split()[2]} 2\n")
    told = run(*bring, "--by", "Pool").out.splitlines()
    assert told[0] == f"{len(lines)} verdicts kept"
    last = len(lines) + 1
    assert told[1] == (
        f"2 are on items that are not here: line {last}, nowhere; line {last + 1}, {lines[0].split()[2]}"
    )
    assert run(*bring, "--by", "Pool").out.startswith(f"0 verdicts kept\n{len(lines)} were here before\n")


def test_to_standard_output_a_link_and_over_a_file(run: CommandLine, queue: str, home: Path) -> None:
    file, link = home / "file.csv", home / "link.csv"
    file.write_text("mine")
    link.symlink_to(file)
    csv = ("review", "export", "--queue", queue, "--format", "csv")
    run(*csv, "--out", link)
    # What a link leads to is nobody's to overwrite: the link gives way.
    assert (file.read_text(), link.is_symlink()) == ("mine", False)
    run(*csv, "--out", file)
    assert file.read_bytes() == link.read_bytes()
    assert len(pd.read_csv(file)) > 3
    pipe = home / "pipe"
    os.mkfifo(pipe)
    for place in (pipe, home, home / "no" / "file.csv"):
        done = run(*csv, "--out", place)
        assert (done.code, done.err.startswith(f"redstring: cannot write {place}: ")) == (2, True)
    assert pipe.is_fifo()


def test_what_cannot_be_done_is_refused(
    run: CommandLine, harbour_folder: Path, case_id: str, home: Path, subtests: pytest.Subtests
) -> None:
    empty = home / "empty.csv"
    empty.write_text(HEAD)
    taken, given = ("import", str(empty), "--format", "csv"), ("export", "--matter", "Harbour", "--format")
    rows: tuple[tuple[tuple[str, ...], str], ...] = (
        (("export", "--queue", "nobody", "--format", "csv"), "there is no queue 'nobody'"),
        ((*given, "xls"), "unknown format 'xls'"),
        ((*given, "binary-qrels"), "binary-qrels can only be read"),
        ((*given, "qrels"), "no passage has been judged"),
        ((*taken, "--queue", "nobody"), "there is no queue 'nobody'"),
        ((*taken, "--matter", "Harbour"), "--corpus: name the corpus"),
        ((*taken, "--case", "x", "--corpus", str(harbour_folder)), "there is no case 'x'"),
        (("import", "none.csv", "--format", "csv", "--matter", "Harbour"), "none.csv: cannot be read"),
    )
    for arguments, told in rows:
        with subtests.test(told, arguments=arguments):
            run.refused(told, "review", *arguments)
