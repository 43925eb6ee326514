"""What was learned of a matter, on both databases: whose it is, what is bounded, what goes with what."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from engine.corpus.judgements import Act, latest_act
from engine.errors import InputError
from engine.records.store import database
from engine.records.store.database import Matter, MatterWeights
from engine.records.store.store import CaseStore
from engine.review.store import ReviewStore
from engine.review.training import MatterWeightStore
from tests.engine.investigation.test_weights import lifting
from tests.engine.records.store.test_deleting import run

PORT, FIGURES = "Port", {"verdicts": 1}


@pytest.fixture
def weights(address: str, store: CaseStore) -> Iterator[MatterWeights]:
    found = MatterWeights(address)
    yield found
    found.close()


def keep(weights: MatterWeights, matter: Matter, name: str = "one", corpus: str = PORT) -> str:
    return weights.keep(matter, corpus, lifting("a", name), FIGURES, who="Ann")


def test_kept_adopted_and_gone_back_from(store: CaseStore, weights: MatterWeights) -> None:
    matter = store.matter("Harbour")
    keep(weights, matter)
    assert weights.adopted(matter, PORT) is None
    weights.adopt(matter, "one", who="Ben")
    found = weights.adopted(matter, PORT)
    assert found is not None
    assert (found.id, found.passages, found.gain) == ("one", ("a",), 5.0)
    # Another corpus, another matter, and the same one of somebody else.
    assert weights.adopted(matter, "Elsewhere") is None
    for other in (store.matter("Taxes"), store.matter("Harbour", "ann")):
        assert weights.adopted(other, PORT) is None
        assert weights.lines(other, PORT) == []
        assert weights.experience(other.id, "one") is None
    weights.ship(matter, PORT, who="Cem")
    assert weights.adopted(matter, PORT) is None
    lines = weights.lines(matter, PORT)
    # Who did what last is told; what was so before is not piled up.
    assert [(one.act, one.id, one.reviewer) for one in lines] == [
        (Act.KEPT, "one", "Ann"),
        (Act.SHIPPED, "", "Cem"),
    ]
    assert lines[0].figures == FIGURES
    assert lines[0].when


def test_weights_of_another_matter_are_not_adopted(store: CaseStore, weights: MatterWeights) -> None:
    mine, other = store.matter("Harbour"), store.matter("Taxes")
    keep(weights, other, "theirs")
    keep(weights, mine, "elsewhere", "Elsewhere")
    for act in (weights.adopt, lambda *given, who: weights.delete(*given)):
        with pytest.raises(InputError, match="no learned weights 'theirs'"):
            act(mine, "theirs", who="Ann")
    with pytest.raises(InputError, match="of 'Port' here"):
        MatterWeightStore(weights, mine, PORT).adopt("elsewhere", "Ann")
    assert [one.id for one in weights.lines(other, PORT)] == ["theirs"]


def test_what_is_in_use_is_not_deleted(store: CaseStore, weights: MatterWeights) -> None:
    matter = store.matter("Harbour")
    keep(weights, matter)
    weights.adopt(matter, "one", who="Ann")
    with pytest.raises(InputError, match="reset the ranking first"):
        weights.delete(matter, "one")
    weights.ship(matter, PORT, who="Ann")
    weights.delete(matter, "one")
    # It was read before, and is gone all the same.
    assert weights.experience(matter.id, "one") is None
    last = latest_act(weights.lines(matter, PORT))
    assert last is not None
    assert last.act is Act.SHIPPED


def test_number_and_size_are_bounded(
    store: CaseStore, weights: MatterWeights, monkeypatch: pytest.MonkeyPatch
) -> None:
    matter = store.matter("Harbour")
    monkeypatch.setattr(database, "MOST_KEPT", 2)
    keep(weights, matter, "one")
    keep(weights, matter, "two", "Elsewhere")
    for act in (lambda: keep(weights, matter, "three"), lambda: weights.check_room(matter)):
        with pytest.raises(InputError, match="this matter has 2 learned weights"):
            act()
    keep(weights, store.matter("Taxes"), "three")
    monkeypatch.setattr(database, "LONGEST_KEPT", 50)
    weights.delete(matter, "one")
    with pytest.raises(InputError, match="50 is the limit"):
        keep(weights, matter, "four")


def test_it_goes_with_its_matter(store: CaseStore, weights: MatterWeights) -> None:
    matter = store.matter("Harbour")
    keep(weights, matter)
    weights.adopt(matter, "one", who="Ann")
    store.delete_matter(matter)
    assert weights.lines(matter, PORT) == []
    assert weights.adopted(matter, PORT) is None
    for act in (
        lambda: keep(weights, matter),
        lambda: weights.adopt(matter, "one", who="Ann"),
        lambda: weights.ship(matter, PORT, who="Ann"),
    ):
        with pytest.raises(InputError, match="the matter and its learned weights were deleted"):
            act()


def test_it_goes_with_its_person_and_forgets_a_name(
    address: str, store: CaseStore, weights: MatterWeights
) -> None:
    hers, other = store.matter("Harbour", "ann"), store.matter("Harbour")
    keep(weights, hers)
    keep(weights, other, "two")
    weights.adopt(other, "two", who="Ann")
    store.delete_owner("ann")
    assert weights.lines(hers, PORT) == []
    with closing(ReviewStore(address)) as reviews:
        reviews.forget_reviewer("Ann")
    names = {one.reviewer for one in weights.lines(other, PORT)}
    assert len(names) == 1
    assert names.pop().startswith("(forgotten")


def test_damaged_weights_are_told_in_a_sentence(
    address: str, store: CaseStore, weights: MatterWeights
) -> None:
    matter = store.matter("Harbour")
    keep(weights, matter)
    run(address, "update weights set learned = :bad", bad=b"x")
    with pytest.raises(InputError, match="'one' cannot be read"):
        weights.experience(matter.id, "one")


def test_what_is_no_figure_or_name_is_refused(store: CaseStore, weights: MatterWeights) -> None:
    matter = store.matter("Harbour")
    with pytest.raises(InputError, match="name"):
        weights.keep(matter, PORT, lifting("a"), FIGURES, who="x" * 101)
    given: dict[str, Any] = {"figures": FIGURES, "who": "Ann"}
    assert weights.keep(matter, PORT, lifting("a"), **given) == "lifted"
