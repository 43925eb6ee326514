"""Kind U: the forms in which laws define: without "means", with a colon or a dash, in tables, several at once."""
# ruff: noqa: E501 (a text is easier to read in one line)

from __future__ import annotations

import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation.definitions import find_definition
from tests.tables import table

TEXTS = {
    "en.md": "# Pier Rules\n\n## Rule 2 Terms\n(1) **Berth** or **mooring place**: a place where a vessel may lie.\n\n(2) The term “lighter” refers only to an unpowered barge.\n\n(3) “Dues”, in relation to a vessel, means the sums in Rule 9.\n\n## Rule 3 Craft\nThe words “skiff”, “gig” and “punt” denote a boat without a deck.\n\n## Rule 4 Table\n| Term | Meaning |\n|---|---|\n| Roads | the waters outside the mole |\n| Mole or breakwater | the stone wall |\n\n## Rule 5 Use\nA lighter at a berth in the roads pays no dues to a pilot.\n\n## Rule 6 Pilot\nPilot: Mr Jones is asked by letter.\n\n## Rule 7 Fees\n| Buoy | Fee |\n|---|---|\n| Red buoy | 5 |\n",
    "by.txt": "Dock By-laws\n\nArticle 1 Interpretation\nWharf - a structure beside which a ship lies.\nJetty — a wharf on piles.\nQuay: a wharf of stone.\n\nArticle 2 Use\nA wharf, a jetty and a quay are open.\n",
    "de.html": '<html lang="de"><h1>Fährgesetz</h1><h2>§ 2 Begriffe</h2><p>1. Fähre – ein Schiff, das übersetzt;</p><p>2. Anleger oder Steg: die Stelle, an der sie hält.</p><h2>§ 3 Lotse</h2><p>Als Lotse gilt, wer den Weg weist.</p><h2>§ 4 Hafen</h2><p>Unter einem Hafen versteht man ein geschütztes Becken.</p><h2>§ 5 Tabelle</h2><table><tr><th>Begriff</th><th>Bedeutung</th></tr><tr><td>Reede</td><td>das Wasser vor der Mole</td></tr></table><h2>§ 6 Halter</h2><p>Der Halter der Boje ist verpflichtet, sie zu leeren. Die Boje des Halters ist rot.</p><h2>§ 7 Betrieb</h2><p>Die Fähre hält am Anleger im Hafen auf der Reede mit einem Lotsen.</p></html>',
    "fr.md": "# Loi sur les bacs\n\n## Article 1\nOn entend par « bac » un navire qui traverse. Le terme « passeur » renvoie à la personne qui le conduit.\n\n## Article 2 Termes\n- Ponton : la plate-forme du bac.\n- Rade – l'eau devant le môle.\n\n## Article 3\nLe bac, le passeur, le ponton et la rade sont publics.\n",
    "es.md": "# Ley de muelles\n\n## Artículo 1\nPor muelle se entiende la obra donde atraca un buque. La expresión «tasa» se refiere a la suma diaria.\n\n## Artículo 2\n| Término | Significado |\n|---|---|\n| Dársena | agua abrigada |\n\n## Artículo 3\nEl muelle y la dársena pagan la tasa.\n",
    "id.txt": "Peraturan Dermaga\n\nPasal 1\nYang dimaksud dengan dermaga adalah tempat sandar kapal. Istilah “tambat” merujuk pada pengikatan kapal.\n\nPasal 2\nTambat di dermaga dibayar.\n",
    "zh.txt": "码头管理办法\n\n第一条 本办法所称“泊位”，系指船舶停靠的地方。\n\n第二条 泊位每周收费。\n",
    "ar.txt": "لائحة الأرصفة\n\nالمادة 1\nيقصد بالرصيف المكان الذي ترسو فيه السفينة.\n\nالمادة 2\nيدفع مالك السفينة رسم الرصيف.\n",
}  # fmt: skip
# Who asks what; the label of the passages that define it; empty: nothing does.
ASKED = table(__file__, "ASKED")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root = tmp_path_factory.mktemp("definitions")
    for name, text in TEXTS.items():
        (root / name).write_text(text, encoding="utf-8")
    build_corpus([root], root / "corpus", embedding="none")
    return open_corpus(root / "corpus")


@pytest.mark.parametrize(("language", "question", "label"), ASKED, ids=[row[1] for row in ASKED])
def test_a_definition_is_found(corpus: Corpus, language: str, question: str, label: str) -> None:
    named = find_definition(corpus, question, language, None)
    ids = named.passage_ids if named else ()
    assert "|".join(one.label for one in corpus.passages(corpus.rows(ids))) == label
