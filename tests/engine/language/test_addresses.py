from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.language.addresses import Address, number_key, parse_label
from engine.model import SectionKind as K

PART, CHAPTER, ANNEX, SCHEDULE = K.PART, K.CHAPTER, K.ANNEX, K.SCHEDULE


@pytest.mark.parametrize(
    ("label", "language", "expected"),
    [
        # rulebooks
        ("1.", "en", Address(CHAPTER, "1")),
        ("1.1", "en", Address(K.SECTION, "1.1")),
        ("7.1.2.(1)", "en", Address(K.RULE, "7.1.2", "1")),
        ("9.7.4.(3).(a)", "en", Address(K.RULE, "9.7.4", "3/a")),
        ("3.6A.3.(1)", "en", Address(K.RULE, "3.6A.3", "1")),
        ("4.3.3.Guidance.2.", "en", Address(K.GUIDANCE, "4.3.3", "Guidance/2")),
        ("4.3.1.Guidance2.", "en", Address(K.GUIDANCE, "4.3.1", "Guidance/2")),
        ("8.10.1.(2).Guidance.3.", "en", Address(K.GUIDANCE, "8.10.1", "2/Guidance/3")),
        ("APP4.A4.10.1", "en", Address(K.RULE, "A4.10.1", None, ((ANNEX, "4"),))),
        ("APP6..A6.3.21", "en", Address(K.RULE, "A6.3.21", None, ((ANNEX, "6"),))),
        ("APP 4.74.", "en", Address(K.PARAGRAPH, "74", None, ((ANNEX, "4"),))),
        ("APP4", "en", Address(ANNEX, "4")),
        ("PART 5.12.2.2.(3)", "en", Address(K.RULE, "12.2.2", "3", ((PART, "5"),))),
        ("PART 5.16", "en", Address(CHAPTER, "16", None, ((PART, "5"),))),
        ("Rule 4.3.2(1)(a)", "en", Address(K.RULE, "4.3.2", "1/a")),
        # statutes
        ("Part 4", "en", Address(PART, "4")),
        ("Part 16.199.(1)", "en", Address(K.SECTION, "199", "1", ((PART, "16"),))),
        ("Part 6.Chapter 2.56.(3)", "en", Address(K.SECTION, "56", "3", ((PART, "6"), (CHAPTER, "2")))),
        ("Part 13.162.6)", "en", Address(K.SECTION, "162", "6", ((PART, "13"),))),
        ("Schedule 2.36.(2)", "en", Address(K.PARAGRAPH, "36", "2", ((SCHEDULE, "2"),))),
        ("Schedule 1.Part 3 .87.", "en", Address(K.PARAGRAPH, "87", None, ((SCHEDULE, "1"), (PART, "3")))),
        ("Article 14(2)", "en", Address(K.ARTICLE, "14", "2")),
        # guidance notes
        ("160)", "en", Address(K.PARAGRAPH, "160")),
        ("166).a)", "en", Address(K.PARAGRAPH, "166", "a")),
        ("APPENDIX A:", "en", Address(ANNEX, "A")),
        # German
        ("433", "de", Address(K.SECTION, "433")),
        ("14a", "de", Address(K.SECTION, "14a")),
        ("§ 433 Abs. 2", "de", Address(K.SECTION, "433", "2")),
        ("Art. 6", "de", Address(K.ARTICLE, "6")),
        ("Art 229 § 5", "de", Address(K.SECTION, "5", None, ((K.ARTICLE, "229"),))),
        ("Anlage 3", "de", Address(ANNEX, "3")),
        # Indonesian
        ("Pasal 25 ayat (1)", "id", Address(K.ARTICLE, "25", "1")),
        ("Pasal 25 ayat (1) huruf a", "id", Address(K.ARTICLE, "25", "1/a")),
        ("34A", "id", Address(K.ARTICLE, "34A")),
        # Arabic
        ("المادة الثانية عشرة", "ar", Address(K.ARTICLE, "12")),
        ("المادة الرابعة والثلاثون بعد المائتين", "ar", Address(K.ARTICLE, "234")),
        ("مادة (32):", "ar", Address(K.ARTICLE, "32")),
        ("المادة ٥", "ar", Address(K.ARTICLE, "5")),
        ("(المادة الرابعة مكرر)", "ar", Address(K.ARTICLE, "4 مكرر")),
        ("أولاً:", "ar", Address(K.ARTICLE, "1")),
        # Chinese
        ("第一百二十三条", "zh", Address(K.ARTICLE, "123")),
        ("第十二条之二", "zh", Address(K.ARTICLE, "12-2")),
        ("第12条", "zh", Address(K.ARTICLE, "12")),
        ("第三条第二款第一项", "zh", Address(K.ARTICLE, "3", "2/1")),
        ("第五条（三）", "zh", Address(K.ARTICLE, "5", "3")),
        ("第二章第三条", "zh", Address(K.ARTICLE, "3", None, ((CHAPTER, "2"),))),
        ("第一分编", "zh", Address(PART, "1")),
        ("第二款", "zh", Address(K.PARAGRAPH, "2")),
        # French
        ("Article 1er", "fr", Address(K.ARTICLE, "1")),
        ("Article premier", "fr", Address(K.ARTICLE, "1")),
        ("Article L. 110-1", "fr", Address(K.ARTICLE, "L110-1")),
        ("Article R.* 123-4", "fr", Address(K.ARTICLE, "R123-4")),
        ("Article 6, paragraphe 1, point f)", "fr", Address(K.ARTICLE, "6", "1/f")),
        ("12", "fr", Address(K.ARTICLE, "12")),
        ("considérant 26", "fr", Address(K.RECITAL, "26")),
    ],
)
def test_labels(label: str, language: str, expected: Address) -> None:
    assert parse_label(label, language) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [("14a", "14A"), (" 4.3.2. ", "4.3.2"), ("\u200e2.7.1", "2.7.1"), ("٥", "5"), ("12 a", "12A")],
)
def test_numbers_compare_by_key(one: str, other: str) -> None:
    assert number_key(one) == number_key(other)


@settings(deadline=None)
@given(label=st.text(max_size=60), language=st.sampled_from(["en", "de", "id", "ar", "zh", "und"]))
def test_any_label_is_read_or_refused(label: str, language: str) -> None:
    address = parse_label(label, language)
    assert address is None or address.number or address.within or address.kind
