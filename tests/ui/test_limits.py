from __future__ import annotations

import pytest

from engine.errors import InputError
from ui.limits import MEGABYTE, Limits, limits_from


def test_nothing_set_means_uploads_on_and_private() -> None:
    assert limits_from({}) == Limits()
    assert Limits().uploads
    assert not Limits().shared


def test_variables_change_them() -> None:
    found = limits_from(
        {
            "REDSTRING_UPLOADS": "off",
            "REDSTRING_SHARED": "ON",
            "REDSTRING_FILE_MB": "7",
            "REDSTRING_WAITING": "0",
        }
    )
    assert (found.uploads, found.shared, found.file_bytes, found.waiting) == (False, True, 7 * MEGABYTE, 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("REDSTRING_SHARED", "perhaps"),
        ("REDSTRING_FILES", "-1"),
        ("REDSTRING_JOBS", "0"),
        ("REDSTRING_FILE_MB", "x"),
    ],
)
def test_a_wrong_variable_is_named(name: str, value: str) -> None:
    with pytest.raises(InputError, match=name):
        limits_from({name: value})


def test_the_page_says_the_limits() -> None:
    assert Limits(files=3).in_words() == "Up to 3 files, 100 MB each, 500 MB together."
