"""A small corpus for tests: vectors in the plane, texts of a few words."""

from __future__ import annotations

from datetime import date

import numpy as np

from engine.corpus.contents import Contents
from engine.language.analysis import analyzer
from engine.language.embedders.base import SparseVectors
from engine.language.references.definitions import DefinedName
from engine.model import (
    Document,
    Entity,
    EntityKind,
    Passage,
    Reference,
    Relation,
    Section,
    SectionKind,
    Span,
    Status,
    TargetKind,
)

_DEGREES = (0, 10, 90, 100, 180, 45, 46, 270)
_TEXTS = (
    "Purpose of the harbour code",
    "Powers of the harbour master are subject to section 2.",
    "Section 2 limits the powers.",
    "Fees are paid in advance.",
    "Form of notice",
    "The harbour code applies to every vessel. Vessels pay fees.",
    "Repealed words about vessels",
    "Das Hafengesetz gilt für Schiffe.",
)


# The weights of four words in each passage.
_WEIGHTS = (
    (0, 0, 1, 0),
    (0, 1, 2, 0),
    (0, 2, 0, 0),
    (2, 0, 0, 0),
    (0, 0, 0, 0),
    (1, 0, 1, 2),
    (0, 0, 0, 1),
    (0, 0, 1.5, 1),
)


def toy_contents(*, further: bool = False) -> Contents:
    """Return three documents: ``code`` with a preamble, a chapter of two sections and an annex; ``rules``;
    ``gesetz``.

    The last two have no sections. Row 6 is repealed, row 7 is German and has no vector. ``further`` adds
    learned sparse vectors over four words.
    """
    documents = (
        Document(
            "code",
            "Harbour Code",
            "en",
            valid_from=date(2000, 1, 1),
            aliases=("HC",),
            metadata={"seat": "Port"},
        ),
        Document("rules", "Vessel Rules", "en", valid_from=date(2010, 1, 1), valid_to=date(2019, 12, 31)),
        Document("gesetz", "Hafengesetz", "de"),
    )
    sections = (
        Section("code/preamble", "code", None, SectionKind.PREAMBLE, None, "Preamble", 0, 1),
        Section("code/1", "code", None, SectionKind.CHAPTER, "1", "Powers", 1, 4),
        Section("code/1/a", "code", "code/1", SectionKind.SECTION, "1.1", "Master", 1, 2),
        Section("code/1/b", "code", "code/1", SectionKind.SECTION, "1.2", "Limits", 2, 4),
        Section("code/annex", "code", None, SectionKind.ANNEX, "I", "Form", 4, 5),
    )
    owners = ("code/preamble", "code/1/a", "code/1/b", "code/1/b", "code/annex", None, None, None)
    passages = tuple(
        Passage(
            id=f"p{row}",
            document_id=("code", "rules", "gesetz")[(row > 4) + (row > 6)],
            section_id=owners[row],
            position=row - 5 * (row > 4) - 2 * (row > 6),
            text=text,
            language="de" if row == 7 else "en",
            label=f"no. {row}",
            headings=("Powers",) if 1 <= row <= 3 else (),
            source_id="p2" if row == 3 else f"p{row}",
            status="repealed" if row == 6 else None,
            valid_from=date(2015, 6, 1) if row == 5 else None,
            page=row + 1 if row < 5 else None,
            overlap=3 if row == 3 else 0,
            metadata={"row": row},
        )
        for row, text in enumerate(_TEXTS)
    )
    angles = np.radians(np.asarray(_DEGREES))
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    vectors[7] = 0.0
    terms = [analyzer(passage.language).terms(passage.text) for passage in passages]
    contexts = [analyzer("en").terms(" ".join(passage.headings)) for passage in passages]
    return Contents(
        name="harbour",
        documents=documents,
        sections=sections,
        passages=passages,
        terms=terms,
        contexts=contexts,
        references=_references(),
        entities=_ENTITIES,
        mentions=(np.asarray([0, 1, 5, 6, 3, 5, 1, 1]), np.asarray([0, 0, 0, 1, 2, 2, 3, 3])),
        vectors=vectors,
        embedding="toy",
        defined_names=((1, DefinedName("Harbour Code", "HARB", True)),),
        sparse=_sparse() if further else None,
        vocabulary=len(_WEIGHTS[0]),
        sparse_model="toy",
    )


def _sparse() -> SparseVectors:
    weights = np.asarray(_WEIGHTS, np.float32)
    rows, terms = np.nonzero(weights)
    pointers = np.searchsorted(rows, np.arange(len(weights) + 1)).astype(np.int64)
    return SparseVectors(pointers, terms.astype(np.int32), weights[rows, terms])


_ENTITIES = (
    Entity("harbour", "harbour", EntityKind.DEFINED_TERM, "en", ("p5",)),
    Entity("vessel", "vessel", EntityKind.NAME, "en"),
    Entity("fees", "fees", EntityKind.HEADING, "en"),
    Entity("master", "harbour master", EntityKind.NAME, "en", ("p1",)),
)


def _references() -> tuple[Reference, ...]:
    place = _TEXTS[1].index("section 2")
    return (
        Reference(
            "p1",
            Span(place, place + 9),
            "section 2",
            Relation.EXCEPTION_TO,
            Status.RESOLVED,
            TargetKind.SECTION,
            "code/1/b",
            confidence=0.5,
            grammar="english",
        ),
        Reference("p2", Span(0, 9), "Section 2", Relation.CITES, Status.UNRESOLVED, grammar="english"),
        Reference(
            "p5",
            Span(4, 16),
            "harbour code",
            Relation.CITES,
            Status.RESOLVED,
            TargetKind.DOCUMENT,
            "code",
            grammar="english",
        ),
        Reference(
            "p5",
            Span(4, 11),
            "harbour",
            Relation.CITES,
            Status.RESOLVED,
            TargetKind.PASSAGE,
            "p0",
            grammar="names",
        ),
        Reference(
            "p7",
            Span(4, 15),
            "Hafengesetz",
            Relation.CITES,
            Status.AMBIGUOUS,
            TargetKind.PASSAGE,
            candidates=("p5", "p6"),
            grammar="german",
        ),
        Reference(
            "p7",
            Span(0, 3),
            "Das",
            Relation.CITES,
            Status.RESOLVED,
            TargetKind.PASSAGE,
            "p7",
            grammar="german",
        ),
    )
