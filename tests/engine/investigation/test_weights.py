"""Learned weights: kept, adopted, gone back from; in the ranking, in the record, in a replay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.embedded.publication import WEIGHTS_NAME
from engine.corpus.protocol import Corpus
from engine.corpus.verifying import verify
from engine.errors import CorpusError, InputError
from engine.investigation import Case
from engine.investigation.ranking.additive import (
    AdditiveModel,
    Experience,
    Shape,
    adopt_weights,
    adopted_weights,
    experience_of,
    keep_weights,
    list_weights,
    ship_weights,
)
from engine.records.comparing import compare
from engine.records.conversion import investigation_to_json
from engine.records.replaying import rerun
from engine.settings import preset

QUESTION = "Can a manager with limited authority grant broader powers than the register?"


@pytest.fixture
def corpus(sample_folder: Path, tmp_path: Path) -> Corpus:
    """A copy of the sample, without vectors: no model is loaded."""
    return open_corpus(copytree(sample_folder, tmp_path / "meridia"))


def case_of(corpus: Corpus, weights: str | None = None) -> Case:
    case = Case(corpus, QUESTION, preset("quick"), weights=weights)
    list(case.run())
    return case


def lifting(passage: str, name: str = "lifted") -> Experience:
    """Somebody said once that a passage is far more relevant than expected."""
    return Experience(
        id=name,
        strength=1.0,
        gain=5.0,
        loss=1.0,
        passages=(passage,),
        questions=np.zeros((1, 0), np.float32),
        of_passage=np.zeros(1, np.int32),
        of_question=np.zeros(1, np.int32),
        relevant=np.ones(1, np.float32),
        irrelevant=np.zeros(1, np.float32),
        features=AdditiveModel({}, 1.0),
    )


def test_nothing_is_ranked_by_what_is_kept_before_it_is_adopted(corpus: Corpus) -> None:
    shipped = case_of(corpus)
    last = shipped.ranking[-1].passage.id
    keep_weights(corpus, lifting(last), {"verdicts": 1}, reviewer="Ann")
    assert list_weights(corpus) == ["lifted"]
    assert [one.passage.id for one in case_of(corpus).ranking] == [one.passage.id for one in shipped.ranking]
    adopt_weights(corpus, "lifted", reviewer="Ann")
    lifted = case_of(corpus)
    assert adopted_weights(corpus) == lifted.weights == "lifted"
    assert lifted.ranking[0].passage.id == last
    (part,) = (part for part in lifted.ranking[0].breakdown if part.name == "experts")
    assert part.value == pytest.approx(5.0)
    assert part.detail == last
    ship_weights(corpus)
    assert adopted_weights(corpus) == ""


def test_all_that_verdicts_add_is_in_their_part(corpus: Corpus) -> None:
    shipped = {one.passage.id: one for one in case_of(corpus).ranking}
    # Nothing was said of a passage of this corpus, and only that relevance counts for more.
    doubled = Shape(np.array([0.0, 1.0], np.float32), np.array([2.0], np.float32))
    taught = AdditiveModel({"relevance": doubled}, 1.0)
    keep_weights(corpus, replace(lifting("gone/art-1"), features=taught), {})
    found = [one for one in case_of(corpus, "lifted").ranking if one.passage.id in shipped]
    assert len(found) >= 5
    for one in found:
        before = {part.name: part.value for part in shipped[one.passage.id].breakdown}
        now = {part.name: part.value for part in one.breakdown}
        assert now["experts"] > 0
        for name in ("question", "neighbours", "citations", "entities", "pagerank"):
            assert now.get(name) == before.get(name)
        assert sum(now.values()) == pytest.approx(one.score, abs=1e-4)


def test_a_case_is_replayed_by_the_weights_that_it_was_ranked_by(corpus: Corpus) -> None:
    last = case_of(corpus).ranking[-1].passage.id
    plain = investigation_to_json(case_of(corpus).investigation())
    assert "weights" not in plain
    keep_weights(corpus, lifting(last), {})
    adopt_weights(corpus, "lifted")
    learned = investigation_to_json(case_of(corpus).investigation())
    assert learned["weights"] == "lifted"
    for record in (plain, learned):
        again = investigation_to_json(rerun(record, corpus).investigation())
        assert [one["id"] for one in again["passages"]] == [one["id"] for one in record["passages"]]
        assert again.get("weights", "") == record.get("weights", "")
        assert compare(record, again).same
    differs = compare(plain, learned)
    assert not differs.same
    assert ("weights", "", "lifted") in [(one.name, one.before, one.after) for one in differs.settings]


def test_missing_weights_are_named_in_the_replay(corpus: Corpus) -> None:
    keep_weights(corpus, lifting(case_of(corpus).ranking[-1].passage.id), {})
    record = investigation_to_json(case_of(corpus, "lifted").investigation())
    record["weights"] = "elsewhere"
    notes = rerun(record, corpus).investigation().notes
    assert any("'elsewhere' are stored neither with this corpus nor in the matter" in note for note in notes)


def test_passages_that_the_corpus_has_no_more_change_nothing(corpus: Corpus) -> None:
    shipped = case_of(corpus)
    keep_weights(corpus, lifting("gone/art-1"), {})
    assert [one.score for one in case_of(corpus, "lifted").ranking] == [one.score for one in shipped.ranking]


def test_another_process_is_heard(corpus: Corpus, tmp_path: Path) -> None:
    assert experience_of(corpus, None) is None
    other = open_corpus(tmp_path / "meridia")
    keep_weights(other, lifting("x"), {})
    adopt_weights(other, "lifted")
    found = experience_of(corpus, None)
    assert found is not None
    assert found.id == "lifted"


def test_unknown_and_damaged_weights_are_refused_in_a_sentence(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no learned weights 'none-such'; known: none"):
        adopt_weights(corpus, "none-such")
    with pytest.raises(InputError, match="name the weights by their id"):
        adopt_weights(corpus, "")
    path = tmp_path / "meridia" / WEIGHTS_NAME
    path.write_text('{"act": "kept", "id": "bad", "learned": "AAAA"}\n')
    with pytest.raises(CorpusError, match="cannot be read"):
        experience_of(corpus, "bad")
    path.write_text('{"act": "burnt"}\n')
    with pytest.raises(CorpusError, match=r"weights\.jsonl:1: not learned weights"):
        experience_of(corpus, None)
    assert any("weights.jsonl:1" in one for one in verify(tmp_path / "meridia").problems)
