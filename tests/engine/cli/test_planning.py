"""The command ``plan``, and investigations by an edited plan."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from tests.engine.command_line import CommandLine
from tests.engine.investigation.assistance.script import SUB_QUESTIONS, sensible
from tests.engine.llm.server import ScriptedServer

ASKED = "When are dues paid in advance, and who allocates a berth to a vessel since 2011?"


def test_a_plan_is_printed(run: CommandLine, harbour_folder: Path) -> None:
    done = run("plan", ASKED + " -zebra type:act", "--corpus", harbour_folder)
    assert (done.code, done.err) == (0, "")
    for words in ("Constraints: without “zebra”; type act", "year:2011..", "[x] literal 1: When"):
        assert words in done.out
    assert "[ ] feedback" in done.out, "what is left out is offered"
    assert "passages remain" in done.out


def test_an_edited_plan_is_used_and_saved(run: CommandLine, harbour_folder: Path, tmp_path: Path) -> None:
    plan = run("plan", ASKED, "--corpus", harbour_folder, "--json").json
    assert [view["name"] for view in plan["views"]][:3] == ["literal", "part", "part"]
    plan["views"] = [{"text": "warships pilot"}]
    plan["constraints"]["must_include"] = ["warships"]
    (tmp_path / "plan.json").write_bytes(orjson.dumps(plan))
    saved = tmp_path / "case.json"
    asked = ("investigate", ASKED, "--corpus", harbour_folder, "--json", "--plan")
    done = run(*asked, tmp_path / "plan.json", "--save", saved)
    assert done.code == 0, done.err
    assert done.json["plan"]["edited"]
    assert {passage["id"] for passage in done.json["passages"]} >= {"harbour-act/art-9"}
    assert [p["id"] for p in run(*asked, saved).json["passages"]] == [p["id"] for p in done.json["passages"]]


def test_what_cannot_be_planned(run: CommandLine, harbour_folder: Path, subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[str, tuple[str, ...], str], ...] = (
        ("berth year:soon", (), "year:soon: not a year"),
        ("-berth", (), "add what it is about"),
        ("berth", ("--model-tasks", "focus"), "model_tasks: 'focus' is no task"),
        ("berth", ("--query-strategy", "luck"), "query_strategy"),
    )
    for question, flags, told in rows:
        with subtests.test(question=question, flags=flags):
            run.refused(told, "plan", "--corpus", harbour_folder, *flags, "--", question)


BY_MODEL = ("--model-tasks", "sub-questions, gap-queries, sufficiency")


def test_a_plan_with_a_language_model_tells_what_it_costs(run: CommandLine, harbour_folder: Path) -> None:
    with ScriptedServer(sensible) as server:
        done = run(
            "plan", "Who salvages a wreck?", "--corpus", harbour_folder, "--llm", server.spec, *BY_MODEL
        )
        assert [asked.task for asked in server.requests] == [SUB_QUESTIONS]
    assert done.code == 0, done.err
    assert "[x] part 0.3: Which fine is due: Who salvages a wreck?" in done.out
    assert "Language model, at most: " in done.out
    assert "Language model, so far: 1 call, " in done.out


def test_an_investigation_with_a_language_model_tells_what_it_used(
    run: CommandLine, harbour_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDSTRING_LLM_CACHE", str(tmp_path / "answers"))
    saved = tmp_path / "case.json"
    with ScriptedServer(sensible) as server:
        asked = ("investigate", "Who salvages a wreck?", "--corpus", harbour_folder, "--save", saved)
        done = run(*asked, "--llm", server.spec, *BY_MODEL)
        sent = len(server.requests)
        assert sent >= 3
        again = run(*asked, "--llm", server.spec, *BY_MODEL, "--json")
        assert len(server.requests) == sent, "answers are kept: the same case asks nothing"
    assert done.code == 0, done.err
    assert f"Language model: {sent} calls, " in done.err
    assert "Round 2: " in done.err
    assert again.json["model"] == server.spec
    assert again.json["usage"][SUB_QUESTIONS]["reused"] == 1
    resumed = run(*asked[:4], "--resume", saved, "--json").json
    assert (resumed["usage"], resumed["model"]) == (again.json["usage"], "")
