"""Statistics of a corpus, its retrieval audit, and law that changed or is outdated."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import MAXYEAR, MINYEAR, date
from threading import Lock
from typing import Annotated, Any, NamedTuple
from weakref import WeakKeyDictionary

from pydantic import Field

from engine.access.users import Person
from engine.answers.case_audit import body_html
from engine.answers.changes import find_changes
from engine.answers.export import KIND_WORDS, notes_of, summary_line
from engine.answers.outdated_references import OutdatedKind, OutdatedReference, find_outdated_references
from engine.answers.record import Amender, Change, ChangeKind, Changes, Part
from engine.answers.retrieval_audit import (
    RetrievalAudit,
    retrieval_audit,
    retrieval_audit_html,
    retrieval_audit_markdown,
)
from engine.corpus.protocol import Corpus
from engine.errors import InputError, ResourceError
from engine.language.characters import escape
from engine.language.word_diff import Run
from engine.model import FAMILY, RELATION_VERBS, Relation, Status, TargetKind
from engine.records.phrases import short_citation
from engine.records.store.chain import fingerprint_of
from engine.review.quality import Quality, measure_quality
from engine.settings import preset
from engine.verbs.verb import Day
from ui.calls import Answer, Call
from ui.corpus.access import CorpusAccess, CorpusForm, Found, JobForm
from ui.corpus.browser import Browser, Spot
from ui.server.jobs import Job
from ui.templating import direction, rendered

# The retrieval audit of a corpus on its page: a job that runs the corpus's examples or the visitor's own
# questions. It also shows the quality of rankings by the verdicts on the caller's cases.

PRESET = "balanced"
# Limits of a report: number of questions, and characters of each.
MOST_ASKED, LONGEST_ASKED = 25, 1000


class QuestionsForm(CorpusForm):
    """The questions of a report."""

    questions: tuple[Annotated[str, Field(max_length=LONGEST_ASKED)], ...] = Field(
        default=(), max_length=MOST_ASKED
    )


def questions(access: CorpusAccess, form: CorpusForm) -> Answer:
    """Return the questions that a corpus includes, and the running job, if any."""
    shelved = access.entry
    rows = shelved.info.metadata.get("examples", ()) if shelved.info else ()
    texts = [" ".join(str(row["text"]).split()) for row in rows if row.get("text")]
    going = access.desk.audits.going(access.caller.key)
    return {"questions": texts[:MOST_ASKED], "most": MOST_ASKED, "job": going.id if going else ""}


def start(access: CorpusAccess, form: QuestionsForm) -> Answer:
    """Start a report. Raises InputError without a caller, or if a report of theirs is running."""
    if not access.caller.key:
        raise InputError("the page did not say who is asking; load it again")
    corpus = access.browser().corpus
    asked = [text for text in (" ".join(one.split()) for one in form.questions) if text]

    def work(job: Job[Found]) -> None:
        def tell(done: int, total: int) -> None:
            job.tell("asking", done, total)

        experts, unread = _experts(access, corpus)
        job.payload.audit = retrieval_audit(
            corpus, asked, preset(PRESET), date.today(), tell, experts=experts, experts_unread=unread
        )

    return {"job": access.desk.audits.start(access.caller.owner, Found(), work).id}


def _experts(access: CorpusAccess, corpus: Corpus) -> tuple[list[Quality] | None, str]:
    """Return the quality of a corpus's rankings by the verdicts in the caller's cases, None if their cases
    are not stored; and the error if these could not be read."""
    owner = access.desk.cases.owner_of(Person(access.caller.key, access.caller.person.role))
    if owner is None:
        return None, ""
    try:
        return measure_quality(access.desk.cases.reviews(), owner, corpus.name, fingerprint_of(corpus)), ""
    except (InputError, ResourceError) as error:
        # The rest of the report does not depend on the database of cases.
        return None, str(error)


def poll(access: CorpusAccess, form: JobForm) -> Answer:
    """Return the progress; at the end also the report and its files."""
    job = access.desk.audits.get(form.job, access.caller.key)
    state = job.state
    answer: Answer = {
        "state": state,
        "before": access.desk.audits.before(job),
        "done": job.done,
        "total": job.total,
        "message": job.message,
    }
    found = job.payload.audit
    return answer | _report(found) if state == "done" and found is not None else answer


def stop(access: CorpusAccess, form: JobForm) -> Answer:
    """Cancel the report."""
    access.desk.audits.cancel(form.job, access.caller.key)
    return {}


def _report(found: RetrievalAudit) -> Answer:
    report = retrieval_audit_markdown(found)
    return {"html": body_html(report), "files": {"md": report, "html": retrieval_audit_html(found)}}


# Statistics of a corpus: plots of its documents and references, and the most cited provisions.

MOST_CITED = 20
MOST_TYPES = 12
NO_TYPE = "no type"
# Colours are tokens of the style sheet: the page replaces them by the values of the current theme.
_STATUS_TOKENS = {Status.RESOLVED: "cite", Status.AMBIGUOUS: "gap", Status.UNRESOLVED: "scan"}
_STATUS_NAMES = {
    Status.RESOLVED: "resolved",
    Status.AMBIGUOUS: "several targets",
    Status.UNRESOLVED: "no target found",
}


def statistics(access: CorpusAccess, form: CorpusForm) -> Answer:
    """Return plots as plotly's JSON with a title each, and the most cited provisions."""
    return access.browser().once("statistics", _counted)


def _counted(browser: Browser) -> Answer:
    plots = [
        plot for plot in (types_plot(browser), years_plot(browser), _references(browser)) if plot is not None
    ]
    return {"plots": plots, "cited": most_cited_html(browser)}


def most_cited_html(browser: Browser) -> str:
    """Return the provisions with the most references, as bars that link to them."""
    cited = []
    for found in browser.corpus.most_cited(MOST_CITED):
        spot = browser.spot_of_row(found.row, found.target_id)
        document, passage = browser.document(spot.document), browser.passage(spot)
        if found.kind is TargetKind.SECTION:
            passage = replace(passage, label=browser.name(spot))
        cited.append((found, spot, short_citation(passage, document), document.title or document.id))
    most = max((found.references for found, *_ in cited), default=1)
    return rendered("corpus/cited.html", cited=cited, most=most)


def types_plot(browser: Browser) -> Answer | None:
    """Plot the number of documents of each type; None if no document has a type."""
    # Plotly renders tags and links in a text as markup, and decodes entities.
    counts = Counter(escape(document.type or NO_TYPE, quote=False) for document in browser.documents)
    if set(counts) == {NO_TYPE}:
        return None
    top = counts.most_common(MOST_TYPES)
    rest = sum(counts.values()) - sum(count for _, count in top)
    named = [*top, *([("other types", rest)] if rest else [])][::-1]
    return _bars(
        "Documents by type", {"documents": dict(named)}, [name for name, _ in named], {"documents": "meta"},
        sideways=True,
    )  # fmt: skip


def years_plot(browser: Browser) -> Answer | None:
    """Plot the number of documents of each year; None if no document has a year."""
    found = (document.year for document in browser.documents if document.year)
    # The axis has an entry for each year from the first to the last: documents may state any number.
    counts = Counter(year for year in found if MINYEAR <= year <= MAXYEAR)
    if not counts:
        return None
    years = list(range(min(counts), max(counts) + 1))
    return _bars("Documents by year", {"documents": dict(counts)}, years, {"documents": "meta"})


def _references(browser: Browser) -> Answer | None:
    counts: dict[str, dict[str, int]] = {}
    totals: Counter[str] = Counter()
    for relation in Relation:
        for status in Status:
            numbers = browser.corpus.reference_numbers(statuses=[status], relations=[relation])
            if len(numbers):
                counts.setdefault(_STATUS_NAMES[status], {})[RELATION_VERBS[relation]] = len(numbers)
                totals[RELATION_VERBS[relation]] += len(numbers)
    if not totals:
        return None
    order = [name for name, _ in totals.most_common()][::-1]
    tokens = {_STATUS_NAMES[status]: token for status, token in _STATUS_TOKENS.items()}
    return _bars("References by relation and status", counts, order, tokens, sideways=True)


def _bars(
    title: str,
    series: Mapping[str, Mapping[Any, int]],
    order: Sequence[Any],
    tokens: Mapping[str, str],
    *,
    sideways: bool = False,
) -> Answer:
    """Plot stacked bars. ``series`` maps the name of each to its values by category, ``order`` lists the
    categories."""
    # Importing plotly is slow: only requests for statistics need it.
    import plotly.graph_objects as go

    figure = go.Figure()
    for name, values in series.items():
        heights = [values.get(category, 0) for category in order]
        x, y = (heights, list(order)) if sideways else (list(order), heights)
        value = "%{x:,}" if sideways else "%{y:,}"
        label = "%{y}" if sideways else "%{x}"
        figure.add_bar(
            x=x, y=y, name=name, orientation="h" if sideways else "v", meta=tokens[name],
            hovertemplate=f"{label}: {value} {name}<extra></extra>",
        )  # fmt: skip
    height = 90 + 26 * len(order) if sideways else 260
    figure.update_layout(
        barmode="stack", bargap=0.28, height=height, showlegend=len(series) > 1,
        margin={"l": 8, "r": 16, "t": 8, "b": 8}, legend={"orientation": "h", "y": -0.14, "x": 0},
        xaxis={"automargin": True, "fixedrange": True},
        # A type that is called "2010" is not a number.
        yaxis={"automargin": True, "fixedrange": True, "type": "category" if sideways else "linear"},
    )  # fmt: skip
    found: Answer = json.loads(figure.to_json())
    return {"title": title, "data": found["data"], "layout": _plain(found["layout"])}


def _plain(layout: dict[str, Any]) -> dict[str, Any]:
    """Return the layout without plotly's own colours: the page adds those of its theme."""
    return {name: value for name, value in layout.items() if name != "template"}


# What changed between two days, and references to outdated law, on the Corpus page.

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


CALLS = (
    Call("statistics", CorpusForm, statistics),
    Call("report-questions", CorpusForm, questions),
    Call("report-start", QuestionsForm, start),
    Call("report-poll", JobForm, poll),
    Call("report-stop", JobForm, stop),
    Call("law-changes", ChangesForm, changes),
    Call("law-outdated", OutdatedForm, outdated),
)
