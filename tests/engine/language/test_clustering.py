from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.language.clustering import Name, clusters
from tests.tables import table


def agree(texts: Sequence[str]) -> NDArray[np.float32]:
    """A model to which all names mean the same: what it lets through, only the words decide."""
    return np.ones((len(texts), 1), np.float32)


def differ(texts: Sequence[str]) -> NDArray[np.float32]:
    return np.eye(len(texts), dtype=np.float32)


def are_one(
    left: str, right: str, language: str = "en", counts: tuple[int, int] = (20, 1), **options: object
) -> bool:
    names = [Name(left, language, counts[0]), Name(right, language, counts[1])]
    encode = agree if options.get("model") else None
    return len(set(clusters(names, encode))) == 1


@pytest.mark.parametrize(
    ("left", "right", "language"),
    table(__file__, "test_variants_are_one"),
)
def test_variants_are_one(left: str, right: str, language: str) -> None:
    assert are_one(left, right, language)
    assert are_one(right, left, language, counts=(1, 20))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Class 3 Captive Insurer", "Class 4 Captive Insurer"),
        ("Category A Fund", "Category B Fund"),
        ("Home Jurisdiction", "Host Jurisdiction"),
        ("Listed Securities", "Unlisted Securities"),
        ("Insured Person", "Insurer Person"),
        ("Prescribed Activity", "Proscribed Activity"),
        ("Part II Bank", "Part III Bank"),
        ("Issuer of Securities", "Issue of Securities"),
        ("Exempt Offer", "Exempt Offeror"),
    ],
)
def test_different_things_stay_apart_even_for_a_credulous_model(left: str, right: str) -> None:
    assert not are_one(left, right, model=True)


def test_like_words_need_a_model_that_agrees() -> None:
    names = [Name("Supervisory Powers", "en"), Name("Powers to supervise", "en")]
    assert clusters(names) == [0, 1]
    assert clusters(names, differ) == [0, 1]
    assert clusters(names, agree) == [0, 0]


def test_languages_are_kept_apart() -> None:
    assert clusters([Name("Fund", "en"), Name("Fund", "de")]) == [0, 1]


NAMES = st.lists(
    st.builds(
        Name,
        st.sampled_from(
            ["Public Fund", "PUBLIC FUNDS", "Class 1", "Class 2", "Transportasi", "Transporasi", "", "("]
        ),
        st.sampled_from(["en", "id"]),
        st.integers(1, 30),
    ),
    max_size=10,
)


@given(NAMES)
def test_a_group_is_known_by_its_first_name(names: list[Name]) -> None:
    found = clusters(names, agree)
    assert all(first <= number and found[first] == first for number, first in enumerate(found))
    assert all(names[first].language == name.language for name, first in zip(names, found, strict=True))
