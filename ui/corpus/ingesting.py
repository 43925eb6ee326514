"""An ingestion as a job: a process that reads its documents, writes its corpus, and may do nothing else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel, TypeAdapter, ValidationError

from engine.corpus.embedded.manifest import MANIFEST_NAME
from engine.errors import CancelledError, InputError, system_error
from engine.files import make_private_folder
from engine.ingestion.report import IngestionReport
from engine.language.embedders import NO_EMBEDDING
from engine.operator_settings import OperatorSettings, variable
from ui.corpus.orders import Order
from ui.corpus.relay import Relay, Wanted
from ui.corpus.report import store_report
from ui.embeddings import may_be_used
from ui.jobs.job import UNEXPLAINED, Ended, Job
from ui.jobs.pace import Pace
from ui.jobs.process import THREADS, Bounds, Program, confined, run

MOST_LINES = 20_000
# Processes and threads of an ingestion for each core: those that read and analyse, those that compute.
PROCESSES = 64
# What a worker is told that may take vectors in.
GO = b"go\n"
# Where models lie that an operator has fetched: read where the corpus has one of them.
CACHES = ("HF_HOME", "HF_HUB_CACHE", "SENTENCE_TRANSFORMERS_HOME")
_REPORT = TypeAdapter(IngestionReport)


@dataclass(slots=True)
class Ingestion:
    """What an ingestion is about, and what has come of it so far. ``workspace`` holds ``documents``;
    ``models``: specs of those that the corpus has."""

    order: Order
    workspace: Path
    models: tuple[str, ...] = ()
    lines: list[str] = field(default_factory=list)
    pace: Pace = field(default_factory=Pace)


class Told(BaseModel):
    """A line that a worker tells. It has read what strangers sent, so its words are taken for theirs."""

    line: str = ""
    step: str = ""
    done: int = 0
    total: int = 0
    error: str = ""
    ready: bool = False
    finished: bool = False
    report: dict[str, Any] | None = None
    wanted: Wanted | None = None


def ingest(job: Job[Ingestion], settings: OperatorSettings) -> Ended:
    """The work of a job that reads or removes documents. Raises InputError for what the worker refused,
    CancelledError."""
    order = job.payload.order
    make_private_folder(order.folder)
    try:
        report = done_apart(job, settings)
    finally:
        # A new corpus that did not come about leaves nothing.
        if not (order.folder / MANIFEST_NAME).exists():
            shutil.rmtree(order.folder, ignore_errors=True)
    if report is None:
        raise InputError("the ingestion ended without a report")
    store_report(order.folder, asdict(report))
    return Ended()


def done_apart(
    job: Job[Ingestion],
    settings: OperatorSettings,
    *,
    noun: str = "ingestion",
    ready: Callable[[], None] | None = None,
) -> IngestionReport | None:
    """Have an order done in a process of its own; ``noun``: what it is called. ``ready`` is called, and
    waited for, before vectors are taken in; what it raises ends the process. Raises as ``ingest``."""
    order = job.payload.order
    reports: list[IngestionReport | None] = []
    errors: list[str] = []
    usable = may_be_used(order.embedding, order.folder, settings)
    relay = Relay(order.embedding if usable else NO_EMBEDDING, settings.upload_bytes)

    def hear(line: bytes) -> bytes | None:
        told = Told.model_validate_json(line)
        if told.line and len(job.payload.lines) < MOST_LINES:
            job.payload.lines.append(told.line)
        if told.step:
            job.step, job.done, job.total = told.step, told.done, told.total
            job.payload.pace.hear(told.step, told.done, told.total)
        if told.error:
            errors.append(told.error)
        if told.finished:
            reports.append(None if told.report is None else _REPORT.validate_python(told.report))
        if told.ready and ready is not None:
            ready()
            return GO
        return None if told.wanted is None else relay.answer(told.wanted)

    try:
        reason = run(_program(job.payload, settings), hear, job.stop)
    except (ValidationError, orjson.JSONDecodeError) as error:
        raise InputError(f"the {noun} was stopped: it told what no {noun} tells") from error
    except OSError as error:
        raise system_error(f"begin the {noun}", error) from error
    if reports:
        # The corpus is written: a wish to cancel that came later came too late.
        return reports[-1]
    if job.stop.is_set():
        raise CancelledError("cancelled")
    raise InputError((errors or [reason or UNEXPLAINED.format(noun)])[0])


def _program(ingestion: Ingestion, settings: OperatorSettings) -> Program:
    order, behind = ingestion.order, ingestion.order.kind == "embed"
    environment = {
        **{name: os.environ[name] for name in CACHES if name in os.environ},
        "HF_HOME": str(_hub_home()),
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        **(dict.fromkeys(THREADS, "1") if behind else {}),
    }
    read = [
        path
        for spec in ingestion.models
        if may_be_used(spec, order.folder, settings)
        for path in model_folders(spec)
    ]
    if settings.grammars is not None:
        environment[variable("grammars")] = str(settings.grammars)
        read.append(str(settings.grammars))
    program = confined(
        "ui.corpus.worker",
        order.model_dump_json().encode(),
        ingestion.workspace,
        _bounds(settings),
        read=read,
        write=[str(order.folder)],
        environment=environment,
    )
    return replace(program, behind=behind)


def _bounds(settings: OperatorSettings) -> Bounds:
    cores = os.cpu_count() or 1
    memory = disk = settings.job_mb << 20
    return Bounds(memory, disk, 60.0 * settings.job_minutes * cores, PROCESSES * cores)


def model_folders(spec: str) -> list[str]:
    """What has to be read for an embedding model that does not come with a package."""
    if not spec.startswith("st:"):
        return []
    named = Path(spec.removeprefix("st:").partition("?")[0])
    # Next to the models in the home of the hub lies the operator's token.
    caches = [os.environ[name] for name in CACHES[1:] if os.environ.get(name)]
    return [str(named)] if named.is_absolute() else [*caches, str(_hub_home() / "hub")]


def _hub_home() -> Path:
    return Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
