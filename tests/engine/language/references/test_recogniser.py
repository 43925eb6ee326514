from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.language.references import find_mentions, grammars

LANGUAGES = ("en", "de", "id", "ar")
# Pieces that references are made of, so that random texts come close to real ones.
WORDS = (
    "Rule Rules section Part Schedule paragraph App4 COBS the of and to , (1) (a) 4.3.2 12 14A MKT",
    "§ §§ Absatz Satz bis und des BGB Artikel Gesetzes Pasal ayat (2) huruf a dan",
    "المادة المواد الفقرة (الثالثة) و من النظام مكرر except - 99999 \u200e",
)
PIECES = st.sampled_from(
    [
        *" ".join(WORDS).split(" "),
        "\n\n",
        "this Act",
        "the preceding Article",
        "the provisions of this Chapter",
        "42 U.S.C. § 1983",
        "Roe v. Wade, 410 U.S. 113",
        "des vorstehenden Paragraphen",
        "des Aktiengesetzes",
        "Commercial Register Act 2004",
        "Undang-Undang Nomor 6 Tahun 1983",
    ]
)


@settings(deadline=None)
@given(
    pieces=st.lists(PIECES, max_size=25),
    glue=st.sampled_from(["", " ", "  "]),
    language=st.sampled_from(LANGUAGES),
)
def test_spans_are_exact_and_never_overlap(pieces: list[str], glue: str, language: str) -> None:
    text = glue.join(pieces)
    end = 0
    for mention in find_mentions(text, language):
        assert text[mention.span.start : mention.span.end] == mention.text != ""
        assert mention.span.start >= end
        end = mention.span.end
        for target in mention.targets:
            assert mention.span.start <= target.span.start < target.span.end <= mention.span.end
            assert target.address.number is not None or target.address.paragraph or target.step is not None


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
