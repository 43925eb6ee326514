"""What the process of an ingestion is given: an environment made for it, its own folders, bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.operator_settings import OperatorSettings
from ui.corpus import ingesting
from ui.corpus.orders import Order
from ui.jobs.job import Job, Owner
from ui.jobs.process import Program

SECRET = "sk-of-the-operator-0123456789"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """The program of an ingestion on a server with keys; it is not run."""
    for name in ("OPENAI_API_KEY", "REDSTRING_LLM_KEY", "HF_TOKEN", "HTTPS_PROXY", "LD_PRELOAD"):
        monkeypatch.setenv(name, SECRET)
    seen: list[Program] = []

    def run(program: Program, *others: object) -> str:
        seen.append(program)
        return "seen"

    monkeypatch.setattr(ingesting, "run", run)
    (tmp_path / "workspace").mkdir()
    order = Order(kind="create", folder=tmp_path / "home" / "visitors" / "one" / "corpus", name="Mine")
    job = Job("1", Owner("one"), ingesting.Ingestion(order, tmp_path / "workspace"))
    with pytest.raises(InputError, match="seen"):
        ingesting.ingest(job, OperatorSettings())
    return seen[0]


def test_its_environment_is_made_for_it(program: Program) -> None:
    assert SECRET not in str(program.environment)
    assert program.environment["HF_HUB_OFFLINE"] == program.environment["PYTHONSAFEPATH"] == "1"
    assert Path(program.environment["HOME"]).is_relative_to(program.folder.parent)


def test_it_reads_its_workspace_and_writes_its_corpus(program: Program, tmp_path: Path) -> None:
    read, write = ([Path(path) for path in paths] for paths in (program.policy.read, program.policy.write))
    assert program.folder in read
    for other in (tmp_path / "home" / "visitors" / "other", tmp_path / "home" / "corpora", Path.home()):
        assert not any(other.is_relative_to(path) for path in (*read, *write))
    assert write == [
        tmp_path / "home" / "visitors" / "one" / "corpus", tmp_path / "workspace" / "scratch",
    ]  # fmt: skip


def test_it_is_bounded(program: Program) -> None:
    policy, bounds = program.policy, program.bounds
    assert all((policy.memory, policy.file_bytes, policy.cpu, policy.processes))
    assert all((bounds.memory, bounds.disk, bounds.cpu, bounds.processes))
