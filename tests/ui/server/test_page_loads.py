"""Page loads without end: what is kept of each is bounded, and nobody loses their case by it."""

from __future__ import annotations

import json

from tests.ui.raw import API, Raw
from tests.ui.visitor import Visitor
from ui.page import PAGE_LOADS

QUESTION = "May a manager grant broader powers?"


def test_a_case_outlives_what_gradio_remembers_of_its_page(address: str, raw: Raw) -> None:
    visitor = Visitor(address, "127.0.0.9")
    with visitor.here():
        asked = json.dumps({"question": QUESTION, "held": {"rounds": 1}})
        ended = visitor.event("firstpage", visitor.listener("asked"), [None, asked])
        assert ended["success"]
        body = {"data": {"do": "no"}, "component_id": raw.component("corpus"), "fn_name": "corpus"}
        for number in range(PAGE_LOADS + 1):
            raw.post(f"{API}/component_server/", body | {"session_hash": f"other{number}"})
        more = {"action": "more", "id": ""}
        told = visitor.event("firstpage", visitor.listener("ranked"), [None, []], more)
    assert told["success"]
    assert "case has expired" not in json.dumps(told)
