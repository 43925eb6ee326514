"""A memo composed from a case that is handed over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.answers.audit.claims import MEMO_NOTICE
from engine.answers.case_audit import CaseAudit, case_audit
from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.exports.checking import Check, Checker
from engine.exports.memo.content import (
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
    answered,
    areas_of,
    chain_told,
    findings_of_answer,
    findings_of_record,
    lacking_of,
    steps_of,
)
from engine.exports.memo.markdown import one_line
from engine.exports.reading import private_record_in
from engine.exports.registry import HandedOver
from engine.investigation.record import Investigation
from engine.model import Evidence, EvidenceStatus, Hop, PartEvidence, Stop
from engine.records.phrases import (
    completeness_words,
    evidence_words,
    part_texts,
    part_words,
    plural,
    status_words,
    stop_words,
    trail_sentence,
)
from engine.records.plain import convert
from engine.records.presets import changed_fields, day_words, field_words, nearest, value_words
from engine.records.record import CaseRecord
from engine.records.restoring import restore, settings_of
from engine.records.store.chain import fingerprint_of
from engine.records.store.store import engine_version
from engine.settings import InvestigationSettings, preset

STATUS = {
    EvidenceStatus.FOUND: "Found",
    EvidenceStatus.PARTIAL: "Found in part",
    EvidenceStatus.NONE: "Nothing found",
}
BEARS = "The corpus bears the question"
# Rows of the table of passages, events, trails of a source, and letters of a title.
MOST_ROWS, MOST_STEPS, MOST_TRAILS, LONGEST_TITLE = 40, 60, 2, 120


def compose(given: HandedOver, case: CaseRecord | None = None) -> Memo:
    """Return what a memo of a case says; ``case`` is its record if it was read already. Raises InputError for
    a damaged record."""
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
    f"{MEMO_NOTICE} It is no legal advice, and it does not claim that nothing else exists.",
    "“Checked against the text” means that the words stand in the corpus word for word (spacing and the form "
    "of quotation marks and dashes aside). It does not mean that the corpus is the official text, or that it "
    "is complete.",
)


def checker_of(given: HandedOver, case: CaseRecord) -> Checker:
    """What checks the quotes of a case."""
    kept, now = _fingerprints(given)
    return Checker(case, given.corpus, unchanged=bool(kept) and kept == now)


def names_of(given: HandedOver, case: CaseRecord) -> PassageNames:
    """The names of all passages that a case and its events speak of."""
    return PassageNames(case, given.corpus, named_ids(case) | _named_by_steps(given))


def _fingerprints(given: HandedOver) -> tuple[str, str]:
    """The state of the corpus when the case was asked, and now; empty where it is not known."""
    kept = "" if given.summary is None else given.summary.fingerprint
    return kept, "" if given.corpus is None else fingerprint_of(given.corpus)


def _named_by_steps(given: HandedOver) -> set[str]:
    return {
        str(event.data[key])
        for event in given.events
        for key in ("passage", "source", "target")
        if key in event.data
    }


def _title(given: HandedOver) -> str:
    named = given.summary.name if given.summary is not None else ""
    return one_line(named or str(given.record["question"]), LONGEST_TITLE)


def _restored(given: HandedOver, case: CaseRecord, checker: Checker) -> tuple[Investigation | None, str]:
    """The investigation on the corpus where it still has the words of the case, else None and why not."""
    if given.corpus is None:
        return None, "the corpus was not opened"
    different = checker.changed()
    if different:
        return None, f"the corpus has other words now for {plural(len(different), 'passage')} of the case"
    try:
        return restore(case, given.corpus), ""
    except InputError as error:
        return None, str(error)


def _found(
    case: CaseRecord, corpus: Corpus | None, investigation: Investigation | None, notes: Notes, why: str
) -> tuple[Findings, CaseAudit | None]:
    if investigation is None or corpus is None:
        return findings_of_record(case, notes, why), None
    told = answered(investigation, corpus)
    return findings_of_answer(told, notes), case_audit(investigation, corpus, told)


def _evidence(case: CaseRecord, name: PassageNames) -> Iterator[str]:
    """Whether the corpus bears the question, its parts, why the search ended, and what is held of it all."""
    yield f"{status_words(convert(Evidence, case.evidence, parts=())) or BEARS}."
    parts = [PartEvidence(part.text, part.status, tuple(part.missing)) for part in case.evidence.parts]
    for text, part, kept in zip(part_texts(parts), parts, case.evidence.parts, strict=True):
        yield ", ".join((f"{text}: {part_words(part)}", *(name(one.id) for one in kept.passages))) + "."
    stop = convert(Stop, case.stop)
    estimate = completeness_words(stop)
    ranked = f"{len(case.passages):,} of them ranked"
    yield (
        f"{stop_words(stop)}; {plural(len(case.pool.nodes), 'passage')} in the pool, {ranked}; {estimate}."
    )
    if told := evidence_words(stop):
        yield told


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
            f"The corpus has other words now for {plural(len(changed_now), 'ranked passage')} than the case "
            "recorded, or has them no longer."
        )
    gone = [note.number for note in found.notes if note.check is Check.GONE]
    if gone:
        yield f"Not in the corpus any more: the sources of footnote {', '.join(map(str, gone))}."
    if checker.corpus is not None and checker.corpus.name != case.corpus:
        yield f"Checked against the corpus “{checker.corpus.name}”; the case was asked of “{case.corpus}”."
    if kept and now and kept != now:
        yield "The corpus is in another state than when the case was asked (its fingerprint differs)."
    old = [note.number for note in found.notes if note.old]
    if old:
        yield f"Not in force on the day of the case: the sources of footnote {', '.join(map(str, old))}."


def _sources(
    case: CaseRecord, found: Findings, name: PassageNames, investigation: Investigation | None
) -> Iterator[Source]:
    """How each passage that is cited was found, in the words of the page."""
    languages = {note.passage_id: note.language for note in found.notes}
    for passage_id, language in languages.items():
        trails = _trails(case, passage_id, investigation)
        told = tuple(trail_sentence(trail, name) for trail in trails[:MOST_TRAILS] if trail)
        told = told or ("Stands in the corpus beside what was found; it is not in the pool of the case.",)
        yield Source(Words(name(passage_id), language), told)


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
    """What the engine checked, and what came of it."""
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
            said = f"“{one.text}” {one.reason}"
            yield f"The check of claims does not find this said ({one.finding.value}): {said}"
    if audit.sentences:
        count = sum(one.is_supported for one in audit.sentences)
        yield (
            f"{plural(len(audit.sentences), 'sentence')}: the check of claims finds {count} said by what "
            "they cite."
        )
    reached = audit.info.documents - len(audit.unreached)
    yield f"Documents reached: {reached:,} of {audit.info.documents:,}."


def _seals(given: HandedOver) -> Iterator[tuple[str, str]]:
    if given.summary is None or not given.events:
        yield "Events", "This case was read from a file, which has no chain of events."
        return
    for told in chain_told(given.events, given.summary, given.record):
        yield "Seals", told
    yield "Events", f"{len(given.events):,}"
    yield "Last hash (SHA-256)", given.events[-1].hash


def _settings(settings: InvestigationSettings) -> Iterator[tuple[str, str, str]]:
    """Each setting that differs from the preset: its name, its value, that of the preset."""
    base = preset(nearest(settings))
    for one in changed_fields(settings, base):
        yield (
            field_words(one),
            value_words(getattr(settings, one)),
            value_words(getattr(base, one)),
        )


def _facts(given: HandedOver, case: CaseRecord, kept: str, now: str) -> Iterator[tuple[str, str]]:
    summary = given.summary
    if given.matter:
        yield "Matter", given.matter
    if summary is not None:
        yield "Case", summary.id
        if summary.verdict:
            right = {True: ", the engine was right", False: ", the engine was wrong", None: ""}
            yield "Verdict", summary.verdict + right[summary.verdict_right]
    yield "Asked", f"{day_words(case.begun.date())}, {case.begun:%H:%M} UTC"
    yield "Law as of", day_words(case.as_of) if case.as_of else "no day was named"
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
