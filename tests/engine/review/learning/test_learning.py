"""What verdicts teach: the plain formula of a Gaussian process, and what it must and must not change."""

from __future__ import annotations

from dataclasses import replace
from shutil import copytree

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.investigation.ranking.experience import Kernel, experience_from, plain_experience
from engine.review.learning.choosing import learned_from
from engine.review.learning.learning import (
    NEGATIVE,
    Observations,
    expected,
    experience_of,
    gained,
    gram_of,
    observations,
    solved,
)
from engine.review.learning.observing import Labels, Observed, labels_of, observed
from engine.review.model import Assessment, Item, ItemKind, Verdict
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
KERNEL = Kernel()


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
        (one,) = observed(meridia, [Labels(question, every, dict.fromkeys(every, 1))], settings)
        top = one.order(one.shipped)[:8]
        worth = np.array([0, 1, 0, 0, 1, 0, 0, 0], np.float32)
        plain.append(replace(one, judged=top, worth=worth, voices=np.ones(8, np.float32)))
    return plain


def whole(seen: Observations, corpus: Corpus) -> np.ndarray:
    return gram_of(seen, corpus, KERNEL).whole(KERNEL)


def test_what_is_gained_is_the_plain_formula(seen: list[Observed], meridia: Corpus) -> None:
    own = observations(seen)
    alpha = solved(whole(own, meridia), own, KERNEL, np.ones(len(own.rows), np.bool_))
    taught = experience_of(own, meridia, alpha, KERNEL, 1.0, "taught")
    one = seen[0]
    found = gained(taught, meridia, one)
    vectors, question = meridia.vectors(one.rows), one.vector
    assert question is not None
    judged = meridia.vectors(own.rows)
    asked = np.stack([seen[number].vector for number in own.of_question])
    same = (one.rows[:, None] == own.rows[None, :]).astype(np.float64)
    likeness = np.maximum(vectors @ judged.T, 0) ** 8
    plain = KERNEL.same * same + KERNEL.asked * same * np.maximum(asked @ question, 0) ** 2
    plain = (plain + KERNEL.like * likeness) @ alpha
    # Features count from their lowest value here, and from their mean there: the same for all of a pool.
    difference = found - plain - taught.weights(one.names, one.values).sum(axis=0)
    assert difference == pytest.approx(0.0, abs=1e-4)


def test_features_are_shared_as_in_the_gram(seen: list[Observed], meridia: Corpus) -> None:
    own = observations(seen)
    only = Kernel(same=0.0, asked=0.0, like=0.0, features=1.0)
    gram = gram_of(own, meridia, only)
    alpha = np.linspace(-1, 1, len(own.rows)).astype(np.float32)
    taught = experience_of(own, meridia, alpha, only, 1.0, "taught")
    first = own.of_question == 0
    found = gained(taught, meridia, seen[0])[seen[0].judged]
    wanted = (gram.features @ alpha)[first]
    assert found - found[0] == pytest.approx(wanted - wanted[0], abs=2e-3)


def test_what_was_said_is_brought_nearer_and_nothing_said_changes_nothing(
    seen: list[Observed], meridia: Corpus
) -> None:
    own = observations(seen)
    alpha = solved(whole(own, meridia), own, KERNEL, np.ones(len(own.rows), np.bool_))
    taught = experience_of(own, meridia, alpha, KERNEL, 1.0, "taught")
    for one in seen:
        gain = gained(taught, meridia, one)[one.judged]
        assert gain[one.worth == 1].mean() > gain[one.worth == 0].mean()
    nothing = experience_of(own, meridia, np.zeros_like(alpha), KERNEL, 1.0, "nothing")
    assert not gained(nothing, meridia, seen[0]).any()


def test_more_voices_count_for_more(seen: list[Observed], meridia: Corpus) -> None:
    own = observations(seen)
    many = replace(own, voices=np.full_like(own.voices, 50.0))
    used = np.ones(len(own.rows), np.bool_)
    few_off, many_off = (
        np.abs(whole(own, meridia) @ solved(whole(own, meridia), one, KERNEL, used) - own.residuals).mean()
        for one in (own, many)
    )
    assert many_off < few_off


def test_a_verdict_is_expected_by_its_score(seen: list[Observed]) -> None:
    scores = np.linspace(-2, 2, 400).astype(np.float32)
    worth = (np.random.default_rng(0).random(400) < 1 / (1 + np.exp(-3 * scores))).astype(np.float32)
    found = expected(scores, worth)
    assert (np.diff(found) > 0).all()
    assert found.mean() == pytest.approx(worth.mean(), abs=0.01)
    own = observations(seen)
    assert own.residuals[own.residuals < 0].min() >= -NEGATIVE


def test_nothing_is_learned_where_all_is_the_same(seen: list[Observed], meridia: Corpus) -> None:
    with pytest.raises(InputError, match="nothing can be learned yet"):
        observations([replace(one, worth=np.ones_like(one.worth)) for one in seen])
    with pytest.raises(InputError, match="5 questions at least"):
        learned_from(seen[:4], meridia, "too few")


def test_the_choice_tells_each_question_and_is_the_same_each_time(
    seen: list[Observed], meridia: Corpus
) -> None:
    (first, choice), (again, same) = (learned_from(seen, meridia, "one") for _ in range(2))
    assert choice == same
    assert plain_experience(first) == plain_experience(again)
    assert [one.question for one in choice.moved] == list(QUESTIONS)
    assert choice.verdicts == 48
    assert choice.ndcg.difference == pytest.approx(
        np.mean([one.ndcg_then - one.ndcg for one in choice.moved])
    )
    assert all(one.ndcg_then < one.ndcg for one in choice.worse)


def test_experience_is_read_as_it_was_written(seen: list[Observed], meridia: Corpus) -> None:
    taught, _ = learned_from(seen, meridia, "kept")
    read = experience_from(plain_experience(taught))
    for one in seen:
        assert gained(read, meridia, one) == pytest.approx(gained(taught, meridia, one), abs=1e-4)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("of_passage", [99]),
        ("of_question", [-1]),
        ("alpha", [float("nan")]),
        ("alpha", [1.0, 2.0]),
        ("passages", "x"),
        ("features", []),
        ("strength", "much"),
        ("strength", "nan"),
        ("features", {"lexical": [[0.0, 1.0], [float("inf")]]}),
        ("kernel", {"same": float("nan")}),
        ("kernel", {"unknown": 1.0}),
    ],
)
def test_what_is_no_experience_is_refused(name: str, value: object) -> None:
    values: dict[str, object] = {
        "id": "x",
        "strength": 1.0,
        "kernel": {},
        "passages": ["a"],
        "questions": [[1.0]],
        "of_passage": [0],
        "of_question": [0],
        "alpha": [1.0],
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
    (found,) = labels_of(said)
    assert found.worth == {"p": 0.5, "q": 0.5}
    assert found.voices == {"p": 2, "q": 2}
    (found,) = labels_of([*said, assessment(3, "c", Verdict.PARTLY, settles=True)])
    assert (found.worth["p"], found.voices["p"]) == (0.5, 1)
    (found,) = labels_of([*said, assessment(3, "c", Verdict.RELEVANT, settles=True)])
    assert found.worth["p"] == 1.0
