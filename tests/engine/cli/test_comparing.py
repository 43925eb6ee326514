"""The commands ``compare`` and ``regress``, as people type them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.ingestion.build import build_corpus
from tests.engine.command_line import CommandLine
from tests.engine.harbour import NOTHING, QUESTION, write_harbour


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


@pytest.fixture(scope="module")
def later_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The harbour's law when there is no remedy any more, under the same name."""
    root = tmp_path_factory.mktemp("later")
    sources = write_harbour(root / "sources", ontology=True)
    path = sources / "harbour.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("Against it an objection under Article 11 is open.", "There is none."), encoding="utf-8"
    )
    build_corpus([sources], root / "harbour", embedding="none", name="harbour")
    return root / "harbour"


def test_two_presets_stand_side_by_side(run: CommandLine, harbour_folder: Path) -> None:
    presets = ("--a", "preset=quick", "--b", "preset=detective")
    done = run("compare", QUESTION, "--corpus", harbour_folder, *presets)
    assert done.code == 0
    first, *_ = done.out.splitlines()
    assert first.count(" | ") == 1
    assert all(len(line) <= 120 for line in done.out.split("\n\n")[0].splitlines())
    assert "rounds: 1 before, 4 now" in done.out


def test_two_corpora(run: CommandLine, harbour_folder: Path, later_folder: Path) -> None:
    found = run("compare", QUESTION, "--corpus", harbour_folder, "--with-corpus", later_folder, "--json").json
    assert found["settings"] == []
    assert {cause["kind"] for cause in found["causes"]} == {"words", "link"}
    assert all("harbour-act/art-5" in cause["about"] for cause in found["causes"])
    gone = [link for link in found["links"] if link["change"] == "gone" and link["strategy"] == "citations"]
    assert {("harbour-act/art-5/para-2", "harbour-act/art-11/para-1")} <= {
        (link["source"], link["target"]) for link in gone
    }


def test_what_cannot_be_compared_is_refused(
    run: CommandLine, harbour_folder: Path, subtests: pytest.Subtests
) -> None:
    rows: tuple[tuple[tuple[str, ...], str], ...] = (
        ((), "say what differs"),
        (("--a", "rounds"), "'rounds' is no NAME=VALUE"),
        (("--a", "colour=red"), "'colour=red' is no NAME=VALUE"),
        (("--b", "rounds=many"), "rounds: "),
        (("--b", "preset=slow"), "slow"),
        (("--with-corpus", "/nowhere"), "nowhere"),
    )
    for more, told in rows:
        with subtests.test(told, arguments=more):
            run.refused(told, "compare", QUESTION, "--corpus", harbour_folder, *more)


def kept(run: CommandLine, folder: Path, *questions: str) -> None:
    for question in questions:
        assert run("investigate", question, "--corpus", folder, "--matter", "Harbour").code == 0


def test_saved_cases_are_tried_and_a_build_fails_where_they_are_worse(
    run: CommandLine, harbour_folder: Path, later_folder: Path, tmp_path: Path
) -> None:
    kept(run, harbour_folder, QUESTION, NOTHING)
    same = run("regress", "--corpus", harbour_folder, "--matter", "Harbour")
    assert same.code == 0
    assert "2 cases: 2 same" in same.out
    report = tmp_path / "report.json"
    run("regress", "--corpus", later_folder, "--report", report, "--max-lost", "9999")
    told = json.loads(report.read_text(encoding="utf-8"))
    assert len(told["cases"]) == 2
    lost = told["totals"]["lost"]
    markdown = tmp_path / "report.md"
    done = run("regress", "--corpus", later_folder, "--report", markdown, "--max-lost", str(lost))
    assert done.code == (1 if told["worse_than_allowed"] else 0)
    assert markdown.read_text(encoding="utf-8").startswith("# Saved cases on harbour\n")


def test_a_passage_that_is_lost_fails_the_build(
    run: CommandLine, harbour_folder: Path, tmp_path: Path
) -> None:
    sources = write_harbour(tmp_path / "sources", ontology=True)
    (sources / "pilotage.md").unlink()
    build_corpus([sources], tmp_path / "fewer", embedding="none", name="harbour")
    kept(run, harbour_folder, "Who takes a pilot?")
    done = run("regress", "--corpus", tmp_path / "fewer", "--json")
    assert done.code == 1
    assert done.err.startswith("redstring: worse than allowed: ")
    (case,) = done.json["cases"]
    assert case["verdict"] == "worse"
    assert all("Pilotage Regulation is no longer in the corpus" in move["why"] for move in case["lost"])


def test_what_cannot_be_tried_is_refused(
    run: CommandLine, harbour_folder: Path, subtests: pytest.Subtests
) -> None:
    rows: tuple[tuple[tuple[str, ...], str], ...] = (
        ((), "there are no cases that asked 'harbour'"),
        (("--matter", "Nowhere"), "there is no matter 'Nowhere'"),
        (("--records", "/nowhere"), "cannot be read"),
        (("--records", ".", "--matter", "M"), "not both"),
        (("--report", "r.pdf"), ".md or .json"),
        (("--max-lost", "-1"), "at least 0"),
    )
    for more, told in rows:
        with subtests.test(told, arguments=more):
            run.refused(told, "regress", "--corpus", harbour_folder, *more)
