"""What changed between two days, and references to outdated law, on the Corpus page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from threading import Lock
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from pydantic import Field

from engine.answers.change_report import KIND_WORDS, notes_of, summary_line
from engine.answers.changed_law import Amender, Change, ChangeKind, Changes, Part
from engine.answers.changes import find_changes
from engine.answers.outdated_references import OutdatedKind, OutdatedReference, find_outdated_references
from engine.language.word_diff import Run
from engine.model import FAMILY
from engine.verbs.requests import Day
from ui.calls import Answer, Call
from ui.corpus.access import CorpusAccess, CorpusForm
from ui.corpus.browser import Browser, Spot
from ui.corpus.phrases import direction
from ui.templating import rendered

# Changes, and references, that one answer shows.
SHOWN = 30
# The first day unless the reader chooses one: the beginning of a year, so many years ago.
YEARS = 5


class ChangesForm(CorpusForm):
    """Two days, a document by its id, and words; ``first`` is a rank among the changes."""

    since: Day = None
    until: Day = None
    document: str = Field(default="", max_length=1000)
    words: str = Field(default="", max_length=500)
    first: int = Field(default=0, ge=0)


class OutdatedForm(CorpusForm):
    """A day, a kind of outdated reference, and the rank of the first one."""

    day: Day = None
    kind: str = Field(default="", max_length=40)
    first: int = Field(default=0, ge=0)


class Side(NamedTuple):
    """One wording of a paragraph: its label, its runs, and where it is."""

    label: str
    runs: Sequence[Run]
    spot: Spot | None


def changes(access: CorpusAccess, form: ChangesForm) -> Answer:
    """Return the changes between two days, both wordings side by side."""
    browser = access.browser()
    last = form.until or date.today()
    first = form.since or date(last.year - YEARS, 1, 1)
    found = _LATEST.of(browser, (first, last, form.document, " ".join(form.words.split())))
    shown = found.changes[form.first : form.first + SHOWN]
    html = rendered(
        "corpus/changes.html",
        changes=[_shown(browser, one) for one in shown],
        more=max(0, len(found.changes) - form.first - SHOWN),
        next=form.first + SHOWN,
        others=found.others,
        undated=found.undated if not form.first else 0,
        empty=not found.changes,
    )
    return {
        "html": html,
        "summary": summary_line(found),
        "since": first.isoformat(),
        "until": last.isoformat(),
        "documents": _texts(browser),
    }


def outdated(access: CorpusAccess, form: OutdatedForm) -> Answer:
    """Return references to outdated law, with the successor if it is known."""
    browser = access.browser()
    day = form.day or date.today()
    kept = browser.once(f"outdated {day}", lambda own: {"found": find_outdated_references(own.corpus, day)})
    found = kept["found"]
    chosen = [one for one in found.references if not form.kind or one.kind.value == form.kind]
    shown = chosen[form.first : form.first + SHOWN]
    html = rendered(
        "corpus/outdated.html",
        references=[_reference(browser, one) for one in shown],
        more=max(0, len(chosen) - form.first - SHOWN),
        next=form.first + SHOWN,
        unread=found.unread if not form.first else 0,
        empty=not chosen,
    )
    kinds = [kind.value for kind in OutdatedKind if any(one.kind is kind for one in found.references)]
    return {"html": html, "total": len(chosen), "kinds": kinds}


def _shown(browser: Browser, change: Change) -> Mapping[str, Any]:
    return {
        "title": change.title,
        "provision": change.provision,
        "kind": KIND_WORDS[change.kind],
        "token": change.kind.value,
        "was": change.was,
        "days": [f"{day:%-d %B %Y}" for day in change.days],
        "size": change.size,
        "unchanged": change.unchanged,
        "language": change.language,
        "direction": direction(change.language),
        "pairs": [tuple(_sides(browser, part, change.kind)) for part in change.parts],
        "by": [_act(browser, one) for one in change.by],
        "read_both": change.kind is ChangeKind.AMENDED,
        "notes": list(notes_of(change)),
        "spot": browser.spot(change.passages[0] if change.passages else change.document),
    }


def _sides(browser: Browser, part: Part, kind: ChangeKind) -> Iterator[Side]:
    """Yield the old and the new wording of a paragraph."""
    for name, label, left_out in (
        (part.old_id, part.old_label, "new"),
        (part.new_id, part.new_label, "old"),
    ):
        runs = [run for run in part.runs if run.kind != left_out]
        if kind is ChangeKind.AMENDED and left_out == "new":
            runs = [Run("same", run.text) for run in runs]
        yield Side(label if runs else "", runs, browser.spot(name) if name else None)


def _act(browser: Browser, one: Amender) -> Mapping[str, Any]:
    return {"citation": one.citation, "text": one.text, "spot": browser.spot(one.passage_id)}


def _reference(browser: Browser, one: OutdatedReference) -> Mapping[str, Any]:
    text, span = one.text, one.span
    return {
        "kind": one.kind.value,
        "citation": one.citation,
        "spot": browser.spot(one.passage_id),
        "before": text[max(0, span.start - 180) : span.start],
        "words": text[span.start : span.end],
        "behind": text[span.end : span.end + 180],
        "language": one.language,
        "direction": direction(one.language),
        "target": one.target,
        "target_spot": browser.spot(one.target_id) if one.target_id else None,
        "since": f"{one.since:%-d %B %Y}" if one.since else "",
        "successor": one.successor,
        "successor_spot": browser.spot(one.successor_id) if one.successor_id else None,
        "by": [_act(browser, other) for other in one.by],
    }


def _texts(browser: Browser) -> list[tuple[str, str]]:
    """Return id and title of each text; versions of one text count once."""
    found: dict[object, tuple[str, str]] = {}
    for document in browser.documents:
        key = (document.metadata.get(FAMILY) or document.id, document.language)
        found[key] = document.id, document.title or document.id
    return sorted(found.values(), key=lambda pair: pair[1].casefold())


class _Latest:
    """The changes that were shown last of each open corpus: its pages are read one after the other."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Browser, tuple[object, Changes]] = WeakKeyDictionary()
        self._lock = Lock()

    def of(self, browser: Browser, asked: tuple[date, date, str, str]) -> Changes:
        with self._lock:
            known = self._known.get(browser)
        if known is None or known[0] != asked:
            first, last, document, words = asked
            known = asked, find_changes(browser.corpus, first, last, document=document, question=words)
            with self._lock:
                self._known[browser] = known
        return known[1]


_LATEST = _Latest()

CALLS = (Call("law-changes", ChangesForm, changes), Call("law-outdated", OutdatedForm, outdated))
