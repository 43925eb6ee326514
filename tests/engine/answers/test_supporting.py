"""Whether the sources of a written sentence say it: by the check that claims are held to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.answers.writing import QuotedPassage, find_doubts
from engine.corpus.protocol import Corpus
from engine.model import Span

REVOKE, LIMIT = "commercial-agency-code/art-29", "commercial-agency-code/art-33/para-2"


def quoted(corpus: Corpus, passage_id: str, words: str) -> QuotedPassage:
    [passage] = corpus.passages(corpus.rows([passage_id]))
    start = passage.text.index(words)
    return QuotedPassage(passage, Span(start, start + len(words)), "Agency Code, Article 29")


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("The principal is entitled to revoke a power of attorney at any time.", ""),
        ("The agent is entitled to revoke a power of attorney at any time.", "agent"),
        ("Under Article 77, the principal may revoke a power of attorney at any time.", "77"),
    ],
)
def test_a_sentence_is_held_against_its_quote(meridia: Corpus, text: str, doubt: str) -> None:
    found = find_doubts(text, "en", [quoted(meridia, REVOKE, "The principal may revoke a power of attorney")])
    assert doubt in " ".join(found)
    assert bool(found) is bool(doubt)


def test_what_a_quote_leaves_out_of_its_sentence_binds_all_the_same(meridia: Corpus) -> None:
    words = "A waiver of this right is effective"
    found = find_doubts("A waiver of this right is effective.", "en", [quoted(meridia, REVOKE, words)])
    assert "only" in " ".join(found)


def test_in_another_language_nobody_tells(meridia: Corpus) -> None:
    quote = quoted(meridia, LIMIT, "The indemnity may not exceed")
    other = replace(quote, passage=replace(quote.passage, language="de"))
    assert find_doubts("The indemnity may not exceed one year's commission.", "en", [quote]) == ()
    assert "another language" in find_doubts("The indemnity may be anything.", "en", [other])[0]
