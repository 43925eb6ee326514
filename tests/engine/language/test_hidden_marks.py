"""What nobody sees is shown where it does not belong, and left where it does its work."""

from __future__ import annotations

import html
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.characters import attribute, escape, hidden_marks, marked

RLO, PDF, RLI, LRI, PDI, ZWSP, RLM = "\u202e", "\u202c", "\u2067", "\u2066", "\u2069", "\u200b", "\u200f"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"is {RLO}elbail ton{PDF} here", "is ⟦U+202E⟧elbail ton⟦U+202C⟧ here"),
        (f"is {RLO}elbail ton", "is ⟦U+202E⟧elbail ton"),
        (f"المادة {RLO}1{PDF}", "المادة ⟦U+202E⟧1⟦U+202C⟧"),
        (f"a{PDF}b", "a⟦U+202C⟧b"),
        (f"a {LRI} b", "a ⟦U+2066⟧ b"),
        (f"a {LRI} b\n{PDI}", "a ⟦U+2066⟧ b\n⟦U+2069⟧"),
        (f"{RLI}12 (3){PDI}", "⟦U+2067⟧12 (3)⟦U+2069⟧"),
        (f"{LRI}a{PDF}{PDI}", f"{LRI}a⟦U+202C⟧{PDI}"),
        (f"plain{RLM} text", "plain⟦U+200F⟧ text"),
        ("plain\u061c text", "plain⟦U+061C⟧ text"),
        (f"li{ZWSP}able", "li⟦U+200B⟧able"),
        ("li\u200d\u200dable", "li⟦U+200D⟧⟦U+200D⟧able"),
        ("x\ufeffy", "x⟦U+FEFF⟧y"),
        (" " + ZWSP * 8 + " ", " " + "⟦U+200B⟧" * 8 + " "),
        ("a\U000e0069\U000e0067", "a⟦U+E0069⟧⟦U+E0067⟧"),
        ("a\u3164b", "a⟦U+3164⟧b"),
        ("a\ufe01\ufe02\ufe03", "a⟦U+FE01⟧⟦U+FE02⟧⟦U+FE03⟧"),
        ("a\U000e0101", "a⟦U+E0101⟧"),
        ("law\x08s\x9b", "law⟦U+0008⟧s⟦U+009B⟧"),
        ("a\u206eb", "a⟦U+206E⟧b"),
    ],
)
def test_what_misleads_is_shown(text: str, shown: str) -> None:
    assert marked(text) == shown


WORDS = ("liable", "größe", "viện", "Ολομέλεια", "ἀρχή", "невиновен", "Қазақстан", "օրենք", "კანონი", "12")
NOBODY_SEES = (ZWSP, "\u200c", "\u200d", "\u2060", "\u2063", "\ufeff", "\u180e", "\u034f")


def test_a_word_that_is_split_where_nobody_sees_it_is_shown_in_every_script_without_joiners() -> None:
    for word, sign in itertools.product(WORDS, NOBODY_SEES):
        text = f"{word[:-1]}{sign}{word[-1]}"
        assert marked(text) == f"{word[:-1]}⟦U+{ord(sign):04X}⟧{word[-1]}", (word, hex(ord(sign)))


@pytest.mark.parametrize(
    "text",
    [
        "می‌خواهم",  # Persian: a joiner that is none keeps two letters apart.
        "क्‍ष and र्‍य",
        f"المادة (1){RLM} من النظام",
        f"{RLM}المادة \u061c12",
        f"The {RLI}نظام{PDI} applies",
        f"نظام {LRI}GDPR{PDI} والمادة",
        "\u202bالمادة 1\u202c",
        "👩\u200d💻 and ❤\ufe0f and 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "葛\U000e0100城市",
        f"第一条{ZWSP}第二条",
        "co\u00adoperation",
        f"\u200e3.4.2 and {ZWSP}4",
        "\ufeffTitle\tof\r\na law\f",
    ],
)
def test_what_does_its_work_stays(text: str) -> None:
    assert marked(text) == text


_DIRECTIONS = map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200B, 0x200D, 0x200F, 0x61C))
SIGNS = st.text(
    st.sampled_from([*_DIRECTIONS, *"ab1 \nابक👩\ufeff\ufe0f\u3164\U000e0061\U000e0101\x07⟦⟧"]), max_size=40
)


@given(SIGNS)
def test_what_is_marked_is_marked_once_and_nothing_else_changes(text: str) -> None:
    places = set(hidden_marks(text))
    shown = "".join(f"⟦U+{ord(sign):04X}⟧" if n in places else sign for n, sign in enumerate(text))
    assert marked(text) == shown
    assert hidden_marks(shown) == []
    assert not {"\u202d", "\u202e"} & set(shown)


@given(SIGNS)
def test_one_escape_for_what_is_shown_and_one_for_what_is_sent_back(text: str) -> None:
    assert escape(text) == attribute(marked(text))
    printable = text.replace("\x07", "")
    assert html.unescape(attribute(f"<{printable}'\">")) == f"<{printable}'\">"


def test_a_long_text_of_marks_takes_no_longer_than_its_length() -> None:
    assert len(hidden_marks(RLM * 200_000)) == 200_000
    assert hidden_marks(LRI * 100_000 + PDI * 100_000) == []
