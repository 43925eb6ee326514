"""Whoever rejects a link never meets it again: in what a case follows, in walks, in what is counted."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.extracted import (
    Judgement,
    Proposal,
    Validation,
    add_validation,
    current_verdicts,
    load_validations,
)
from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.extraction.judging import Ends, judge_link, rates, rejected_links, unjudge_link
from engine.ingestion.build import add_to_corpus, build_corpus
from engine.investigation import Case
from engine.investigation.definitions import defined_terms
from engine.investigation.graph.walks import get_associations
from engine.model import Direction, Relation, Status, TargetKind
from engine.settings import Preset, preset

DAY = date(2024, 6, 1)
RELATIONS = tuple(Relation)
# What only words of a text make: what stands side by side, or is alike, is no link that somebody wrote.
WRITTEN = frozenset(RELATIONS) - {
    *(Relation.PART_OF, Relation.NEXT_TO, Relation.MENTIONS, Relation.SIMILAR_TO, Relation.MATCHES),
    *(Relation.BELONGS_TO, Relation.REQUIRES, Relation.PARENT_OF),
}
QUESTIONS = (
    "May an agent appoint sub-agents, and what must the agent tell the principal?",
    "When must an objection to a tax decision be lodged, and what changed?",
)


@pytest.fixture
def corpus(tmp_path: Path, sample_folder: Path) -> Corpus:
    shutil.copytree(sample_folder, tmp_path / "meridia")
    return open_corpus(tmp_path / "meridia")


def links_of(corpus: Corpus) -> set[tuple[str, str, Relation]]:
    every = np.arange(len(corpus), dtype=np.int32)
    ids = [passage.id for passage in corpus.passages(every)]
    out = corpus.neighbours(every, None, Direction.OUT)
    back = corpus.neighbours(every, None, Direction.IN)
    found = {
        (ids[origin], ids[row], RELATIONS[relation])
        for origin, row, relation in zip(
            out.origins.tolist(), out.rows.tolist(), out.relations.tolist(), strict=True
        )
    }
    assert found == {
        (ids[row], ids[origin], RELATIONS[relation])
        for origin, row, relation in zip(
            back.origins.tolist(), back.rows.tolist(), back.relations.tolist(), strict=True
        )
    }
    return found


def one_of_each(corpus: Corpus) -> Iterator[tuple[str, str, Relation]]:
    for relation in RELATIONS:
        numbers = corpus.reference_numbers(statuses=[Status.RESOLVED], relations=[relation])
        for reference in corpus.references(numbers.tolist()):
            if reference.target_kind is TargetKind.PASSAGE and reference.target_id != reference.source_id:
                yield reference.source_id, str(reference.target_id), relation
                break


def test_each_relation_is_rejected_everywhere_and_comes_back(corpus: Corpus) -> None:
    chosen = list(one_of_each(corpus))
    assert {Relation.CITES, Relation.DEFINES, Relation.EXCEPTION_TO, Relation.SUBJECT_TO} <= {
        relation for *_, relation in chosen
    }
    for source, target, relation in chosen:
        before, counts = links_of(corpus), corpus.citation_counts().copy()
        row, other = corpus.rows([source, target]).tolist()
        ends = Ends(source, target, relation)
        judge_link(corpus, ends, Judgement.REJECTED)
        after = links_of(corpus)
        assert (source, target, relation) in before - after
        assert {(start, kind) for start, _, kind in before - after} == {(source, relation)}
        assert not {
            reference.relation
            for reference in corpus.references(corpus.references_from(corpus.rows([source])).numbers.tolist())
            if reference.target_id == target and reference.status is Status.RESOLVED
        } & {relation}
        assert corpus.citation_counts()[other] < counts[other]
        if not {one for one in after if one[:2] == (source, target)}:
            assert get_associations(corpus).cites[[row], [other]] == 0
        unjudge_link(corpus, ends)
        assert links_of(corpus) == before
        assert (corpus.citation_counts() == counts).all()
        assert get_associations(corpus).cites[[row], [other]] > 0


def test_what_was_rejected_is_told_of_any_links_and_of_no_other(corpus: Corpus) -> None:
    """Whatever was rejected, by whichever of its names: what the corpus had before and has no more."""
    before = links_of(corpus)
    every = [Ends(*link) for link in sorted(before)]
    assert rejected_links(corpus, every) == []
    numbers = corpus.reference_numbers(statuses=[Status.RESOLVED]).tolist()
    wider = [one for one in corpus.references(numbers) if one.target_kind is not TargetKind.PASSAGE][:2]
    chosen = [*one_of_each(corpus), *((one.source_id, str(one.target_id), one.relation) for one in wider)]
    for link in chosen:
        judge_link(corpus, Ends(*link), Judgement.REJECTED)
    gone = before - links_of(corpus)
    told = {(one.source_id, one.target_id, one.relation) for one in rejected_links(corpus, every)}
    assert told == gone
    source, target, relation = chosen[0]
    assert rejected_links(corpus, [Ends("gone", target, relation), Ends(source, "gone", relation)]) == []
    for link in chosen:
        unjudge_link(corpus, Ends(*link))
    assert rejected_links(corpus, every) == []


def followed(corpus: Corpus, question: str) -> set[tuple[str, str, Relation]]:
    case = Case(corpus, question, preset(Preset.DETECTIVE), day=DAY)
    for _ in case.run():
        pass
    found = set()
    for passage in case.investigation().passages:
        for hop in (hop for trail in passage.trails for hop in trail):
            if hop.source_id is not None and hop.relation in WRITTEN:
                pair = (hop.source_id, hop.target_id)
                pair = pair if hop.direction is Direction.OUT else pair[::-1]
                found.add((*pair, hop.relation))
    return found


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_rejected_link_is_on_no_trail_of_the_next_case(corpus: Corpus, question: str) -> None:
    before, links = followed(corpus, question), links_of(corpus)
    # One of each provision: a verdict counts for all passages that one reference leads to.
    by_provision = {(one[0], one[1].rpartition("/")[0]): one for one in sorted(before & links)}
    rejected = list(by_provision.values())[:12]
    assert len(rejected) >= 4
    for source, target, relation in rejected:
        judge_link(corpus, Ends(source, target, relation), Judgement.REJECTED)
    assert not followed(corpus, question) & set(rejected)
    for source, target, relation in rejected:
        unjudge_link(corpus, Ends(source, target, relation))
    assert followed(corpus, question) == before


def test_a_corrected_link_leads_where_the_person_says(corpus: Corpus) -> None:
    source, target, relation = next(one_of_each(corpus))
    instead = next(
        passage.id
        for passage in corpus.passages(np.arange(len(corpus), dtype=np.int32))
        if passage.id not in (source, target)
    )
    judge_link(corpus, Ends(source, target, relation), Judgement.CORRECTED, to=instead, reviewer="Ada")
    links = links_of(corpus)
    assert (source, target, relation) not in links
    assert (source, instead, relation) in links
    unjudge_link(corpus, Ends(source, instead, relation))
    assert (source, target, relation) in links_of(corpus)


def test_a_verdict_outlives_an_ingestion(tmp_path: Path) -> None:
    text = "# Lake Act\n\n## Article 1\n\nArticle 2 applies to boats.\n\n## Article 2\n\nBoats pay dues.\n"
    (tmp_path / "lake.md").write_text(text, encoding="utf-8")
    build_corpus([tmp_path / "lake.md"], tmp_path / "lake", name="lake", embedding="none")
    corpus = open_corpus(tmp_path / "lake")
    ((source, target, relation),) = {one for one in links_of(corpus) if one[2] is not Relation.PART_OF}
    judge_link(corpus, Ends(source, target, relation), Judgement.REJECTED)
    (tmp_path / "more.md").write_text("# Pond Act\n\n## Article 1\n\nPonds are lakes.\n", encoding="utf-8")
    add_to_corpus([tmp_path / "more.md"], tmp_path / "lake")
    again = open_corpus(tmp_path / "lake")
    assert (source, target, relation) not in links_of(again)
    assert len(current_verdicts(load_validations(tmp_path / "lake"))) == 1


def test_what_cannot_be_judged_is_told(corpus: Corpus) -> None:
    source, target, _ = next(one_of_each(corpus))
    with pytest.raises(InputError, match="not a passage"):
        judge_link(corpus, Ends("nowhere", target), Judgement.REJECTED)
    with pytest.raises(InputError, match="no link"):
        judge_link(corpus, Ends(target, "nowhere"), Judgement.REJECTED)
    with pytest.raises(InputError, match="a correction needs"):
        judge_link(corpus, Ends(source, target), Judgement.CORRECTED)
    with pytest.raises(InputError, match="there is no verdict"):
        unjudge_link(corpus, Ends(source, target))
    for note, reviewer in (("x" * 2_001, "Ann"), ("", "x" * 201)):
        with pytest.raises(InputError, match=r"a note has at most 2,000 characters|a name of 1 to"):
            judge_link(corpus, Ends(source, target), Judgement.REJECTED, note=note, reviewer=reviewer)
    assert corpus.journals is not None
    assert load_validations(corpus.journals) == []


def test_rates_are_told_by_relation_strategy_and_language(corpus: Corpus) -> None:
    chosen = list(one_of_each(corpus))
    for place, (source, target, relation) in enumerate(chosen):
        said = Judgement.REJECTED if place % 2 else Judgement.ACCEPTED
        judge_link(corpus, Ends(source, target, relation), said)
    assert corpus.folder is not None
    figures = rates(corpus, current_verdicts(load_validations(corpus.folder)).values())
    assert set(figures) == {"relation", "strategy", "language"}
    assert figures["relation"][chosen[0][2].value].accepted >= 1
    assert sum(one.judged for one in figures["language"].values()) >= len(chosen)
    assert "citations" in figures["strategy"]


def test_a_rejected_definition_is_none_until_it_is_taken_back(corpus: Corpus) -> None:
    assert corpus.folder is not None
    question = "What must a sub-agent tell the principal of the power of attorney?"
    terms = defined_terms(corpus)
    use = terms.used_in(question, "en")[0]
    rows = terms.definitions(use.term).tolist()
    said = [
        Validation(
            proposal=Proposal(
                source_id=passage.id,
                quote=passage.text[:20],
                relation=Relation.DEFINES,
                concept=terms.names[use.term],
            ),
            origin="grammar",
            judgement=Judgement.REJECTED,
        )
        for passage in corpus.passages(np.array(rows, np.int32))
    ]
    for one in said:
        add_validation(corpus.folder, one)
    corpus.apply_verdicts()
    assert not len(terms.definitions(use.term))
    assert use.term not in [other.term for other in terms.used_in(question, "en")]
    for one in said:
        add_validation(corpus.folder, one.model_copy(update={"withdrawn": True}))
    corpus.apply_verdicts()
    assert terms.definitions(use.term).tolist() == rows
