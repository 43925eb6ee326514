"""Statistics of a corpus and its retrieval audit."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import MAXYEAR, MINYEAR, date
from typing import Annotated, Any

from pydantic import Field

from engine.access.users import Person
from engine.answers.case_audit import body_html
from engine.answers.retrieval_audit import (
    RetrievalAudit,
    retrieval_audit,
    retrieval_audit_html,
    retrieval_audit_markdown,
)
from engine.corpus.protocol import Corpus
from engine.errors import InputError, ResourceError
from engine.language.characters import escape
from engine.model import RELATION_VERBS, Relation, Status, TargetKind
from engine.records.phrases import short_citation
from engine.records.store.chain import fingerprint_of
from engine.review.quality import Quality, measure_quality
from engine.settings import preset
from ui.calls import Answer, Call
from ui.corpus.access import CorpusAccess, CorpusForm, Found, JobForm
from ui.corpus.browser import Browser
from ui.corpus.text import place_name
from ui.jobs.jobs import Job

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
    cited = browser.corpus.most_cited(MOST_CITED)
    most = max((found.references for found in cited), default=1)
    lines = []
    for found in cited:
        spot = browser.spot_of_row(found.row, found.target_id)
        document = browser.document(spot.document)
        passage = browser.passages(spot.document, spot.position, spot.position + 1)[0]
        if found.kind is TargetKind.SECTION:
            passage = replace(passage, label=place_name(browser, spot))
        name = short_citation(passage, document)
        lines.append(
            f'<li><button type="button" class="most" data-document="{spot.document}" '
            f'data-at="{spot.position}" style="--v:{100 * found.references / most:.1f}%">'
            f'<b dir="auto">{escape(name)}</b>'
            f'<small dir="auto">{escape(document.title or document.id)}</small>'
            f'<span title="in {found.passages:,} passages">{found.references:,}</span></button></li>'
        )
    return f'<ol class="most-cited">{"".join(lines)}</ol>' if lines else ""


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


CALLS = (
    Call("statistics", CorpusForm, statistics),
    Call("report-questions", CorpusForm, questions),
    Call("report-start", QuestionsForm, start),
    Call("report-poll", JobForm, poll),
    Call("report-stop", JobForm, stop),
)
