from __future__ import annotations

import pytest

from engine.corpus.protocol import Corpus
from engine.errors import CancelledError
from engine.llm import Budget, Meter
from engine.ontology.assisting import expected_use, regroup
from engine.ontology.drafting import Index
from engine.ontology.proposal import Proposal, difference, propose
from tests.engine.llm.server import Asked, Fault, Scripted, ScriptedServer

HARM = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def proposal(maritime: Corpus) -> Proposal:
    return propose(maritime)


def keys(asked: Asked) -> list[list[str]]:
    return [line.split("\t")[1].split() for line in asked.data["areas"].splitlines()]


def two_areas(asked: Asked) -> Scripted:
    """Joins the first two areas, leaves the third alone, adds a keyword that the corpus has."""
    first, second, third, *_ = keys(asked)
    headings = [key for key in first if key.startswith("H")]
    return {
        "areas": [
            {
                "name_keys": headings[:1],
                "keys": first + second,
                "added": [{"language": "en", "text": "manifest"}],
            },
            {"name_keys": [], "keys": third, "added": []},
        ],
        "transactions": [{"key": "X1", "areas": [1, 2]}],
    }


def test_a_model_joins_areas_and_names_them_with_words_of_the_corpus(
    maritime: Corpus, proposal: Proposal
) -> None:
    with ScriptedServer(two_areas) as server:
        meter = Meter()
        found = regroup(maritime, proposal, server.connect(), meter)
    assert [one.source for one in found.areas] == ["model", "model"]
    known = {one.text for area in proposal.areas for one in area.evidence if one.kind == "heading"}
    for one in found.areas:
        assert set(one.area.names.values()) <= known
    assert found.areas[0].made_of == tuple(one.area.id for one in proposal.areas[:2])
    assert found.areas[0].added == (("en", "manifest"),)
    assert "manifest" in found.areas[0].area.keywords["en"]
    left_out = ", ".join(one.area.names["en"] for one in proposal.areas[3:])
    assert f"left out by the model: {left_out}" in found.notes
    assert found.transactions[0].areas == tuple(one.area.id for one in found.areas)
    assert meter.spent.prompt_tokens == server.counted.prompt_tokens
    assert meter.spent.completion_tokens == server.counted.completion_tokens


def liar(asked: Asked) -> Scripted:
    first, second, *_ = keys(asked)
    added = [
        {"language": "en", "text": text}
        for text in (HARM, "unicorn", "https://evil.example", "the of", "w" * 150, "cargo\u202e")
    ]
    return {
        "areas": [
            {"name_keys": [HARM, "H999"], "keys": ["T0", *first, "<script>"], "added": added},
            {"name_keys": first[:1], "keys": first, "added": []},
            {"name_keys": ["H999"], "keys": ["T998"], "added": added},
            {"name_keys": [], "keys": second, "added": [{"language": "xx", "text": "cargo"}]},
        ],
        "transactions": [{"key": "X99", "areas": [1]}, {"key": "X1", "areas": [77, -1]}],
    }


def test_a_model_that_lies_changes_nothing_but_the_grouping(maritime: Corpus, proposal: Proposal) -> None:
    with ScriptedServer(liar) as server:
        found = regroup(maritime, proposal, server.connect(), Meter())
    assert len(found.areas) == 2
    assert found.transactions == ()
    whole = str(found.content())
    for word in ("<", "evil", "unicorn", "H999", "\u202e"):
        assert word not in whole
    index = Index(maritime)
    for one in found.areas:
        for language, words in one.area.keywords.items():
            assert all(index.holding(language, word).any() for word in words)
    assert any("keys that were not listed" in note for note in found.notes)
    assert any("keywords that do not occur in the corpus" in note for note in found.notes)


@pytest.mark.parametrize(
    "answer",
    [
        Fault(status=400),
        Fault(answer="I would rather not.", refusal="I would rather not."),
        "no json at all",
        {"areas": [], "transactions": []},
        {"areas": [{"name_keys": ["H999"], "keys": [], "added": []}], "transactions": []},
    ],
)
def test_where_the_model_fails_the_corpus_own_proposal_stands(
    maritime: Corpus, proposal: Proposal, answer: Scripted
) -> None:
    with ScriptedServer(lambda asked: answer) as server:
        found = regroup(maritime, proposal, server.connect(), Meter())
    assert found.areas == proposal.areas
    assert "this is the proposal made without it" in found.notes[-1]


def test_a_budget_that_does_not_hold_it_asks_nobody(maritime: Corpus, proposal: Proposal) -> None:
    with ScriptedServer(two_areas) as server:
        model = server.connect()
        most = expected_use(proposal, model)
        found = regroup(maritime, proposal, model, Meter(Budget(tokens=most.tokens - 1)))
        assert not server.requests
        regroup(maritime, proposal, model, Meter(Budget(tokens=most.tokens)))
        assert server.counted.prompt_tokens + server.counted.completion_tokens <= most.tokens
    assert found.areas == proposal.areas
    assert "budget" in found.notes[-1]


def test_who_cancels_is_heard(maritime: Corpus, proposal: Proposal) -> None:
    with ScriptedServer(two_areas) as server, pytest.raises(CancelledError):
        regroup(maritime, proposal, server.connect(), Meter(cancelled=lambda: True))


def test_what_stands_is_told_from_what_is_new(meridia: Corpus) -> None:
    found = propose(meridia)
    changes = difference(meridia, meridia.ontology, found)
    assert meridia.ontology is not None
    standing = {area.id: area for area in meridia.ontology.areas}
    assert {change.existing for change in changes.areas} & set(standing)
    for change in changes.areas:
        if change.existing is None:
            assert changes.areas_for[change.proposed.area.id] not in standing
        else:
            held = standing[change.existing].keywords
            assert all(
                word not in held.get(lang, ()) for lang, words in change.keywords.items() for word in words
            )
