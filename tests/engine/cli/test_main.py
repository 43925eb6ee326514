"""The command line: one JSON object on standard output, one line for an error, exit codes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest

from engine.model import Relation, Status
from tests.engine.command_line import CommandLine
from tests.engine.endpoint import EmbeddingServer
from tests.engine.harbour import NOTHING, QUESTION, write_harbour
from tests.tables import tuples

ROOT = Path(__file__).parents[3]
QUERIES = """{"id": "q1", "text": "What interest do dues in arrears bear?"}
{"id": "q2", "text": "Who takes a pilot?"}
"""
QRELS = "query-id\tcorpus-id\tscore\nq1\tdues-act/art-5\t1\nq2\tharbour-act/art-6/para-1\t1\n"


@pytest.fixture
def gold(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "queries.jsonl").write_text(QUERIES, encoding="utf-8")
    (tmp_path / "qrels.tsv").write_text(QRELS, encoding="utf-8")
    return ("--queries", str(tmp_path / "queries.jsonl"), "--qrels", str(tmp_path / "qrels.tsv"))


def test_investigate_tells_its_story_on_standard_error(run: CommandLine, harbour_folder: Path) -> None:
    done = run("investigate", QUESTION, "--corpus", harbour_folder, "--top-k", "3")
    assert done.code == 0
    assert re.match(r"Plan: \d views of the question, language en, [\w-]+\nScan: ", done.err)
    assert "\nFinished: " in done.err
    assert done.out.count("  score ") == 3


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_a_question_that_finds_nothing_says_so(
    run: CommandLine, harbour_folder: Path, flags: tuple[str, ...]
) -> None:
    done = run("investigate", NOTHING, "--corpus", harbour_folder, *flags)
    assert done.code == 0
    if flags:
        assert done.json["passages"] == []
        assert done.json["message"] == "nothing in harbour answers this question"
    else:
        assert done.out == "Nothing in harbour answers this question.\n"


def test_a_context_for_a_model(run: CommandLine, harbour_folder: Path) -> None:
    ask = ("investigate", QUESTION, "--corpus", harbour_folder, "--top-k", "4", "--context")
    done = run(*ask, "1000")
    assert done.code == 0
    assert done.out.startswith(f"Question: {QUESTION}\n\n")
    assert "\n\n[1] " in done.out
    assert re.findall(r"^\[(\d)\] ", done.out, re.MULTILINE) == ["1", "3", "4", "2"]
    told = run(*ask, "1000", "--order", "rank", "--json").json
    assert [one["key"] for one in told["context"]["passages"]] == [1, 2, 3, 4]
    assert told["context"]["tokens"] <= 1000
    assert told["passages"]


def test_a_case_is_saved_and_carried_on(run: CommandLine, harbour_folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "case.json"
    ask = ("investigate", QUESTION, "--corpus", harbour_folder, "--json", "--rounds", "1")
    first = run(*ask, "--save", file)
    saved = orjson.loads(file.read_bytes())
    assert [event["kind"] for event in saved.pop("case")["events"]] == ["opened", "ran"]
    assert saved == first.json
    assert run("cases", "verify", file).code == 0
    second = run(*ask, "--resume", file)
    before = [node["id"] for node in first.json["pool"]["nodes"]]
    assert [node["id"] for node in second.json["pool"]["nodes"]][: len(before)] == before
    assert set(second.json["rounds"][1]["seeds"]).isdisjoint(first.json["rounds"][1]["seeds"])
    assert second.json["rounds"][1]["number"] > 1


def test_info_prints_one_object(run: CommandLine, harbour_folder: Path) -> None:
    done = run("info", "--corpus", harbour_folder, "--json")
    told = done.json
    assert (done.code, done.err) == (0, "")
    assert (told["documents"], told["passages"], told["embedding"]) == (3, 33, "none")
    assert told["languages"] == {"en": 33}
    assert told["references"]["by_relation"]["supersedes"] == 1
    assert sum(told["references"]["by_status"].values()) == sum(told["references"]["by_relation"].values())
    assert told["entities"] > 0
    assert run("info", "--corpus", harbour_folder).out.startswith("harbour: 3 documents, 33 passages\n")


def test_info_tells_an_entity_and_what_it_is_related_to(run: CommandLine, harbour_folder: Path) -> None:
    asked = ("info", "--corpus", harbour_folder, "--entity")
    (found,) = run(*asked, "harbour dues act", "--json").json["entities"]
    assert (found["name"], found["kind"]) == ("Harbour Dues Act", "title")
    lines = run(*asked, "Harbour Dues Act").out.splitlines()
    assert lines[0].startswith("Harbour Dues Act: title, score ")
    assert len([line for line in lines if line.startswith("  ")]) == len(found["related"])
    run.refused("no entity named 'nobody'", *asked, "nobody")


def test_references_are_five_columns(run: CommandLine, harbour_folder: Path) -> None:
    done = run("references", "--corpus", harbour_folder)
    rows = [line.split("\t") for line in done.out.splitlines()]
    assert done.code == 0
    assert rows
    assert {len(row) for row in rows} == {5}
    assert {row[2] for row in rows} <= set(Relation)
    assert {row[3] for row in rows} <= set(Status)
    expected = "Article 2 of the Harbour Dues Act"
    assert ["harbour-act/art-3/para-3", "dues-act/art-2/para-1", "cites", "resolved", expected] in rows


def test_ingest(run: CommandLine, tmp_path: Path) -> None:
    sources = write_harbour(tmp_path / "sources", ontology=True)
    (sources / "blank.md").write_text("\n", encoding="utf-8")
    told = run("ingest", sources, "--corpus", tmp_path / "law", "--embedding", "none", "--json").json
    assert (told["documents"], told["passages"], told["embedding"]) == (3, 33, "none")
    (problem,) = told["problems"]
    assert problem["path"].endswith("blank.md")
    assert run("info", "--corpus", tmp_path / "law", "--json").json["passages"] == 33


def test_a_corpus_is_changed_in_place(run: CommandLine, harbour_folder: Path, tmp_path: Path) -> None:
    pier, law = tmp_path / "pier.md", Path(shutil.copytree(harbour_folder, tmp_path / "law"))
    pier.write_text("---\nid: pier\n---\n# Pier\n\nA pier.")
    added = run("add", pier, "--corpus", law, "--json").json
    assert (added["documents"], added["files"][-1]["status"]) == (4, "read")
    removed = run("remove", "pier", "--corpus", law)
    assert removed.out.startswith("harbour: 3 documents, ")
    run.refused("no document 'pier' in the corpus", "remove", "pier", "--corpus", law)
    run.refused("--deadline", "add", pier, "--corpus", law, "--deadline", "0")
    run.refused("no address", "add", pier, "--corpus", law, "--cluster", "here")
    run.refused("--blocks was removed", "add", pier, "--corpus", law, "--blocks", "s3://b")


def test_a_corpus_gets_its_vectors(run: CommandLine, tmp_path: Path) -> None:
    sources, law = write_harbour(tmp_path / "sources", ontology=False), tmp_path / "law"
    assert run("ingest", sources, "--corpus", law, "--embedding", "none").code == 0
    with EmbeddingServer() as server:
        spec = f"{server.spec}?languages=en"
        told = run("embed", "--corpus", law, "--embedding", spec, "--json").json
        assert (told["embedding"], told["embedded"]) == (spec, told["passages"] - told["not_embedded"])
        asked = len(server.requests)
        again = run("embed", "--corpus", law)
        assert (again.code, again.out) == (0, "The corpus has all its vectors already.\n")
        assert len(server.requests) == asked
    other = f"{server.spec}?languages=fi"
    run.refused("reads none of the languages", "embed", "--corpus", law, "--embedding", other)


UNUSABLE: Sequence[tuple[tuple[str, ...], str]] = tuples(__file__, "UNUSABLE")


@pytest.mark.parametrize("command", sorted({arguments[0] for arguments, _ in UNUSABLE}))
def test_what_cannot_be_used_is_refused_in_one_line(
    run: CommandLine,
    harbour_folder: Path,
    tmp_path: Path,
    gold: tuple[str, ...],
    subtests: pytest.Subtests,
    command: str,
) -> None:
    names = {"HARBOUR": str(harbour_folder), "SOURCES": str(ROOT / "sample_data")}
    nowhere = tmp_path / "nowhere"
    for arguments, message in UNUSABLE:
        if arguments[0] != command:
            continue
        given: list[str] = []
        for argument in arguments:
            place = names.get(argument, argument).replace("NOWHERE", str(nowhere))
            given += gold if argument == "GOLD" else [place]
        with subtests.test(message, arguments=arguments):
            run.refused(message.replace("NOWHERE", str(nowhere)), *given)
            assert not nowhere.exists()


def test_a_case_that_cannot_be_saved_is_an_error(
    run: CommandLine, harbour_folder: Path, tmp_path: Path
) -> None:
    done = run("investigate", "q", "--corpus", harbour_folder, "--save", tmp_path / "nowhere" / "x.json")
    assert (done.code, done.out) == (2, "")
    assert "cannot write" in done.err.splitlines()[-1]


def test_a_model_that_cannot_be_had_is_a_failure_of_its_own(
    run: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    sources = write_harbour(tmp_path / "sources", ontology=False)
    done = run("ingest", sources, "--corpus", tmp_path / "law", "--embedding", "openai:m", "--json")
    assert (done.code, done.out) == (1, "")
    assert "OPENAI_API_KEY is not set" in done.err.splitlines()[-1]


def test_as_a_program_even_if_nobody_reads_to_the_end(harbour_folder: Path) -> None:
    command = [sys.executable, "-m", "engine", "references", "--corpus", str(harbour_folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.count("\t") == 4 * len(done.stdout.splitlines())
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        cut = subprocess.run(command, cwd=ROOT, stdout=closed, stderr=subprocess.PIPE, check=False)
    assert cut.stderr == b""


# What takes a good part of a second to load, and what a command may need only once it is at work.
HEAVY = {
    *("torch", "transformers", "sentence_transformers", "sklearn", "numba", "scipy.sparse", "faiss"),
    *("pandas", "networkx", "plotly", "gradio", "openai", "lxml", "pypdfium2", "bm25s"),
}


# In turn in one process: what one of them loads stands in the lines of those behind it, too.
READ_ONLY = (
    "import engine",
    "sys.argv[1:] = ['--help']; runpy.run_module('engine', run_name='__main__')",
    "sys.argv[1:] = ['--help']; import ui.command; ui.command.main()",
)


def test_a_command_line_that_is_only_read_loads_nothing_heavy() -> None:
    program = "import runpy, sys\n" + "".join(
        f"try:\n {one}\nexcept SystemExit: pass\nprint(*sys.modules, file=sys.stderr)\n" for one in READ_ONLY
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = [set(line.split()) for line in done.stderr.splitlines()]
    assert len(loaded) == len(READ_ONLY)
    assert [HEAVY & modules for modules in loaded] == [set()] * len(READ_ONLY)
    assert "engine" in loaded[0]
