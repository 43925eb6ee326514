"""What every answer of the Review view starts from: who reviews, and which queues they may."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Any

from engine.access.users import Action, Person, may
from engine.errors import InputError
from engine.records.store import EVERYBODY
from engine.records.store.listing import Matter
from engine.records.store.store import CaseStore
from engine.review.adding import no_queue, reviewer_named
from engine.review.kept import Queue
from engine.review.store import ReviewStore
from ui.cases.kept import KeptCases
from ui.cases.wording import exact, percent
from ui.jobs.jobs import Jobs
from ui.review.learning import RULES, Learning
from ui.review.wording import REASONS, rows_of_verdicts, said
from ui.shelf import Library
from ui.templating import rendered

Answer = dict[str, Any]
# In the settings of a queue: whoever has the role of a reviewer may review it; the case that it is made of
# alone.
OPEN, CASE = "open_to_reviewers", "case"


class ReviewDesk:
    """The kept cases, whose reviews stand beside them, the library whose corpora they were asked of, and what
    is being learned."""

    def __init__(self, kept: KeptCases, library: Library) -> None:
        self.kept, self.library = kept, library
        # Held while the queue of a case is looked for, and made where there is none.
        self.making = Lock()
        self.learning: Jobs[Learning] = Jobs(RULES)


@dataclass(frozen=True, slots=True)
class Own:
    """What whoever asks may review. ``owner`` is by what their matters are known: never that of everybody;
    ``typed`` is the name that they gave, which counts where nobody has logged in."""

    desk: ReviewDesk
    person: Person
    owner: str
    typed: str

    @property
    def store(self) -> ReviewStore:
        """The reviews. Raises as ``CaseStore``."""
        return self.desk.kept.reviews()

    @property
    def cases(self) -> CaseStore:
        """The cases. Raises as ``CaseStore``."""
        return self.desk.kept.store()

    @property
    def reviewer(self) -> str:
        """By what name verdicts are kept. Raises InputError where none was given."""
        if not (self.person.name or self.typed.strip()):
            raise InputError("say your name first: verdicts are kept under it")
        return reviewer_named(self.person.name or self.typed)

    @property
    def asker(self) -> str:
        """By what work that they order is theirs: this browser, or whoever has logged in."""
        return self.person.key or self.owner

    @property
    def matters(self) -> list[Matter]:
        """The matters of whoever asks, by name."""
        return self.cases.matters(self.owner)

    @property
    def may_review(self) -> bool:
        """Whether queues of others that are open to reviewers, or to them by name, are open to whoever
        asks."""
        return may(self.person.role, Action.JUDGE)

    def matter(self, matter_id: str) -> Matter:
        """The matter of an id. Raises InputError for one of another."""
        for one in self.matters:
            if one.id == matter_id:
                return one
        raise InputError("there is no such matter")

    def owns(self, queue: Queue) -> bool:
        """Whether a queue is of one of their own matters."""
        return any(one.id == queue.matter for one in self.matters)

    def case_of(self, queue: Queue) -> str:
        """The id of the case that a queue of theirs is made of alone; empty for any other queue."""
        return str(queue.settings.get(CASE, "")) if self.owns(queue) else ""

    def queue(self, queue_id: str) -> Queue:
        """A queue that they may review. Raises InputError for any other, as for one that is not there."""
        found = self.store.queue(queue_id)
        if self.owns(found) or self._is_asked(found):
            return found
        raise no_queue(queue_id)

    def queues(self) -> list[Queue]:
        """All queues that they may review, the newest first."""
        if not self.may_review:
            return self.store.queues(None, self.owner)
        own = {one.id for one in self.matters}
        return [one for one in self.store.queues(None, EVERYBODY) if one.matter in own or self._is_asked(one)]

    def _is_asked(self, queue: Queue) -> bool:
        """Whether a queue is open to all reviewers, or to them by the name that they have logged in with."""
        name = " ".join(self.person.name.split())
        return self.may_review and (is_open(queue) or (bool(name) and name in queue.reviewers))


def is_open(queue: Queue) -> bool:
    """Whether a queue was made open to reviewers."""
    return queue.settings.get(OPEN) is True


def shown(template: str, **values: Any) -> str:
    """A fragment of the view, with what its templates word things by."""
    return rendered(
        f"review/{template}.html", exact=exact, percent=percent, said=said,
        verdicts=rows_of_verdicts(), reasons=REASONS, **values,
    )  # fmt: skip
