"""The folders of the languages: which there are, and that no text leads out of them."""

from __future__ import annotations

import pytest

from engine.languages import FOLDER, codes, file_of, files


def test_a_language_is_a_folder_named_by_its_code() -> None:
    assert {"ar", "de", "en", "es", "fr", "id", "it", "nl", "pt", "zh"} <= set(codes())
    assert all(len(code) == 2 and code.islower() for code in codes())


def test_every_file_of_a_name_is_listed_in_the_order_of_the_codes() -> None:
    found = files("references.yaml")
    assert [path.parent.name for path in found] == sorted(path.parent.name for path in found)
    assert set(found) == set(FOLDER.glob("*/references.yaml"))


@pytest.mark.parametrize("language", ["", "..", "../language", "xx", "en/../de", "."])
def test_what_is_no_folder_has_no_file(language: str) -> None:
    assert file_of(language, "references.yaml") is None
