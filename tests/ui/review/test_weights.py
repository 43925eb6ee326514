"""What was learned: too little, learned, adopted, asked again, gone back from; and nobody else's."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from engine.corpus.protocol import Corpus
from engine.investigation import Case
from engine.investigation.ranking.additive import Experience, adopted_weights
from engine.records.store import EVERYBODY
from engine.review.case_verdicts import passage_items
from engine.review.learning import describe_case
from engine.review.model import Verdict
from engine.review.queues import QueuedItem
from engine.review.store import ReviewStore
from engine.review.training import Choice, learn_weights
from engine.settings import preset
from tests.ui.review.conftest import ANNA, BELA, OPAL, QUESTION, REVA, Caller, Keep
from tests.ui.server.test_uploads import until
from ui.review import access as learning
from ui.review.access import ReviewDesk

Teach = Callable[..., str]
HOSTILE = "<img src=x onerror=window.harmed=1>"


@pytest.fixture
def teach(desk: ReviewDesk, keep: Keep, store: ReviewStore, monkeypatch: pytest.MonkeyPatch) -> Teach:
    """Judge passages of so many cases of somebody: the last one of each ranking is relevant, the others are
    not. Returns the id of their matter. What is learned of it is held to make all but one question better:
    three laws are too few to tell."""

    def convinced(*given: Any) -> tuple[Experience, Choice]:
        experience, choice = learn_weights(*given)
        first, *others = choice.moved
        moved = [replace(first, ndcg=0.5, ndcg_then=0.4)]
        moved += [replace(one, ndcg=0.5, ndcg_then=0.6) for one in others]
        return replace(experience, strength=1.0), replace(choice, strength=1.0, moved=tuple(moved))

    monkeypatch.setattr(learning, "learn_weights", convinced)

    def one(person: Any = ANNA, count: int = 6, matter: str = "General") -> str:
        cases, owner = desk.kept.store(), desk.kept.owner_of(person)
        assert owner is not None
        for number in range(count):
            case_id = keep(person, matter, question=f"{QUESTION} {HOSTILE} {number}")
            record = cases.record(case_id, owner)
            items = passage_items(record, case_id, desk.library.corpus(record["corpus"]))
            ranked = sorted((item for item in items if item.rank), key=lambda item: item.rank or 0)
            chosen = [*ranked[:-1][:3], ranked[-1]]
            of = cases.matter(matter, owner)
            queue = store.make_queue(of, "", [*map(QueuedItem, chosen)], who="Ann")
            for item in chosen:
                said = Verdict.RELEVANT if item is ranked[-1] else Verdict.IRRELEVANT
                store.judge(item, said, reviewer="Ann", queue=queue.id)
        return cases.matter(matter, owner).id

    return one


def learned(who: Caller, matter: str, **more: Any) -> dict[str, Any]:
    job = who.good("learn", matter=matter, **more)["job"]
    told: dict[str, Any] = {"job": job}

    def over() -> bool:
        nonlocal told
        told = who("learning", job=job)
        return "job" not in told

    until(over)
    return told


def kept(desk: ReviewDesk, matter: str, person: Any = ANNA) -> list[str]:
    owner = desk.kept.owner_of(person)
    (found,) = (one for one in desk.kept.store().matters(owner or "") if one.id == matter)
    return [one.id for one in desk.kept.weights().lines(found, "Small") if one.act.value == "kept"]


def corpus_of(desk: ReviewDesk) -> Corpus:
    return desk.library.corpus("Small")


def test_nothing_and_too_little_are_reported(ann: Caller, keep: Keep, teach: Teach) -> None:
    keep()
    ann.good("home")
    (matter, *_) = ann.desk.kept.store().matters(ann.desk.kept.owner_of(ANNA) or "")
    page = ann.good("learned", matter=matter.id)["html"]["learned"]
    assert 'data-do="learn"' not in page
    teach(count=3)
    page = ann.good("learned", matter=matter.id)["html"]["learned"]
    assert "5 questions at least need both: 2 more" in page
    assert 'data-do="learn"' not in page
    assert "5 questions at least" in ann("learn", matter=matter.id)["error"]


def test_learned_adopted_asked_and_gone_back_from(ann: Caller, teach: Teach) -> None:
    desk, matter = ann.desk, teach()
    told = learned(ann, matter)
    page = told["html"]["learned"]
    (weights,) = kept(desk, matter)
    assert "5 questions better" in page
    # The questions, with links to their cases, and nothing of their words is taken for HTML.
    assert page.count('href="?case=') == 6
    assert HOSTILE not in page
    corpus = corpus_of(desk)
    assert desk.kept.learned_in(ANNA, "", corpus) is None
    page = ann.good("adopt", matter=matter, weights=weights)["html"]["learned"]
    assert "by <bdi>Ann</bdi>" in page
    experience = desk.kept.learned_in(ANNA, " General ", corpus)
    assert experience is not None
    case = Case(corpus, QUESTION, preset("balanced"), weights=experience)
    list(case.run())
    assert case.weights == weights
    # Neither another's case, nor one of another matter, nor the corpus.
    assert desk.kept.learned_in(BELA, "General", corpus) is None
    assert desk.kept.learned_in(ANNA, "Taxes", corpus) is None
    assert adopted_weights(corpus) == ""
    assert "reset the ranking first" in ann("drop-weights", matter=matter, weights=weights)["error"]
    page = ann.good("go-back", matter=matter, weights=weights)["html"]["learned"]
    assert "Gone back <time" in page
    assert desk.kept.learned_in(ANNA, "General", corpus) is None
    ann.good("drop-weights", matter=matter, weights=weights)
    assert kept(desk, matter) == []


def test_what_teaches_nothing_is_not_kept(ann: Caller, teach: Teach, monkeypatch: pytest.MonkeyPatch) -> None:
    matter = teach()

    def doubtful(*given: Any) -> tuple[Experience, Choice]:
        experience, choice = learn_weights(*given)
        return experience, replace(choice, strength=0.0)

    monkeypatch.setattr(learning, "learn_weights", doubtful)
    page = learned(ann, matter)["html"]["learned"]
    assert 'data-do="adopt"' not in page
    assert kept(ann.desk, matter) == []


def test_nobody_reaches_what_is_learned_of_another(desk: ReviewDesk, ann: Caller, teach: Teach) -> None:
    matter, hers = teach(), teach(BELA)
    job = ann.good("learn", matter=matter)["job"]
    until(lambda: "job" not in ann("learning", job=job))
    (weights,) = kept(desk, matter)
    for person in (BELA, REVA, OPAL):
        other = Caller(desk, person, "Eve")
        for do in ("learned", "learn", "adopt", "go-back", "drop-weights"):
            assert other(do, matter=matter, weights=weights)["error"] == "there is no such matter", do
        for do in ("learning", "stop-learning"):
            assert "not known" in other(do, job=job)["error"]
    # Weights of another matter in one's own.
    bela = Caller(desk, BELA, "Bela")
    for do in ("adopt", "drop-weights"):
        assert "no learned weights" in bela(do, matter=hers, weights=weights)["error"]
    assert weights not in bela.good("learned", matter=hers, weights=weights)["html"]["learned"]


def test_weights_of_the_corpus_are_for_those_who_judge_its_links(
    desk: ReviewDesk, ann: Caller, teach: Teach
) -> None:
    matter = teach()
    page = ann.good("learned", matter=matter)["html"]["learned"]
    assert "All who ask the corpus" not in page
    for do in ("learned", "learn", "adopt", "go-back"):
        assert "adopted by those who may judge" in ann(do, matter=matter, of="corpus")["error"]
    hers = teach(REVA)
    reva = Caller(desk, REVA)
    page = learned(reva, hers, of="corpus")["html"]["learned"]
    # Whoever has learned sees the questions, the journal does not have them.
    assert 'href="?case=' in page
    corpus = corpus_of(desk)
    assert corpus.journals is not None
    assert b"manager" not in b"".join(corpus.journals.lines("weights.jsonl"))
    assert kept(desk, hers, REVA) == []
    (weights,) = (one["id"] for one in _in_journal(corpus))
    reva.good("adopt", matter=hers, of="corpus", weights=weights)
    assert adopted_weights(corpus) == weights
    own = teach(OPAL)
    page = Caller(desk, OPAL).good("learned", matter=own, of="corpus")["html"]["learned"]
    assert 'href="?case=' not in page
    assert "Reva" in page
    reva.good("go-back", matter=hers, of="corpus")
    assert adopted_weights(corpus) == ""


def _in_journal(corpus: Corpus) -> list[dict[str, Any]]:
    from engine.corpus.judgements import load_weights

    assert corpus.journals is not None
    return [one.model_dump() for one in load_weights(corpus.journals) if one.act.value == "kept"]


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Learning waits at its first question until this is set."""
    go, real = threading.Event(), describe_case

    def waits(case: Case, labels: Any) -> Any:
        go.wait(20)
        return real(case, labels)

    monkeypatch.setattr("ui.review.access.describe_case", waits)
    return go


def test_one_learns_once_at_a_time_and_may_cancel(
    desk: ReviewDesk, ann: Caller, teach: Teach, held: threading.Event
) -> None:
    matter, hers = teach(), teach(BELA)
    job = ann.good("learn", matter=matter)["job"]
    assert "another learning of yours" in ann("learn", matter=matter)["error"]
    bela = Caller(desk, BELA, "Bela")
    waits = bela.good("learn", matter=hers)
    assert "1 other is before you" in waits["html"]["learned"]
    # Who comes back to the screen finds it at work.
    assert ann.good("learned", matter=matter)["job"] == job
    bela.good("stop-learning", job=waits["job"])
    ann.good("stop-learning", job=job)
    held.set()
    until(lambda: "job" not in ann("learning", job=job))
    assert ann("learning", job=job)["said"] == "Cancelled. No weights were saved."
    assert kept(desk, matter) == kept(desk, hers, BELA) == []


def test_a_matter_that_is_deleted_meanwhile_takes_what_is_learned_with_it(
    desk: ReviewDesk, ann: Caller, teach: Teach, held: threading.Event
) -> None:
    matter = teach()
    job = ann.good("learn", matter=matter)["job"]
    (found,) = desk.kept.store().matters(desk.kept.owner_of(ANNA) or "")
    desk.kept.store().delete_matter(found)
    held.set()
    until(lambda: desk.learning.get(job, ANNA.key).over)
    assert desk.learning.get(job, ANNA.key).message == "the matter and its learned weights were deleted"
    assert ann("learning", job=job)["error"] == "there is no such matter"
    assert desk.kept.weights().lines(found, "Small") == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("weights", "x" * 65),
        ("of", "everybody"),
        ("corpus", "y" * 10_000),
        ("job", 1e308),
        ("matter", ["x"]),
        ("strength", 5),
    ],
)
def test_what_nobody_sends_is_refused_in_a_line(ann: Caller, teach: Teach, field: str, value: Any) -> None:
    given = {"matter": teach(count=1)} | {field: value}
    for do in ("learned", "learn", "adopt", "learning"):
        told = ann(do, **({field: value} if do == "learning" else given))
        assert field in told["error"], do
        assert "\n" not in told["error"]


def test_a_corpus_that_no_case_asked_is_refused(ann: Caller, teach: Teach, store: ReviewStore) -> None:
    matter = teach(count=1)
    assert "no verdict of this matter" in ann("learned", matter=matter, corpus="Elsewhere")["error"]
    assert len(store.assessments(None, EVERYBODY, corpus="Elsewhere")) == 0
