"""Links are checked one after another; what is said of them is kept, can be undone, and makes the figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.corpus.extracted import Judgement, Proposal, add_reading, current_verdicts, load_validations
from engine.model import Relation
from tests.engine.corpus.extracted.values import window
from tests.ui.corpus.conftest import VISITOR, Caller
from ui.corpus.access import CorpusDesk

SPEC = "openai:reader-1@http://10.0.0.7:8000/v1"


def folder_of(desk: CorpusDesk) -> Path:
    return desk.books.find("Mine", VISITOR).folder


def said(source: str, quote: str, relation: Relation, confidence: float, **more: Any) -> Proposal:
    return Proposal(
        source_id=source, quote=quote, relation=relation, confidence=confidence, said_by=SPEC, **more
    )


@pytest.fixture
def read(mine: Caller, desk: CorpusDesk) -> list[Proposal]:
    """What a model said of the act: a link that is right, a concept, and one that is hostile."""
    rows = desk.books.corpus("Mine", VISITOR)
    ids = [passage.id for passage in rows.passages(rows.by_document(["act"])[0])]
    powers, broader, limits, approval = ids[:4]
    found = [
        said(approval, "The principal may approve a grant", Relation.EXCEPTION_TO, 0.9, target_id=broader),
        said(powers, "powers", Relation.MENTIONS, 0.55, concept="powers"),
        said(limits, "The limits of the authority", Relation.EXTENDS, 0.3, target_id=powers),
    ]
    add_reading(folder_of(desk), window(*found, document="act"))
    return found


def test_without_a_model_there_are_links_to_check(mine: Caller) -> None:
    found = mine.good("links")
    assert found["keys"]
    assert found["total"] == found["open"] == len(found["keys"])
    assert found["judged"] == found["stale"] == 0
    assert not found["read"]


def test_an_item_shows_both_ends_and_marks_the_words(mine: Caller, read: list[Proposal]) -> None:
    html = mine.good("link", said={"key": read[0].key})["html"]
    assert "<mark>The principal may approve a grant</mark>" in html
    assert "A grant of broader powers is void" in html
    assert "90% sure" in html
    assert "10.0.0.7" not in html, "where a server stands is nobody's business"
    concept = mine.good("link", said={"key": read[1].key})["html"]
    assert "Agency Act &lt;New&gt;" in concept
    assert "&lt;q&gt;<mark>powers</mark>&lt;/q&gt;" in concept, "texts are data"


def test_a_concept_is_shown_where_its_document_defines_it(
    mine: Caller, desk: CorpusDesk, read: list[Proposal]
) -> None:
    definition = said(
        read[2].source_id, "The limits of the authority", Relation.DEFINES, 0.9, concept="Powers"
    )
    add_reading(folder_of(desk), window(definition, key="w2", document="act"))
    html = mine.good("link", said={"key": read[1].key})["html"]
    assert "those entered in the register" in html
    mine.good("judge", said={"key": definition.key, "judgement": "rejected"})
    assert "those entered" not in mine.good("link", said={"key": read[1].key})["html"]


def test_filters_and_orders(mine: Caller, read: list[Proposal]) -> None:
    def keys(**wanted: Any) -> list[str]:
        return list(mine.good("links", wanted=wanted)["keys"])

    assert set(keys(origin="model")) == {one.key for one in read}
    assert keys(origin="model", order="uncertain") == [read[1].key, read[2].key, read[0].key]
    assert keys(origin="model", order="document") == [read[1].key, read[2].key, read[0].key]
    assert keys(sort="extends") == [read[2].key]
    assert keys(origin="model", low=0.5, high=0.6) == [read[1].key]
    assert keys(state="judged") == []
    assert "order" in mine("links", wanted={"order": "sideways"})["error"]


def test_a_verdict_is_kept_counted_and_taken_back(
    mine: Caller, desk: CorpusDesk, read: list[Proposal]
) -> None:
    key = read[0].key
    done = mine.good(
        "judge", said={"key": key, "judgement": "accepted", "note": "clear <b>", "reviewer": " A.  Jurist "}
    )
    assert "clear &lt;b&gt;" in done["html"]
    assert (done["judged"], "100%" in done["figures"]) == (1, True)
    (validation,) = current_verdicts(load_validations(folder_of(desk))).values()
    assert (validation.judgement, validation.origin) == (Judgement.ACCEPTED, "model")
    assert (validation.reviewer, validation.note) == ("A. Jurist", "clear <b>")
    assert key in mine.good("links", wanted={"state": "judged"})["keys"]

    mine.good("judge", said={"key": read[2].key, "judgement": "rejected"})
    assert "50%" in mine.good("links")["figures"]
    again = mine.good("unjudge", said={"key": key})
    assert "Accepted" not in again["html"]
    assert again["judged"] == 1
    assert "taken back already" in mine("unjudge", said={"key": key})["error"]
    assert len(current_verdicts(load_validations(folder_of(desk)))) == 1


def correct(mine: Caller, proposal: Proposal, **more: Any) -> dict[str, Any]:
    return mine("judge", said={"key": proposal.key, "judgement": "corrected", **more})


def test_a_correction_changes_relation_target_and_words(
    mine: Caller, desk: CorpusDesk, read: list[Proposal]
) -> None:
    done = correct(mine, read[2], relation="applies_to", target="act/art-1", quote="entered in the register")
    assert "error" not in done, done
    (validation,) = current_verdicts(load_validations(folder_of(desk))).values()
    held = validation.holds
    assert held is not None
    assert (held.relation, held.quote) == (Relation.APPLIES_TO, "entered in the register")
    # A section is followed to the passage that it begins with.
    corpus = desk.books.corpus("Mine", VISITOR)
    assert int(corpus.rows([held.target_id or ""])[0]) >= 0
    assert validation.proposal == read[2]


def test_a_correction_of_a_concept_and_of_the_place_of_words(
    mine: Caller, desk: CorpusDesk, read: list[Proposal]
) -> None:
    assert "error" not in correct(
        mine, read[1], concept="Manager", quote="A manager", at=4, relation="applies_to"
    )
    held = current_verdicts(load_validations(folder_of(desk)))[read[1].key].holds
    assert held is not None
    assert (held.concept, held.quote, held.relation) == ("Manager", "A manager", Relation.APPLIES_TO)


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        ({}, "the correction changes nothing"),
        ({"quote": "words of another law"}, "not in the passage word for word"),
        ({"target": "nowhere"}, "is not in this corpus"),
        ({"relation": "obeys"}, "no correction"),
        ({"target": "SELF"}, "no relation with itself"),
    ],
)
def test_a_correction_that_is_none(
    mine: Caller, read: list[Proposal], more: dict[str, str], wrong: str
) -> None:
    more = {name: read[2].source_id if value == "SELF" else value for name, value in more.items()}
    assert wrong in correct(mine, read[2], **more)["error"]


def test_what_the_text_no_longer_says_is_shown_and_not_judged(mine: Caller, desk: CorpusDesk) -> None:
    gone = said("act/art-9", "Some <i>words</i>", Relation.EXTENDS, 0.9, target_id="act/art-1")
    add_reading(folder_of(desk), window(gone, document="act"))
    found = mine.good("links", wanted={"state": "stale"})
    assert found["keys"] == [gone.key]
    assert "The passage was removed" in found["html"]
    assert "Some &lt;i&gt;words" in found["html"]
    assert "data-act" not in found["html"]
    assert "reject the link instead" in correct(mine, gone, quote="x")["error"]


def test_nobody_judges_a_corpus_that_is_not_theirs(desk: CorpusDesk) -> None:
    visitor = Caller(desk, VISITOR, "Small")
    found = visitor.good("links")
    assert found["keys"]
    assert "data-act" not in found["html"]
    assert "cannot be changed" in visitor("judge", said={"key": found["keys"][0]})["error"]


def test_unknown_links_are_refused(mine: Caller) -> None:
    assert "no such link" in mine("link", said={"key": "nothing"})["error"]
    assert "said: Field required" in mine("judge")["error"]
