"""What the process of an ingestion is given: an environment made for it, its own folders, bounds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.operator_settings import OperatorSettings
from ui.corpus import ingestion as ingesting
from ui.corpus.orders import Order
from ui.server.jobs import Job, Owner
from ui.server.process import Program

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


# Models that a manifest may name: folders of the server, names of the hub, addresses.
NAMED = (
    *("st:/", "st://", "st:/etc", "st:/root", "st:/home", "st:/proc", "st:/var/lib", "st:/tmp"),
    *("st:/usr/../etc", "st:/?languages=en", "st:/etc?passage=a", "st:/etc/passwd", "st:/.", "st:/../"),
    *("st:/srv/models/../keys", "st:/models/other", "st:", "st:org/model", "st:..", "st:../..", "st:~"),
    *("st:./home", "st:org/model?languages=en", "openai:m", "openai:text-embedding-3-large"),
    *("openai:m?languages=en", "openai:m@https://a.example", "openai:m@http://127.0.0.1:9/v1"),
    *("openai:m@http://169.254.169.254/v1", "openai:m@http://[::1]/v1", "openai:ours", "st:ours"),
)


def test_a_worker_gets_no_folder_and_no_endpoint_that_its_own_corpus_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that was taken over writes the manifest that the next one is started by."""
    home = tmp_path / "home"
    own = "http://10.0.0.7/v1"
    monkeypatch.setenv("REDSTRING_EMBEDDING_URL", own)
    settings = OperatorSettings(home=home, embeddings=("st:/models/offered", f"ours=openai:m@{own}"))
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    relayed: list[str] = []
    seen: list[Program] = []

    def run(program: Program, *others: object) -> str:
        seen.append(program)
        return "seen"

    monkeypatch.setattr(ingesting, "run", run)
    monkeypatch.setattr(ingesting, "Relay", lambda spec, characters: relayed.append(spec))
    (tmp_path / "workspace").mkdir()

    def read(spec: str, folder: Path) -> set[str]:
        shutil.rmtree(tmp_path / "workspace" / "program", ignore_errors=True)
        order = Order(kind="add", folder=folder, name="Mine", embedding=spec)
        given = ingesting.Ingestion(order, tmp_path / "workspace", (spec, spec, "none"))
        with pytest.raises(InputError, match="seen"):
            ingesting.run_order(Job("1", Owner("one"), given), settings)
        return set(seen[-1].policy.read)

    mine, given = home / "visitors" / "one" / "corpus", tmp_path / "given"
    usual = read("none", mine)
    assert len(NAMED) >= 30
    for spec in NAMED:
        assert read(spec, mine) == usual, spec
        assert relayed[-1] == "none", spec
    # What the operator offers, and what the operator's own corpus has, is used as before.
    assert read("st:/models/offered", mine) == usual | {"/models/offered"}
    assert read("st:/models/other", given) == usual | {"/models/other"}
    read(f"openai:m@{own}", mine)
    assert relayed[-1] == f"openai:m@{own}"


def test_a_worker_does_not_read_the_token_of_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    for other in ("HF_HUB_CACHE", "SENTENCE_TRANSFORMERS_HOME"):
        monkeypatch.delenv(other, raising=False)
    assert ingesting.model_folders("st:org/model") == [str(tmp_path / "hub")]


def test_it_is_bounded(program: Program) -> None:
    policy, bounds = program.policy, program.bounds
    assert all((policy.memory, policy.file_bytes, policy.cpu, policy.processes))
    assert all((bounds.memory, bounds.disk, bounds.cpu, bounds.processes))
