"""Numbers in a form that only some rulebook has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.addresses import Address, parse_label
from engine.language.designations import forms_of, is_designation, key_of, letters_of, splits
from engine.model import SectionKind as K


@pytest.mark.parametrize(
    ("label", "kind", "number", "paragraph"),
    [
        ("FC-1.1.1", K.RULE, "FC-1.1.1", None),
        ("COBS 3.4.1R", K.RULE, "COBS 3.4.1R", None),
        ("COBS 3.4.1 R", K.RULE, "COBS 3.4.1 R", None),
        ("RG 97.12(1)(a)", K.SECTION, "RG 97.12", "1/a"),
        ("AC-2(1)", K.RULE, "AC-2", "1"),
        ("Practice Note 3", K.RULE, "Practice Note 3", None),
        ("3.4.1 COBS", K.RULE, "3.4.1 COBS", None),
        ("3-4-1", K.RULE, "3-4-1", None),
    ],
)
def test_labels_of_forms_that_no_grammar_has(label: str, kind: K, number: str, paragraph: str | None) -> None:
    assert parse_label(label, "en") == Address(kind, number, paragraph)
    assert is_designation(number)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("COBS 3.4.1", "COBS-3.4.1", True),
        ("COBS 3.4.1", "COBS3.4.1", True),
        ("3.4.1 COBS", "COBS 3.4.1", True),
        ("3.4.1COBS", "COBS 3.4.1", True),
        ("Guideline 12", "GUIDELINE12", True),
    ],
)
def test_what_is_one_designation(one: str, other: str, same: bool) -> None:
    assert (key_of(one) == key_of(other)) is same


@pytest.mark.parametrize(
    ("numbers", "letters"),
    [
        (["COBS 1", "COBS 1.1.1R", "COBS 2.1.1G"], ["COBS"]),
        (["RG 97.1", "RG 97.2", "RG 97.12"], ["RG 97"]),
        (["FC-1.1", "FC-2.1", "FC-2.2", "AU-1"], ["FC"]),
        (["AC-1", "AC-2", "AC-3", "SI-1", "SI-2", "SI-4"], ["AC", "SI"]),
        (["COBS 1", "COBS 2"], []),
        (["1.1", "1.2", "1.3", "A4.1", "A4.2", "A4.3"], []),
        (["Guideline 1", "Guideline 2", "Guideline 3"], []),
    ],
)
def test_the_letters_of_a_documents_numbers_are_a_name_of_it(numbers: list[str], letters: list[str]) -> None:
    assert list(letters_of(numbers)) == letters


def test_a_designation_divides_into_a_name_and_a_number() -> None:
    # "97.12" of RG 97, too: in some rulebooks the numbers begin with the document's own.
    assert list(splits("RG 97.12")) == [("RG 97", "12"), ("RG 97", "97.12"), ("RG", "97.12")]
    assert list(splits("3.4.1 COBS")) == [("COBS", "3.4.1")]
    assert ("Depositor Protection", "3.2") in list(splits("Under Depositor Protection 3.2"))


def test_words_that_only_lead_to_a_designation_are_no_part_of_it() -> None:
    assert list(forms_of("Subject to Guideline 12")) == ["Subject to Guideline 12", "Guideline 12"]
    assert list(forms_of("Guidelines 12")) == ["Guidelines 12", "Guideline 12"]


@given(st.text(max_size=40))
def test_any_text_has_a_key_and_no_error(text: str) -> None:
    assert key_of(key_of(text)) == key_of(text) or "-" in text
    list(splits(text))
    list(letters_of([text] * 3))
