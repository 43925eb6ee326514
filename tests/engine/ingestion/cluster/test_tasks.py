"""What a worker answers, with its real processes and without Dask around it."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest

from engine.corpus.embedded.block import block_from
from engine.ingestion.cluster.content import content_of
from engine.ingestion.cluster.corpus import corpus_of, request_for
from engine.ingestion.cluster.messages import (
    Analyse,
    Answer,
    Body,
    Broken,
    Brought,
    Lacking,
    Lacks,
    Made,
    More,
    Read,
    Request,
    Setup,
)
from engine.ingestion.cluster.tasks import answered, end_run
from engine.ingestion.readers.base import SourceFile
from engine.ingestion.reading import Batch, FileToRead
from engine.ingestion.view import CorpusView
from engine.ingestion.workers import Limits
from tests.engine.ingestion.cluster.dask_cluster import HOST_MODULE
from tests.engine.ingestion.cluster.hostile import HostileReader

SETUP = Setup(frozenset(), "1", headings=True, limits=Limits(deadline=2, patience=1), blocks=None, margin=100)
RUN = "of-this-test"


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a worker whose one ingestion all tests are of; at its end nothing is left."""
    folder = tmp_path_factory.mktemp("worker")
    yield folder
    end_run(RUN)
    assert list(folder.iterdir()) == []
    assert hosts() == []


def hosts() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if HOST_MODULE in child.cmdline()]


def asked(worker: Path, body: Body, setup: Setup | None = SETUP) -> Answer:
    return answered(Request(RUN, setup, body), str(worker))


def read(folder: Path, order: str, skip: int = 0) -> Read:
    path = folder / f"{order}.evil"
    path.write_text(order)
    source = SourceFile(path)
    file = FileToRead(0, source, HostileReader(), "key")
    return Read(f"session-{order}-{skip}", file, content_of(source, None), skip)


def test_a_file_becomes_batches_and_these_blocks(tmp_path: Path, worker: Path) -> None:
    brought = asked(worker, read(tmp_path, "good"))
    assert isinstance(brought, Brought)
    assert (brought.is_end, brought.failure) == (True, None)
    (batch,) = brought.items
    assert isinstance(batch, Batch)
    first, again = asked(worker, Analyse(batch)), asked(worker, Analyse(batch), None)
    assert isinstance(first, Made)
    assert isinstance(again, Made)
    assert first.content == again.content
    assert first.content is not None
    assert hashlib.sha256(first.content).digest() == first.digest


def test_references_are_resolved_once_the_corpus_is_told(tmp_path: Path, worker: Path) -> None:
    brought = asked(worker, read(tmp_path, "good"))
    assert isinstance(brought, Brought)
    (batch,) = brought.items
    assert isinstance(batch, Batch)
    made = asked(worker, Analyse(batch))
    assert isinstance(made, Made)
    assert made.content is not None
    view = CorpusView([block_from(np.frombuffer(made.content, np.uint8), "block")])
    request = request_for(view, ["block"], 0)
    assert asked(worker, request) == Lacks(Lacking.SETUP)
    told = replace(SETUP, corpus=pickle.dumps(corpus_of(view, ["block"], "1")))
    first, again = asked(worker, request, told), asked(worker, request, None)
    assert isinstance(first, Made)
    assert isinstance(again, Made)
    assert first.failure is None
    assert first.content == again.content
    failed = asked(worker, replace(request, own={}), None)
    assert isinstance(failed, Made)
    assert failed.failure is not None
    assert failed.failure.startswith("failed: KeyError")


def test_what_a_worker_lacks_is_told(tmp_path: Path, worker: Path) -> None:
    request = read(tmp_path, "good")
    assert answered(Request("another", None, request), str(worker)) == Lacks(Lacking.SETUP)
    assert asked(worker, More("none")) == Lacks(Lacking.SESSION)
    (tmp_path / "good.evil").unlink()
    assert asked(worker, request) == Lacks(Lacking.CONTENT)


def test_a_file_that_ends_its_process_costs_that_alone(tmp_path: Path, worker: Path) -> None:
    brought = asked(worker, read(tmp_path, "killed"))
    assert isinstance(brought, Brought)
    assert brought.failure == "crashed: the reading process was ended by SIGKILL"
    good = asked(worker, read(tmp_path, "good"))
    assert isinstance(good, Brought)
    assert good.failure is None


def test_a_process_that_does_not_answer_is_ended_and_begun_again(tmp_path: Path, worker: Path) -> None:
    asked(worker, read(tmp_path, "good"))
    (host,) = hosts()
    host.suspend()
    broken = asked(worker, read(tmp_path, "good", skip=1), replace(SETUP, margin=1))
    assert isinstance(broken, Broken)
    assert isinstance(asked(worker, read(tmp_path, "good")), Brought)
