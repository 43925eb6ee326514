"""The figures of a pool: each of them adds up to all passages, or to all hops."""

from __future__ import annotations

from hypothesis import given

from engine.corpus.protocol import Corpus
from engine.investigation.pool import Pool
from engine.records.expansion import expansion_tree, facts_of_pool
from engine.records.expansion_figures import Named, names_of_corpus, statistics
from engine.records.expansion_text import statistics_lines, statistics_to_json
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import finished
from tests.engine.records.grown import facts, pools
from tests.ui.values import small_pool


@given(pools())
def test_counts_add_up(pool: Pool) -> None:
    tree = expansion_tree(facts(pool))
    found = statistics(tree, {"p0": Named("Act 1", "act", "Act", "en")})
    for name in ("thread", "round", "relation", "document", "language"):
        assert sum(getattr(found.passages_by, name).values()) == found.passages == len(pool)
        assert sum(getattr(found.hops_by, name).values()) == found.hops == len(pool.hops())
    assert sum(sum(some.values()) for some in found.threads_by_round.values()) == found.passages
    own = pool.statistics()
    assert found.passages_by.thread == dict(own.by_strategy)
    assert found.hops_by.relation == dict(own.hops_by_relation)
    assert abs(found.connections - found.hops_in - found.hops_out) < 1e-9
    if len(pool):
        assert tree.nodes[found.longest[-1]].hops == len(found.longest)
        assert found.roots + sum(node.hops > 1 for node in tree.nodes.values()) == found.passages
    assert list(found.largest.values()) == sorted(found.largest.values(), reverse=True)


def test_a_pool_known_by_heart() -> None:
    found = statistics(expansion_tree(facts(small_pool())), {})
    assert (found.passages, found.hops, found.roots, found.leaves) == (7, 8, 3, 4)
    assert (found.hops_in, found.hops_out) == (8 / 7, 5 / 7)
    assert found.longest == ("a", "d", "g")
    assert found.largest == {"a": 3, "b": 1, "d": 1}
    assert found.threads_by_round == {0: {"scan": 3}, 1: {"citations": 3}, 2: {"citations": 1}}


def test_nothing_found_is_no_division() -> None:
    found = statistics(expansion_tree(facts(Pool(5))), {})
    told = statistics_to_json(found)
    assert (told["passages"], told["connections"], told["longest"], told["rounds"]) == (0, 0.0, [], [])
    assert next(iter(statistics_lines(found, {}))).startswith("0 passages, 0 hops")


def test_of_a_real_case_documents_rounds_and_times_are_told(harbour: Corpus) -> None:
    case = finished(harbour, QUESTION)
    tree = expansion_tree(facts_of_pool(QUESTION, case.pool, case.ranking, case.rounds))
    known = names_of_corpus(harbour)(tree.facts.ids)
    found = statistics(tree, known)
    assert "" not in found.passages_by.document
    assert [one.round for one in found.yields] == [report.number for report in case.rounds]
    assert [one.ended for one in found.yields] == sorted(one.ended for one in found.yields)
    assert sum(one.admitted for one in found.yields) == found.passages
    lines = "\n".join(statistics_lines(found, known))
    assert "Harbour Act" in lines
    assert "not known" not in lines
