"""Estimates of tokens lie around what tokenisers make, and tell a cut prompt from a whole one."""

from __future__ import annotations

import pytest

from engine.language.detection import characters_per_token
from engine.llm.prompt import cut_at, least_tokens, most_tokens

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
    text = TEXTS[language] * 20
    usual = len(text) / characters_per_token(language)
    assert least_tokens(text) < usual <= most_tokens(text)
    assert most_tokens(text) < 3 * usual, "or budgets would be of no use"
    assert least_tokens(text) > 0.5 * usual, "or cuts would go unnoticed"


def test_a_server_that_counts_only_what_is_new() -> None:
    text, repair = ENGLISH * 50, GERMAN * 10
    new = most_tokens(repair)
    assert cut_at(new, text + repair) is not None
    assert cut_at(new, text + repair, [ENGLISH, text]) is None
    assert cut_at(new // 9, text + repair, [text]) is not None
    assert cut_at(2048, text * 5 + repair, [text * 5]) is not None, "the size of a context is no chance"
