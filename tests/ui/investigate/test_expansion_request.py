from __future__ import annotations

import json

import pytest

from engine.errors import InputError
from ui.investigate.expansion_rows import LONGEST, Looked, looked


def test_what_the_page_sends_is_read_back() -> None:
    sent = {"view": "tree", "open": ["a", "b"], "selected": "c", "words": "powers", "turn": 3, "only": False}
    found = looked(json.dumps(sent))
    assert (found.view, found.open, found.selected, found.words) == ("tree", ["a", "b"], "c", "powers")
    assert looked("{}") == Looked()


@pytest.mark.parametrize(
    "text",
    [
        None, 5, "", "[]", "x" * (LONGEST + 1), '{"view": "nothing"}', '{"open": "a"}', '{"first": -1}',
        '{"first": "1"}', '{"other": 1}', json.dumps({"open": ["a"] * 2001}),
        json.dumps({"words": "x" * 501}), json.dumps({"branch": "x" * 1001}),
    ],
)  # fmt: skip
def test_what_the_page_does_not_send_is_refused_in_one_line(text: object) -> None:
    with pytest.raises(InputError) as caught:
        looked(text)
    assert "\n" not in str(caught.value)
