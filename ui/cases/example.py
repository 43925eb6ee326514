"""The finished example of the first screen: the first example question of the first corpus, run daily."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import date
from threading import Lock
from typing import Any

from engine.corpus.protocol import Corpus
from engine.errors import RedstringError
from engine.exports.registry import ExportableCase
from engine.records.conversion import investigation_to_json
from engine.settings import preset
from ui.investigate.case_request import CaseRequest
from ui.investigate.controls import shown
from ui.investigate.panels import PARTS
from ui.investigate.sidebar import START
from ui.investigate.updates import case_values, listen, open_case
from ui.open_case import OpenCase
from ui.shelf import Library
from ui.workers.template import packed, unpacked

LOG = logging.getLogger(__name__)
# The id under which the page requests files of the example.
EXAMPLE = "example"


@dataclass(frozen=True, slots=True)
class _Made:
    """The example of one state of the corpus on one day: what the page shows, and the case itself."""

    state: tuple[str, date]
    values: dict[str, Any]
    data: bytes
    corpus: Corpus


class ExampleCase:
    """The example case of a library; computed on first use. Thread-safe."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._made: _Made | None = None
        self._failed: tuple[str, date] | None = None
        self._lock = Lock()

    def values(self) -> dict[str, Any]:
        """Return what the page shows of the example, by the names of its parts; empty without one."""
        made = self._current()
        return {} if made is None else made.values

    def copy(self) -> OpenCase | None:
        """Return an open case of its own for a page that continues the example."""
        made = self._current()
        if made is None:
            return None
        opened: OpenCase = unpacked(made.data, lambda folder: made.corpus)
        return opened

    def exportable(self) -> ExportableCase | None:
        """Return the example for export; None without one."""
        opened = self.copy()
        if opened is None:
            return None
        record = investigation_to_json(opened.case.investigation())
        return ExportableCase(record, corpus=opened.corpus, today=date.today())

    def _current(self) -> _Made | None:
        name = self._library.names()[0]
        state = (self._library.find(name).state, date.today())
        with self._lock:
            if self._failed != state and (self._made is None or self._made.state != state):
                try:
                    self._made = self._compute(name, state)
                except RedstringError as error:
                    LOG.warning("the example case could not be made: %s", error)
                    self._made, self._failed = None, state
            return self._made

    def _compute(self, name: str, state: tuple[str, date]) -> _Made | None:
        examples = self._library.examples(name)
        corpus = self._library.corpus(name)
        if not examples or corpus.folder is None:
            self._failed = state
            return None
        opened = open_case(
            self._library, CaseRequest(question=examples[0].text, corpus=name, held=shown(preset(START)))
        )
        for _ in listen(opened, PARTS, opened.case.run):
            continue
        if opened.case.stop is None:
            self._failed = state
            return None
        opened.is_example = True
        return _Made(state, case_values(opened, PARTS), packed(opened, corpus), corpus)
