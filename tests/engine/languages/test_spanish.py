"""Spanish national law, which came as a folder: an invented act and its decree, read, linked and asked."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.ingestion.structure.headings import parse_heading
from engine.investigation.definitions import find_definition
from engine.language.statements import Bound, Sort, quantities_in, sequence
from engine.model import Naming, Relation, SectionKind, Status
from engine.retrieval.planning.named import provisions_named
from tests.tables import table

ACT: str = table(__file__, "ACT")
DECREE: str = table(__file__, "DECREE")
TODAY = date(2026, 1, 1)


@pytest.fixture(scope="module")
def puertos(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("puertos")
    (folder / "leyes").mkdir()
    (folder / "leyes" / "ley.md").write_text(ACT, encoding="utf-8")
    (folder / "leyes" / "decreto.md").write_text(DECREE, encoding="utf-8")
    report = build_corpus([folder / "leyes"], folder / "corpus", embedding="none")
    assert report.languages == {"es": 13}
    assert report.problems == ()
    return open_corpus(folder / "corpus")


def test_the_parts_of_an_act_are_found(puertos: Corpus) -> None:
    ids = [passage.id for passage in puertos.passages(np.arange(len(puertos), dtype=np.int32))]
    assert [one.removeprefix("ley/") for one in ids if one.startswith("ley/")] == [
        "preamble",
        *("art-1/para-1", "art-1/para-2", "art-2", "art-3/para-1", "art-3/para-2"),
        *("disposición-adicional-1", "disposición-transitoria-única", "disposición-derogatoria-única"),
        "disposición-final-2",
    ]


@pytest.mark.parametrize(
    ("source", "relation", "target"),
    [
        ("ley/art-1/para-2", Relation.CITES, "ley/art-1/para-1"),
        ("ley/art-3/para-2", Relation.SUBJECT_TO, "ley/art-1/para-2"),
        ("ley/disposición-adicional-1", Relation.WITHOUT_PREJUDICE_TO, "ley/art-3/para-2"),
    ],
)
def test_references_lead_to_what_they_cite(
    puertos: Corpus, source: str, relation: Relation, target: str
) -> None:
    found = {
        (one.relation, one.target_id)
        for one in puertos.all_references()
        if one.source_id == source and one.status is Status.RESOLVED
    }
    reached = {(kind, str(one).removesuffix("/text")) for kind, one in found}
    assert (relation, target) in reached


@pytest.mark.parametrize(
    ("question", "passages"),
    [
        ("¿Qué dice el artículo 3 de la Ley 7/2024?", ["ley/art-3/para-1", "ley/art-3/para-2"]),
        ("¿Qué establece el artículo 3.2 de la Ley de Puertos Interiores?", ["ley/art-3/para-2"]),
        ("¿Qué regula la disposición adicional primera de la Ley 7/2024?", ["ley/disposición-adicional-1"]),
        ("¿Y el artículo 1 del Real Decreto 88/2023?", ["decreto/art-1"]),
    ],
)
def test_a_question_names_a_provision(puertos: Corpus, question: str, passages: list[str]) -> None:
    (found,) = provisions_named(puertos, question, "es", TODAY)
    assert found.status is Naming.FOUND
    assert list(found.passage_ids) == passages


def test_a_question_asks_for_the_meaning_of_a_term(puertos: Corpus) -> None:
    found = find_definition(puertos, "¿Qué se entiende por patrón?", "es", None)
    assert found is not None
    assert found.passage_ids[0] == "ley/art-2"


@pytest.mark.parametrize(
    ("line", "kind", "number", "slug"),
    [
        ("Artículo único. Modificación.", SectionKind.ARTICLE, "único", "art-único"),
        ("Artículo 5 bis. Plazos", SectionKind.ARTICLE, "5 bis", "art-5-bis"),
        ("TÍTULO II", SectionKind.TITLE, "II", "title-ii"),
        ("CAPÍTULO PRIMERO. Del amarre", SectionKind.CHAPTER, "1", "chapter-1"),
        ("Sección 1.ª De las tasas", SectionKind.SECTION, "1", "section-1"),
        ("Disposición final tercera. Rango.", SectionKind.ARTICLE, "final 3", "disposición-final-3"),
        ("EXPOSICIÓN DE MOTIVOS", SectionKind.PREAMBLE, None, "preamble"),
    ],
)
def test_headings(line: str, kind: SectionKind, number: str | None, slug: str) -> None:
    heading = parse_heading(line)
    assert (heading.kind, heading.number, heading.slug) == (kind, number, slug)


def test_duties_and_bounds_are_read() -> None:
    (quantity,) = quantities_in("El patrón pagará en el plazo de diez días.", "es")
    assert (quantity.value, quantity.unit, quantity.bound) == (10, "day", Bound.UPPER)
    verbs = {"El patrón no podrá amarrar.": "must_not", "El patrón deberá pagar la tasa.": "must"}
    for text, modality in verbs.items():
        assert [token.key for token in sequence(text, "es") if token.sort is Sort.MODAL] == [modality]
