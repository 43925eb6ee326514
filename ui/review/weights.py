"""Learned weights: the verdicts to learn from, their effect on the ranking, and the weights in use."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine.corpus.judgements import Act, WeightsLine, latest_act
from engine.corpus.protocol import Corpus
from engine.errors import AccessError, CorpusError, InputError, RedstringError
from engine.records.store.database import Matter
from engine.review.learning.validation import FEWEST
from engine.review.training import (
    CorpusWeightStore,
    MatterWeightStore,
    TrainingLabels,
    WeightStore,
    labels_from,
)
from ui.calls import Answer, Call
from ui.investigate.case_views import may_judge
from ui.review.access import (
    MOST_PASSAGES,
    MOST_QUESTIONS,
    JobForm,
    Learning,
    ReviewAccess,
    ScopeForm,
    learn,
    shown,
)
from ui.server.jobs import Job, Owner, State

# Limits: questions that move, shown of each kind; listed weights.
MOST_SHOWN, MOST_LISTED = 20, 30
NOT_YOURS = "what is learned for all who ask a corpus is adopted by those who may judge its links"
# Kinds of learned weights, in words.
KINDS = {
    "passages": "verdicts on the same passages for other questions",
    "features": "what the signs of the ranking turned out to be worth: words, meaning, links",
    "passages and features": "verdicts on the same passages for other questions, and what the signs of "
    "the ranking turned out to be worth",
}


@dataclass(frozen=True, slots=True)
class Scope:
    """The scope of weights: a matter and one of the corpora of its cases.

    ``corpus`` is None if it was removed or the caller cannot open it. ``may_share``: the caller may learn for
    all who search the corpus; ``of`` is "corpus" for such weights, else "matter".
    """

    matter: Matter
    name: str
    names: tuple[str, ...]
    corpus: Corpus | None
    may_share: bool
    of: str

    def place(self, access: ReviewAccess) -> WeightStore:
        """Return the store of the weights. Raises InputError for a missing corpus."""
        if self.of == "matter":
            return MatterWeightStore(access.desk.kept.weights(), self.matter, self.name)
        return CorpusWeightStore(self.there())

    def there(self) -> Corpus:
        """Return the corpus. Raises InputError if it is missing."""
        if self.corpus is None:
            raise InputError("the corpus of these cases was removed, or is not open to you")
        return self.corpus

    def labels(self, access: ReviewAccess) -> TrainingLabels:
        """Return the verdicts to learn from: for a corpus, those in all matters of the caller."""
        matter = self.matter if self.of == "matter" else None
        return labels_from(access.store.assessments(matter, access.owner, corpus=self.name, is_current=True))


def learned(access: ReviewAccess, form: ScopeForm) -> Answer:
    """Return the whole screen."""
    # The focus moves to requested weights.
    focus = {"focus": "[data-key=learned-result]"} if form.weights else {}
    return _screen(access, _scope(access, form), form.weights) | focus


def begin(access: ReviewAccess, form: ScopeForm) -> Answer:
    """Start learning. Raises InputError for too few verdicts, or if a job of the caller is running."""
    scope, who = _scope(access, form), access.reviewer
    corpus, place, labels = scope.there(), scope.place(access), scope.labels(access)
    if labels.telling < FEWEST:
        raise InputError(
            f"nothing can be learned yet: {FEWEST} questions at least need both kinds of passages"
        )
    place.check_room()
    asked = Learning(scope.matter.id, scope.name, scope.of)
    line = access.person.address or access.asker
    work = partial(
        learn, place=place, corpus=corpus, training=labels.newest(MOST_QUESTIONS, MOST_PASSAGES),
        workers=access.desk.library.workers, visitor=line, who=who,
    )  # fmt: skip
    access.desk.learning.start(Owner(access.asker, access.person.address), asked, work)
    return _screen(access, scope, "") | {"focus": "[data-key=stop-learning]"}


def look(access: ReviewAccess, form: JobForm) -> Answer:
    """Return the progress of learning, or the whole screen once it is over."""
    job = access.desk.learning.get(form.job, access.asker)
    if not job.over:
        return {"html": {"learning": _progress(access, job)}, "job": job.id}
    about = job.payload
    # Deleting a matter deletes its weights.
    scope = _scope(access, ScopeForm.model_validate({"do": form.do, **_named(about)}))
    page = _screen(access, scope, about.weights) | {"focus": "[data-key=learned-result]"}
    if job.state is State.FAILED:
        return page | {"error": job.message, "focus": "[data-key=learn]"}
    if job.state is not State.DONE:
        return page | {"said": "Cancelled. No weights were saved.", "focus": "[data-key=learn]"}
    return page


def stop(access: ReviewAccess, form: JobForm) -> Answer:
    """Cancel learning; nothing of it is stored."""
    access.desk.learning.cancel(form.job, access.asker)
    return look(access, form)


def adopt(access: ReviewAccess, form: ScopeForm) -> Answer:
    """Rank by stored weights from now on."""
    scope, who = _scope(access, form), access.reviewer
    scope.place(access).adopt(form.weights, who)
    message = "Adopted: cases are ranked by it from now on, those of before stay as they were."
    return _screen(access, scope, form.weights) | {"said": message, "focus": "[data-key=go-back]"}


def go_back(access: ReviewAccess, form: ScopeForm) -> Answer:
    """Rank without learned weights from now on."""
    scope, who = _scope(access, form), access.reviewer
    scope.place(access).ship(who)
    message = "Cases are ranked without it from now on."
    return _screen(access, scope, form.weights) | {"said": message, "focus": "[data-key=learned-result]"}


def drop(access: ReviewAccess, form: ScopeForm) -> Answer:
    """Delete stored weights that are not in use."""
    scope = _scope(access, form)
    scope.place(access).delete(form.weights)
    return _screen(access, scope, "") | {"said": "Deleted.", "focus": "[data-key=learned]"}


def _named(about: Learning) -> dict[str, str]:
    return {"matter": about.matter, "corpus": about.corpus, "of": about.of}


def _scope(access: ReviewAccess, form: ScopeForm) -> Scope:
    """Return the scope of a call. Raises InputError for a matter of another, or a corpus that none of its
    cases searched; AccessError for a corpus that the caller may not judge."""
    matter = access.matter(form.matter)
    names = tuple(dict.fromkeys((*access.store.corpora(matter), *access.desk.kept.weights().corpora(matter))))
    name = form.corpus or next(iter(names), "")
    if name and name not in names:
        raise InputError("no verdict of this matter is on that corpus")
    corpus, may_share, library = None, False, access.desk.library
    if name:
        # It may be removed, damaged, or visible only to the owner of the case.
        with suppress(InputError, CorpusError):
            corpus = library.open(library.find(name, access.person.key))
            may_share = may_judge(library, access.person, name)
    if form.of == "corpus" and not may_share:
        raise AccessError(NOT_YOURS)
    return Scope(matter, name, names, corpus, may_share, form.of)


def _screen(access: ReviewAccess, scope: Scope, wanted: str) -> Answer:
    job = _going(access, scope)
    lines = scope.place(access).lines() if scope.name else []
    labels = scope.labels(access) if scope.name else TrainingLabels((), {})
    kept = [line for line in reversed(lines) if line.act is Act.KEPT]
    last = latest_act(lines)
    in_use = "" if last is None else last.id
    chosen = next((one for one in kept if one.id == (wanted or in_use)), next(iter(kept), None))
    fresh = (
        job.payload if job is not None and chosen is not None and job.payload.weights == chosen.id else None
    )
    page = shown(
        "learned",
        scope=scope,
        found=labels,
        fewest=FEWEST,
        both=min(labels.telling, FEWEST),
        progress="" if job is None or job.over else _progress(access, job),
        taught_nothing=_taught_nothing(job),
        result=None if chosen is None else _result(access, chosen, fresh),
        chosen=chosen,
        kept=[(one, _gain(one.figures)) for one in kept[:MOST_LISTED]],
        total=len(kept),
        last=last,
        in_use=in_use,
        with_scope=dict(_named(Learning(scope.matter.id, scope.name, scope.of))),
    )
    found: Answer = {"html": {"learned": page}}
    return found if job is None or job.over else found | {"job": job.id}


def _going(access: ReviewAccess, scope: Scope) -> Job[Learning] | None:
    """Return the caller's running or last job on this scope."""
    about = Learning(scope.matter.id, scope.name, scope.of)
    found = access.desk.learning.last(access.asker)
    return found if found is not None and _named(found.payload) == _named(about) else None


def _taught_nothing(job: Job[Learning] | None) -> bool:
    return job is not None and job.state is State.DONE and not job.payload.weights


def _progress(access: ReviewAccess, job: Job[Learning]) -> str:
    jobs = access.desk.learning
    return shown("learning", job=job, before=jobs.before(job), waiting=job.state is State.WAITING)


def _gain(figures: Mapping[str, Any]) -> float | None:
    found = figures.get("ndcg", {}).get("difference")
    return found if isinstance(found, int | float) else None


def _result(access: ReviewAccess, line: WeightsLine, fresh: Learning | None) -> dict[str, Any]:
    """Return the figures of stored weights.

    Weights of a corpus do not have the questions of others. ``fresh`` is the caller's own job, whose
    questions are shown until it is forgotten."""
    figures = line.figures | dict(fresh.figures if fresh is not None else {})
    kind = str(figures.get("kind", ""))
    worse, better = (figures.get(name, 0) for name in ("worse", "better"))
    return {
        "kind": KINDS.get(kind, kind),
        "strength": figures.get("strength", 0.0),
        "questions": figures.get("questions", 0),
        "verdicts": figures.get("verdicts", 0),
        "gains": [_drawn(name, figures.get(name)) for name in ("recall", "ndcg") if figures.get(name)],
        "worse": len(worse) if isinstance(worse, list) else worse,
        "better": better,
        "moved": [(name, _moved(access, figures.get(name, []))) for name in ("up", "down")],
    }


def _drawn(name: str, found: Any) -> dict[str, Any]:
    """Return a gain with its positions on a scale around 0, in percent."""
    most = max(abs(found["low"]), abs(found["high"]), 0.05) * 1.15
    places = {one: 50 + 50 * found[one] / most for one in ("low", "high", "difference")}
    significant = found["p"] < 0.05 and not found["low"] <= 0 <= found["high"]
    return {"name": name, **found, "places": places, "most": most, "significant": significant}


def _moved(access: ReviewAccess, rows: list[Mapping[str, Any]]) -> list[tuple[str, str, float, float]]:
    """Return questions with the ids of their cases, and the value of their ranking before and after. A
    deleted case has neither."""
    found = []
    for one in rows[:MOST_SHOWN]:
        question = ""
        with suppress(RedstringError):
            question = access.cases.summary(str(one["case"]), access.owner).question
        found.append((str(one["case"]) if question else "", question, one["before"], one["then"]))
    return found


CALLS = (
    Call("learned", ScopeForm, learned),
    Call("learn", ScopeForm, begin, audit="learn from verdicts"),
    Call("learning", JobForm, look),
    Call("stop-learning", JobForm, stop),
    Call("adopt", ScopeForm, adopt, audit="adopt learned weights"),
    Call("go-back", ScopeForm, go_back, audit="go back from learned weights"),
    Call("drop-weights", ScopeForm, drop, audit="delete learned weights"),
)
