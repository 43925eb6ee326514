"""What people say of a corpus on a server; what holds of every store is in the contract."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest

from engine.corpus import address_of, open_corpus
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.extracted import (
    Judgement,
    Proposal,
    Validation,
    add_validation,
    current_verdicts,
    load_validations,
)
from engine.corpus.grades import grades_of, set_grade
from engine.corpus.journal import Journals
from engine.corpus.postgresql import store
from engine.corpus.postgresql.journals import apply_verdicts
from engine.corpus.postgresql.loading import copy_to_server
from engine.corpus.postgresql.store import copy_to_folder
from engine.corpus.protocol import Corpus
from engine.corpus.toy import toy_contents
from engine.errors import CorpusError, ResourceError
from engine.extraction.judging import Ends, judge_link, unjudge_link
from engine.model import Direction, Grade, Relation
from tests.engine.corpus.postgresql.test_server import cut

HARBOUR = Proposal(source_id="p5", quote="harbour", relation=Relation.CITES, target_id="p0")
CODE = HARBOUR.model_copy(update={"target_id": "code"})
P5, P0 = np.array([5], np.int32), np.array([0], np.int32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_corpus(tmp_path / "toy", toy_contents())
    return tmp_path / "toy"


@pytest.fixture
def place(database: str, request: pytest.FixtureRequest) -> str:
    return f"{database}&corpus=said-{abs(hash(request.node.name))}"


def rejects(corpus: Corpus, proposal: Proposal, *, withdrawn: bool = False) -> None:
    verdict = Validation(
        proposal=proposal, origin="grammar", judgement=Judgement.REJECTED, withdrawn=withdrawn
    )
    add_validation(journals(corpus), verdict)
    corpus.apply_verdicts()


def journals(corpus: Corpus) -> Journals:
    assert corpus.journals is not None
    return corpus.journals


def cited(corpus: Corpus) -> list[int]:
    """How many references lead to the first passage, and which passages the sixth leads to."""
    links = corpus.neighbours(P5, None, Direction.OUT)
    return [int(corpus.citation_counts()[0]), *links.rows.tolist()]


def test_whoever_has_the_corpus_open_sees_a_verdict_at_once(folder: Path, place: str) -> None:
    copy_to_server(folder, address_of(place))
    mine, theirs = open_corpus(place), open_corpus(place)
    before = theirs.verdict_version
    assert cited(theirs) == [1, 0]
    rejects(mine, HARBOUR)
    rejects(mine, CODE)
    theirs.apply_verdicts()
    assert theirs.verdict_version == mine.verdict_version != before
    assert cited(theirs) == cited(mine) == [0]
    set_grade(mine, "document", "code", Grade.D)
    assert grades_of(theirs).of(theirs.documents()[0]) is Grade.D


def test_a_verdict_whose_transaction_breaks_is_none(
    folder: Path, place: str, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection breaks when the verdict is written, and what follows from it is not yet."""
    copy_to_server(folder, address_of(place))
    corpus = open_corpus(place)

    def broken(*given: Any) -> None:
        monkeypatch.undo()
        cut(database)
        apply_verdicts(*given)

    monkeypatch.setattr(store, "apply_verdicts", broken)
    with pytest.raises(ResourceError, match="does not answer"):
        rejects(corpus, HARBOUR)
    assert load_validations(journals(corpus)) == []
    assert cited(corpus) == [1, 0]
    rejects(corpus, HARBOUR)
    rejects(corpus, CODE)
    assert cited(corpus) == [0]


def test_what_is_said_goes_along_both_ways(folder: Path, place: str, tmp_path: Path) -> None:
    at_home = open_corpus(folder)
    rejects(at_home, HARBOUR)
    set_grade(at_home, "document", "rules", Grade.E)
    copy_to_server(folder, address_of(place))
    served = open_corpus(place)
    assert load_validations(journals(served)) == load_validations(folder)
    rejects(served, CODE)
    assert cited(served) == [0]
    # Copied again, what was said on the server stays in force there, and nothing is there twice.
    copy_to_server(folder, address_of(place))
    served = open_corpus(place)
    assert cited(served) == [0]
    assert [one.proposal.target_id for one in load_validations(journals(served))] == ["p0", "code"]
    # And back: what the texts say comes back with it, so that all can be taken back.
    copy_to_folder(address_of(place), tmp_path / "back")
    back = open_corpus(tmp_path / "back")
    assert cited(back) == [0]
    assert grades_of(back).of(back.documents()[1]) is Grade.E
    for one in (served, back):
        rejects(one, HARBOUR, withdrawn=True)
        rejects(one, CODE, withdrawn=True)
    assert cited(back) == cited(served) == [1, 0]


def test_who_may_only_read_says_nothing(folder: Path, place: str, database: str) -> None:
    copy_to_server(folder, address_of(place))
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("create role listener login")
        connection.execute("grant pg_read_all_data to listener")
    corpus = open_corpus(place.replace("postgres@", "listener@"))
    with pytest.raises(CorpusError, match="refuses"):
        set_grade(corpus, "document", "code", Grade.A)
    assert grades_of(corpus).documents == {}


def test_a_corpus_that_was_replaced_takes_no_verdicts(folder: Path, place: str) -> None:
    copy_to_server(folder, address_of(place))
    corpus = open_corpus(place)
    copy_to_server(folder, address_of(place))
    with pytest.raises(CorpusError, match="replaced after"):
        rejects(corpus, HARBOUR)
    assert load_validations(journals(open_corpus(place))) == []


def test_both_stores_hold_the_same_of_real_links(sample_folder: Path, place: str, tmp_path: Path) -> None:
    """Rejected and corrected, link by link, in tables that are partitioned; and taken back."""
    copy_to_server(sample_folder, address_of(place), by="document-hash")
    served = open_corpus(place)
    copy_to_folder(address_of(place), tmp_path / "home")
    home = open_corpus(tmp_path / "home")
    every = np.arange(len(home), dtype=np.int32)
    chosen: dict[Relation, Ends] = {}
    for one in home.references(home.reference_numbers().tolist()):
        if one.target_id and one.target_id != one.source_id and home.rows([one.target_id])[0] >= 0:
            chosen.setdefault(one.relation, Ends(one.source_id, one.target_id, one.relation))
    assert len(chosen) > 3
    before = _links(served, every)
    for number, ends in enumerate(chosen.values()):
        for corpus in (served, home):
            if number % 2:
                judge_link(corpus, ends, Judgement.REJECTED)
            else:
                judge_link(corpus, ends, Judgement.CORRECTED, to=home.passages(every[:1])[0].id)
    after = _links(served, every)
    assert after == _links(home, every)
    assert after != before
    for ends in chosen.values():
        unjudge_link(served, ends)
    assert _links(served, every) == before
    assert not current_verdicts(load_validations(journals(served)))


def _links(corpus: Corpus, every: Any) -> list[object]:
    found: list[object] = [list(corpus.all_references()), corpus.most_cited(50)]
    for direction in Direction:
        links = corpus.neighbours(every, None, direction)
        # In sets, and as a whole.
        half = corpus.neighbours(every[::2], None, direction)
        for one in (links, half):
            found += [one.origins.tolist(), one.rows.tolist(), one.relations.tolist(), one.evidence.tolist()]
            found.append(np.round(one.weights, 6).tolist())
    return [*found, corpus.citation_counts().tolist(), corpus.references_to(every).numbers.tolist()]


def test_what_is_said_lets_no_generation_go(folder: Path, place: str) -> None:
    """The connection that keeps the opened state from being dropped is not used up by a verdict."""
    copy_to_server(folder, address_of(place))
    corpus = open_corpus(place)
    rejects(corpus, HARBOUR)
    copy_to_server(folder, address_of(place))
    assert corpus.references_from(P5).numbers.tolist() == [2, 3]
