"""Without a model nothing is missing, and nobody so much as tries to reach a network."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, SAMPLE

QUESTION = "Can a manager with limited authority grant an agent broader powers than those in the register?"
# As if a model were there: the deterministic fallbacks have to take over.
ASKED = ["--model-tasks", "sub-questions, hypothetical, gap-queries, sufficiency"]
# What is ingested, and what is added to it: two laws in four languages with their ontology are enough for
# every command to have something to do.
SOURCES = {
    "law": ("commercial-agency-code*.md", "commercial-register-act*.md", "ontology.yaml"),
    "more": ("circular-6-2021.md",),
}
CLAIMS = (
    "No person may confer by power of attorney broader powers than he holds himself. "
    "The objection deadline is ninety days. Ships must be painted blue."
)


@contextmanager
def listening() -> Iterator[tuple[str, list[str]]]:
    """A server that nobody should find: its address, and who knocked."""
    knocked: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        stopped = threading.Event()

        def accept() -> None:
            while not stopped.is_set():
                try:
                    connection, address = server.accept()
                except TimeoutError:
                    continue
                knocked.append(str(address))
                connection.close()

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}/v1", knocked
        finally:
            stopped.set()
            thread.join()


def surroundings(url: str, home: Path) -> dict[str, str]:
    """An environment as many people have it: a key for another tool, and an address."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("REDSTRING_")}
    return own | {
        "OPENAI_API_KEY": "sk-of-another-tool-0123456789abcdef",
        "OPENAI_BASE_URL": url,
        "REDSTRING_HOME": str(home),
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def run(
    commands: list[list[str]], folder: Path, found: bool = False
) -> tuple[list[dict[str, Any]], list[str]]:
    """The results of some commands in a process that is watched, and what it tried to reach. ``URL`` in a
    command is where the server listens; ``found`` says whether it is to be."""
    log, written = folder / "attempts.tsv", folder / "commands.json"
    log.touch()
    with listening() as (url, knocked):
        written.write_text(json.dumps(commands).replace("URL", url), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "tests.safety.watching", str(log), "engine", str(written)],
            cwd=ROOT,
            env=surroundings(url, folder / "home"),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert bool(knocked) is found
    return json.loads(done.stdout.splitlines()[-1]), log.read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def surface(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, Any]], list[str]]:
    """Everything the command line does, once, without a model; at last with vectors, by the default
    embedding, which is a package: nothing is looked up on a hub."""
    folder = tmp_path_factory.mktemp("offline")
    (folder / "claims.txt").write_text(CLAIMS, encoding="utf-8")
    corpus, at = str(folder / "corpus"), ["--corpus", str(folder / "corpus")]
    for name, patterns in SOURCES.items():
        (folder / name).mkdir()
        for pattern in patterns:
            for path in SAMPLE.glob(pattern):
                shutil.copy(path, folder / name)
    commands = [
        ["ingest", str(folder / "law"), "--corpus", corpus, "--embedding", "none", "--json"],
        ["add", str(folder / "more" / "circular-6-2021.md"), *at, "--json"],
        ["info", *at, "--json"],
        ["references", *at],
        ["plan", QUESTION, *at, *ASKED, "--json"],
        ["investigate", QUESTION, *at, *ASKED, "--save", str(folder / "case.json"), "--json"],
        ["investigate", QUESTION, *at, *ASKED, "--reranker", "llm", "--json"],
        ["answer", QUESTION, *at, *ASKED, "--json"],
        ["audit", str(folder / "claims.txt"), *at, "--as-of", "2026-01-01", "--json"],
        ["validations", *at, "--json"],
        ["extract", *at, "--dry-run"],
        ["model"],
        [
            "evaluate", *at, "--queries", str(SAMPLE / "queries.jsonl"), "--qrels", str(SAMPLE / "qrels.tsv"),
            "--limit", "3", "--preset", "quick", "--json",
        ],
        ["ingest", str(folder / "more"), "--corpus", str(folder / "vectors"), "--json"],
        ["answer", QUESTION, "--corpus", str(folder / "vectors"), "--json"],
    ]  # fmt: skip
    return run(commands, folder)


def test_nothing_is_reached_for(surface: tuple[list[dict[str, Any]], list[str]]) -> None:
    assert surface[1] == []


def test_everything_works_but_what_is_a_model(surface: tuple[list[dict[str, Any]], list[str]]) -> None:
    results, _ = surface
    *working, extract, model, evaluate, ingested, answered = results
    for result in (*working, evaluate, ingested, answered):
        assert result["code"] == 0, result["errors"]
        assert result["output"]
    for result in (extract, model):
        assert result["code"] != 0
        assert "language model" in result["errors"]
        assert "Traceback" not in result["errors"]
    report = json.loads(ingested["output"])
    assert (report["embedding"], report["not_embedded"]) == ("minilm", 0)


def test_what_a_model_would_do_its_fallback_does_and_says_so(
    surface: tuple[list[dict[str, Any]], list[str]],
) -> None:
    case = json.loads(surface[0][6]["output"])
    notes = " ".join(case["notes"])
    for task in ("sub-questions", "hypothetical passages", "reranking"):
        assert task in notes
    assert "no language model is connected" in notes
    assert case["ranking"] if "ranking" in case else case["passages"]


def test_the_watch_sees_a_connection(tmp_path: Path) -> None:
    """Where a model is named it is reached for, and both the hook and the server notice."""
    results, attempts = run([["model", "--llm", "openai:any@URL"]], tmp_path, found=True)
    assert results[0]["code"] == 1
    assert "sk-of-another-tool" not in results[0]["errors"] + results[0]["output"]
    assert any("socket.connect" in attempt for attempt in attempts)
