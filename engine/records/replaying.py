"""A case that was kept, gone through once more.

On the same corpus, engine and settings it comes out the same to the last digit. What a person has changed of
the plan is taken from the record; a plan that the engine made is made anew, so that a change of it is seen.
Nothing is written: a link that was rejected on the way is rejected in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

from engine.corpus.extracted.readings import Judgement
from engine.corpus.protocol import Corpus
from engine.errors import InputError, RedstringError, SettingsError
from engine.extraction.judging import Ends, judge_link, unjudge_link, without_verdicts
from engine.investigation import Case
from engine.investigation.ranking.additive import Experience
from engine.investigation.ranking.weights import known_weights
from engine.investigation.record import Investigation
from engine.llm import LanguageModel
from engine.records.planned import plan_from_json
from engine.records.steps import Dismiss, Follow, Pin, Reject, Step, Unreject, course_of
from engine.records.store.chain import Event
from engine.retrieval.retrievers.registry import known_retrievers
from engine.settings import InvestigationSettings, checked


def replayed(
    record: Mapping[str, Any],
    corpus: Corpus,
    *,
    events: Iterable[Event] = (),
    settings: InvestigationSettings | None = None,
    day: date | None = None,
    model: LanguageModel | None = None,
    learned: Experience | None = None,
) -> Investigation:
    """The investigation of ``gone_through``. Raises as that does."""
    case = gone_through(
        record, corpus, events=events, settings=settings, day=day, model=model, learned=learned
    )
    return case.investigation()


def gone_through(
    record: Mapping[str, Any],
    corpus: Corpus,
    *,
    events: Iterable[Event] = (),
    settings: InvestigationSettings | None = None,
    day: date | None = None,
    model: LanguageModel | None = None,
    learned: Experience | None = None,
) -> Case:
    """The case of a record on a corpus, asked again with its settings, or others, on the day on which it was
    asked, or another; then the steps that people took, those that they took back left out.

    ``learned`` is what it was ranked by, where that was learned of its matter. A step that this corpus does
    not allow, because the passage or the link is gone, is left out, as is a retriever that this engine does
    not have, and a note of the case says so. Where links were judged on the way, the case has a corpus of its
    own, of the same data. Raises InputError where the record or a step cannot be read, SettingsError.
    """
    try:
        settings, gone = _searching(settings or checked(record["settings"]))
        plan = plan_from_json(record["plan"]) if record["plan"]["edited"] else None
        asked_on = day or _day(record)
        question, started = str(record["question"]), datetime.fromisoformat(record["started"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"this record cannot be replayed: {error}") from error
    course = course_of(events)
    judged = [_ends(one) for one in (*course.before, *course.steps) if isinstance(one, Reject | Unreject)]
    # On a server verdicts stand in its tables: what was rejected is none there from the beginning.
    supposed = without_verdicts(corpus, judged, started) if judged else None
    left_out = [_judged(step, supposed) for step in course.before]
    weights, lost = _weights(record, corpus, learned)
    case = Case(
        supposed or corpus,
        question,
        settings,
        plan=course.plan or plan,
        day=asked_on,
        model=model,
        weights=weights,
    )
    for _ in case.run():
        pass
    left_out += [gone, lost, *(_taken(step, case, supposed) for step in course.steps)]
    case.notes = (*case.notes, *filter(None, left_out))
    if supposed is not None and corpus.journals is not None:
        # Whoever goes on with the case hears from now on what people say.
        supposed.read_from(corpus.journals)
    return case


def _searching(settings: InvestigationSettings) -> tuple[InvestigationSettings, str]:
    """The settings without the retrievers that this engine does not have; and which they are. Settings that
    name no other stay as they are: the scan refuses them."""
    known = known_retrievers()
    gone = [name for name in settings.retrievers if name not in known]
    kept = tuple(name for name in settings.retrievers if name in known)
    if not gone or not kept:
        return settings, ""
    named = ", ".join(repr(name[:40]) for name in gone)
    return settings.changed(retrievers=kept), (
        f"this engine has no retriever {named}: the case was gone through without it"
    )


def _weights(
    record: Mapping[str, Any], corpus: Corpus, learned: Experience | None
) -> tuple[str | Experience, str]:
    """The learned weights that a case was ranked by, empty for none; and why they cannot be had."""
    wanted = str(record.get("weights", ""))
    if not wanted or wanted in known_weights(corpus):
        return wanted, ""
    if learned is not None and learned.id == wanted:
        return learned, ""
    return "", (
        f"the learned weights {wanted[:40]!r} are kept neither beside this corpus nor in the matter of the "
        "case: it was ranked without them"
    )


def _taken(step: Step, case: Case, supposed: Corpus | None) -> str:
    """Take a step; returns why it cannot be taken, nothing where it was."""
    try:
        match step:
            case Pin():
                case.pin(step.passage)
            case Dismiss():
                case.dismiss(step.passage)
            case Follow():
                for _ in case.follow(step.passage, step.strategies):
                    pass
            case Reject() | Unreject():
                return _judged(step, supposed)
    except (InputError, SettingsError) as error:
        return _left_out(step, error)
    return ""


def _judged(step: Reject | Unreject, supposed: Corpus | None) -> str:
    """Say again of a link what was said of it; returns why it cannot be said, nothing where it was."""
    try:
        if supposed is not None and isinstance(step, Reject):
            judge_link(supposed, _ends(step), Judgement.REJECTED, note=step.note)
        elif supposed is not None:
            unjudge_link(supposed, _ends(step))
    except InputError as error:
        return _left_out(step, error)
    return ""


def _left_out(step: Step, error: RedstringError) -> str:
    return f"the step “{step.kind}” was not taken again: {error}"


def _ends(step: Reject | Unreject) -> Ends:
    return Ends(step.source, step.target, step.relation)


def _day(record: Mapping[str, Any]) -> date:
    """The day on which a case was asked: the one that it looked at, where that was not somebody's wish. A
    question that says "today" wishes for the day on which it was asked, wherever that was."""
    looked_at, wished = record["day"], record["plan"]["constraints"]["as_of"]
    if looked_at not in (record["settings"].get("as_of"), wished):
        return date.fromisoformat(looked_at)
    started = datetime.fromisoformat(record["started"]).date()
    if wished is not None and abs((date.fromisoformat(wished) - started).days) <= 1:
        return date.fromisoformat(wished)
    return started
