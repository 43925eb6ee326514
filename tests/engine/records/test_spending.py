"""What a language model used, as values and in words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.llm import Usage
from engine.llm.cost import usage_words
from engine.records.conversion import usage_lines, usage_to_json
from engine.records.record import UsagePart

counts = st.integers(0, 10**9)
usages = st.builds(
    Usage,
    calls=counts,
    prompt_tokens=counts,
    cached_tokens=counts,
    completion_tokens=counts,
    milliseconds=st.just(12.5),
    money=st.none() | st.sampled_from([0.0, 0.25, 12.5]),
    reused=counts,
    written_tokens=counts,
    saved=st.sampled_from([0.0, 0.0012]),
)


@given(usages)
def test_what_is_written_is_read(usage: Usage) -> None:
    assert UsagePart.model_validate(usage_to_json({"a": usage})["a"]).usage() == usage


def test_in_words() -> None:
    used = Usage(3, 2120, 1024, 310, 9.0, 0.0042, 1)
    words = "3 calls, 2,120 tokens in (1,024 cached), 310 out, 0.0042 USD, 1 answer reused"
    assert usage_words(used, "USD") == words
    assert usage_words(Usage(1, 20, 0, 5, money=None)) == "1 call, 20 tokens in, 5 out"
    assert list(usage_lines({})) == []
    lines = list(usage_lines({"a": Usage(1, 10), "b": Usage(2, 20)}))
    assert lines[0] == "Language model: 3 calls, 30 tokens in, 0 out"
    assert len(lines) == 3
    cached = list(usage_lines({"a": Usage(1, 1000, 400)}))
    assert cached[-1] == "  Provider's cache: 400 of 1,000 tokens in (40%)"
