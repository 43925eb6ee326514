# Names of tests describe them.
# ruff: noqa: D102
"""The contract of ``Corpus.journals``, and of the effects of verdicts on links."""

from __future__ import annotations

from engine.corpus.contract.kits import pairs, rows_of
from engine.corpus.extracted.readings import Judgement, Proposal, Validation, add_validation, load_validations
from engine.corpus.grades import Basis, grades_of, set_grade, withdraw_grade
from engine.corpus.journal import Journals
from engine.corpus.judgements import add_confirmation, load_confirmations, make_confirmation
from engine.corpus.protocol import Corpus
from engine.model import Direction, Grade, Relation, Status


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

    def test_a_corrected_link_leads_where_a_person_says(self, corpus: Corpus) -> None:
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
