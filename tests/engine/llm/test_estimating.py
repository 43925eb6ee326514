"""Estimates of tokens lie around what tokenisers make, and tell a cut prompt from a whole one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.tokens import characters_per_token
from engine.llm.estimating import cut_at, least_tokens, most_tokens
from tests.engine.llm.server import tokens

ENGLISH = (
    "A person shall not operate a vessel within the harbour limits unless the harbour master has granted a "
    "licence under section 4(2) and the prescribed fee of 1,250.00 has been paid in advance. "
)
GERMAN = (
    "Die Verarbeitung personenbezogener Daten ist nur rechtmäßig, wenn mindestens eine der nachstehenden "
    "Bedingungen erfüllt ist und der Verantwortliche die Einwilligung nachweisen kann. "
)
INDONESIAN = "Setiap orang yang melanggar ketentuan sebagaimana dimaksud dalam Pasal 5 ayat (1) didenda. "
ARABIC = "لا يجوز معالجة البيانات الشخصية إلا بموافقة صاحبها وفقا لأحكام هذه المادة. "
CHINESE = "处理个人信息应当遵循合法、正当、必要和诚信原则，不得通过误导、欺诈、胁迫等方式处理个人信息。"
TEXTS = {"en": ENGLISH, "de": GERMAN, "id": INDONESIAN, "ar": ARABIC, "zh": CHINESE}


@pytest.mark.parametrize("language", TEXTS)
def test_both_estimates_lie_around_a_good_tokeniser(language: str) -> None:
    """The characters a token were measured with o200k_base."""
    text = TEXTS[language] * 20
    usual = len(text) / characters_per_token(language)
    assert least_tokens(text) < usual <= most_tokens(text)
    assert most_tokens(text) < 3 * usual, "or budgets would be of no use"
    assert least_tokens(text) > 0.5 * usual, "or cuts would go unnoticed"


@given(st.text(max_size=200))
def test_the_least_is_not_more_than_the_most(text: str) -> None:
    assert -1 < least_tokens(text) <= most_tokens(text) + len(text) // 7 + 1


@given(st.lists(st.text(min_size=1, max_size=30), max_size=5))
def test_no_text_is_free(texts: list[str]) -> None:
    assert most_tokens("".join(texts)) <= sum(most_tokens(text) for text in texts)
    for text in texts:
        assert tokens(text) <= most_tokens(text) * 2 + 1


def test_tables_of_signs_are_no_cut() -> None:
    assert cut_at(40, "=" * 4000 + " " * 4000 + "\n" * 200 + "." * 999) is None


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("size", [2048, 4096, 8192])
def test_a_prompt_that_was_cut_to_a_size(language: str, size: int) -> None:
    usual = int(len(TEXTS[language]) / characters_per_token(language))
    long = TEXTS[language] * (size * 2 // usual)
    about = cut_at(size, long)
    assert about is not None
    assert about > size
    assert cut_at(int(len(long) / characters_per_token(language)), long) is None


def test_a_prompt_that_was_read() -> None:
    assert cut_at(most_tokens(ENGLISH * 9), ENGLISH * 9) is None
    assert cut_at(0, "") is None


def test_a_server_that_counts_only_what_is_new() -> None:
    text, repair = ENGLISH * 50, GERMAN * 10
    new = most_tokens(repair)
    assert cut_at(new, text + repair) is not None
    assert cut_at(new, text + repair, [ENGLISH, text]) is None
    assert cut_at(new // 9, text + repair, [text]) is not None
    assert cut_at(2048, text * 5 + repair, [text * 5]) is not None, "the size of a context is no chance"
