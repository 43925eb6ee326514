from __future__ import annotations

import json
import re
from typing import Any

import pytest

from engine.investigation.pool import Pool
from tests.ui.values import cites, dossiers, scan_hop, small_pool
from ui.board import (
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
    assert data["heads"] == ["Scan", "Round 1", "Round 2"]


def test_first_hops_are_drawn_and_later_hops_wait_for_the_selection() -> None:
    edges = {(edge["from"], edge["to"]): edge["hidden"] for edge in _data(small_pool(), ["g"])["edges"]}
    assert edges == {
        ("a", "d"): False,
        ("a", "e"): False,
        ("b", "f"): False,
        ("d", "g"): False,
        ("f", "g"): True,
    }


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


def test_ranked_passages_that_are_not_in_the_pool_are_left_out() -> None:
    assert "assembled" not in chosen(small_pool(), ["assembled", "a"], DEFAULT_NODES)


def test_an_empty_pool_is_an_empty_board() -> None:
    data = _data(Pool(10), [])
    assert (data["nodes"], data["edges"], data["rows"]) == ([], [], 0)


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
