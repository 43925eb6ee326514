"""An answer as text, Markdown and JSON: the same sentences, the same citations, nothing forged."""

from __future__ import annotations

from dataclasses import replace

import orjson

from engine.answers.answer import answer
from engine.answers.export import MISSING, answer_markdown, answer_text, answer_to_json
from engine.answers.record import Sentence, Support
from engine.corpus.protocol import Corpus
from engine.investigation.record import Investigation
from tests.engine.answers.conftest import investigated


def test_json_holds_exact_spans(meridia: Corpus, delegation: Investigation) -> None:
    made = answer(delegation, meridia)
    told = orjson.loads(orjson.dumps(answer_to_json(made)))
    assert [one["text"] for one in told["sentences"]] == [one.text for one in made.sentences]
    for citation in told["citations"]:
        [span] = citation["spans"]
        [passage] = meridia.passages(meridia.rows([span["passage"]]))
        assert passage.text[span["start"] : span["end"]] == citation["quote"]
    assert told["method"] == "brief"
    assert told["usage"] == {}


def test_markdown_has_a_footnote_for_every_number(meridia: Corpus, delegation: Investigation) -> None:
    text = answer_markdown(answer(delegation, meridia))
    body, _, sources = text.partition("## Sources")
    for number in range(1, body.count("[^") + 1):
        if f"[^{number}]" in body:
            assert f"[^{number}]: " in sources


def test_words_cannot_forge_markup_or_a_footnote(meridia: Corpus, delegation: Investigation) -> None:
    evil = Sentence("See [^9] <script>x</script> **now** [link](http://x)", (1,), Support.PART, ("a [^8]",))
    text = answer_markdown(replace(answer(delegation, meridia), sentences=(evil,), conflicts=()))
    assert "[^9]" not in text
    assert "[^8]" not in text
    assert "<script>" not in text
    assert "\\*\\*now\\*\\*" in text
    assert "[^1]" in text


def test_text_marks_what_is_not_supported(meridia: Corpus, delegation: Investigation) -> None:
    doubted = Sentence("It is so.", (), Support.NONE, ("it cites nothing",))
    lines = list(answer_text(replace(answer(delegation, meridia), sentences=(doubted,), conflicts=())))
    assert " - It is so. (no support: it cites nothing)" in lines


def test_what_is_missing_is_said_with_what_to_try(meridia: Corpus) -> None:
    made = answer(investigated(meridia, "How high is the fee for fishing licences in lakes?"), meridia)
    for text in (answer_markdown(made), "\n".join(answer_text(made))):
        assert MISSING in " ".join(text.split())
        assert "fishing" in text
