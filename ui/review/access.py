"""The reviewer behind a call of the Review view, and the words of verdicts and items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any, Final, Literal

from pydantic import Field

from engine.access.users import Action, Person, may
from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.investigation import Case, make_case
from engine.investigation.ranking.additive import Experience
from engine.model import Direction, Hop, Relation
from engine.records.phrases import hop_words
from engine.records.store import EVERYBODY
from engine.records.store.database import Matter
from engine.records.store.store import CaseStore
from engine.review.case_verdicts import Pieces, mark_quotes
from engine.review.learning import Labels, Observed, describe_case
from engine.review.model import VERDICTS, Assessment, Item, ItemKind, Verdict
from engine.review.queues import Queue, check_reviewer, unknown_queue_error
from engine.review.store import ReviewStore
from engine.review.training import Choice, TrainingLabels, WeightStore, choice_to_json, learn_weights, train
from engine.settings import preset
from engine.verbs.verb import CorpusName, Key
from ui.calls import Access, Caller, Form
from ui.cases.access import exact, percent
from ui.cases.storage import KeptCases
from ui.server.jobs import Job, Jobs, Rules
from ui.server.pool import Workers
from ui.shelf import Library
from ui.templating import rendered

# Words of verdicts, reasons and items.

WORDS: Final[Mapping[Verdict, str]] = {
    Verdict.RELEVANT: "Relevant",
    Verdict.PARTLY: "Partly",
    Verdict.IRRELEVANT: "Not relevant",
    Verdict.RIGHT: "Right",
    Verdict.WRONG_KIND: "Wrong relation",
    Verdict.WRONG_TARGET: "Wrong provision",
    Verdict.USELESS: "Correct but irrelevant",
    Verdict.WRONG: "Wrong",
    Verdict.UNSUPPORTED: "Not supported",
    Verdict.LATER: "Later",
}
# Frequent reasons; others are typed.
REASONS: Final[Mapping[str, tuple[str, ...]]] = {
    "passage": ("another subject", "only mentions it", "too general", "out of date", "repeats another"),
    "hop": ("no reference", "another document is meant", "another provision is meant", "leads away"),
    "sentence": ("says something else", "leaves out a condition", "out of date"),
}
# Maximum of characters in the short name of a sentence.
SHORT_SENTENCE = 70
# The tone in which a verdict is shown.
_TONES: Final[Mapping[Verdict, str]] = {
    Verdict.RELEVANT: "good",
    Verdict.RIGHT: "good",
    Verdict.PARTLY: "half",
    Verdict.LATER: "plain",
}


@dataclass(frozen=True, slots=True)
class Button:
    """A verdict as a button: its value, its label, its keys, its tone."""

    verdict: Verdict
    words: str
    keys: str
    tone: str


def rows_of_verdicts() -> dict[str, list[Button]]:
    """Return the verdicts of each kind of item as buttons, in the order of their keys."""
    return {
        kind.value: [
            Button(one, WORDS[one], "l s" if one is Verdict.LATER else str(place), tone(one))
            for place, one in enumerate(verdicts, 1)
        ]
        for kind, verdicts in VERDICTS.items()
    }


def tone(verdict: Verdict) -> str:
    """Return the tone of a verdict: good, half, plain or bad."""
    return _TONES.get(verdict, "bad")


def verdict_words(assessment: Assessment) -> str:
    """Return a verdict with its reasons: "not relevant, because out of date: repealed in 2019"."""
    why = ": ".join(part for part in (assessment.reason, assessment.note) if part)
    verdict = WORDS[assessment.verdict].lower()
    return f"{verdict}, because {why}" if why else verdict


@dataclass(frozen=True, slots=True)
class Side:
    """A passage: its label, and its text in pieces, some of which are the quote."""

    label: str
    pieces: Pieces


@dataclass(frozen=True, slots=True)
class Link:
    """A hop as a reviewer reads it: the passage that states the link, the relation, the other passage.

    ``backward``: the case followed it from the other passage. ``detail`` is a further element that was
    followed, such as the term that both share.
    """

    source: Side
    words: str
    target: Side
    backward: bool
    detail: str = ""


# Hops by words that both passages contain; these are marked in both.
_SHARED = (Relation.MENTIONS, Relation.DEFINES)


def link_of(item: Item) -> Link:
    """Return a hop from the passage that states it, whichever way the case followed it."""
    is_shared = item.relation in _SHARED
    here, there = is_shared or not item.backward, is_shared or item.backward
    sides = [
        Side(item.source_label, mark_quotes(item.source_text, item.quote if here else "")),
        Side(item.label, mark_quotes(item.text, item.quote if there else "")),
    ]
    source, target = reversed(sides) if item.backward else sides
    return Link(source, _relation(item), target, item.backward, item.detail)


def _relation(item: Item) -> str:
    """Return the relation of the stating passage to the other one: "cites this", "subject to this"."""
    try:
        relation = Relation(item.relation)
    except ValueError:
        return item.relation.replace("_", " ")
    # As a hop from the other passage back to it, whose words are from the passage that it leads to.
    hop = Hop(
        target_id="", source_id="", strategy=item.strategy, relation=relation, direction=Direction.IN,
        round=item.round, strength=0.0,
    )  # fmt: skip
    return hop_words(hop, lambda _: "this")


def rests_on(item: Item) -> Side:
    """Return the passages that support a sentence, with the words that it uses marked."""
    return Side(item.source_label, mark_quotes(item.source_text, *item.quote.split("\n")))


def where(item: Item) -> str:
    """Return a short name of an item: the label of its passage, both ends of its hop, or its first words."""
    if item.kind is ItemKind.SENTENCE:
        ends = "" if len(item.text) <= SHORT_SENTENCE else " …"
        return f"“{item.text[:SHORT_SENTENCE].rstrip()}{ends}”"
    if item.kind is not ItemKind.HOP:
        return item.label or item.passage_id
    sides = (item.source_label or item.source_id, item.label or item.passage_id)
    return " → ".join(reversed(sides) if item.backward else sides)


LONGEST_NAME, LONGEST_NOTE = 100, 2000


class ReviewForm(Form):
    """A call of the Review view. ``reviewer`` is the typed name of a caller without a login."""

    reviewer: str = Field(default="", max_length=LONGEST_NAME)


class MatterForm(ReviewForm):
    """A call about the matter of an id."""

    matter: Key = ""


class CaseForm(ReviewForm):
    """A call about the case of an id."""

    cases: Key = ""


class QueueForm(ReviewForm):
    """A call about the queue of an id."""

    queue: Key = ""


class JobForm(ReviewForm):
    """A call about the job of an id."""

    job: Key = ""


class ScopeForm(MatterForm):
    """The scope of learning: a matter and one of the corpora of its cases, empty for the first; ``of``: for
    the matter alone, or for all who search the corpus. ``weights`` is the id of learned weights."""

    corpus: CorpusName = ""
    of: Literal["matter", "corpus"] = "matter"
    weights: str = Field(default="", pattern=r"^[\w-]{0,64}$", max_length=64)


# Learning as a job: judged questions are investigated again, one by one, in the queue of cases.

# One at a time, and one per person: it uses workers of cases.
RULES = Rules("learning", running=1, waiting=8, seconds=900.0)
# Limits, the newest first; the command line has none.
MOST_QUESTIONS, MOST_PASSAGES = 300, 3_000
PRESET = "balanced"


@dataclass(slots=True)
class Learning:
    """The scope of learning, and its result: the id of the stored weights, empty if nothing was learned, and
    the figures to show. It contains no words of a question."""

    matter: str
    corpus: str
    of: str
    weights: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)


def learn(
    job: Job[Learning],
    place: WeightStore,
    corpus: Corpus,
    training: TrainingLabels,
    workers: Workers,
    visitor: str,
    who: str,
) -> None:
    """Do the work of the job; ``visitor`` waits in the queue of cases. Raises CancelledError, and as cases
    and learning do."""
    settings = preset(PRESET)

    def done(question: str, work: Callable[[Case], Any]) -> Any:
        return workers.run_function(visitor, work, make_case(corpus, question, settings, weights=""))

    def ask(labels: Labels) -> Observed | None:
        found: Observed | None = done(labels.question, partial(_observed, labels=labels))
        return found

    def learned(seen: Sequence[Observed], name: str) -> tuple[Experience, Choice]:
        work = partial(_learned, seen=tuple(seen), name=name)
        found: tuple[Experience, Choice] = done(training.labels[0].question, work)
        return found

    experience, choice = train(corpus, training, settings, ask=ask, learn=learned, report=job.tell)
    # Cancelling now discards it.
    job.tell("keeping", 1, 1)
    if choice.strength:
        place.keep(experience, choice, training.cases, who)
        job.payload.weights = experience.id
    job.payload.figures = choice_to_json(choice, training.cases)


def _observed(case: Case, labels: Labels) -> Observed | None:
    for _ in case.run():
        continue
    return describe_case(case, labels)


def _learned(case: Case, seen: Sequence[Observed], name: str) -> tuple[Experience, Choice]:
    """Learn in a worker of a case; the case itself does not run."""
    return learn_weights(seen, case.corpus, name)


# Settings of a queue: every reviewer of the server may join; the id of the one case that it is made from.
OPEN, CASE = "open_to_reviewers", "case"


class ReviewDesk:
    """The stored cases with their reviews, the library, and the jobs that learn from verdicts."""

    def __init__(self, kept: KeptCases, library: Library) -> None:
        self.kept, self.library = kept, library
        # Held while the queue of a case is looked up or made.
        self.making = Lock()
        self.learning: Jobs[Learning] = Jobs(RULES)

    def access(self, caller: Caller, form: ReviewForm) -> ReviewAccess | None:
        """Return the queues and matters of the caller, None for a browser without a key."""
        owner = self.kept.owner_of(caller.person)
        return None if owner is None else ReviewAccess(self, caller.person, owner, form.reviewer)


@dataclass(frozen=True, slots=True)
class ReviewAccess(Access):
    """The caller's rights to review. ``owner`` names the owner of their matters in the store; ``typed`` is
    the name that they typed, used without a login."""

    desk: ReviewDesk
    person: Person
    owner: str
    typed: str

    @property
    def store(self) -> ReviewStore:
        """Return the store of reviews. Raises as ``CaseStore``."""
        return self.desk.kept.reviews()

    @property
    def cases(self) -> CaseStore:
        """Return the store of cases. Raises as ``CaseStore``."""
        return self.desk.kept.store()

    @property
    def reviewer(self) -> str:
        """Return the name under which verdicts are stored. Raises InputError if there is none."""
        if not (self.person.name or self.typed.strip()):
            raise InputError("say your name first: verdicts are kept under it")
        return check_reviewer(self.person.name or self.typed)

    @property
    def asker(self) -> str:
        """Return the owner of the caller's jobs: the browser, or the user who has logged in."""
        return self.person.key or self.owner

    @property
    def matters(self) -> list[Matter]:
        """Return the matters of the caller, by name."""
        return self.cases.matters(self.owner)

    @property
    def may_review(self) -> bool:
        """Return whether the caller has the role of a reviewer."""
        return may(self.person.role, Action.JUDGE)

    def matter(self, matter_id: str) -> Matter:
        """Return the matter of an id. Raises InputError for a matter of another."""
        for one in self.matters:
            if one.id == matter_id:
                return one
        raise InputError("there is no such matter")

    def owns(self, queue: Queue) -> bool:
        """Return whether a queue belongs to a matter of the caller."""
        return any(one.id == queue.matter for one in self.matters)

    def case_of(self, queue: Queue) -> str:
        """Return the id of the case that a queue of the caller is made from; empty for another queue."""
        return str(queue.settings.get(CASE, "")) if self.owns(queue) else ""

    def queue(self, queue_id: str) -> Queue:
        """Return a queue that the caller may review. Raises InputError for any other, and for an unknown
        id."""
        found = self.store.queue(queue_id)
        if self.owns(found) or self._is_asked(found):
            return found
        raise unknown_queue_error(queue_id)

    def queues(self) -> list[Queue]:
        """Return all queues that the caller may review, the newest first."""
        if not self.may_review:
            return self.store.queues(None, self.owner)
        own = {one.id for one in self.matters}
        return [one for one in self.store.queues(None, EVERYBODY) if one.matter in own or self._is_asked(one)]

    def subject(self, form: Any) -> str:
        """Return the queue, the weights, the matter or the case of a call, as the audit log names it."""
        ids = (getattr(form, name, "") for name in ("queue", "weights", "matter", "cases"))
        return next(filter(None, ids), "")

    def _is_asked(self, queue: Queue) -> bool:
        """Return whether a queue is open to all reviewers, or assigned to the login name of the caller."""
        name = " ".join(self.person.name.split())
        return self.may_review and (is_open(queue) or (bool(name) and name in queue.reviewers))


def is_open(queue: Queue) -> bool:
    """Return whether a queue is open to all reviewers."""
    return queue.settings.get(OPEN) is True


def shown(template: str, **values: Any) -> str:
    """Render a fragment of the view."""
    return rendered(
        f"review/{template}.html", exact=exact, percent=percent, said=verdict_words,
        verdicts=rows_of_verdicts(), reasons=REASONS, **values,
    )  # fmt: skip
