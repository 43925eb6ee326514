"""Composition of a memo from an exported case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.answers.answer import answer
from engine.answers.audit.claims import MEMO_NOTICE
from engine.answers.case_audit import CaseAudit, case_audit
from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.exports.cases import ExportableCase, private_record_in
from engine.exports.memo.content import (
    Check,
    Checker,
    Findings,
    Memo,
    Note,
    Notes,
    PassageNames,
    Row,
    Source,
    Words,
    named_ids,
)
from engine.exports.memo.findings import (
    areas_of,
    check_seals,
    findings_of_answer,
    findings_of_record,
    lacking_of,
    steps_of,
)
from engine.exports.memo.markdown import one_line
from engine.investigation.record import Investigation
from engine.model import Evidence, EvidenceStatus, Hop, PartEvidence
from engine.records.conversion import restore, settings_of
from engine.records.phrases import (
    completeness_words,
    evidence_words,
    part_texts,
    part_words,
    plural,
    status_words,
    stop_coverage_words,
    stop_words,
    trail_sentence,
)
from engine.records.plain import convert
from engine.records.record import CaseRecord
from engine.records.store.chain import fingerprint_of
from engine.records.store.store import engine_version
from engine.records.text import changed_fields, day_words, field_words, nearest, value_words
from engine.settings import InvestigationSettings, preset

STATUS = {
    EvidenceStatus.FOUND: "Found",
    EvidenceStatus.PARTIAL: "Found in part",
    EvidenceStatus.NONE: "Nothing found",
}
SUPPORTED = "The corpus can answer the question"
# Most rows of the table of passages, events, trails of a source, and characters of a title.
MOST_ROWS, MOST_STEPS, MOST_TRAILS, LONGEST_TITLE = 40, 60, 2, 120


def compose(given: ExportableCase, case: CaseRecord | None = None) -> Memo:
    """Return the content of a case's memo; ``case`` is its record if already read.

    Raises InputError for a damaged record.
    """
    case, corpus = case or private_record_in(given), given.corpus
    kept, now = _fingerprints(given)
    checker, name = checker_of(given, case), names_of(given, case)
    investigation, why = _restored(given, case, checker)
    found, audit = _found(case, corpus, investigation, Notes(checker, name), why)
    settings = settings_of(case)
    steps = steps_of(given.events, name)
    return Memo(
        title=_title(given),
        matter=given.matter,
        question=Words(case.question, case.plan.language),
        status=STATUS[case.evidence.status],
        evidence=tuple(_evidence(case, name)),
        warnings=tuple(_warnings(found, checker, case, kept, now)),
        findings=found,
        remarks=given.notes.strip(),
        sources=tuple(_sources(case, found, name, investigation)),
        lacking=lacking_of(case, audit),
        areas=tuple(areas_of(case)),
        rows=tuple(_rows(case, found, name)),
        more_rows=max(0, len(case.passages) - MOST_ROWS),
        unranked=max(0, len(case.pool.nodes) - sum(len(one.ids) for one in case.passages)),
        checks=tuple(_checks(found, audit, corpus)),
        steps=tuple(steps[:MOST_STEPS]),
        more_steps=max(0, len(steps) - MOST_STEPS),
        seals=tuple(_seals(given)),
        preset=nearest(settings).value,
        settings=tuple(_settings(settings)),
        facts=tuple(_facts(given, case, kept, now)),
        claims=CLAIMS,
        begun=case.begun,
    )


CLAIMS = (
    f"{MEMO_NOTICE} It is not legal advice, and it may be incomplete.",
    "“Checked against the text” means that the words are in the corpus verbatim (spacing and the form "
    "of quotation marks and dashes aside). It does not mean that the corpus is the official text, or that it "
    "is complete.",
)


def checker_of(given: ExportableCase, case: CaseRecord) -> Checker:
    """Return the checker for the quotes of a case."""
    kept, now = _fingerprints(given)
    return Checker(case, given.corpus, unchanged=bool(kept) and kept == now)


def names_of(given: ExportableCase, case: CaseRecord) -> PassageNames:
    """Return the names of all passages in a case and its events."""
    return PassageNames(case, given.corpus, named_ids(case) | _named_by_steps(given))


def _fingerprints(given: ExportableCase) -> tuple[str, str]:
    """Return the state of the corpus when the case ran, and now; empty if unknown."""
    kept = "" if given.summary is None else given.summary.fingerprint
    return kept, "" if given.corpus is None else fingerprint_of(given.corpus)


def _named_by_steps(given: ExportableCase) -> set[str]:
    return {
        str(event.data[key])
        for event in given.events
        for key in ("passage", "source", "target")
        if key in event.data
    }


def _title(given: ExportableCase) -> str:
    named = given.summary.name if given.summary is not None else ""
    return one_line(named or str(given.record["question"]), LONGEST_TITLE)


def _restored(given: ExportableCase, case: CaseRecord, checker: Checker) -> tuple[Investigation | None, str]:
    """Return the investigation if the corpus still has the case's texts, else None and the reason."""
    if given.corpus is None:
        return None, "the corpus was not opened"
    different = checker.changed()
    if different:
        return (
            None,
            f"the corpus now has a different text for {plural(len(different), 'passage')} of the case",
        )
    try:
        return restore(case, given.corpus), ""
    except InputError as error:
        return None, str(error)


def _found(
    case: CaseRecord, corpus: Corpus | None, investigation: Investigation | None, notes: Notes, why: str
) -> tuple[Findings, CaseAudit | None]:
    if investigation is None or corpus is None:
        return findings_of_record(case, notes, why), None
    brief = answer(investigation, corpus)
    return findings_of_answer(brief, notes), case_audit(investigation, corpus, brief)


def _evidence(case: CaseRecord, name: PassageNames) -> Iterator[str]:
    """Yield the evidence status, its parts, the stop reason and the completeness estimate."""
    yield f"{status_words(convert(Evidence, case.evidence, parts=())) or SUPPORTED}."
    parts = [PartEvidence(part.text, part.status, tuple(part.missing)) for part in case.evidence.parts]
    for text, part, kept in zip(part_texts(parts), parts, case.evidence.parts, strict=True):
        yield ", ".join((f"{text}: {part_words(part)}", *(name(one.id) for one in kept.passages))) + "."
    stop = case.stop
    estimate = completeness_words(stop)
    ranked = f"{len(case.passages):,} of them ranked"
    stopped = ", ".join(filter(None, (stop_words(stop), stop_coverage_words(stop))))
    yield f"{stopped}; {plural(len(case.pool.nodes), 'passage')} in the pool, {ranked}; {estimate}."
    if sentence := evidence_words(stop):
        yield sentence


def _warnings(found: Findings, checker: Checker, case: CaseRecord, kept: str, now: str) -> Iterator[str]:
    differing = [note.number for note in found.notes if note.check.differs]
    if differing:
        numbers = ", ".join(map(str, differing))
        yield (
            f"{plural(len(differing), 'citation')} of this memo differ from the text of the corpus as it is "
            f"now: see footnote {numbers}. Do not rely on these words before you have read the source."
        )
    changed_now = checker.changed()
    if changed_now:
        yield (
            f"The corpus has changed or lost {plural(len(changed_now), 'ranked passage')} since the case was "
            "recorded."
        )
    missing = [note.number for note in found.notes if note.check is Check.NOT_FOUND]
    if missing:
        yield f"No longer in the corpus: the sources of footnote {', '.join(map(str, missing))}."
    if checker.corpus is not None and checker.corpus.name != case.corpus:
        yield f"Checked against the corpus “{checker.corpus.name}”; the case used “{case.corpus}”."
    if kept and now and kept != now:
        yield "The corpus has changed since the case ran (its fingerprint differs)."
    old = [note.number for note in found.notes if note.old]
    if old:
        yield f"Not in force on the day of the case: the sources of footnote {', '.join(map(str, old))}."


def _sources(
    case: CaseRecord, found: Findings, name: PassageNames, investigation: Investigation | None
) -> Iterator[Source]:
    """Yield how each cited passage was found."""
    languages = {note.passage_id: note.language for note in found.notes}
    for passage_id, language in languages.items():
        trails = _trails(case, passage_id, investigation)
        sentences = tuple(trail_sentence(trail, name) for trail in trails[:MOST_TRAILS] if trail)
        sentences = sentences or (
            "It is next to a passage found in the corpus, and not in the pool of the case.",
        )
        yield Source(Words(name(passage_id), language), sentences)


def _trails(
    case: CaseRecord, passage_id: str, investigation: Investigation | None
) -> Sequence[Sequence[Hop]]:
    if investigation is not None and passage_id in investigation.pool:
        return investigation.pool.trails(passage_id, MOST_TRAILS)
    ranked = case.passage_of(passage_id)
    return () if ranked is None else ranked.hops()


def _rows(case: CaseRecord, found: Findings, name: PassageNames) -> Iterator[Row]:
    cited: dict[str, list[Note]] = {}
    for note in found.notes:
        cited.setdefault(note.passage_id, []).append(note)
    for one in case.passages[:MOST_ROWS]:
        trails = one.hops()
        notes = [note.number for passage in one.ids for note in cited.get(passage, ())]
        yield Row(
            one.rank,
            Words(one.title or one.document or one.id, one.language),
            one.where,
            one.validity or "",
            one.out_of_force,
            trail_sentence(trails[0], name) if trails else "",
            tuple(sorted(set(notes))),
        )


def _checks(found: Findings, audit: CaseAudit | None, corpus: Corpus | None) -> Iterator[str]:
    """Yield the checks of the engine and their results."""
    total = len(found.notes)
    if corpus is None:
        yield f"{plural(total, 'citation')}: none was checked, as no corpus was opened."
    elif total:
        held = sum(note.check.holds for note in found.notes)
        differing = sum(note.check.differs for note in found.notes)
        yield (
            f"{plural(total, 'citation')}: {held} checked against the text word for word, {differing} "
            f"differ, {total - held - differing} could not be checked."
        )
    if audit is None:
        return
    for one in audit.sentences:
        if not one.is_supported:
            claim = f"“{one.text}” {one.reason}"
            yield f"The check of claims does not find this supported ({one.finding.value}): {claim}"
    if audit.sentences:
        count = sum(one.is_supported for one in audit.sentences)
        yield (
            f"{plural(len(audit.sentences), 'sentence')}: the check of claims finds {count} supported by the "
            "passages that they cite."
        )
    reached = audit.info.documents - len(audit.unreached)
    yield f"Documents reached: {reached:,} of {audit.info.documents:,}."


def _seals(given: ExportableCase) -> Iterator[tuple[str, str]]:
    if given.summary is None or not given.events:
        yield "Events", "This case was read from a file, which has no chain of events."
        return
    for line in check_seals(given.events, given.summary, given.record):
        yield "Seals", line
    yield "Events", f"{len(given.events):,}"
    yield "Last hash (SHA-256)", given.events[-1].hash


def _settings(settings: InvestigationSettings) -> Iterator[tuple[str, str, str]]:
    """Yield each setting that differs from the preset: name, value, value of the preset."""
    base = preset(nearest(settings))
    for one in changed_fields(settings, base):
        yield (
            field_words(one),
            value_words(getattr(settings, one)),
            value_words(getattr(base, one)),
        )


def _facts(given: ExportableCase, case: CaseRecord, kept: str, now: str) -> Iterator[tuple[str, str]]:
    summary = given.summary
    if given.matter:
        yield "Matter", given.matter
    if summary is not None:
        yield "Case", summary.id
        if summary.verdict:
            right = {True: ", the engine was right", False: ", the engine was wrong", None: ""}
            yield "Verdict", summary.verdict + right[summary.verdict_right]
    yield "Asked", f"{day_words(case.begun.date())}, {case.begun:%H:%M} UTC"
    yield "Law as of", day_words(case.as_of) if case.as_of else "no day was given"
    yield "Corpus", case.corpus
    yield "Fingerprint of the corpus", kept or "not recorded"
    if now:
        yield "Checked against", now if now != kept else "the corpus in the same state"
    yield "Language model", case.model or "none"
    yield "Engine", f"Redstring {summary.engine if summary is not None else engine_version()}"
    if given.events:
        yield "State of the case", f"{given.events[-1].at[:16].replace('T', ' ')} UTC"
    when = "" if given.today is None else f"{day_words(given.today)}, "
    yield "Memo written", f"{when}by Redstring {engine_version()}"
