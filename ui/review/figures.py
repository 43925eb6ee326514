"""The figures of a queue, and verdicts as files."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import orjson
from gradio.utils import get_upload_folder
from pydantic import Field

from engine.errors import AccessError, InputError
from engine.operator_settings import MEGABYTE
from engine.records.store import EVERYBODY
from engine.records.store.database import Matter
from engine.review.agreement import Agreement, Disagreement, agreement, disagreements
from engine.review.drafts import Draft, draft
from engine.review.estimates import Estimates, estimates
from engine.review.exchange import FORMATS, format_of, writer_of
from engine.review.importing import find_cases, import_summary, match_verdicts
from engine.review.model import VERDICTS, Assessment, Item, ItemKind, Verdict
from engine.review.quality import Dimension, Period, Rate, over_time, overall, rates
from engine.review.queues import Progress, Queue
from engine.review.sampling import Sampling, iterate_items, parse_sampling
from engine.verbs.verb import Key
from ui.calls import Answer, Call
from ui.palette import thread
from ui.review.access import LONGEST_NOTE, WORDS, MatterForm, QueueForm, ReviewAccess, shown, where
from ui.review.turns import LONGEST_REASON, ItemForm, act_on_link, item_named
from ui.server.jobs import Owner
from ui.server.reading import Reading, Uploaded, check_files, read_files, stage

# Verdicts as files: exports for their readers, imports for the owner of a matter.

# Limits of an upload and of an export; the command line has higher ones.
MOST_BYTES, MOST_VERDICTS = 4 * MEGABYTE, 20_000
NOT_YOURS = "verdicts are imported by the owner of the matter"


class VerdictsForm(MatterForm, QueueForm):
    """The verdicts of a queue, or of a matter, and the format of their file."""

    format: Key = ""


class ImportForm(VerdictsForm):
    """A file of verdicts that has arrived."""

    file: Uploaded | None = None


@dataclass(frozen=True, slots=True)
class _Scope:
    """A queue, or a whole matter; ``is_own``: it belongs to the caller."""

    queue: Queue | None
    matter: Matter | None
    is_own: bool


def files_html(access: ReviewAccess, *, queue: Queue | None = None, matter: Matter | None = None) -> str:
    """Return the panel to export and import verdicts of a queue or a matter."""
    scope = _Scope(queue, matter, queue is None or access.owns(queue))
    named = {"queue": queue.id} if queue is not None else {"matter": matter.id if matter is not None else ""}
    return shown(
        "files",
        scope=named,
        matter=matter,
        only_own=_only_own(access, scope),
        takes=scope.is_own and access.desk.library.settings.uploads,
        written=[one for one in FORMATS.values() if one.write is not None],
        read=list(FORMATS.values()),
        suffixes=",".join(sorted({one.suffix for one in FORMATS.values()} | {".txt"})),
        most=MOST_BYTES,
    )


def hand_out(access: ReviewAccess, form: VerdictsForm) -> Answer:
    """Return a file of current verdicts: only the caller's own if they have items left or do not own the
    matter. Raises InputError if the format does not support them, or for too many."""
    scope, write = _scope(access, form), writer_of(form.format)
    owner = EVERYBODY if scope.queue is not None else access.owner
    found = access.store.assessments(scope.matter, owner, queue=form.queue, is_current=True)
    if _only_own(access, scope):
        found = [one for one in found if one.reviewer == access.reviewer]
    if len(found) > MOST_VERDICTS:
        raise InputError(f"{len(found):,} verdicts are more than is handed out here: the command line does")
    chosen = format_of(form.format)
    name = f"verdicts-{(form.queue or form.matter)[:8]}-{chosen.name}{chosen.suffix}"
    return {
        "file": {"name": name, "type": chosen.media_type, "data": base64.b64encode(write(found)).decode()}
    }


def take_in(access: ReviewAccess, form: ImportForm) -> tuple[str, Queue | None]:
    """Store the verdicts of an uploaded file, all or none; returns the result in words, and the queue that
    they count in. Raises AccessError for a queue or matter of another, InputError naming the line."""
    scope, by = _scope(access, form), access.reviewer
    if not scope.is_own:
        raise AccessError(NOT_YOURS)
    drafts = _read(access, form)
    items = _of_matter(access, scope.matter, drafts) if scope.queue is None else _queued(access, scope.queue)
    found = match_verdicts(drafts, items)
    # With login on, a name belongs to its user: verdicts of others in a file are stored under the file.
    taken = access.store.import_verdicts(
        found.found, by=by, queue=form.queue, owner=access.owner, signed=by if access.person.name else ""
    )
    return "; ".join(import_summary(taken, found.missing)), scope.queue


def _scope(access: ReviewAccess, form: VerdictsForm) -> _Scope:
    if form.queue:
        queue = access.queue(form.queue)
        return _Scope(queue, None, access.owns(queue))
    return _Scope(None, access.matter(form.matter), is_own=True)


def _only_own(access: ReviewAccess, scope: _Scope) -> bool:
    """Return whether the caller sees only their own verdicts: they have items left, or do not own the
    scope."""
    if not scope.is_own:
        return True
    queues = [scope.queue] if scope.queue is not None else access.store.queues(scope.matter, access.owner)
    try:
        return any(access.store.progress(one.id, access.reviewer).left for one in queues)
    except InputError:
        # The caller has no name yet.
        return bool(queues)


def _read(access: ReviewAccess, form: ImportForm) -> list[Draft]:
    """Read the verdicts of the file."""
    if form.file is None:
        raise InputError("there is no file yet: choose one")
    file, uploads, chosen = form.file, Path(get_upload_folder()), format_of(form.format)
    check_files([file], access.desk.library.settings, uploads)

    def put(documents: Path) -> list[Path]:
        stage([file], uploads, documents)
        (path,) = (one for one in documents.rglob("*") if one.is_file())
        if path.stat().st_size > MOST_BYTES:
            most = f"{MOST_BYTES / MEGABYTE:g} MB"
            raise InputError(f"{path.name}: larger than the {most} taken here: the command line takes it")
        return [path]

    given = {"format": chosen.name, "most": MOST_VERDICTS}
    reading = Reading("verdicts", put, _taken, MOST_VERDICTS, given)
    return read_files(reading, Owner(access.asker, access.person.address))


def _taken(line: bytes) -> Draft:
    values = orjson.loads(line)
    return draft(values, str(values["where"]))


def _queued(access: ReviewAccess, queue: Queue) -> Iterator[tuple[Item, str]]:
    items = [one.item for one in access.store.items(queue.id).values()]
    questions = {
        one: access.cases.summary(one, access.owner).question for one in {item.case_id for item in items}
    }
    return ((item, questions[item.case_id]) for item in items)


def _of_matter(
    access: ReviewAccess, matter: Matter | None, drafts: Sequence[Draft]
) -> Iterator[tuple[Item, str]]:
    """Yield the items of the named cases; none for a case whose corpus was removed."""
    library, hops = access.desk.library, any(one.kind is ItemKind.HOP for one in drafts)
    ids = access.cases.ids(matter, access.owner)
    questions = {one: access.cases.summary(one, access.owner).question for one in ids}
    for case in find_cases(drafts, questions):
        record = access.cases.record(case, access.owner)
        with suppress(InputError):
            corpus = library.open(library.find(record["corpus"], access.person.key))
            yield from iterate_items([(case, questions[case], record)], corpus, hops=hops)


# Approval over time.

# Rates by day up to this many days; then by week, the last of them.
MOST_DAYS, MOST_WEEKS = 31, 60


@dataclass(frozen=True, slots=True)
class Span:
    """A day or a week: its first day, the rate of the last verdicts in it, and its position in the whole
    time, 0..1, from ``left`` to ``right``."""

    day: date
    rate: Rate
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Spans:
    """Rates over time; ``earlier`` is the number of spans that are not shown."""

    period: Period
    shown: tuple[Span, ...]
    earlier: int


def spans_of(verdicts: Sequence[Assessment]) -> Spans | None:
    """Return the rates over time of assessments of one kind; None if all were made on one day."""
    days = [(date.fromisoformat(str(one.value)), one) for one in over_time(verdicts, Period.DAY)]
    if len(days) < 2:
        return None
    if (days[-1][0] - days[0][0]).days < MOST_DAYS:
        return _spans(Period.DAY, days, timedelta(days=1), 0)
    weeks = [(_monday(str(one.value)), one) for one in over_time(verdicts, Period.WEEK)]
    since = weeks[-1][0] - timedelta(weeks=MOST_WEEKS - 1)
    kept = [(day, one) for day, one in weeks if day >= since]
    return _spans(Period.WEEK, kept, timedelta(weeks=1), len(weeks) - len(kept))


def _spans(period: Period, found: Sequence[tuple[date, Rate]], each: timedelta, earlier: int) -> Spans:
    first = found[0][0]
    count = (found[-1][0] - first) // each + 1
    places = [(day - first) // each for day, _ in found]
    shown = (
        Span(day, rate, place / count, (place + 1) / count)
        for place, (day, rate) in zip(places, found, strict=True)
    )
    return Spans(period, tuple(shown), earlier)


def _monday(week: str) -> date:
    year, number = week.split("-W")
    return date.fromisocalendar(int(year), int(number), 1)


# The figures of a queue.

KINDS = {ItemKind.PASSAGE: "Passages", ItemKind.HOP: "Hops", ItemKind.SENTENCE: "Sentences"}
# The width of the recall's interval for which the number of missing verdicts is shown.
WIDTH = 0.2
# Limits of values of a dimension, and of disagreements.
MOST_VALUES, MOST_APART = 20, 100


class SettlementForm(ItemForm):
    """A verdict that ends a disagreement."""

    verdict: Verdict | None = None
    reason: str = Field(default="", max_length=LONGEST_REASON)
    note: str = Field(default="", max_length=LONGEST_NOTE)


@dataclass(frozen=True, slots=True)
class KindFigures:
    """Figures of items of one kind. ``tables`` has the rates by the values of each dimension with several
    values, ``alike`` the other dimensions with their only value. ``over_time`` is None if all verdicts were
    given on one day."""

    title: str
    counts: Sequence[tuple[str, int]]
    overall: Rate
    agreement: Agreement
    tables: Sequence[tuple[str, Sequence[tuple[str, Rate]]]]
    alike: Sequence[tuple[str, str]]
    over_time: Spans | None


def figures(access: ReviewAccess, form: QueueForm) -> Answer:
    """Return the whole screen."""
    return figures_screen(access, form.queue)


def figures_screen(access: ReviewAccess, queue_id: str) -> Answer:
    """Return the figures of a queue. Single verdicts are shown only to callers who have no items left to
    judge."""
    queue = access.queue(queue_id)
    verdicts = access.store.assessments(queue=queue.id, owner=EVERYBODY, is_current=True)
    progress = access.store.progress(queue.id, access.reviewer)
    differing = disagreements(verdicts)
    open_ones = [one for one in differing if not _is_settled(one)]
    page = shown(
        "figures",
        queue=queue,
        case=access.case_of(queue),
        progress=progress,
        kinds=[_of_kind(verdicts, kind, title) for kind, title in KINDS.items() if _has(verdicts, kind)],
        apart=[(one, where(one.item)) for one in open_ones[:MOST_APART]] if _may_see(progress) else [],
        total=len(open_ones),
        settled=len(differing) - len(open_ones),
        blind=not _may_see(progress),
        reviewers=len({one.reviewer for one in verdicts}),
        files=files_html(access, queue=queue),
        ranking=_ranking(access, queue),
        width=WIDTH,
    )
    return {"html": {"figures": page}, "queue": queue.id, "focus": "[data-key=figures]"}


def _ranking(access: ReviewAccess, queue: Queue) -> tuple[Estimates, Sampling] | None:
    """Return estimates of the rankings of the queue's cases, and its sampling; None if the queue's settings
    lack that, or no item of the queue was judged."""
    try:
        sampling = parse_sampling(queue)
    except InputError:
        return None
    # Verdicts on an item count for all queues.
    verdicts = access.store.assessments(Matter(queue.matter, "", "", ""), EVERYBODY, is_current=True)
    found = estimates(access.store.items(queue.id).values(), verdicts, sampling)
    return (found, sampling) if found.judged else None


def settle(access: ReviewAccess, form: SettlementForm) -> Answer:
    """Settle a disagreement by a verdict. Raises InputError if the caller has items left to judge."""
    queue = access.queue(form.queue)
    if form.verdict is None or form.verdict not in VERDICTS[item_named(form).kind][:-1]:
        raise InputError("no verdict was given")
    if not _may_see(access.store.progress(queue.id, access.reviewer)):
        raise InputError("rate your own items before you resolve disagreements")
    kept = access.store.judge(
        item_named(form), form.verdict, reviewer=access.reviewer, queue=queue.id, reason=form.reason,
        note=form.note, settles=True,
    )  # fmt: skip
    effect = act_on_link(access, kept)
    message = f"Settled: {WORDS[kept.verdict].lower()}{f'; {effect}' if effect else ''}"
    return {**figures_screen(access, queue.id), "said": message, "focus": "[data-key^=settle]"}


def _may_see(progress: Progress) -> bool:
    return progress.left == 0


def _is_settled(one: Disagreement) -> bool:
    return any(verdicts.settles for verdicts in one.assessments)


def _has(verdicts: Sequence[Assessment], kind: ItemKind) -> bool:
    return any(one.item.kind is kind for one in verdicts)


def _of_kind(verdicts: Sequence[Assessment], kind: ItemKind, title: str) -> KindFigures:
    own = [one for one in verdicts if one.item.kind is kind]
    counted = Counter(one.verdict for one in own)
    tables = [(dimension.value, _table(dimension, rates(own, dimension))) for dimension in Dimension]
    return KindFigures(
        title=title,
        counts=[(WORDS[one], counted[one]) for one in VERDICTS[kind] if counted[one]],
        overall=overall(own),
        agreement=agreement(own, kind),
        tables=[(name, rows[:MOST_VALUES]) for name, rows in tables if len(rows) > 1],
        alike=[(name, rows[0][0]) for name, rows in tables if len(rows) == 1],
        over_time=spans_of(own),
    )


def _table(dimension: Dimension, found: Sequence[Rate]) -> list[tuple[str, Rate]]:
    """Return the rates by the values of a dimension; empty if no item has a value."""
    if not any(one.value != "" for one in found):
        return []
    return [(_value(dimension, one), one) for one in found]


def _value(dimension: Dimension, rate: Rate) -> str:
    """Return a value in words; a dash for a missing one."""
    if dimension is Dimension.STRATEGY and rate.value:
        return thread(str(rate.value)).title
    if dimension is Dimension.ROUND:
        return f"round {rate.value}" if rate.value else "scan"
    return str(rate.value).replace("_", " ") or "–"


CALLS = (
    Call("figures", QueueForm, figures),
    Call("settle", SettlementForm, settle, audit="settle disagreement"),
    Call("verdicts-out", VerdictsForm, hand_out, audit="export verdicts"),
)
