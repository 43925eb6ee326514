from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.language.references import find_mentions, grammars

LANGUAGES = ("en", "de", "id", "ar")


@settings(deadline=None)
@given(text=st.text(max_size=200), language=st.sampled_from((*LANGUAGES, "fr", "und", "")))
def test_any_text_is_read(text: str, language: str) -> None:
    for mention in find_mentions(text, language):
        assert text[mention.span.start : mention.span.end] == mention.text


@settings(deadline=None)
@given(number=st.integers(1, 999), below=st.integers(1, 40))
def test_a_citation_is_found_wherever_it_stands(number: int, below: int) -> None:
    (mention,) = find_mentions(f"as required by section {number}({below}), the person must", "en")
    (target,) = mention.targets
    assert (target.address.number, target.address.paragraph) == (str(number), str(below))


def test_every_language_has_one_grammar() -> None:
    languages = [language for grammar in grammars() for language in grammar.languages]
    assert len(set(languages)) == len(languages)
