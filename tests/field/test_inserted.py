"""Articles that an act inserts into another one: they are quoted text of the article that inserts them."""
# ruff: noqa: E501 (a text is easier to read in one line)

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from engine.model import Naming, Relation
from engine.retrieval.planning.named import provisions_named
from tests.field.conftest import Build

DAY = date(2026, 1, 1)
BASE = "# Law 3900 of 2008 on Boats\n\n## Article 12\nA boat has a number.\n\n## Article 13\nIt is painted.\n"
LEAD = "After Article 12 of Law 3900 of 2008, Articles 12A and 12B are inserted as follows:"
# fmt: off
# The files, a question for what is inserted, one for the next article, and their language.
CASES: list[tuple[str, dict[str, str], str, str, str]] = [
    ("paragraphs of Markdown", {"base.md": BASE, "act.md": f"# Law 4700 of 2020 on Reforms\n\n## Article 88\n{LEAD}\n\n\"Article 12A\nA list is kept.\n\nArticle 12B\nAn owner is entered.\"\n\n## Article 89\nThis Law enters into force at once.\n"},
     "What does Article 12B of Law 3900/2008 say?", "What does Article 89 of Law 4700 of 2020 say?", "en"),
    ("headings of Markdown", {"base.md": "# Law 3900/2008 on Boats\n\n## Article 12\nA boat has a number.\n\n## Article 13\nIt is painted.\n", "act.md": f"# Law 4700/2020 on Reforms\n\n## Article 88\n{LEAD}\n\n### “Article 12A List\nA list is kept.\n\n### Article 12B Owner\nAn owner is entered.”\n\n## Article 89\nThis Law enters into force at once.\n"},
     "What does Article 12B of Law 3900 of 2008 say?", "What does Article 89 of Law 4700/2020 say?", "en"),
    ("lines of a text", {"base.md": BASE, "act.txt": f"Law 4700 of 2020\n\nArticle 88\n{LEAD}\n\n“Article 12A\nA list is kept.\n\nArticle 12B\nAn owner is entered.”\n\nArticle 89\nThis Law enters into force at once.\n"},
     "What does Article 12B of Law 3900 of 2008 say?", "", "en"),
    ("HTML", {"base.md": BASE, "act.html": f"<html><head><title>Law 4700 of 2020</title></head><body><h1>Law 4700 of 2020</h1><h2>Article 88</h2><p>{LEAD}</p><h3>«Article 12A</h3><p>A list is kept.</p><h3>Article 12B</h3><p>An owner is entered.».</p><h2>Article 89</h2><p>This Law enters into force at once.</p></body></html>"},
     "What does Article 12B of Law 3900 of 2008 say?", "What does Article 89 of Law 4700 of 2020 say?", "en"),
    ("German", {"base.md": "# Bootsgesetz\n\n## § 12\nEin Boot trägt eine Nummer.\n\n## § 13\nEs wird gestrichen.\n", "act.md": "# Gesetz zur Reform\n\n## § 3\nNach § 12 des Bootsgesetzes werden folgende §§ 12a und 12b eingefügt:\n\n### „§ 12a Liste\nEine Liste wird geführt.\n\n### § 12b Halter\nDer Halter wird eingetragen.“\n\n## § 4\nEs tritt sofort in Kraft.\n"},
     "Was steht in § 12b des Bootsgesetzes?", "Was steht in § 4?", "de"),
    ("French", {"base.md": "# Code des bacs\n\n## Article 12\nLe bac porte un numéro.\n", "act.md": "# Loi de réforme\n\n## Article 3\nAprès l'article 12 du code des bacs, il est inséré un article 12 bis ainsi rédigé :\n\n### « Article 12 bis\nUn registre est tenu. »\n\n## Article 4\nElle s'applique.\n"},
     "Que dit l'article 12 bis du code des bacs ?", "Que dit l'article 4 ?", "fr"),
    ("Spanish", {"base.md": "# Ley 39/2008, de 2 de mayo, de barcas\n\n## Artículo 12\nLa barca lleva un número.\n", "act.md": "# Ley 5/2020, de 3 de junio, de reforma\n\n## Artículo 3\nTras el artículo 12 de la Ley 39/2008 se insertan los artículos 12 bis y 12 ter:\n\n### «Artículo 12 bis\nSe lleva un registro.\n\n### Artículo 12 ter\nEs público.».\n\n## Artículo 4\nEntra en vigor hoy.\n"},
     "¿Qué dice el artículo 12 ter de la Ley 39/2008?", "¿Qué dice el artículo 4 de la Ley 5/2020?", "es"),
]
# fmt: on


@pytest.mark.parametrize(
    ("files", "inserted", "next_one", "language"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_inserted_articles(
    build: Build, files: dict[str, str], inserted: str, next_one: str, language: str
) -> None:
    corpus = build(files)
    assert not [
        one.id
        for one in corpus.passages(np.arange(len(corpus), dtype=np.int32))
        if (one.number or "").startswith("12") and one.document_id == "act"
    ]
    (named,) = provisions_named(corpus, inserted, language, DAY)
    assert named.passage_ids
    assert {one.document_id for one in corpus.passages(corpus.rows(named.passage_ids))} == {"act"}
    assert "insert" in named.note
    links = corpus.references(range(len(corpus.reference_numbers())))
    found = {(one.relation, one.target_id) for one in links if one.target_id}
    assert [relation for relation, target in found if target.startswith("base/")] == [Relation.AMENDS]
    if next_one:
        (named,) = provisions_named(corpus, next_one, language, DAY)
        assert named.status is Naming.FOUND


def test_quotes_that_do_not_close(build: Build) -> None:
    corpus = build(
        {
            "act.md": '# Act\n\n## Article 1\n"A boat floats.\n\n## Article 2\nA ship sinks.\n\n## Article 3\nSays "yes".\n'
        }
    )
    assert [one.number for one in corpus.passages(np.arange(3, dtype=np.int32))] == ["1", "2", "3"]
