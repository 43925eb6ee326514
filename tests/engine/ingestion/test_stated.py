"""Links of markup: found by URI and element id, and joined with what grammars read."""

from __future__ import annotations

import pytest

from engine.ingestion.linking import StatedTargets, merge_references
from engine.ingestion.readers.base import StatedReference
from engine.model import (
    Document,
    Passage,
    Reference,
    Relation,
    Section,
    SectionKind,
    Span,
    Status,
    TargetKind,
)


def document(name: str, work: str, language: str = "en") -> Document:
    return Document(name, name, language, metadata={"work": work})


def passage(name: str, owner: str, section: str | None, eid: str) -> Passage:
    return Passage(name, owner, section, 0, "See section 2.", metadata={"eId": eid})


DOCUMENTS = [
    document("a", "/akn/za/act/1998/84"),
    document("b-en", "/akn/za/act/1996/108"),
    document("b-af", "/akn/za/act/1996/108", "af"),
]
SECTIONS = [
    Section("a/c1", "a", None, SectionKind.CHAPTER, "1", "", 0, 3),
    Section("a/s1", "a", "a/c1", SectionKind.SECTION, "1", "", 0, 1),
    Section("a/s2", "a", "a/c1", SectionKind.SECTION, "2", "", 1, 3),
]
PASSAGES = [
    passage("a/1", "a", "a/s1", "sec_1"),
    passage("a/2/1", "a", "a/s2", "sec_2__subsec_1"),
    passage("a/2/2", "a", "a/s2", "sec_2__subsec_2"),
    passage("b/1", "b-en", None, "sec_1"),
    passage("b/x", "b-af", None, "sec_1"),
]
TARGETS = StatedTargets(
    DOCUMENTS,
    lambda number: [one for one in SECTIONS if one.document_id == DOCUMENTS[number].id],
    lambda number: [one for one in PASSAGES if one.document_id == DOCUMENTS[number].id],
)
OWNER = {"a/1": "a", "a/2/1": "a", "b/x": "b-af"}


@pytest.mark.parametrize(
    ("source", "target", "kind", "found"),
    [
        ("a/1", "#sec_2__subsec_1", TargetKind.PASSAGE, "a/2/1"),
        ("a/1", "#sec_2", TargetKind.SECTION, "a/s2"),
        ("a/1", "/akn/za/act/1996/108/eng@/!main.xml#sec_1", TargetKind.PASSAGE, "b/1"),
        ("b/x", "/akn/za/act/1996/108/afr@1997-01-01", TargetKind.DOCUMENT, "b-af"),
        # An element that is not there: the document at least.
        ("b/x", "/akn/za/act/1998/84#sec_99", TargetKind.DOCUMENT, "a"),
        ("a/1", "#sec_9", None, None),
        ("a/1", "/akn/za/act/1900/1", None, None),
    ],
)
def test_where_a_link_leads(source: str, target: str, kind: TargetKind | None, found: str | None) -> None:
    (reference,) = TARGETS.references([StatedReference(source, Span(4, 13), "section 2", target)], OWNER)
    assert (reference.target_kind, reference.target_id) == (kind, found)
    assert reference.status is (Status.RESOLVED if found else Status.UNRESOLVED)


def test_a_link_to_itself_says_nothing() -> None:
    assert not list(TARGETS.references([StatedReference("a/1", Span(0, 3), "See", "#sec_1")], OWNER))


def reference(start: int, end: int, status: Status, grammar: str, target: str | None = None) -> Reference:
    kind = TargetKind.PASSAGE if target else None
    return Reference("p", Span(start, end), "x", Relation.AMENDS, status, kind, target, grammar=grammar)


def test_the_words_of_a_grammar_and_the_target_of_the_markup() -> None:
    doubtful = reference(0, 9, Status.AMBIGUOUS, "english")
    certain = reference(20, 29, Status.RESOLVED, "english", "mine")
    marks = [
        reference(4, 12, Status.RESOLVED, "markup", "theirs"),
        reference(20, 25, Status.RESOLVED, "markup", "other"),
        reference(40, 45, Status.UNRESOLVED, "markup"),
    ]
    joined = merge_references([doubtful, certain], marks)
    assert [(r.span.start, r.grammar, r.status, r.target_id) for r in joined] == [
        (0, "english", Status.RESOLVED, "theirs"),
        (20, "english", Status.RESOLVED, "mine"),
        (40, "markup", Status.UNRESOLVED, None),
    ]
