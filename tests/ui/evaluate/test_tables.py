"""Tables: what is better is marked only where it is more than chance."""

from __future__ import annotations

from tests.engine.evaluation.values import result
from ui.evaluation_tables import result_html


def test_marks_and_signs() -> None:
    html = result_html([result(f"q{n}", [1], scan=[8]) for n in range(10)], 10)
    assert '<td class="better" title="p 0.002">+100.0 ★</td>' in html
    assert '<td class="same" title="p 1.000">0.0</td>' in html
    worse = result_html([result(f"q{n}", [8], scan=[1]) for n in range(10)], 10)
    assert '<td class="worse" title="p 0.002">−100.0 ★</td>' in worse


def test_what_was_not_asked_is_told() -> None:
    assert "<b>2 of 9</b>" in result_html([result("q1"), result("q2")], 9)
    assert "said the estimate" not in result_html([result("q1", said=None)], 1)
