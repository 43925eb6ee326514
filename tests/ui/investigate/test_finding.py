"""The finding above the passages, and the finished example of the first screen."""

from __future__ import annotations

from engine.answers.answer import answer
from engine.exports.cases import export_of
from engine.investigation import make_case
from engine.settings import preset
from ui.cases.opening import ExampleCase
from ui.investigate.finding import RULE, finding_html, lines_of
from ui.open_case import OpenCase
from ui.session import EXAMPLE_TOKEN, CaseSessions
from ui.shelf import Library


def _found(library: Library, question: str) -> OpenCase:
    corpus = library.corpus("Small")
    case = make_case(corpus, question, preset("quick"))
    list(case.run())
    opened = OpenCase(case, corpus, question, (), "Small")
    opened.answer = (answer(case.investigation(), corpus), "")
    return opened


def test_a_finding_quotes_one_sentence_for_each_role_with_its_pinpoint(library: Library) -> None:
    opened = _found(library, "May a manager grant broader powers?")
    assert opened.answer is not None
    lines = lines_of(opened.answer[0], opened)
    assert lines[0].role == RULE
    for line in lines:
        passage, _ = opened.lookup([line.passage_id])[line.passage_id]
        assert line.words in passage.text
    html = finding_html(opened)
    assert 'data-status="found"' in html
    assert all(f'data-passage="{line.passage_id}"' in html for line in lines)


def test_a_finding_names_what_the_corpus_does_not_mention_and_escapes_it(library: Library) -> None:
    opened = _found(library, "Which <b>tariff</b> applies to cement?")
    html = finding_html(opened)
    assert 'data-status="none"' in html
    assert "This corpus does not cover the question." in html
    assert "“cement”" in html
    assert "<b>tariff" not in html


def test_the_example_is_finished_kept_apart_and_handed_over(library: Library) -> None:
    example = ExampleCase(library)
    values = example.values()
    assert 'class="finding"' in values["finding"]
    assert values is example.values(), "computed once"
    sessions = CaseSessions()
    sessions.example = example.copy
    assert sessions.find(EXAMPLE_TOKEN + "a") is None
    first, second = (sessions.get(EXAMPLE_TOKEN + name) for name in "ab")
    pinned = first.case.ranking[-1].passage.id
    first.case.pin(pinned)
    assert pinned not in second.case.pool.pinned
    made = example.exportable()
    assert made is not None
    assert export_of("docx").write(made)[:2] == b"PK"
