from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.ingestion.trees.compare import compare, parse_tree

LAW = """
# A law of two chapters
preamble | Menimbang
chapter I | UMUM
  article 1 |
  article 2 |
chapter II | AKHIR
  article 3 | Penutup
annex | PENJELASAN
  article 1 |
"""


def test_a_tree_is_read() -> None:
    branches = parse_tree(LAW)
    assert [(branch.kind.value, branch.number, branch.title) for branch in branches][:3] == [
        ("preamble", None, "Menimbang"),
        ("chapter", "I", "UMUM"),
        ("article", "1", ""),
    ]
    assert [branch.parent.title if branch.parent else None for branch in branches] == [
        None, None, "UMUM", "UMUM", None, "AKHIR", None, "PENJELASAN",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["chapter I\n    article 1\n", "chapter I\n article 1\n", "verse 1 | x\n"])
def test_a_line_that_is_no_section(text: str) -> None:
    with pytest.raises(ValueError):
        parse_tree(text)


@given(st.permutations(range(8)))
def test_order_counts(order: list[int]) -> None:
    tree = [f"article {number + 1} |" for number in range(8)]
    found = compare(parse_tree("\n".join(tree)), parse_tree("\n".join(tree[place] for place in order)))
    longest = [1] * 8
    for place in range(8):
        longest[place] += max((longest[k] for k in range(place) if order[k] < order[place]), default=0)
    assert len(found.found) == max(longest)
