"""What there is to check in the corpora that are being read, kept as long as nothing has changed."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from engine.corpus.extracted import judged, load_validations
from engine.corpus.extracted.graph import stamp_of
from engine.extraction.checklist import Checklist, checklist
from ui.corpus.browse import Browser


class Checklists:
    """The checklists of the corpora that are being read, each made again when something has changed."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Browser, tuple[tuple[Any, ...], Checklist]] = WeakKeyDictionary()
        self._lock = Lock()

    def of(self, browser: Browser, folder: Path) -> Checklist:
        """The checklist of a corpus as it stands. Raises CorpusError where a file cannot be read."""
        stamp = stamp_of(folder)
        with self._lock:
            known = self._known.get(browser)
            if known is None or known[0][0] != stamp[0]:
                known = stamp, checklist(browser.corpus)
            elif known[0] != stamp:
                known = stamp, known[1].with_verdicts(judged(load_validations(folder)))
            self._known[browser] = known
            return known[1]
