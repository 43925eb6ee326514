from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.ingestion.structure.outline import Node, Outline
from engine.model import SectionKind

PATHS = st.lists(st.text("ab", max_size=4), max_size=15)


def node(name: str, *, rooted: bool = False) -> Node:
    return Node(name, SectionKind.CHAPTER, name, "", name, name, rooted)


@given(PATHS)
def test_sections_nest_and_hold_their_passages(paths: list[str]) -> None:
    outline = Outline("d")
    owners = [outline.place([node(name) for name in path], n) for n, path in enumerate(paths)]
    sections = {section.id: section for section in outline.finish(len(paths))}
    for position, owner in enumerate(owners):
        if owner is not None:
            assert sections[owner].first <= position < sections[owner].stop
    for section in sections.values():
        assert section.first < section.stop
        if section.parent_id:
            parent = sections[section.parent_id]
            assert parent.first <= section.first <= section.stop <= parent.stop
