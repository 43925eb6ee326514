"""What a store derives, over a store that says only what cannot be derived."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest

from engine.corpus.contract import TextContract, ValidityContract
from engine.corpus.defaults import CorpusDefaults, Dated
from engine.corpus.embedded.documents import BEGINNING, END_OF_TIME, KIND_NUMBERS, day_number
from engine.corpus.embedded.structure import Outline
from engine.corpus.protocol import CorpusInfo, Rows
from engine.corpus.toy import toy_contents
from engine.language.addresses import number_key
from engine.language.embedders.base import SparseVectors
from engine.model import Document, Passage, Reference, Relation, Section, Status

CONTENTS = toy_contents()
FIRST = np.array([0, 5, 7, 8], np.int32)


class Plain(CorpusDefaults):
    name, ontology = "harbour", None

    def info(self) -> CorpusInfo:
        return CorpusInfo("harbour", 3, 8, {}, {}, 0, {}, "none", {})

    def documents(self) -> list[Document]:
        return list(CONTENTS.documents)

    def passages(self, rows: Rows) -> list[Passage]:
        return [CONTENTS.passages[row] for row in rows.tolist()]

    def sections(self, numbers: Sequence[int]) -> list[Section]:
        return [CONTENTS.sections[number] for number in numbers]

    def rows(self, passage_ids: Sequence[str]) -> Rows:
        numbers = {passage.id: row for row, passage in enumerate(CONTENTS.passages)}
        return np.array([numbers.get(one, -1) for one in passage_ids], np.int32)

    def numbered(self, number: str) -> Rows:
        key = number_key(number)
        found = [one.first for one in CONTENTS.sections if one.number and number_key(one.number) == key]
        return np.array(found, np.int32)

    def references(self, numbers: Sequence[int]) -> list[Reference]:
        return [CONTENTS.references[number] for number in numbers]

    def reference_numbers(
        self,
        *,
        statuses: Sequence[Status] | None = None,
        relations: Sequence[Relation] | None = None,
        document: int | None = None,
    ) -> Rows:
        return np.arange(len(CONTENTS.references), dtype=np.int32)

    @property
    def outline(self) -> Outline:
        ids = [section.id for section in CONTENTS.sections]
        sections = Sections(
            document=np.zeros(len(ids), np.int32),
            parent=np.array([ids.index(one.parent_id) if one.parent_id else -1 for one in CONTENTS.sections]),
            kind=np.array([KIND_NUMBERS[one.kind] for one in CONTENTS.sections], np.int8),
            first=np.array([one.first for one in CONTENTS.sections], np.int32),
            stop=np.array([one.stop for one in CONTENTS.sections], np.int32),
        )
        own = [ids.index(one.section_id) if one.section_id else -1 for one in CONTENTS.passages]
        return Outline(
            FIRST,
            sections,
            lambda rows: np.searchsorted(FIRST, rows, "right") - 1,
            lambda rows: np.array(own, np.int32)[rows],
        )

    @property
    def validities(self) -> tuple[Dated, Dated, Sequence[str]]:
        every: list[Passage | Document] = [*CONTENTS.passages, *CONTENTS.documents]
        names = sorted({one.status for one in every if one.status})
        return dated(CONTENTS.passages, names), dated(CONTENTS.documents, names), names


def dated(every: Sequence[Passage | Document], names: Sequence[str]) -> Dated:
    return Dated(
        np.array([day_number(one.valid_from, BEGINNING) for one in every], np.int32),
        np.array([day_number(one.valid_to, END_OF_TIME) for one in every], np.int32),
        np.array([names.index(one.status) if one.status else -1 for one in every], np.int16),
    )


class Sections(SimpleNamespace):
    document: np.ndarray[tuple[int, ...], np.dtype[np.int32]]
    parent: np.ndarray[tuple[int, ...], np.dtype[np.int32]]
    kind: np.ndarray[tuple[int, ...], np.dtype[np.int8]]
    first: np.ndarray[tuple[int, ...], np.dtype[np.int32]]
    stop: np.ndarray[tuple[int, ...], np.dtype[np.int32]]

    def __len__(self) -> int:
        return len(self.document)


class TestTexts(TextContract):
    @pytest.fixture
    def corpus(self) -> Plain:
        return Plain()


class TestValidity(ValidityContract):
    @pytest.fixture
    def corpus(self) -> Plain:
        return Plain()


def test_a_store_without_vectors_finds_none() -> None:
    plain, rows = Plain(), np.arange(3, dtype=np.int32)
    sparse = SparseVectors(np.array([0, 1]), np.array([2], np.int32), np.array([1.0], np.float32))
    found = [*plain.search_dense(np.eye(2, dtype=np.float32), 3, -1.0), *plain.search_sparse(sparse, 3)]
    assert [len(hits.rows) for hits in found] == [0, 0, 0]
    assert (plain.embedding, plain.sparse_model) == ("none", "none")
    assert plain.vectors(rows).shape == (3, 0)
    assert plain.score_sparse(sparse, rows).tolist() == [[0, 0, 0]]


def test_nothing_is_said_where_there_is_no_folder() -> None:
    plain = Plain()
    plain.apply_verdicts()
    assert (plain.folder, plain.verdict_version, list(plain.defined_names())) == (None, (), [])
    assert list(plain.all_references()) == list(CONTENTS.references)
