"""An ingestion as a job, its pace, and the report of the files it read and could not read."""

from __future__ import annotations

import os
import shutil
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel, TypeAdapter, ValidationError

from engine.access.users import write_private
from engine.corpus.embedded.generation import MANIFEST_NAME
from engine.corpus.protocol import CorpusInfo
from engine.errors import CancelledError, InputError, system_error
from engine.files import make_private_folder
from engine.ingestion.report import IngestionReport
from engine.language.embedders import NO_EMBEDDING
from engine.operator_settings import OperatorSettings, variable
from ui.corpus.orders import EmbeddingRequest, Order, Relay
from ui.models.choices import may_be_used
from ui.server.jobs import UNEXPLAINED, Ended, Job
from ui.server.process import THREADS, Bounds, Program, confined, run
from ui.templating import rendered

# Estimate the remaining time of a job from its recent pace.

# Number of recent reports that the pace is computed from, so that a fast start is soon forgotten.
LOOKED_AT = 6


class Pace:
    """Estimates the remaining time of a step from progress reports. ``clock`` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._step, self._total = "", 0
        self._heard: deque[tuple[float, int]] = deque(maxlen=LOOKED_AT)

    def hear(self, step: str, done: int, total: int) -> None:
        """Record the progress of a step."""
        if (step, total) != (self._step, self._total):
            self._step, self._total = step, total
            self._heard.clear()
        if not self._heard or done > self._heard[-1][1]:
            self._heard.append((self._clock(), done))

    @property
    def seconds_left(self) -> float | None:
        """Return the time until the end of the step, s; None without an estimate."""
        if len(self._heard) < 2:
            return None
        (began, first), (at, last) = self._heard[0], self._heard[-1]
        if at <= began:
            return None
        left = (self._total - last) * (at - began) / (last - first)
        return max(0.0, left - (self._clock() - at))


# The report of an ingestion as a page that can be sorted, and its storage.

MOST_ROWS = 2000
_OUTCOMES = {"read": ("ok", "read"), "partly": ("weak", "partly read"), "not read": ("miss", "not read")}
_OUTCOMES["skipped"] = ("soft", "left out")


def report_path(folder: Path) -> Path:
    """Return the path of the last report on a corpus, next to its folder."""
    return folder.with_name(f"{folder.name}.report.json")


def store_report(folder: Path, report: Mapping[str, Any]) -> None:
    """Store a report. Raises InputError if it cannot be written."""
    write_private(report_path(folder), orjson.dumps(report, default=str, option=orjson.OPT_NON_STR_KEYS))


def stored_report(folder: Path) -> dict[str, Any] | None:
    """Return the stored report; None if there is none, or it cannot be read."""
    try:
        found = orjson.loads(report_path(folder).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    return found if isinstance(found, dict) else None


def report_html(info: CorpusInfo, report: Mapping[str, Any] | None, *, deletable: bool) -> str:
    """Return the report as HTML: counts, files, languages, references by status, seconds."""
    values = report or {}
    steps = values.get("seconds")
    shares = [
        ("Languages, passages", "{:,.0f}", info.languages),
        ("References by status", "{:,.0f}", info.references_by_status),
        ("References by relation", "{:,.0f}", info.references_by_relation),
        ("Seconds by step", "{:,.2f}", steps if isinstance(steps, Mapping) else {}),
    ]
    return rendered(
        "corpus/report.html",
        counts=_counts(info, values),
        shares=[(title, form, _largest_first(counts)) for title, form, counts in shares],
        files=file_rows(values),
        most=MOST_ROWS,
        outcomes=_OUTCOMES,
        is_made_here=report is not None,
        problems=int(info.metadata.get("problems", 0)),
        deletable=deletable,
    )


def file_rows(report: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """Return the result for each file: (name, outcome, documents, reason or notes).

    An unchanged file keeps its report from the last time that it was read.
    """
    problems: dict[str, list[str]] = {}
    for problem in report.get("problems", ()):
        place = f"line {problem['line']}: " if problem.get("line") is not None else ""
        named = f"{problem['id']}: " if problem.get("id") else ""
        problems.setdefault(str(problem["path"]), []).append(f"{place}{named}{problem['reason']}")
    rows: list[tuple[str, str, str, str]] = []
    for file in report.get("files", ()):
        name = str(file.get("name", ""))
        notes = problems.pop(name, [])
        documents = int(file.get("documents", 0))
        reason = str(file.get("reason") or "")
        if reason and not any(reason in note for note in notes):
            notes.append(reason)
        rows.append((name, str(file["status"]), str(documents), "; ".join(notes)))
    rows += [(name, "not read", "", "; ".join(notes)) for name, notes in problems.items()]
    for left in report.get("skipped", ()):
        rows.append((str(left["path"]), "skipped", "", str(left["reason"]).removeprefix("skipped: ")))
    order = {"not read": 0, "partly": 1, "read": 2}
    return sorted(rows, key=lambda row: (order.get(row[1], 3), row[0].casefold()))


def _counts(info: CorpusInfo, report: Mapping[str, Any]) -> list[tuple[str, str]]:
    seconds = report.get("total_seconds")
    boxes = [
        (f"{info.documents:,}", "documents"),
        (f"{int(info.metadata.get('sections', 0)):,}", "sections"),
        (f"{info.passages:,}", "passages"),
        (f"{sum(info.references_by_status.values()):,}", "references"),
        (f"{info.entities:,}", "entities and terms"),
    ]
    return [*boxes, (f"{seconds:,.1f} s", "to read and index")] if isinstance(seconds, int | float) else boxes


def _largest_first(counts: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted(((name, count) for name, count in counts.items() if count), key=lambda item: -item[1])


# An ingestion as a job: a confined process that reads the documents and writes the corpus.

MOST_LINES = 20_000
# Limit of processes and threads of an ingestion for each core: those that read and analyse, and those that
# compute.
PROCESSES = 64
# The line that allows a worker to store its vectors.
GO = b"go\n"
# Folders of models that the operator has downloaded: readable if the corpus uses one of them.
CACHES = ("HF_HOME", "HF_HUB_CACHE", "SENTENCE_TRANSFORMERS_HOME")
_REPORT = TypeAdapter(IngestionReport)


@dataclass(slots=True)
class Ingestion:
    """The subject of an ingestion, and its results so far. ``workspace`` contains ``documents``; ``models``
    are the specs of the corpus's models."""

    order: Order
    workspace: Path
    models: tuple[str, ...] = ()
    lines: list[str] = field(default_factory=list)
    pace: Pace = field(default_factory=Pace)


class WorkerLine(BaseModel):
    """A line from a worker. The worker has read untrusted documents, so its words are untrusted, too."""

    line: str = ""
    step: str = ""
    done: int = 0
    total: int = 0
    error: str = ""
    ready: bool = False
    finished: bool = False
    report: dict[str, Any] | None = None
    wanted: EmbeddingRequest | None = None


def ingest(job: Job[Ingestion], settings: OperatorSettings) -> Ended:
    """Do the work of a job that reads or removes documents. Raises InputError if the worker refuses,
    CancelledError."""
    order = job.payload.order
    make_private_folder(order.folder)
    try:
        report = run_order(job, settings)
    finally:
        # A failed new corpus leaves no folder.
        if not (order.folder / MANIFEST_NAME).exists():
            shutil.rmtree(order.folder, ignore_errors=True)
    if report is None:
        raise InputError("the ingestion ended without a report")
    store_report(order.folder, asdict(report))
    return Ended()


def run_order(
    job: Job[Ingestion],
    settings: OperatorSettings,
    *,
    noun: str = "ingestion",
    ready: Callable[[], None] | None = None,
) -> IngestionReport | None:
    """Run an order in a process of its own; ``noun`` names it in messages. ``ready`` is called before vectors
    are stored; if it raises, the process is stopped. Raises as ``ingest``."""
    order = job.payload.order
    reports: list[IngestionReport | None] = []
    errors: list[str] = []
    usable = may_be_used(order.embedding, order.folder, settings)
    relay = Relay(order.embedding if usable else NO_EMBEDDING, settings.upload_bytes)

    def hear(line: bytes) -> bytes | None:
        sent = WorkerLine.model_validate_json(line)
        if sent.line and len(job.payload.lines) < MOST_LINES:
            job.payload.lines.append(sent.line)
        if sent.step:
            job.step, job.done, job.total = sent.step, sent.done, sent.total
            job.payload.pace.hear(sent.step, sent.done, sent.total)
        if sent.error:
            errors.append(sent.error)
        if sent.finished:
            reports.append(None if sent.report is None else _REPORT.validate_python(sent.report))
        if sent.ready and ready is not None:
            ready()
            return GO
        return None if sent.wanted is None else relay.answer(sent.wanted)

    try:
        reason = run(_program(job.payload, settings), hear, job.stop)
    except (ValidationError, orjson.JSONDecodeError) as error:
        raise InputError(f"the {noun} was stopped: its process sent an invalid line") from error
    except OSError as error:
        raise system_error(f"begin the {noun}", error) from error
    if reports:
        # The corpus is written: a later cancellation has no effect.
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
    """Return the folders to read for an embedding model that does not come with a package."""
    if not spec.startswith("st:"):
        return []
    named = Path(spec.removeprefix("st:").partition("?")[0])
    # HF_HOME also contains the operator's token.
    caches = [os.environ[name] for name in CACHES[1:] if os.environ.get(name)]
    return [str(named)] if named.is_absolute() else [*caches, str(_hub_home() / "hub")]


def _hub_home() -> Path:
    return Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
