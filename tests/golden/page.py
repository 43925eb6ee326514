"""What the page answers to calls, and what a case shows."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any
from unittest.mock import patch

import gradio as gr
import orjson

import ui.cases.panel
import ui.check
import ui.corpus.panel
import ui.evaluation
import ui.review.panel
from engine.access.users import Person, Role
from engine.investigation import make_case
from engine.settings import InvestigationSettings
from tests.conftest import SAMPLE_NAME
from tests.engine.investigation.story import finished, record_of
from tests.golden.panels import event_outputs, report_outputs, tree_outputs
from tests.golden.sources import GERMAN_QUESTION, NAME, NAMED_QUESTION, PAGE_CALLS, QUESTION, named
from tests.ui.served import inside_a_loop
from ui.calls import Call, Desk, answer
from ui.cases.access import CasesDesk
from ui.cases.storage import PAGE, KeptCases
from ui.check import CheckDesk
from ui.corpus.access import CorpusDesk
from ui.evaluation import EvaluationDesk
from ui.investigate.answer_panel import report_value
from ui.investigate.panels import Stage, build_stage
from ui.investigate.plan import CaseRequest, planned
from ui.investigate.steering import steer
from ui.investigate.updates import Updates, listen, open_case, rest_of_pool
from ui.models.connections import Connections
from ui.page import build_page
from ui.review.access import ReviewDesk
from ui.shelf import Library

ANN = Person("ann" * 8, Role.OPERATOR, "Ann")
LONGEST = 60.0
STEPS = (("pin", 1), ("dismiss", 2), ("follow", 0), ("whole", 0), ("pin", 1), ("nothing", 0))
QUESTIONS = {"page question": QUESTION, "page steps": QUESTION, "page named": NAMED_QUESTION}
PARTS = (*PAGE_CALLS, *QUESTIONS, "page plans", "page frame")


def page_outputs(part: str, library: Library) -> Iterator[tuple[str, str]]:
    """What the page answers or shows, by call. The clock stops, so that each duration is 0."""
    with patch("time.perf_counter", lambda: 1000.0):
        if part == "page frame":
            yield from _frame(library)
            yield from report_outputs(library.info(NAME))
        elif part == "page plans":
            yield from _plans(library)
        elif part in PAGE_CALLS:
            yield from _answers(part, library)
        else:
            yield from _shown(library, QUESTIONS[part], STEPS if part == "page steps" else ())


def _frame(library: Library) -> Iterator[tuple[str, str]]:
    """What the page holds before anything is asked."""
    page = inside_a_loop(lambda: build_page(library))
    config = page.get_config_file()
    yield from event_outputs(config)
    for number, component in enumerate(config["components"]):
        props = {key: value for key, value in component["props"].items() if key != "server_fns"}
        text = orjson.dumps(props, default=lambda one: type(one).__name__).decode()
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        yield f"{number} {component['type']}", f"{text[:200]}… {digest}"


def _plans(library: Library) -> Iterator[tuple[str, str]]:
    """Plans with what is required of passages and what the question may require."""
    required = InvestigationSettings(
        must_include=("fare",), must_exclude=("salvage",), languages=("en",), types=("act",), year_from=2000
    )
    for question in (QUESTION, NAMED_QUESTION, GERMAN_QUESTION):
        for settings in (InvestigationSettings(), required):
            html = planned(make_case(library.corpus(NAME), question, settings), NAME)
            yield f"{question} {settings.year_from}", re.sub(r' data-made="\d+"', "", html)


def _answers(part: str, library: Library) -> Iterator[tuple[str, str]]:
    kept = KeptCases(library.settings, library.home)
    names: dict[str, str] = {}
    if part in ("page cases", "page files", "page review"):
        names = {"CASE": _keep(library, kept, QUESTION), "OTHER": _keep(library, kept, "What is a ticket?")}
        names["MATTER"] = kept.store().matters(_owner(kept))[0].id
    answer, corpus = _door(part, library, kept), SAMPLE_NAME if part == "page sample" else NAME
    for number, (call, given) in enumerate(PAGE_CALLS[part]):
        request = {"do": call, "visitor": ANN.key, "corpus": corpus, **named(given, names)}
        found, until = answer(request), time.monotonic() + LONGEST
        while found.get("state") in ("waiting", "running") and time.monotonic() < until:
            time.sleep(0.02)
            found = answer(request)
        if isinstance(file := found.get("file"), dict):
            found["file"] = {**file, "data": text_in(base64.b64decode(file["data"]))}
        shown = orjson.dumps(found, default=str).decode()
        if found.get("job"):
            names["JOB"] = found["job"]
        if keys := re.findall(r"data-key=\W*([0-9a-f]{16,})", shown):
            names.setdefault("KEY", keys[0])
        if call == "make-queue" and (queue := re.search(r"data-queue=\W*([\w-]+)", shown)):
            names["QUEUE"] = queue[1]
        yield f"{number} {call} {orjson.dumps(given).decode()}", shown


def _door(part: str, library: Library, kept: KeptCases) -> Callable[[dict[str, Any]], dict[str, Any]]:
    match part:
        case "page corpus" | "page sample" | "page judging" | "page law":
            return _answering(CorpusDesk(library), ui.corpus.panel.CALLS)
        case "page cases" | "page files":
            return _answering(CasesDesk(kept, library), ui.cases.panel.CALLS, without="corpus")
        case "page review":
            return _answering(ReviewDesk(kept, library), ui.review.panel.CALLS)
        case "page checks":
            desk = CheckDesk(library, Connections(library.settings))
            return _answering(desk, ui.check.CALLS)
    return _answering(EvaluationDesk(library), ui.evaluation.CALLS)


def _answering(
    desk: Desk[Any], calls: Mapping[str, Call[Any, Any]], without: str = ""
) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The dispatcher for one view; of a request it gets the fields of its call."""

    def answered(request: dict[str, Any]) -> dict[str, Any]:
        call = calls.get(request["do"])
        known = request.keys() if call is None else call.form.model_fields.keys()
        sent = {key: value for key, value in request.items() if key in known and key != without}
        return answer(desk, calls, sent, lambda _: ANN)

    return answered


def _owner(kept: KeptCases) -> Any:
    return kept.owner_of(ANN)


def _keep(library: Library, kept: KeptCases, question: str) -> str:
    settings = InvestigationSettings(rounds=1, pool_size=10, top_k=3)
    found = record_of(finished(library.corpus(NAME), question, settings))
    store = kept.store()
    matter = store.matter("General", _owner(kept))
    return store.keep({**found, "corpus": NAME}, matter, application=PAGE, who="Ann", name="")


def _shown(library: Library, question: str, steps: Sequence[tuple[str, int]]) -> Iterator[tuple[str, str]]:
    def make() -> Stage:
        with gr.Blocks(analytics_enabled=False):
            return build_stage(gr.HTML(render=False), lambda: None)

    stage = inside_a_loop(make)
    names = {getattr(stage, one.name): one.name for one in fields(stage)}
    opened = open_case(library, CaseRequest(question=question))

    def shown(updates: Iterator[Updates]) -> dict[str, Any]:
        return {names[key]: value for update in updates for key, value in update.items() if key in names}

    first = shown(listen(opened, stage, opened.case.run))
    if not steps:
        yield from ((f"first {name}", _text(value)) for name, value in first.items())
        yield "report", report_value(opened)
        yield "rest", "\n".join(rest_of_pool(opened))
        yield from tree_outputs(opened)
    passages = [entry.passage_id for entry in opened.case.pool.entries()]
    for number, (action, at) in enumerate(steps):
        updates = shown(steer(opened, stage, action, passages[at], ["references"], "Not <i>this</i>."))
        yield from ((f"{number} {action}: {name}", _text(value)) for name, value in updates.items())


def _text(value: object) -> str:
    return value if isinstance(value, str) else orjson.dumps(value, default=str).decode()


def text_in(data: bytes) -> str:
    """A file as text: of an archive the texts of its members."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return data.decode()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return "\n".join(f"{name}\n{archive.read(name).decode()}" for name in archive.namelist())
