"""The command ``ontology``."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import pytest

from tests.engine.command_line import CommandLine


def test_rules_are_applied_to_facts(run: CommandLine, sample_folder: Path) -> None:
    given = ("--fact", "authority=50,000", "--fact", "scope=200000", "--fact", "special_resolution=no")
    done = run("ontology", "--corpus", sample_folder, "rules", *given, "--transaction", "power-of-attorney")
    assert "No broader powers -> holds: without effect" in done.out
    assert "Article 14(2): (2) A manager of a company may not confer" in done.out
    assert "Objection out of time" not in done.out
    then = (*given, "--as-of", "2023-05-01", "--json")
    found = run("ontology", "--corpus", sample_folder, "rules", *then).json
    by_id = {one["rule"]: one for one in found["outcomes"]}
    assert "not yet in force" in by_id["sub-delegation-not-permitted"]["warnings"][0]
    question = "It was delivered on 10 January 2024."
    done = run("ontology", "--corpus", sample_folder, "rules", "--question", question)
    assert "--fact delivered='2024-01-10'" in done.out
    assert "Objection out of time -> needs Day of delivery" in done.out, "nothing is applied silently"


def test_what_cannot_be_done_is_refused_in_one_line(
    run: CommandLine, sample_folder: Path, subtests: pytest.Subtests
) -> None:
    rows: tuple[tuple[tuple[str, ...], str], ...] = (
        (("rules", "--fact", "authority"), "write NAME=VALUE"),
        (("rules", "--fact", "reach=3"), "unknown fact 'reach'"),
        (("rules", "--fact", "authority=lots"), "authority: 'lots' is not"),
        (("rules", "--fact", "scope=1", "--fact", "scope=2"), "has two values"),
        (("rules", "--as-of", "soon"), "--as-of: not a day"),
        (("rules", "--transaction", "sale"), "unknown transaction type 'sale'"),
        (("apply",), "give a FILE"),
        (("apply", "nowhere.yaml"), "nowhere.yaml: cannot be opened"),
        (("check", "nowhere.yaml"), "nowhere.yaml: cannot be opened"),
        (("graph",), "graph: give a --question, or nodes by --around"),
        (("graph", "--around", "concept:nix"), "Republic of Meridia has no node 'concept:nix'"),
        (("graph", "--question", "objection", "--depth", "9"), "depth: a number from 1 to 4 (given: 9)"),
        (("graph", "--question", "objection", "--out", "x.txt"), "must end with .graphml or .json"),
    )
    for arguments, words in rows:
        with subtests.test(words, arguments=arguments):
            run.refused(words, "ontology", "--corpus", sample_folder, *arguments)


def test_the_graph_around_a_question_and_around_nodes(
    run: CommandLine, sample_folder: Path, tmp_path: Path
) -> None:
    graph = ("ontology", "--corpus", sample_folder, "graph")
    done = run(*graph, "--question", "When does the objection period end?", "--most", "8")
    assert done.out.startswith("1.00  concept: Objection period  [concept:objection-period], asked for\n")
    told = run(*graph, "--around", "concept:objection", "--depth", "1", "--json").json
    assert told["anchors"] == ["concept:objection"]
    assert {node["hops"] for node in told["nodes"]} == {0, 1}
    file = tmp_path / "graph.graphml"
    assert run(*graph, "--around", "concept:objection", "--out", file).code == 0
    read = nx.read_graphml(file)
    assert read.nodes["concept:objection"]["kind"] == "concept"
    assert run(*graph, "--around", "concept:objection", "--out", tmp_path / "g.json").code == 0
    assert json.loads((tmp_path / "g.json").read_text(encoding="utf-8"))["words"]


def test_check_tells_the_hierarchy_and_what_is_missing(
    run: CommandLine, sample_folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "ontology.yaml"
    file.write_text(
        "areas: [{id: a}]\ntransactions: {t: {areas: {a: 4}}}\n"
        "concepts: [{id: x}, {id: y, parent: x, articles: [Article 999 of the Tax Procedure Act]}]\n",
        encoding="utf-8",
    )
    out = run("ontology", "--corpus", sample_folder, "check", file).out
    assert "transaction t needs passages: a 4\n" in out
    assert "wrong: concept y: articles: Article 999 of the Tax Procedure Act: this corpus has no" in out
    file.write_text("concepts: [{id: x, parent: y}, {id: y, parent: x}]\n", encoding="utf-8")
    assert "form a cycle: x under y under x" in run("ontology", "--corpus", sample_folder, "check", file).err
