from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from engine.answers.audit.windows import WindowMatch, best_window, head_of, match_verbatim, readable
from engine.corpus.protocol import Corpus
from engine.language.statements import Sort, sequence
from engine.model import Passage, Span

ALL_OF = "A permit is granted where:\n(a) the berth is free;\n(b) the dues are paid by the owner of the ship."
EITHER = ALL_OF.replace("free;", "free; or")
FRAMED = ALL_OF.replace("where", "unless the context otherwise requires")
DUTIES = "The master shall:\n(a) keep a log;\n(b) report each loss."
HALVES, CONDITION = "The berth is free; the pilot agrees.", "The berth is free; only if the pilot agrees."
LOG = "1. The master keeps a log of every voyage. He shows it on request, unless the log was lost at sea."
IT = "The berth is large. It shall be cleaned daily."
# A text, a claim, and the words of the text that say it.
STATED = [
    (DUTIES, "The master shall keep a log.", DUTIES.rpartition("\n")[0]),
    (DUTIES, "The master shall report each loss.", "(b) report each loss."),
    (DUTIES, "The master shall keep a log and report each loss.", DUTIES),
    (DUTIES, "The master shall report each berth.", ""),
    (EITHER, "The berth is free.", "(a) the berth is free; or"),
    (FRAMED, "The berth is free.", "(a) the berth is free;"),
    (ALL_OF, "The berth is free.", ""),
    (ALL_OF, "The owner of the ship pays the dues.", ""),
    (ALL_OF, "A permit is granted where the berth is free.", ""),
    (ALL_OF, "A permit is granted.", ""),
    ("The berth is free. A pilot\nhas agreed. It rains.", "A pilot has agreed.", "A pilot\nhas agreed."),
    ("Berths are free.\nPilots agree", "Pilots agree.", "Pilots agree"),
    (HALVES, "The pilot agrees.", "the pilot agrees."),
    (CONDITION, "The pilot agrees.", ""),
    (IT, "The berth shall be cleaned daily.", "It shall be cleaned daily."),
    (IT.replace("It", "(2) It"), "The berth shall be cleaned daily.", "(2) It shall be cleaned daily."),
    (IT.replace("It", "Each"), "The berth shall be cleaned daily.", ""),
]


def held(text: str, claim: str, head: str = "") -> WindowMatch | None:
    read = readable(Passage("p", "d", None, 0, text, "en"), head)
    found = best_window(
        sequence(claim, "en"), read, lambda: frozenset(one.key for one in sequence(text, "en"))
    )
    return found if found is not None and found.alignment.complete else None


def test_what_a_text_says(subtests: pytest.Subtests) -> None:
    for text, claim, words in STATED:
        with subtests.test(text=text, claim=claim):
            found = held(text, claim)
            assert (text[found.span.start : found.span.end] if found else "") == words


def test_the_head_of_another_passage_counts_unless_it_makes_a_condition_of_the_item() -> None:
    item, claim = "(b) reports each loss of cargo.", "The master reports each loss of cargo."
    heads = ["The master:", "A permit is granted where the master:", ""]
    assert [held(item, claim, head) is not None for head in heads] == [True, False, False]


def test_references_are_one_word_each() -> None:
    read = readable(Passage("p", "d", None, 0, "By Article 5(2) or CARGO 3.4.1R dues fall.", "en"))
    words = [token.word for token in read.parts[0] if token.sort is Sort.REFERENCE]
    assert words == ["Article 5(2)", "CARGO 3.4.1R"]


def test_a_copy_is_found_letter_by_letter_and_what_it_leaves_out_is_named(subtests: pytest.Subtests) -> None:
    rows = [
        (LOG, "The master keeps a log of every voyage.", [0], ""),
        (LOG, "the MASTER keeps-a log of every voyage!", [0], ""),
        (
            LOG,
            "The master keeps a log … on request, unless the log was lost at sea",
            [0, 1],
            "every voyage shows",
        ),
        (LOG, "He shows it on request, to all and to each of them", [], ""),
        (LOG, "He shows it on request", [], ""),
        (LOG, "The master keeps a log of every voyage. He shows it on request", [0, 1], "unless"),
        (LOG, "a log of every voyage … The master keeps", [], ""),
        (ALL_OF, "the dues are paid by the owner of the ship", [2], "where"),
        (ALL_OF, ALL_OF, [0, 1, 2], ""),
    ]
    for source, words, sentences, dropped in rows:
        with subtests.test(words):
            read = readable(Passage("p", "d", None, 0, source, "en"))
            found = match_verbatim(words, read, [Span(4, 6)])
            assert (found is not None) is bool(sentences)
            if found is not None:
                assert found.span == Span(read.spans[sentences[0]].start, read.spans[sentences[-1]].end)
                assert " ".join(token.word for token in found.alignment.dropped) == dropped
                assert [token.span for token in found.alignment.own] == [Span(4, 6)]


def test_the_head_of_an_item_stands_in_a_passage_before_it(subtests: pytest.Subtests) -> None:
    head, item = ("One line.\nThe master shall:", 0, 3), ("(a) item", 0, 3)
    # Passages in a row, each with the numbers of its document and its section; the last is the item.
    rows = {
        "the last line of the head": ([head, item], "The master shall:"),
        "as far as is looked": ([head, *[item] * 12], "The master shall:"),
        "too far": ([head, *[item] * 13], ""),
        "no item": ([head, ("An article.", 0, 3)], ""),
        "first of all": ([item], ""),
        "another section": ([("The master shall:", 0, 2), item], ""),
        "another document": ([("The master shall:", 1, 3), item], ""),
        "no section": ([("The master shall:", 0, -1), ("(a) item", 0, -1)], ""),
        "words between": ([head, ("Nobody shall sail.", 0, 3), item], ""),
    }
    for name, (row, expected) in rows.items():
        with subtests.test(name):
            texts, documents, sections = (np.array(column) for column in zip(*row, strict=True))
            corpus = SimpleNamespace(
                passages=lambda rows, texts=texts: [
                    Passage("p", "d", None, 0, str(one)) for one in texts[rows]
                ],
                document_numbers=documents.__getitem__,
                section_numbers=sections.__getitem__,
            )
            last = Passage("p", "d", None, 0, row[-1][0])
            assert head_of(cast(Corpus, corpus), len(row) - 1, last) == expected
