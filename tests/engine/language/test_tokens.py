"""Tokens estimated by length and language."""

from __future__ import annotations

from engine.language.detection import token_estimate


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
