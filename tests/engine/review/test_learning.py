"""What verdicts teach: plain formulas, and what they must and must not change."""

from __future__ import annotations

from dataclasses import replace
from shutil import copytree

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus, Scores
from engine.errors import InputError
from engine.investigation.ranking.additive import LEAST, Experience, experience_from, plain_experience
from engine.review.learning import (
    Labels,
    Lesson,
    Lists,
    Observations,
    Observed,
    fit_lessons,
    gains,
    make_experience,
    make_labels,
    observations,
    observe,
)
from engine.review.model import Assessment, Item, ItemKind, Verdict
from engine.review.training import learn_weights
from engine.settings import preset
from ui.sample import BUILT

QUESTIONS = (
    "Can a manager with limited authority grant broader powers than the register?",
    "When does a power of attorney end?",
    "What must be entered in the commercial register?",
    "Who is liable for acts of an agent without authority?",
    "How long is the period for filing an appeal?",
    "Which contracts need written form?",
)


@pytest.fixture(scope="module")
def meridia(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The sample as it ships, with vectors; none of what is written here gets into it."""
    folder = tmp_path_factory.mktemp("sample") / "meridia"
    (built,) = (path for path in BUILT.iterdir() if path.is_dir())
    copytree(built, folder)
    return open_corpus(folder)


@pytest.fixture(scope="module")
def seen(meridia: Corpus) -> list[Observed]:
    """Questions whose second-best passages are said to be relevant, and the others of the first eight not."""
    settings = preset("quick")
    plain = []
    for question in QUESTIONS:
        every = {passage.id: 0.0 for passage in meridia.passages(np.arange(len(meridia), dtype=np.int32))}
        (one,) = observe(meridia, [Labels(question, every, dict.fromkeys(every, 1))], settings)
        top = one.order(one.shipped)[:8]
        worth = np.array([0, 1, 0, 0, 1, 0, 0, 0], np.float32)
        plain.append(replace(one, judged=top, worth=worth, voices=np.ones(8, np.float32)))
    return plain


def experience_scores(experience: Experience, corpus: Corpus, one: Observed) -> Scores:
    """What experience adds to the scores of a pool's passages, shape (n,)."""
    found: Scores = experience.weights(one.names, one.values).sum(axis=0)
    return found + experience.passage_gains(corpus, one.rows, one.vector)[0]


def taught_by_all(seen: Observations, kind: str = "passages and features") -> Lesson:
    return fit_lessons(seen, np.ones(len(seen.questions), np.bool_))[kind]


def test_what_is_gained_is_the_plain_formula(seen: list[Observed], meridia: Corpus) -> None:
    own = observations(seen)
    lesson = Lesson(0.3, 0.1, np.zeros(own.ramps.shape[1], np.float32), 1.0, 0.0)
    found = experience_scores(make_experience(own, meridia, lesson, 0.5, "taught"), meridia, seen[0])
    assert seen[0].vector is not None
    for row, gain in zip(seen[0].rows.tolist(), found.tolist(), strict=True):
        said = [0.0, 0.0]
        for one in seen:
            assert one.vector is not None
            share = LEAST + (1 - LEAST) * max(float(one.vector @ seen[0].vector), 0.0) ** 2
            for place in one.judged[one.rows[one.judged] == row].tolist():
                said[int(one.worth[one.judged.tolist().index(place)] == 0)] += share
        assert gain == pytest.approx(0.5 * (0.3 * said[0] ** 0.5 - 0.1 * said[1] ** 0.5), abs=1e-4)


def test_the_ranking_gains_what_was_held_out_to_tell(seen: list[Observed], meridia: Corpus) -> None:
    """What a fold is measured by is what a ranking of its questions would be."""
    own = observations(seen)
    used = np.arange(len(seen)) != 2
    lessons = fit_lessons(own, used)
    ((number, by_kind),) = gains(own, used, list(lessons.values()))
    assert number == 2
    kept = observations([one for place, one in enumerate(seen) if used[place]])
    for kind, found in zip(lessons, by_kind, strict=True):
        ramps = lessons[kind].ramps
        same = replace(kept, knots=own.knots, spread=own.spread)
        ranked = experience_scores(make_experience(same, meridia, lessons[kind], 1.0, kind), meridia, seen[2])
        assert found == pytest.approx(ranked, abs=1e-4)
        assert ramps.any() == (kind != "passages")


def test_no_question_learns_of_its_own_verdicts(seen: list[Observed]) -> None:
    """Each question judges a passage that no other has: nothing can be told by other questions."""
    alone = []
    for number, one in enumerate(seen):
        rows = one.rows + 10_000 * number
        alone.append(replace(one, rows=rows.astype(np.int32)))
    lesson = taught_by_all(observations(alone), "passages")
    assert (lesson.gain, lesson.loss) == (0.0, 0.0)


def test_the_slopes_are_those_of_the_likelihood() -> None:
    rng = np.random.default_rng(0)
    lists = Lists(np.repeat([0, 1, 2], [4, 3, 5]), rng.integers(0, 3, 12).astype(float))
    scores, step = rng.normal(size=12), 1e-6

    def likely(scores: np.ndarray, mistakes: float) -> float:
        return float(lists.relevant @ lists.likelihood(scores, mistakes)[0])

    _, slopes, of_mistakes = lists.likelihood(scores, 0.3)
    wanted = [
        (likely(scores + step * one, 0.3) - likely(scores - step * one, 0.3)) / 2 / step for one in np.eye(12)
    ]
    assert slopes == pytest.approx(wanted, abs=1e-5)
    by_mistakes = (likely(scores, 0.3 + step) - likely(scores, 0.3 - step)) / 2 / step
    assert of_mistakes.sum() == pytest.approx(by_mistakes, abs=1e-5)


def test_the_share_of_mistakes_is_found() -> None:
    """Scores that tell all but the mistakes, of which a third is made."""
    rng = np.random.default_rng(1)
    shipped = rng.normal(size=(400, 12))
    right = rng.random(400) > 1 / 3
    told = np.where(right, shipped.argmax(axis=1), rng.integers(0, 12, 400))
    lists = Lists(np.repeat(np.arange(400), 12), np.eye(12)[told].ravel())
    scale, mistakes = lists.expected(shipped.ravel())
    assert mistakes == pytest.approx(1 / 3, abs=0.06)
    assert scale > 5


def test_what_was_said_elsewhere_brings_a_passage_nearer(seen: list[Observed], meridia: Corpus) -> None:
    """The same passages are relevant for all questions, and others never are."""
    rows = np.unique(np.concatenate([one.rows[one.judged] for one in seen]))
    good = set(rows[::3].tolist())
    known = []
    for one in seen:
        judged = np.flatnonzero(np.isin(one.rows, rows))
        worth = np.array([row in good for row in one.rows[judged].tolist()], np.float32)
        known.append(replace(one, judged=judged, worth=worth, voices=np.ones(len(judged), np.float32)))
    own = observations(known)
    lesson = taught_by_all(own, "passages")
    assert lesson.gain > 0
    assert lesson.loss >= 0
    twice = observations([replace(one, voices=2 * one.voices) for one in known])
    assert taught_by_all(twice, "passages").gain > 0
    found = experience_scores(make_experience(own, meridia, lesson, 1.0, "taught"), meridia, known[0])[
        known[0].judged
    ]
    assert found[known[0].worth == 1].min() > found[known[0].worth == 0].max()


def test_with_little_said_little_is_gained(seen: list[Observed]) -> None:
    many = [replace(one, voices=np.full_like(one.voices, 20.0)) for one in seen]
    few, much = (np.abs(taught_by_all(observations(own), "features").ramps).sum() for own in (seen, many))
    assert few < much / 5


def test_nothing_is_learned_where_all_is_the_same(seen: list[Observed], meridia: Corpus) -> None:
    with pytest.raises(InputError, match="nothing can be learned yet"):
        observations([replace(one, worth=np.ones_like(one.worth)) for one in seen])
    with pytest.raises(InputError, match="at least 5 questions"):
        learn_weights(seen[:4], meridia, "too few")


def test_the_choice_tells_each_question_and_is_the_same_each_time(
    seen: list[Observed], meridia: Corpus
) -> None:
    (first, choice), (again, same) = (learn_weights(seen, meridia, "one") for _ in range(2))
    assert choice == same
    assert plain_experience(first) == plain_experience(again)
    assert [one.question for one in choice.moved] == list(QUESTIONS)
    assert choice.verdicts == 48
    assert choice.ndcg.difference == pytest.approx(
        np.mean([one.ndcg_then - one.ndcg for one in choice.moved])
    )
    assert all(one.ndcg_then < one.ndcg for one in choice.worse)


def test_experience_is_read_as_it_was_written(seen: list[Observed], meridia: Corpus) -> None:
    taught, _ = learn_weights(seen, meridia, "kept")
    read = experience_from(plain_experience(taught))
    for one in seen:
        assert experience_scores(read, meridia, one) == pytest.approx(
            experience_scores(taught, meridia, one), abs=1e-4
        )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("of_passage", [99]),
        ("of_question", [-1]),
        ("relevant", [1.0, 2.0]),
        ("relevant", [-1.0]),
        ("passages", "x"),
        ("strength", "much"),
        ("gain", "nan"),
        ("loss", float("inf")),
        ("features", {"lexical": [[0.0, 1.0], [float("inf")]]}),
        ("format", 1),
    ],
)
def test_what_is_no_experience_is_refused(name: str, value: object) -> None:
    values: dict[str, object] = {
        "format": 2,
        "id": "x",
        "strength": 1.0,
        "gain": 0.1,
        "loss": 0.1,
        "passages": ["a"],
        "questions": [[1.0]],
        "of_passage": [0],
        "of_question": [0],
        "relevant": [1.0],
        "irrelevant": [0.0],
        "features": {},
    }
    assert experience_from(values).passages == ("a",)
    with pytest.raises((KeyError, TypeError, ValueError)):
        experience_from(values | {name: value})


def assessment(number: int, reviewer: str, verdict: Verdict, **more: object) -> Assessment:
    item = Item("case", ItemKind.PASSAGE, "passage:p", "p", copies=("passage:q",))
    return Assessment(number, item, "Why?", verdict, reviewer, "2026-01-01", **more)  # type: ignore[arg-type]


def test_voices_are_put_together_and_who_settles_counts_alone() -> None:
    said = [assessment(1, "a", Verdict.RELEVANT), assessment(2, "b", Verdict.IRRELEVANT)]
    (found,) = make_labels(said)
    assert found.worth == {"p": 0.5, "q": 0.5}
    assert found.voices == {"p": 2, "q": 2}
    (found,) = make_labels([*said, assessment(3, "c", Verdict.PARTLY, settles=True)])
    assert (found.worth["p"], found.voices["p"]) == (0.5, 1)
    (found,) = make_labels([*said, assessment(3, "c", Verdict.RELEVANT, settles=True)])
    assert found.worth["p"] == 1.0
