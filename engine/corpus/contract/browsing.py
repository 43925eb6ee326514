# A test's name says what it tests.
# ruff: noqa: D102
"""The contract of ``Browsing``."""

from __future__ import annotations

from engine.corpus.protocol import Browsing, Corpus
from engine.model import Relation, Status, TargetKind


class BrowsingContract:
    """The cases of ``Browsing``, over the toy corpus."""

    def test_references_are_found_by_status_relation_and_document(self, corpus: Corpus) -> None:
        assert corpus.reference_numbers().tolist() == [0, 1, 2, 3, 4, 5]
        assert corpus.reference_numbers(statuses=[Status.RESOLVED]).tolist() == [0, 2, 3, 5]
        open_ones = corpus.reference_numbers(statuses=[Status.UNRESOLVED, Status.AMBIGUOUS])
        assert [reference.candidates for reference in corpus.references(open_ones.tolist())] == [
            (),
            ("p5", "p6"),
        ]
        assert corpus.reference_numbers(relations=[Relation.EXCEPTION_TO]).tolist() == [0]
        assert corpus.reference_numbers(relations=[]).tolist() == []
        assert corpus.reference_numbers(document=1).tolist() == [2, 3]
        assert corpus.reference_numbers(statuses=[Status.AMBIGUOUS], document=1).tolist() == []

    def test_what_is_cited_most(self, corpus: Browsing) -> None:
        cited = [(one.kind, one.target_id, one.row, one.references) for one in corpus.most_cited(9)]
        assert cited == [
            (TargetKind.PASSAGE, "p0", 0, 1),
            (TargetKind.SECTION, "code/1/b", 2, 1),
            (TargetKind.PASSAGE, "p7", 7, 1),
        ]
        assert [one.target_id for one in corpus.most_cited(1, relations=[Relation.EXCEPTION_TO])] == [
            "code/1/b"
        ]
