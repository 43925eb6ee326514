"""The commands ``extract`` and ``validations``, as a shell runs them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.corpus import open_corpus
from engine.corpus.extracted import Judgement, Validation, add_validation
from engine.extraction.checklist import checklist
from tests.engine.extraction.readers import honest, liar
from tests.engine.llm.server import ScriptedServer


@pytest.fixture(autouse=True)
def _no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REDSTRING_LLM", "REDSTRING_LLM_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folder(tmp_path: Path, harbour_folder: Path) -> Path:
    shutil.copytree(harbour_folder, tmp_path / "harbour")
    return tmp_path / "harbour"


def test_the_cost_is_told_and_nothing_is_sent(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer(honest) as server:
        flags = ["extract", "--corpus", str(folder), "--llm", server.spec]
        assert main([*flags, "--dry-run"]) == 0
        told = capsys.readouterr().out
        assert "windows of 3 documents are to be read" in told
        assert " USD." in told
        assert main([*flags, "--dry-run", "--json"]) == 0
        cost = json.loads(capsys.readouterr().out)["expected"]
        assert cost["windows"] == cost["at_most"]["calls"] > 0
        assert main(flags) == 2
        assert "add --yes" in capsys.readouterr().err
        assert server.requests == []


def test_it_reads_reports_and_reads_no_more(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer(liar) as server:
        flags = ["extract", "--corpus", str(folder), "--llm", server.spec, "--yes"]
        assert main([*flags, "--json", "--documents", "harbour-act"]) == 0
        report = json.loads(capsys.readouterr().out)["report"]
        assert (report["windows"], report["refused"]["quote not verbatim"]) == (1, 2)
        assert report["usage"]["prompt_tokens"] == server.counted.prompt_tokens
        assert main(flags) == 0
        told = capsys.readouterr().out
        assert "1 windows were read before" in told
        assert "Refused:" in told
        calls = len(server.requests)
        assert main(flags) == 0
        assert "nothing left to read" in capsys.readouterr().out
        assert len(server.requests) == calls


def test_a_budget_ends_a_run_and_the_shell_hears_of_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer(honest) as server:
        flags = ["extract", "--corpus", str(folder), "--llm", server.spec, "--yes"]
        assert main([*flags, "--calls", "1"]) == 1
        assert "another run goes on" in capsys.readouterr().err
        assert main([*flags, "--calls", "0"]) == 2
        assert "--calls: must be above 0" in capsys.readouterr().err


def test_without_a_model_it_says_what_is_missing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extract", "--corpus", str(folder), "--yes"]) == 2
    assert "no language model is named" in capsys.readouterr().err


def test_validations_need_no_model(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["validations", "--corpus", str(folder)]
    assert main(flags) == 0
    assert "None of them has been judged" in capsys.readouterr().out
    items = list(checklist(open_corpus(folder)).items.values())[:3]
    judgements = (Judgement.ACCEPTED, Judgement.ACCEPTED, Judgement.REJECTED)
    for item, judgement in zip(items, judgements, strict=True):
        add_validation(folder, Validation(proposal=item.proposal, origin=item.origin, judgement=judgement))
    assert main(flags) == 0
    assert "0.67 [0.21, 0.94]  2 accepted, 0 corrected, 1 rejected" in capsys.readouterr().out
    graph = tmp_path / "graph.graphml"
    assert main([*flags, "--json", "--graphml", str(graph)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["all"]["precision"] == pytest.approx(2 / 3)
    assert found["items"]["judged"] == 3
    assert found["graphml"]["edges"] > 3
    assert graph.read_text(encoding="utf-8").startswith("<?xml")
