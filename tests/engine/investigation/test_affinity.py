"""How much a passage belongs to an area."""

from __future__ import annotations

import numpy as np
import pytest

from engine.corpus.protocol import Area, Corpus, Rows
from engine.investigation.facets import Affinity, get_affinity, text_in
from engine.language.embedders import embedder

PILOTS = Area("pilots", {"en": "Pilotage"}, {"en": ("pilot", "certificate")})
DUES = Area("dues", {"en": "Harbour dues"}, {"en": ("dues", "arrears", "tariff")})
NOWHERE = Area("nowhere", {"en": "Quibbleflax"}, {"en": ("zyxomorph",)})
# In words that the corpus, which is in English, does not have.
FOREIGN = Area("foreign", {"de": "Lotsen"}, {"de": ("Lotse", "Zeugnis")})


def everything(corpus: Corpus) -> Rows:
    return np.arange(len(corpus), dtype=np.int32)


def test_a_passage_belongs_to_the_area_whose_words_it_and_its_document_have(bare: Corpus) -> None:
    table = Affinity(bare, [PILOTS, DUES, NOWHERE]).of(bare, everything(bare))
    assert table.shape == (3, len(bare))
    assert table.min() >= 0.0
    assert table.max() <= 1.0
    (pilotage,) = bare.by_document(["pilot-regulation"])
    (dues,) = bare.by_document(["dues-act"])
    assert table[0, pilotage].min() > table[0, dues].max()
    assert table[1, dues].mean() > 2 * table[1, pilotage].mean()
    assert not table[2].any(), "what no passage bears belongs nowhere"


def test_a_document_that_is_about_an_area_lends_it_to_a_passage_without_its_words(bare: Corpus) -> None:
    rows = bare.rows(["pilot-regulation/section-3"])
    (passage,) = bare.passages(rows)
    only = Area("requests", {"en": "Requests"}, {"en": ("request", "requested", "certificate")})
    assert "request" not in passage.text
    assert Affinity(bare, [only]).of(bare, rows)[0, 0] > 0.3


def test_any_rows_have_what_all_of_them_have(bare: Corpus) -> None:
    every = Affinity(bare, [PILOTS, DUES]).of(bare, everything(bare))
    some = everything(bare)[::3][::-1].copy()
    np.testing.assert_allclose(Affinity(bare, [PILOTS, DUES]).of(bare, some), every[:, some], atol=1e-6)
    assert Affinity(bare, [PILOTS]).of(bare, everything(bare)[:0]).shape == (1, 0)


def test_meaning_speaks_where_an_area_has_no_words_in_the_language(dense: Corpus) -> None:
    rows = everything(dense)
    both = Affinity(dense, [PILOTS, FOREIGN])
    assert not both.of(dense, rows)[1].any(), "by words alone it belongs nowhere"
    by_meaning = both.of(dense, rows, embedder(dense.embedding))
    assert by_meaning[1].max() == pytest.approx(1.0, abs=1e-5)


def test_an_ontology_that_was_edited_is_looked_up_anew(bare: Corpus) -> None:
    first = get_affinity(bare, [PILOTS])
    assert get_affinity(bare, [PILOTS]) is first
    assert get_affinity(bare, [PILOTS, DUES]) is not first


@pytest.mark.parametrize(
    ("area", "language", "text"),
    [
        (PILOTS, "en", "Pilotage: pilot, certificate"),
        (PILOTS, "de", ""),
        (PILOTS, None, "Pilotage: pilot, certificate"),
        (Area("a", {"en": "Berths"}, {}), "en", "Berths"),
        (Area("a", {"en": "Berths"}, {}), "de", ""),
        (Area("a", {"en": "Berths"}, {"und": ("GRI 306",)}), "en", "Berths: GRI 306"),
        (Area("a", {"en": "Berths"}, {"de": ("Liegeplatz",)}), "de", "Liegeplatz"),
    ],
)
def test_the_text_of_an_area_in_a_language(area: Area, language: str | None, text: str) -> None:
    assert text_in(area, language) == text
