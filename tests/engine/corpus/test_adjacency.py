"""The graph of a corpus: what is put together at publication is what links and mentions say."""

from __future__ import annotations

import shutil
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus import open_corpus
from engine.corpus.embedded import generation
from engine.corpus.embedded.generation import GRAPH_NAME, current_generation
from engine.corpus.embedded.writing import apply_decisions
from engine.corpus.protocol import Links, Mentions
from engine.corpus.related import (
    LINK_WEIGHT,
    LOWEST_RARITY,
    MOST_DEFINERS,
    SECTION_SHARE,
    adjacency_from,
    adjacency_of,
)
from engine.errors import CorpusError
from engine.investigation.graph.walks import get_associations

PASSAGES, ENTITIES = 6, 4
# Source, target, number of the reference.
LINKS = st.lists(
    st.tuples(st.integers(0, PASSAGES - 1), st.integers(0, PASSAGES - 1), st.integers(0, 3)), max_size=12
)
MENTIONS = st.dictionaries(
    st.tuples(st.integers(0, PASSAGES - 1), st.integers(0, ENTITIES - 1)), st.booleans(), max_size=14
)
RARITIES = st.lists(st.sampled_from([0.2, 0.3, 0.5, 1.0]), min_size=ENTITIES, max_size=ENTITIES)


@given(LINKS, MENTIONS, RARITIES)
def test_the_matrices_are_what_links_and_mentions_say(
    links: list[tuple[int, int, int]], mentions: dict[tuple[int, int], bool], rarities: list[float]
) -> None:
    rarity = np.array(rarities, np.float32)
    sources, targets, numbers = (
        (np.array(list(column), np.int32) for column in zip(*links, strict=True))
        if (links)
        else (np.empty(0, np.int32),) * 3
    )
    rows, entities = (np.array([pair[end] for pair in mentions], np.int32) for end in (0, 1))
    graph = adjacency_of(
        Mentions(rows, entities, np.array([*mentions.values()], np.bool_), rarity),
        Links(sources, targets, np.zeros(len(links), np.int8), np.ones(len(links), np.float32), numbers),
        PASSAGES,
    )
    reached: dict[tuple[int, int], int] = defaultdict(int)
    for source, _, number in links:
        reached[source, number] += 1
    cites = np.zeros((PASSAGES, PASSAGES))
    for source, target, number in links:
        if source != target:
            count = reached[source, number]
            weight = 1.0 if count == 1 else SECTION_SHARE / count
            cites[source, target] = max(cites[source, target], weight)
    told = {pair: defines for pair, defines in mentions.items() if rarities[pair[1]] >= LOWEST_RARITY}
    definers = [
        [row for (row, one), defines in told.items() if defines and one == e] for e in range(ENTITIES)
    ]
    names = np.zeros((PASSAGES, PASSAGES))
    joined = np.zeros((PASSAGES + ENTITIES,) * 2)
    for row, entity in told:
        for other in definers[entity]:
            if other != row and len(definers[entity]) <= MOST_DEFINERS:
                names[row, other] += rarities[entity] / np.sqrt(len(definers[entity]))
        weight = rarities[entity] * np.log(PASSAGES)
        joined[row, PASSAGES + entity] = joined[PASSAGES + entity, row] = weight
    names = np.minimum(names, 1.0)
    both = LINK_WEIGHT * (cites + names + (cites + names).T)
    joined[:PASSAGES, :PASSAGES] = np.minimum(both, 2 * LINK_WEIGHT)
    np.testing.assert_allclose(graph.cites.toarray(), cites, rtol=1e-5)
    np.testing.assert_allclose(graph.names.toarray(), names, rtol=1e-5)
    np.testing.assert_allclose(graph.joined.toarray(), joined, rtol=1e-5)
    sums = joined.sum(axis=0)
    wanted = np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)
    np.testing.assert_allclose(graph.scale, wanted, rtol=1e-5)
    again = adjacency_from(graph.arrays(), PASSAGES)
    for name in ("cites", "names", "defined", "joined"):
        before, after = getattr(graph, name), getattr(again, name)
        assert before.shape == after.shape
        np.testing.assert_array_equal(before.toarray(), after.toarray())


@pytest.fixture
def folder(tmp_path: Path, sample_folder: Path) -> Path:
    shutil.copytree(sample_folder, tmp_path / "corpus")
    return tmp_path / "corpus"


def test_a_corpus_without_one_gives_the_same_graph(folder: Path) -> None:
    apply_decisions(folder)
    corpus = open_corpus(folder)
    put_together = corpus.adjacency()
    assert put_together is not None
    graph = get_associations(corpus)
    assert graph.joined.nnz == put_together.joined.nnz > 0
    corpus.adjacency = lambda: None  # type: ignore[method-assign]
    anew = graph.relinked(corpus)
    for name in ("cites", "names", "defined", "joined", "cited", "named"):
        one, other = getattr(graph, name), getattr(anew, name)
        assert one.shape == other.shape
        assert (one != other).nnz == 0, name
    np.testing.assert_array_equal(graph.scale, anew.scale)
    np.testing.assert_array_equal(graph.rarity, anew.rarity)


def test_a_damaged_one_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    apply_decisions(folder)
    path = current_generation(folder).data / GRAPH_NAME
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(CorpusError, match=r"graph\.arrays does not fit its checksum"):
        open_corpus(folder)
    # A large one stays on disk, and is compared when it is wanted.
    monkeypatch.setattr(generation, "SMALL", 0)
    corpus = open_corpus(folder)
    with pytest.raises(CorpusError, match=r"graph\.arrays does not fit its checksum"):
        get_associations(corpus)
