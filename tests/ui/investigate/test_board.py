from __future__ import annotations

import json
import re
from typing import Any

import pytest

from engine.investigation.pool import Pool
from engine.model import Direction, GapQuery, Hop, Relation, RoundReport
from tests.ui.values import cites, dossiers, scan_hop, small_pool
from ui.investigate.board import (
    DEFAULT_NODES,
    SCAN_LEAVES,
    Dossier,
    board_data,
    chosen,
    frame_page,
    provenance,
)
from ui.palette import palette_css


def _data(pool: Pool, ranked: list[str], limit: int = DEFAULT_NODES) -> dict[str, Any]:
    return board_data(provenance(pool, ranked, dossiers, limit), pool)


def test_everything_of_a_small_pool_is_shown() -> None:
    data = _data(small_pool(), ["g"])
    assert {node["id"] for node in data["nodes"]} == set("abcdefg")
    assert (data["shown"], data["total"]) == (7, 7)
    assert {node["id"]: node["rank"] for node in data["nodes"] if node["rank"]} == {"g": 1}
    assert data["heads"] == ["Scan", "Round 1", "Round 2"]


def test_first_hops_are_drawn_and_later_hops_wait_for_the_selection() -> None:
    edges = {(edge["from"], edge["to"]): edge["hidden"] for edge in _data(small_pool(), ["g"])["edges"]}
    assert [ends for ends, hidden in edges.items() if hidden] == [("f", "g")]
    assert len(edges) == 5


def test_a_node_carries_its_trails_as_edges_with_the_quoted_words() -> None:
    data = _data(small_pool(), ["g"])
    node = next(node for node in data["nodes"] if node["id"] == "g")
    by_id = {edge["id"]: edge for edge in data["edges"]}
    trails = node["trails"]
    assert [[(by_id[number]["from"], by_id[number]["to"]) for number in trail] for trail in trails] == [
        [("a", "d"), ("d", "g")],
        [("b", "f"), ("f", "g")],
    ]
    assert by_id[trails[0][1]]["quote"] == "“as defined in Article 3”"
    assert str(node["why"]).startswith("Cited by CAC d (“as defined in Article 3”), which is cited by CAC a")


def test_a_large_pool_keeps_to_the_limit_and_no_string_hangs_loose() -> None:
    pool = Pool(2000)
    for index in range(300):
        pool.admit(scan_hop(f"s{index}", index + 1), index, 1.0 - index / 400)
    for index in range(300):
        pool.admit(cites(f"r{index}", f"s{299 - index}"), 300 + index, 0.5 + index / 1000)
    shown = chosen(pool, [f"s{index}" for index in range(20)], DEFAULT_NODES)
    assert len(shown) == len(set(shown)) == DEFAULT_NODES
    assert {f"s{index}" for index in range(20)} <= set(shown)
    for passage_id in shown:
        source = pool.hops_to(passage_id)[0].source_id
        assert source is None or source in shown
    assert len(chosen(pool, [], 10_000)) == 600


def test_a_pool_of_scan_passages_alone_shows_a_calm_few() -> None:
    pool = Pool(500)
    for index in range(220):
        pool.admit(scan_hop(f"s{index}", index + 1), index, 1.0)
    assert len(chosen(pool, [], DEFAULT_NODES)) == SCAN_LEAVES


AGENCY = GapQuery("powers of an agent", "agency", "Agency")
EMPTY = GapQuery("seals of a notary", "form", "Form")


def by_query(target: str, query: GapQuery, number: int = 1, rank: int = 1) -> Hop:
    return Hop(
        target, None, "gaps", Relation.MATCHES, Direction.OUT, number, 0.5, query.text, rank=rank, query=query
    )


def with_queries() -> dict[str, Any]:
    """Round 1 sent two queries: one found h, which is new, b and e, which were there; one nothing."""
    pool = small_pool()
    pool.admit(by_query("h", AGENCY, rank=2), 30, 0.5)
    for rank, known in ((1, "b"), (3, "e")):
        pool.admit(by_query(known, AGENCY, rank=rank), 1, 0.5)
    rounds = [RoundReport(1, (), (), 1, 0, 8, 1.0, queries=(AGENCY, EMPTY))]
    return board_data(provenance(pool, ["h"], dossiers, DEFAULT_NODES, rounds), pool)


def test_a_query_for_a_gap_is_a_node_of_its_own_kind_in_its_round() -> None:
    data = with_queries()
    agency, empty = (node for node in data["nodes"] if node["kind"] == "query")
    assert (agency["title"], agency["text"]) == ("Query for the area Agency", AGENCY.text)
    assert {node["shape"] for node in data["nodes"] if node["kind"] == "passage"} == {"dot"}
    assert {agency["shape"], empty["shape"]} == {"diamond"}
    assert agency["strategy"] == "thread-gaps"
    (brought,) = (node for node in data["nodes"] if node["id"] == "h")
    assert 0.5 < agency["x"] < brought["x"] < 1.5, "in its round, and what it brought beside it"
    assert (data["shown"], data["total"]) == (8, 8), "queries are no passages"


def test_what_a_query_found_hangs_on_it() -> None:
    data = with_queries()
    agency, empty = (node for node in data["nodes"] if node["kind"] == "query")
    edges = {edge["to"]: edge for edge in data["edges"] if edge["from"] == agency["id"]}
    assert {target: edge["hidden"] for target, edge in edges.items()} == {"h": False, "b": True, "e": True}
    assert [(one["id"], one["new"]) for one in agency["found"]] == [("b", False), ("h", True), ("e", False)]
    assert agency["told"] == "3 passages found, 1 of them new"
    assert (empty["found"], empty["told"]) == ([], "0 passages found, 0 of them new")
    (brought,) = (node for node in data["nodes"] if node["id"] == "h")
    assert brought["trails"] == [[edges["h"]["id"]]]
    assert brought["why"] == "Found by a query for the area Agency: “powers of an agent”."


def test_the_data_is_json_and_every_colour_is_a_token() -> None:
    data = json.loads(json.dumps(_data(small_pool(), ["a"])))
    assert all(f"--{node['strategy']}:#" in palette_css() for node in data["nodes"])
    assert {entry["token"] for entry in data["legend"]} == {"thread-scan", "thread-citations"}


def test_the_frame_fetches_nothing_and_leaves_room_for_the_script() -> None:
    page = frame_page()
    assert "<!--vis-network-->" in page
    assert not re.search(r"(?:src|href)\s*=", page)
    assert "http" not in page


@pytest.mark.parametrize("attack", ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>"])
def test_text_of_documents_cannot_leave_a_page_with_its_data_inside(attack: str) -> None:
    def hostile(passage_ids: object) -> dict[str, Dossier]:
        assert isinstance(passage_ids, list)
        return {name: Dossier(attack, attack, attack, attack, "en", attack) for name in passage_ids}

    page = provenance(small_pool(), ["a"], hostile).generate_html()
    assert attack not in page
    assert "onerror=alert" not in page.replace("\\u003cimg src=x onerror=alert(1)\\u003e", "")


def test_nothing_is_hidden_in_the_words_of_a_link() -> None:
    pool = small_pool()
    pool.admit(cites("h", "a", "not \u202eelbail\u202c here"), 21, 0.5)
    shown = json.dumps(_data(pool, ["h"]), ensure_ascii=False)
    assert "⟦U+202E⟧elbail" in shown
    assert "\u202e" not in shown
