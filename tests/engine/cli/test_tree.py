"""The command ``tree``: of a kept case and of a saved file, as text and as JSON."""

from __future__ import annotations

import re
from pathlib import Path

import orjson
import pytest

from tests.engine.command_line import CommandLine
from tests.engine.harbour import QUESTION

SMALL = ("--pool-size", "20")


@pytest.fixture
def case(run: CommandLine, harbour_folder: Path, tmp_path: Path) -> Path:
    """A saved case whose scan leaves something to find."""
    file = tmp_path / "case.json"
    assert run("investigate", QUESTION, "--corpus", harbour_folder, *SMALL, "--save", file).code == 0
    return file


def test_a_kept_case_and_its_file_have_one_tree(run: CommandLine, harbour_folder: Path, case: Path) -> None:
    done = run("investigate", QUESTION, "--corpus", harbour_folder, *SMALL, "--matter", "Harbour")
    (kept,) = re.findall(r"^Kept as case ([\w-]{22})$", done.err, re.M)
    assert run("tree", kept, "--json").json == run("tree", case, "--json").json
    assert run("tree", kept).out == run("tree", case).out


def test_the_text_begins_with_the_question_and_has_a_line_a_passage(
    run: CommandLine, harbour_folder: Path, case: Path
) -> None:
    pool = orjson.loads(case.read_bytes())["pool"]["nodes"]
    lines = run("tree", case, "--corpus", harbour_folder).out.splitlines()
    assert lines[0] == QUESTION
    assert len(lines) >= 1 + len(pool)
    assert all(re.match(r"[│ ]*[├└]─ \S", line) for line in lines[1:])
    assert sum(line.startswith("└─ ") for line in lines) == 1, "one is the last"
    assert not any(node["id"] in line for line in lines for node in pool), "the corpus names all of them"


def test_levels_are_cut_and_what_is_hidden_is_counted(run: CommandLine, case: Path) -> None:
    every = run("tree", case, "--json").json["nodes"]
    first = run("tree", case, "--depth", "1")
    assert [line for line in first.out.splitlines() if line.startswith(("├─ ", "└─ "))]
    hidden = re.findall(r"… (\d+) more below", first.out)
    assert sum(map(int, hidden)) == len([one for one in every if one["parent"] is not None])
    assert run("tree", case, "--depth", "0").out == f"{QUESTION}\n"


def test_what_came_of_a_passage(run: CommandLine, case: Path) -> None:
    nodes = run("tree", case, "--json").json["nodes"]
    best = max((one for one in nodes if one["kind"] == "passage"), key=lambda one: one["descendants"])
    told = run("tree", case, "--passage", best["id"], "--descendants", "--json").json
    assert told["count"] == best["descendants"] > 0
    assert sum(told["by_round"].values()) == sum(told["by_relation"].values()) == told["count"]
    assert told["nodes"][0]["parent"] is None
    assert len([one for one in told["nodes"] if one["parent"] == best["id"]]) == best["children"]
    only = run("tree", case, "--passage", best["id"], "--json").json["nodes"]
    assert only[0]["id"] == best["id"]
    assert len(only) == 1 + best["descendants"]


def test_figures(run: CommandLine, harbour_folder: Path, case: Path) -> None:
    told = run("tree", case, "--statistics", "--corpus", harbour_folder, "--json").json
    record = orjson.loads(case.read_bytes())
    assert told["passages"] == len(record["pool"]["nodes"])
    assert told["hops"] == len(record["pool"]["edges"])
    text = run("tree", case, "--statistics", "--corpus", harbour_folder).out
    assert "Harbour Act" in text
    assert "not known" in run("tree", case, "--statistics").out, "a record names what it ranked alone"


def test_what_cannot_be_drawn_is_refused_in_a_line(
    run: CommandLine, case: Path, subtests: pytest.Subtests
) -> None:
    broken, damaged = case.with_name("broken.json"), case.with_name("damaged.json")
    broken.write_text("{")
    record = orjson.loads(case.read_bytes())
    record["pool"]["edges"][0].pop("quote")
    damaged.write_bytes(orjson.dumps(record))
    rows: tuple[tuple[tuple[str | Path, ...], str], ...] = (
        (("nobody",), "there is no case 'nobody'"),
        ((case, "--passage", "nowhere"), "passage 'nowhere' is not in the pool"),
        ((case, "--depth", "-1"), "--depth is at least 0"),
        ((case, "--descendants"), "name it with --passage ID"),
        ((case, "--statistics", "--depth", "2"), "leave --passage and --depth out"),
        ((broken,), "not a saved investigation"),
        ((damaged,), "damaged: "),
    )
    for arguments, told in rows:
        with subtests.test(told, arguments=arguments):
            run.refused(told, "tree", *arguments)
