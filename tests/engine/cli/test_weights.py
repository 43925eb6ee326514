"""The command ``weights``, on the sample without vectors: verdicts teach the same way."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from shutil import copytree

import pytest

from engine.corpus import open_corpus
from engine.investigation.ranking.additive import adopted_weights, keep_weights
from engine.records.store.store import CaseStore
from engine.review.model import Verdict
from engine.review.store import ReviewStore
from tests.engine.command_line import CommandLine, made_once
from tests.engine.investigation.test_weights import lifting

QUESTIONS = (
    "Can a manager with limited authority grant broader powers than the register?",
    "May a manager whose authority is limited confer wider powers on an agent?",
    "What may an agent be granted by a manager with limited powers?",
    "How far may a manager with limited authority let an agent act with powers?",
    "Are powers valid that are broader than what the manager holds?",
    "Which powers can a manager not confer on an agent?",
)
# Among the first eight of five, and first of none.
RELEVANT = "commercial-agency-code/art-15/para-1"


@pytest.fixture
def corpus(sample_folder: Path, tmp_path: Path) -> Path:
    copytree(sample_folder, tmp_path / "meridia")
    return tmp_path / "meridia"


def reviewed(run: CommandLine, corpus: Path, home: Path) -> str:
    """Six cases that ask much the same, of each of which one passage is called relevant, seven are not."""
    for question in QUESTIONS:
        asked = run("investigate", question, "--corpus", corpus, "--preset", "quick", "--matter", "Agency")
        assert asked.code == 0
    none = ("--border", "0", "--alone", "0", "--disagreed", "0", "--random", "0")
    made = run("review", "queue", "--matter", "Agency", "--corpus", corpus, "--best", "8", *none, "--json")
    queue = str(made.json["id"])
    # Through the store: the command that judges has tests of its own, and 96 of it take ten seconds.
    with closing(ReviewStore(f"sqlite:///{home / 'cases.sqlite'}")) as reviews:
        for one in reviews.items(queue).values():
            verdict = Verdict.RELEVANT if one.item.passage_id == RELEVANT else Verdict.IRRELEVANT
            reviews.judge(one.item, verdict, reviewer="Ann", queue=queue)
    return queue


def test_weights_of_a_matter_rank_its_cases_alone(
    run: CommandLine, corpus: Path, tmp_path: Path, held: Path
) -> None:
    made_once(held / "reviewed", tmp_path, lambda: reviewed(run, corpus, tmp_path))
    of = ("--corpus", corpus, "--matter", "Agency")
    learned = run("weights", "learn", *of, "--preset", "quick", "--by", "Ann")
    assert "--matter Agency` does that" in learned.out
    (kept,) = run("weights", "list", *of, "--json").json["weights"]
    assert kept["by"] == "Ann"
    # Each question by its case; its words are not written down a second time.
    moved = [*kept["figures"]["up"], *kept["figures"]["down"]]
    assert moved
    assert all(one["case"] for one in moved)
    assert not any(question in str(kept) for question in QUESTIONS)
    assert run("weights", "list", "--corpus", corpus).out == "ranked by: the shipped weights\n"
    assert run("weights", "adopt", kept["id"], *of).out.startswith(f"ranked by: {kept['id']}")

    def weights_of(*more: str) -> str:
        done = run("investigate", QUESTIONS[0], "--corpus", corpus, "--preset", "quick", *more, "--json")
        return str(done.json.get("weights", ""))

    assert weights_of("--matter", "Agency") == kept["id"]
    assert weights_of("--matter", "Taxes") == weights_of() == ""
    newest = run("cases", "list", "--matter", "Agency", "--json").json["cases"][0]["id"]
    assert run("cases", "replay", newest, "--corpus", corpus, "--json").json["same"]
    # In another matter it is not known by what it was ranked.
    with closing(CaseStore(f"sqlite:///{tmp_path / 'cases.sqlite'}")) as store:
        store.move(newest, store.matter("Taxes"), who="Ann")
    assert not run("cases", "replay", newest, "--corpus", corpus, "--json").json["same"]
    assert "reset the ranking first" in run("weights", "delete", kept["id"], *of).err
    assert run("weights", "ship", *of).out.startswith("ranked by: the corpus's own")
    assert run("weights", "delete", kept["id"], *of).out == "ranked by: the corpus's own\n"
    assert weights_of("--matter", "Agency") == ""


def test_weights_are_listed_adopted_and_gone_back_from(run: CommandLine, corpus: Path) -> None:
    opened = open_corpus(corpus)
    keep_weights(opened, lifting(RELEVANT), {"verdicts": 1}, reviewer="Ann")
    assert run("weights", "list", "--corpus", corpus).out.splitlines()[0] == "ranked by: the shipped weights"
    assert run("weights", "adopt", "lifted", "--corpus", corpus).out.startswith("ranked by: lifted")
    assert adopted_weights(open_corpus(corpus)) == "lifted"
    assert "lifted" in run("weights", "list", "--corpus", corpus).out.splitlines()[0]
    assert run("weights", "ship", "--corpus", corpus).out.startswith("ranked by: the shipped weights")


def test_what_cannot_be_adopted_is_said(run: CommandLine, corpus: Path) -> None:
    for given in ("none-such", ""):
        done = run("weights", "adopt", given, "--corpus", corpus)
        assert (done.code, done.out) == (2, "")
        assert "weights" in done.err
    done = run("weights", "learn", "--corpus", corpus, "--matter", "Nowhere")
    assert (done.code, done.out) == (2, "")
