"""Tokens estimated by length and language."""

from __future__ import annotations

import pytest

from engine.language.tokens import characters_per_token, token_estimate


@pytest.mark.parametrize(
    ("characters", "language", "tokens"),
    [
        (0, "en", 0),
        (1, "en", 1),
        (45, "en", 10),
        (46, "en-GB", 11),
        (13, "zh", 10),
        (29, "xx", 10),
        (29, "und", 10),
    ],
)
def test_estimates(characters: int, language: str, tokens: int) -> None:
    assert token_estimate(characters, language) == tokens


def test_an_unknown_language_is_taken_for_one_that_needs_many() -> None:
    assert token_estimate(100, "xx") >= token_estimate(100, "de")
    assert characters_per_token("xx") < characters_per_token("en")


def test_the_packaged_model_agrees_for_english() -> None:
    from transformers import AutoTokenizer

    from engine.language.embedders.transformer import packaged_folder

    text = (
        "An Authorised Person must not delegate a function to a third party unless it has taken reasonable "
        "steps to ensure that the third party is fit and proper, and keeps a record of what it delegated. "
    ) * 5
    tokenizer = AutoTokenizer.from_pretrained(packaged_folder())
    counted = len(tokenizer.encode(text, add_special_tokens=False))
    assert counted <= token_estimate(len(text), "en") <= 1.5 * counted
