"""An act that is split into several files or records is one act for its references."""
# ruff: noqa: E501 (a text is easier to read in one line)

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.ingestion.build import add_to_corpus, build_corpus
from engine.model import Naming
from engine.retrieval.planning.named import provisions_named
from tests.field.conftest import Build

LEY = '{{"law":"Ley de Canales","article":"Artículo {}","language":"es","text":"El canal se rige por el artículo {} de esta ley."}}'
ROW = '{{"id":"{}","title":"Kanalordnung","text":"{}","metadata":{{"regulation":"Kanalordnung","article":"§ {}","language":"de"}}}}\n'
PERDA = "---\ntitle: Undang-Undang Nomor 4 Tahun 2011 tentang Kanal\nlanguage: id\n---\n# BAB {}\n\n## Pasal {}\n{}\n"
# fmt: off
# Files, a question with its language, the words of the found provision, and the references by their words and targets.
CASES: list[tuple[str, dict[str, str], str, str, str, dict[str, str]]] = [
    ("JSON, a file for each part", {"part1.json": '{"law":"Canal Act 2009","part":"Part 1","articles":[{"number":"1","text":"This Act applies to canals."},{"number":"2","text":"A boat pays the toll set out in section 5."}]}',
      "part2.json": '{"law":"Canal Act 2009","part":"Part 2","articles":[{"number":"5","text":"The toll is 4 euros, subject to section 2."}]}',
      "other.md": "# Lock Act 2011\n\n## Section 7\nThe toll of section 5 of the Canal Act 2009 applies.\n"},
     "What does section 5 of the Canal Act 2009 say?", "en", "The toll is 4", {"section 5": "part2/art-5", "section 2": "part1/art-2", "section 5 of the Canal Act 2009": "part2/art-5"}),
    ("JSON lines in two files", {"teil1.jsonl": ROW.format("k1", "Boote zahlen die Gebühr nach § 4.", "1") + ROW.format("k2", "Der Wärter erhebt sie.", "2"), "teil2.jsonl": ROW.format("k4", "Die Gebühr beträgt 3 Euro. § 2 bleibt unberührt.", "4")},
     "Was steht in § 4 der Kanalordnung?", "de", "Die Gebühr beträgt", {"§ 4": "k4", "§ 2": "k2"}),
    ("tables", {"livre-1.csv": "law,article,language,text\nCode des quais,Article 1,fr,Le quai est ouvert dans les conditions de l’article 9.\nCode des quais,Article 2,fr,Le quai est propre.\n", "livre-2.csv": "law,article,language,text\nCode des quais,Article 9,fr,Le quai ouvre sauf dans le cas prévu à l’article 2.\n"},
     "Que dit l'article 9 du code des quais ?", "fr", "Le quai ouvre", {"article 9": "code-des-quais-article-9", "article 2": "code-des-quais-article-2"}),
    ("Markdown, a file for each chapter", {"bab-1.md": PERDA.format("I", 1, "Kanal dikelola sesuai Pasal 5."), "bab-2.md": PERDA.format("II", 5, "Tarif dibayar sebagaimana dimaksud dalam Pasal 1.")},
     "Apa isi Pasal 5 Undang-Undang Nomor 4 Tahun 2011?", "id", "Tarif dibayar", {"Pasal 5": "bab-2/art-5", "Pasal 1": "bab-1/art-1"}),
    ("records of one file", {"code.json": '[{"title":"Harbour Code","chapter":"Chapter 1","sections":[{"number":"1","text":"A ship reports under section 11."}]},{"title":"Harbour Code","chapter":"Chapter 2","sections":[{"number":"11","text":"The report names the cargo listed in section 1."}]}]'},
     "What does section 11 of the Harbour Code say?", "en", "The report names", {"section 11": "harbour-code-2/art-11", "section 1": "harbour-code/art-1"}),
    ("a file for each article", {f"art-{own}.json": LEY.format(own, other) for own, other in ((1, 2), (2, 3), (3, 1))},
     "¿Qué dice el artículo 3 de la Ley de Canales?", "es", "El canal", {"artículo 1": "art-1/art-1", "artículo 2": "art-2/art-2", "artículo 3": "art-3/art-3"}),
    ("a namesake with numbers of its own", {"a.md": "---\ntitle: Berth Agreement\n---\n# Berth Agreement\n\n## Clause 1\nRent is due under clause 3.\n\n## Clause 2\nIt is paid.\n", "b.md": "---\ntitle: Berth Agreement\n---\n# Berth Agreement\n\n## Clause 1\nThe berth is dry.\n\n## Clause 3\nNo rent is due.\n"},
     "What does clause 2 of the Berth Agreement say?", "en", "It is paid", {"clause 3": "None"}),
]
# fmt: on


@pytest.mark.parametrize(
    ("files", "question", "language", "begins", "references"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_references_among_the_parts_of_an_act(
    build: Build, files: dict[str, str], question: str, language: str, begins: str, references: dict[str, str]
) -> None:
    corpus = build(files)
    every = corpus.references(range(len(corpus.reference_numbers())))
    assert {one.text: str(one.target_id) for one in every} == references
    (named,) = provisions_named(corpus, question, language, date(2026, 1, 1))
    assert named.status is Naming.FOUND, named.note
    (passage,) = corpus.passages(corpus.rows(named.passage_ids))
    assert passage.text.startswith(begins)


def test_a_part_that_is_added_later_joins_its_act(tmp_path: Path) -> None:
    files = CASES[1][1]
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    build_corpus([tmp_path / "teil1.jsonl"], tmp_path / "corpus", embedding="none")
    add_to_corpus([tmp_path / "teil2.jsonl"], tmp_path / "corpus")
    corpus = open_corpus(tmp_path / "corpus")
    every = corpus.references(range(len(corpus.reference_numbers())))
    assert {one.text: str(one.target_id) for one in every} == CASES[1][5]
