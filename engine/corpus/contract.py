"""The contract of a corpus store: tests that every store must pass.

A store's test module inherits ``CorpusContract`` and provides the toy corpus in its store::

    class TestEmbedded(CorpusContract):
        @pytest.fixture(scope="class")
        @classmethod
        def corpus(cls, tmp_path_factory):
            write_corpus(folder := tmp_path_factory.mktemp("corpus"), toy_contents(further=True))
            return open_corpus(folder)

The toy corpus is in ``engine.corpus.toy``. Each small protocol has its own kit.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import numpy as np

from engine.corpus.extracted import Judgement, Proposal, Validation, add_validation, load_validations
from engine.corpus.grades import Basis, grades_of, set_grade, withdraw_grade
from engine.corpus.journal import Journals
from engine.corpus.judgements import add_confirmation, load_confirmations, make_confirmation
from engine.corpus.protocol import (
    Browsing,
    Corpus,
    Dense,
    Lexical,
    Linked,
    Links,
    Names,
    Rows,
    Sparse,
    Texts,
    Validity,
)
from engine.corpus.toy import toy_contents
from engine.language.embedders.base import SparseVectors
from engine.language.references.definitions import DefinedName
from engine.model import Direction, Grade, Relation, Status, TargetKind

# Contract kits: tests that every corpus must pass, one class per protocol.

# Helpers for contracts.

RELATIONS = tuple(Relation)


def rows_of(*numbers: int) -> Rows:
    """Return rows as a store expects them."""
    return np.asarray(numbers, np.int32)


def pairs(links: Links) -> set[tuple[int, int]]:
    """Return links as (index of the requested row, row reached)."""
    return set(zip(links.origins.tolist(), links.rows.tolist(), strict=True))


def weights(links: Links) -> Mapping[tuple[int, int], float]:
    """Return the weight of each link, by (index of the requested row, row reached)."""
    columns = (links.origins.tolist(), links.rows.tolist(), links.weights.tolist())
    return {(origin, row): weight for origin, row, weight in zip(*columns, strict=True)}


def sparse_rows(*rows: Mapping[int, float]) -> SparseVectors:
    """Return queries as weights by term."""
    pointers = np.cumsum([0, *(len(row) for row in rows)]).astype(np.int64)
    terms = np.asarray([term for row in rows for term in row], np.int32)
    weights = np.asarray([weight for row in rows for weight in row.values()], np.float32)
    return SparseVectors(pointers, terms, weights)


# Names of tests describe them.
# ruff: noqa: D102


class TextContract:
    """Tests of ``Texts`` over the toy corpus."""

    def test_numbers_of_rows(self, corpus: Texts) -> None:
        assert corpus.document_numbers(rows_of(0, 4, 5, 7)).tolist() == [0, 0, 1, 2]
        assert corpus.section_numbers(rows_of(0, 1, 3, 5)).tolist() == [0, 2, 3, -1]
        assert corpus.rows(["p7", "nobody", "p0", ""]).tolist() == [7, -1, 0, -1]
        assert corpus.ids(rows_of(7, 0, 7)) == ["p7", "p0", "p7"]
        assert corpus.ids(rows_of()) == []
        assert [rows.tolist() for rows in corpus.by_document(["rules", "nobody", "code"])] == [
            [5, 6],
            [],
            [0, 1, 2, 3, 4],
        ]

    def test_the_tree_of_a_document(self, corpus: Texts) -> None:
        numbers = corpus.document_sections(0)
        assert [section.id for section in corpus.sections(numbers.tolist())] == [
            section.id for section in toy_contents().sections
        ]
        assert corpus.document_sections(1).tolist() == []

    def test_the_sections_around_sections(self, corpus: Texts) -> None:
        assert corpus.section_parents(rows_of(0, 1, 2, 3, 4)).tolist() == [-1, -1, 1, 1, -1]

    def test_where_the_numbers_of_a_document_stand(self, corpus: Texts) -> None:
        printed = corpus.printed_numbers(0)
        if printed is not None:
            assert {number: printed[number] for number in printed} == {
                "1": ([], [1]),
                "1.1": ([], [2]),
                "1.2": ([], [3]),
                "I": ([], [4]),
            }

    def test_the_first_passage_with_a_number_in_each_document(self, corpus: Texts) -> None:
        assert corpus.numbered("1.2").tolist() == [2]
        assert corpus.numbered(" 1.2. ").tolist() == [2]
        assert corpus.numbered("i").tolist() == [4]
        assert corpus.numbered("7").tolist() == []

    def test_bare_headings(self, corpus: Texts) -> None:
        assert np.flatnonzero(corpus.bare_headings(np.arange(8, dtype=np.int32))).tolist() == [0, 4, 6]

    def test_siblings_from_near_to_far(self, corpus: Texts) -> None:
        found = weights(corpus.siblings(rows_of(3), 50))
        assert set(found) == {(0, 0), (0, 1), (0, 2), (0, 4)}
        same_section, chapter_head, preamble = found[(0, 2)], found[(0, 1)], found[(0, 0)]
        assert same_section > chapter_head > preamble > 0

    def test_siblings_stay_in_the_document_and_its_limit(self, corpus: Texts) -> None:
        assert pairs(corpus.siblings(rows_of(6), 50)) == {(0, 5)}
        limited = corpus.siblings(rows_of(1, 3, 5), 1)
        documents = corpus.document_numbers(np.unique(limited.rows))
        assert np.bincount(documents).max() == 1
        assert (limited.evidence == -1).all()

    def test_neighbours_in_reading_order_are_next_to(self, corpus: Texts) -> None:
        links = corpus.siblings(rows_of(4), 50)
        relation = dict(zip(links.rows.tolist(), links.relations.tolist(), strict=True))
        assert RELATIONS[relation[3]] is Relation.NEXT_TO


class BrowsingContract:
    """Tests of ``Browsing`` over the toy corpus."""

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


class LexicalContract:
    """Tests of ``Lexical`` over the toy corpus."""

    def test_lexical_search_finds_words_and_nothing_else(self, corpus: Lexical) -> None:
        fees, unknown = corpus.search_lexical(["fees", "zebra"], "en", 50)
        assert set(fees.rows.tolist()) == {3, 5}
        assert (fees.scores > 0).all()
        assert unknown.rows.tolist() == []
        assert fees.rows.tolist()[0] == 3, "the shorter text is the better one"

    def test_lexical_search_stems_in_the_language_of_the_question(self, corpus: Lexical) -> None:
        (german,) = corpus.search_lexical(["Schiff"], "de", 5)
        assert german.rows.tolist() == [7]

    def test_lexical_search_reads_the_headings(self, corpus: Lexical) -> None:
        (hits,) = corpus.search_lexical(["powers"], "en", 8)
        assert set(hits.rows.tolist()) == {1, 2, 3}
        assert hits.rows.tolist()[-1] == 3, "only its heading contains it"

    def test_lexical_search_keeps_limit_and_mask(self, corpus: Lexical) -> None:
        mask = np.zeros(8, np.bool_)
        mask[5] = True
        assert [hits.rows.tolist() for hits in corpus.search_lexical(["fees"], "en", 8, mask=mask)] == [[5]]
        assert corpus.search_lexical(["harbour"], "en", 1)[0].rows.shape == (1,)
        assert corpus.search_lexical(["fees"], "en", 8, mask=np.zeros(8, np.bool_))[0].rows.tolist() == []

    def test_chosen_rows_score_as_in_the_search(self, corpus: Lexical) -> None:
        (hits,) = corpus.search_lexical(["harbour powers"], "en", 8)
        scores = corpus.score_lexical(["harbour powers", "zebra"], "en", np.arange(8, dtype=np.int32))
        assert scores.shape == (2, 8)
        np.testing.assert_allclose(scores[0, hits.rows], hits.scores, rtol=1e-6)
        assert np.flatnonzero(scores[0]).tolist() == sorted(hits.rows.tolist())
        assert not scores[1].any()

    def test_the_same_question_has_the_same_answer(self, corpus: Lexical) -> None:
        first, second = (corpus.search_lexical(["harbour code vessel"], "en", 8)[0] for _ in range(2))
        assert first.rows.tolist() == second.rows.tolist()
        assert first.scores.tolist() == second.scores.tolist()


class DenseContract:
    """Tests of ``Dense`` over the toy corpus."""

    def test_dense_search_is_exact_and_ordered(self, corpus: Dense) -> None:
        east, north = corpus.search_dense(np.eye(2, dtype=np.float32), 3, 0.5)
        assert east.rows.tolist() == [0, 1, 5]
        np.testing.assert_allclose(east.scores, np.cos(np.radians([0, 10, 45])), atol=1e-6)
        assert north.rows.tolist() == [2, 3, 6]

    def test_dense_search_keeps_minimum_limit_and_mask(self, corpus: Dense) -> None:
        east = np.asarray([[1.0, 0.0]], np.float32)
        assert corpus.search_dense(east, 8, 0.9)[0].rows.tolist() == [0, 1]
        assert 7 not in corpus.search_dense(east, 8, -1.0)[0].rows.tolist(), "it has no vector"
        mask = np.ones(8, np.bool_)
        mask[0] = False
        assert corpus.search_dense(east, 2, -1.0, mask=mask)[0].rows.tolist() == [1, 5]
        assert corpus.search_dense(east, 8, -1.0, mask=np.zeros(8, np.bool_))[0].rows.tolist() == []

    def test_vectors(self, corpus: Dense) -> None:
        np.testing.assert_allclose(corpus.vectors(rows_of(4, 0)), [[-1, 0], [1, 0]], atol=1e-6)
        assert not corpus.vectors(rows_of(7)).any()
        assert -1.0 <= corpus.similarity_floor <= 0.0


class SparseContract:
    """Tests of ``Sparse`` over the toy corpus."""

    def test_sparse_search_is_the_inner_product(self, corpus: Corpus) -> None:
        assert (corpus.sparse_model, corpus.info().sparse) == ("toy", "toy")
        asked = sparse_rows({0: 1.0, 3: 0.5}, {}, {2: 2.0})
        fees, nothing, harbour = corpus.search_sparse(asked, 8)
        assert (fees.rows.tolist(), fees.scores.tolist()) == ([3, 5, 6, 7], [2.0, 2.0, 0.5, 0.5])
        assert nothing.rows.tolist() == []
        assert (harbour.rows.tolist(), harbour.scores.tolist()) == ([1, 7, 0, 5], [4.0, 3.0, 2.0, 2.0])
        mask = np.ones(8, np.bool_)
        mask[3] = False
        assert [hits.rows.tolist() for hits in corpus.search_sparse(asked, 1, mask=mask)] == [[5], [], [1]]

    def test_sparse_scores_of_chosen_rows(self, corpus: Sparse) -> None:
        scores = corpus.score_sparse(sparse_rows({0: 1.0}, {}), rows_of(5, 3, 5, 4))
        assert scores.tolist() == [[1.0, 2.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
        assert corpus.score_sparse(sparse_rows(), rows_of(5)).shape == (0, 1)
        assert corpus.search_sparse(sparse_rows(), 5) == []


class LinkedContract:
    """Tests of ``Linked`` over the toy corpus."""

    def test_references_link_passages_both_ways(self, corpus: Linked) -> None:
        out = corpus.neighbours(rows_of(5, 1), None, Direction.OUT)
        assert pairs(out) == {(0, 0), (1, 2), (1, 3)}
        back = corpus.neighbours(rows_of(2, 0, 3), None, Direction.IN)
        assert pairs(back) == {(0, 1), (1, 5), (2, 1)}
        quoted = corpus.references(out.evidence.tolist())
        assert {reference.text for reference in quoted} == {"harbour", "section 2"}

    def test_the_head_of_a_section_is_the_best_target(self, corpus: Linked) -> None:
        found = weights(corpus.neighbours(rows_of(1), None, Direction.OUT))
        assert found[(0, 2)] == 0.5, "the confidence of the reference"
        assert 0 < found[(0, 3)] < found[(0, 2)]

    def test_links_are_distinct_and_the_strongest_stays(self, corpus: Linked) -> None:
        links = corpus.neighbours(rows_of(5), [Relation.CITES], Direction.OUT)
        assert links.rows.tolist() == [0]
        assert corpus.references(links.evidence.tolist())[0].grammar == "names"
        assert corpus.neighbours(rows_of(7), None, Direction.OUT).rows.tolist() == [], "no link to itself"

    def test_relations_are_distinguished(self, corpus: Linked) -> None:
        assert corpus.neighbours(rows_of(1), [Relation.CITES], Direction.OUT).rows.tolist() == []
        links = corpus.neighbours(rows_of(1, 5), [Relation.EXCEPTION_TO], Direction.OUT)
        assert {RELATIONS[number] for number in links.relations.tolist()} == {Relation.EXCEPTION_TO}

    def test_references_of_passages_both_ways(self, corpus: Corpus) -> None:
        made = corpus.references_from(rows_of(5, 0, 2))
        assert (made.origins.tolist(), made.numbers.tolist()) == ([0, 0, 2], [2, 3, 1])
        lead_here = corpus.references_to(rows_of(2, 7, 3, 0))
        assert (lead_here.origins.tolist(), lead_here.numbers.tolist()) == ([0, 1, 3], [0, 5, 3])
        assert corpus.citation_counts().tolist() == [1, 0, 1, 0, 0, 0, 0, 1]


class NamesContract:
    """Tests of ``Names`` over the toy corpus."""

    def test_mentions_are_those_of_each_passage(self, corpus: Corpus) -> None:
        every = corpus.mentions()
        assert every.rows.shape == every.entities.shape == every.defines.shape
        assert every.rarity.shape == (corpus.info().entities,)
        assert ((every.rarity >= 0) & (every.rarity <= 1)).all()
        pairs = sorted(zip(every.rows.tolist(), every.entities.tolist(), strict=True))
        rows = np.arange(len(corpus), dtype=np.int32)
        expected = [(row, one) for row, own in enumerate(corpus.entities_of(rows)) for one in sorted(own)]
        assert pairs == expected
        defining = {
            (int(r), int(e))
            for r, e in zip(every.rows[every.defines], every.entities[every.defines], strict=True)
        }
        ids = [passage.id for passage in corpus.passages(rows)]
        entities = corpus.entities(range(corpus.info().entities))
        stated = {
            (ids.index(one), number)
            for number, entity in enumerate(entities)
            for one in entity.definitions
            if one in ids and (ids.index(one), number) in pairs
        }
        assert defining == stated

    def test_entities_link_who_mentions_them(self, corpus: Names) -> None:
        assert corpus.entities_of(rows_of(1, 5, 7)) == [(0, 3), (0, 2), ()]
        links = corpus.by_entity(rows_of(1, 3), 10)
        assert pairs(links) == {(0, 0), (0, 5), (1, 5)}
        entities = dict(zip(links.rows.tolist(), links.evidence.tolist(), strict=True))
        assert entities[0] == 0

    def test_rare_entities_weigh_more_and_definers_come_first(self, corpus: Names) -> None:
        links = corpus.by_entity(rows_of(0, 3), 1)
        assert links.rows.tolist() == [5, 5]
        assert RELATIONS[links.relations[0]] is Relation.DEFINES
        assert RELATIONS[links.relations[1]] is Relation.MENTIONS
        assert links.weights[1] > links.weights[0] > 0

    def test_names_that_texts_give_to_documents(self, corpus: Names) -> None:
        assert [tuple(found) for found in corpus.defined_names()] == [
            (1, "en", DefinedName("Harbour Code", "HARB", True))
        ]


class ValidityContract:
    """Tests of ``Validity`` over the toy corpus."""

    def test_in_force(self, corpus: Validity) -> None:
        def rows(day: date) -> list[int]:
            return np.flatnonzero(corpus.in_force(day)).tolist()

        assert rows(date(1999, 12, 31)) == [7]
        assert rows(date(2012, 1, 1)) == [0, 1, 2, 3, 4, 6, 7]
        assert rows(date(2019, 12, 31)) == [0, 1, 2, 3, 4, 5, 6, 7]
        assert rows(date(2020, 1, 1)) == [0, 1, 2, 3, 4, 7]

    def test_out_of_force_is_what_ended_not_what_has_yet_to_begin(self, corpus: Validity) -> None:
        assert not corpus.out_of_force(date(1999, 12, 31)).any()
        assert np.flatnonzero(corpus.out_of_force(date(2020, 1, 1))).tolist() == [5, 6]


# The contract of ``Corpus.journals``, and of the effects of verdicts on links.


class JournalsContract:
    """Tests over the toy corpus; each undoes its changes."""

    def test_a_grade_holds_at_once_and_is_taken_back(self, corpus: Corpus) -> None:
        code = corpus.documents()[0]
        version = grades_of(corpus).version
        decision = set_grade(corpus, "document", "code", Grade.B, note="checked", reviewer="Ada")
        assert grades_of(corpus).explain(code) == (Grade.B, Basis.HAND)
        assert grades_of(corpus).documents["code"] == decision
        withdraw_grade(corpus, "document", "code")
        assert grades_of(corpus).explain(code)[1] is not Basis.HAND
        assert grades_of(corpus).version == version + 2

    def test_a_confirmation_is_kept_word_by_word(self, corpus: Corpus) -> None:
        before = load_confirmations(_journals(corpus))
        made = make_confirmation("Fees, “paid” —\tأجرة", ("p3", "0" * 64), "supported", note="x\u2028y")
        kept = add_confirmation(_journals(corpus), made)
        assert load_confirmations(_journals(corpus)) == [*before, kept]

    def test_a_rejected_link_is_none_until_that_is_taken_back(self, corpus: Corpus) -> None:
        stamp, state = corpus.verdict_version, _state(corpus)
        # The link to the passage and the one to its document are separate.
        for target in ("p0", "code"):
            _judge(corpus, target, Judgement.REJECTED)
        assert corpus.verdict_version != stamp
        assert pairs(corpus.neighbours(rows_of(5), None, Direction.OUT)) == set()
        assert pairs(corpus.neighbours(rows_of(0), None, Direction.IN)) == set()
        assert {one.status for one in corpus.references([2, 3])} == {Status.UNRESOLVED}
        assert corpus.citation_counts().tolist() == [0, 0, 1, 0, 0, 0, 0, 1]
        assert corpus.references_to(rows_of(0)).numbers.tolist() == []
        assert [one.target_id for one in corpus.most_cited(9)] == ["code/1/b", "p7"]
        assert corpus.reference_numbers(statuses=[Status.RESOLVED]).tolist() == [0, 5]
        for target in ("p0", "code"):
            _judge(corpus, target, Judgement.REJECTED, withdrawn=True)
        assert _state(corpus) == state

    def test_a_corrected_link_leads_to_the_target_that_a_reviewer_named(self, corpus: Corpus) -> None:
        state = _state(corpus)
        for target, ends in (("p6", {(0, 6), (0, 0)}), ("code/1/b", {(0, 2), (0, 3), (0, 0)})):
            _judge(corpus, "p0", Judgement.CORRECTED, to=target)
            assert pairs(corpus.neighbours(rows_of(5), None, Direction.OUT)) == ends
            back = corpus.neighbours(rows_of(2, 6), None, Direction.IN)
            assert (1 if target == "p6" else 0, 5) in pairs(back)
            (reference,) = corpus.references([3])
            assert (reference.target_id, reference.relation) == (target, Relation.SUBJECT_TO)
            assert target in [one.target_id for one in corpus.most_cited(9)]
        _judge(corpus, "p0", Judgement.CORRECTED, to="code/1/b", withdrawn=True)
        assert _state(corpus) == state

    def test_a_verdict_on_what_is_not_there_changes_nothing(self, corpus: Corpus) -> None:
        state = _state(corpus)
        for source in ("p5", "nobody"):
            proposal = Proposal(
                source_id=source, quote="no such words", relation=Relation.CITES, target_id="p0"
            )
            verdict = Validation(proposal=proposal, origin="grammar", judgement=Judgement.REJECTED)
            add_validation(_journals(corpus), verdict)
        corpus.apply_verdicts()
        assert _state(corpus) == state
        assert [one.proposal.source_id for one in load_validations(_journals(corpus))][-2:] == [
            "p5",
            "nobody",
        ]


def _judge(
    corpus: Corpus, target: str, judgement: Judgement, *, to: str | None = None, withdrawn: bool = False
) -> None:
    proposal = Proposal(source_id="p5", quote="harbour", relation=Relation.CITES, target_id=target)
    correction = None
    if to is not None:
        correction = proposal.model_copy(update={"target_id": to, "relation": Relation.SUBJECT_TO})
    verdict = Validation(
        proposal=proposal, origin="grammar", judgement=judgement, correction=correction, withdrawn=withdrawn
    )
    add_validation(_journals(corpus), verdict)
    corpus.apply_verdicts()


def _state(corpus: Corpus) -> list[object]:
    """Return everything that verdicts on links can change."""
    every = rows_of(*range(len(corpus)))
    lead_here = corpus.references_to(every)
    found: list[object] = [
        list(corpus.all_references()),
        corpus.citation_counts().tolist(),
        corpus.most_cited(9),
    ]
    found += [lead_here.origins.tolist(), lead_here.numbers.tolist()]
    for direction in Direction:
        links = corpus.neighbours(every, None, direction)
        found += [links.origins.tolist(), links.rows.tolist(), links.relations.tolist()]
        found += [links.evidence.tolist(), links.weights.round(6).tolist()]
    return found


def _journals(corpus: Corpus) -> Journals:
    assert corpus.journals is not None
    return corpus.journals


# Names of tests describe them.
# ruff: noqa: D102


class CorpusContract(
    TextContract,
    LexicalContract,
    DenseContract,
    SparseContract,
    LinkedContract,
    NamesContract,
    ValidityContract,
    BrowsingContract,
    JournalsContract,
):
    """All tests. A subclass provides the fixture ``corpus``: the toy corpus in its store."""

    def test_counts(self, corpus: Corpus) -> None:
        info = corpus.info()
        assert (len(corpus), corpus.name, corpus.embedding) == (8, "harbour", "toy")
        assert (info.documents, info.passages, info.entities) == (3, 8, 4)
        assert list(info.languages.items()) == [("en", 7), ("de", 1)]
        assert dict(info.references_by_relation) == {"exception_to": 1, "cites": 5}
        assert dict(info.references_by_status) == {"resolved": 4, "unresolved": 1, "ambiguous": 1}
        assert corpus.ontology is None

    def test_everything_comes_back_as_it_went_in(self, corpus: Corpus) -> None:
        contents = toy_contents()
        assert corpus.passages(np.arange(8, dtype=np.int32)) == list(contents.passages)
        assert corpus.passages(rows_of(7, 0)) == [contents.passages[7], contents.passages[0]]
        assert corpus.documents() == list(contents.documents)
        assert corpus.sections(range(5)) == list(contents.sections)
        assert corpus.entities([3, 0]) == [contents.entities[3], contents.entities[0]]
        assert list(corpus.all_references()) == list(contents.references)
        assert corpus.references([4, 0]) == [contents.references[4], contents.references[0]]

    def test_empty_questions_have_empty_answers(self, corpus: Corpus) -> None:
        nothing = rows_of()
        assert corpus.passages(nothing) == []
        assert corpus.rows([]).shape == (0,)
        assert corpus.vectors(nothing).shape[0] == 0
        assert corpus.entities_of(nothing) == []
        assert corpus.search_lexical([], "en", 5) == []
        assert corpus.score_lexical([], "en", rows_of(1)).shape == (0, 1)
        for links in (
            corpus.neighbours(nothing, None, Direction.OUT),
            corpus.siblings(nothing, 5),
            corpus.by_entity(nothing, 5),
        ):
            assert [len(column) for column in (links.origins, links.rows, links.weights)] == [0, 0, 0]
