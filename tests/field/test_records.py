"""Kind M: law in JSON, JSON lines and tables, as whole texts and as provisions in named containers."""
# ruff: noqa: E501 (a text is easier to read in one line)

from __future__ import annotations

import json
from datetime import date

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.ingestion.readers.fields import DayKind, day_kind
from engine.model import Naming, Status
from engine.retrieval.planning.named.naming import provisions_named
from tests.tables import table

DE = "Fährgesetz\n\n§ 1 Betrieb\nFähren fahren stündlich.\n\n§ 3 Personal\nPersonal nach § 1 trägt Westen.\n"
FR = "Article 1er\nLe bac traverse.\n\nArticle 2\nLe passeur visé à l'article 1er paie.\n"
ES = "Artículo 1. Objeto\nRegula los muelles.\n\nArtículo 2. Tasa\nLa tasa del artículo 1 se paga.\n"
ID = "BAB I\nUMUM\n\nPasal 1\nDermaga adalah tempat sandar.\n\nPasal 2\n(1) Retribusi dibayar.\n(2) Pasal 1 berlaku.\n"
ZH = "码头管理办法\n\n第一条 为了管理码头，制定本办法。\n\n第二条 船主依照第一条缴纳费用。\n"
NEWS = "The pier was built in 1901.\n\nArticle 5 of the act was cited by the mayor in a long speech.\n\nIt stands."
PARTS = ("Run-off", "Reporting", "Market Abuse")
BOOKS = ("Schiffsbuch", "Gebührenbuch")


def lines(*records: object) -> str:
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)


FILES = {
    "cfr.jsonl": lines(
        {"text": "Title 46\n\n§ 11.1 Scope.\n\nIt licenses pilots.\n\n§ 11.2 Use.\n\nApply under § 11.1."},
        {"text": "Title 46\n\n§ 12.1 Fees.\n\nThe fee is 40 dollars."},
    ),
    "gesetze.csv": f'id,abgerufen,volltext\nfg,2024-05-01,"{DE}"\nhg,2024-05-01,"{DE.replace("Fähr", "Hafen")}"\n',
    "lois.json": json.dumps([{"texte": FR}, {"texte": FR.replace("bac", "quai")}]),
    "leyes.tsv": f'titulo\ttexto\nLey de muelles\t"{ES}"\nLey de barcas\t"{ES}"\n',
    "uu.jsonl": lines({"id": "uu-7", "text": ID, "metadata": {"language": "id", "crawled_at": "2022-02-02"}}),
    "zh.json": json.dumps({"标题": "码头管理办法", "正文": ZH}, ensure_ascii=False),
    "page.jsonl": lines({"text": "<p>Rule 1</p><p>A pier is open.</p><p>Rule 2</p><p>Rule 1 applies.</p>"}),
    "marked.jsonl": lines({"text": "# Pier Rules\n\n## Rule 1 Use\nIt is open.\n\n## Rule 2 Fee\nRule 1 applies.\n"}),
    "typed.jsonl": lines({"text": "1. Short title\nIt is the Pier Act.\n\n2. Licence\nNone lands.\n\n3. Fine\nBreach of section 2 costs 9 dollars."}),
    # These are provisions and plain texts: a line stays a passage.
    "parts.csv": "rulebook,part,rule,text\n"
    + "".join(f"Pier Rulebook,{p},{n},A firm follows {p} {n}.\n" for p in PARTS for n in ("2.1", "2.2")),
    "beir.jsonl": lines(
        *(
            {"id": f"{p}-{n}", "text": f"Zu {p}, {n}.", "metadata": {"law": "Hafenrecht", "buch": p, "rule": n}}
            for p in BOOKS
            for n in ("§ 3", "§ 8")
        )
    ),
    "livres.json": json.dumps(
        [{"loi": "Loi des ports", "livre": f"Livre {b}", "article": a, "texte": f"Le port {b} {a}."} for b in ("des bacs", "des phares") for a in ("7", "9")]
    ),
    "news.jsonl": lines({"id": "n1", "text": NEWS}, {"id": "n2", "text": "Chapter 1 is long.\nSee section 2."}),
    "artikel.csv": "gesetz,artikel,inhalt\n"
    + "".join(f"Bootsgesetz,Art. {n},{t}\n" for n, t in (("7", "Es hält."), ("7bis", "Art. 7 gilt."), ("7ter", "Art. 7bis gilt."))),
    "codes.csv": "code,article,texte\n"
    + "".join(f"Code des canaux,Art. {n},{t}\n" for n, t in (("1.1.1", "Le canal."), ("1.1.2", "L'article 1.1.1 vaut."), ("R. 12-3", "L'article 1.1.2 vaut."))),
    "act.csv": "act,section,text\n"
    + "".join(f"Dock Act,Section {n},{t}\n" for n, t in (("12-304.01", "It opens."), ("12-304.02", "Section 12-304.01 applies."), ("12-304.03", "It ends."))),
    # The title of each row is that of a provision; another column names the act.
    "acts.csv": "id,title,regulation,article,text\nw1,Rate,Wharf Act,1,It pays.\nw2,Keeper,Wharf Act,2,Article 1 applies.\nw3,Rate,Weir Act,1,It flows.\nw4,End,Weir Act,2,It ends.\n",
    "wehre.jsonl": lines(*({"title": t, "regulation": g, "number": n, "text": f"{g} {n}."} for t, g, n in (("Höhe", "Wehrgesetz", "§ 1"), ("Bau", "Wehrgesetz", "§ 2"), ("Ende", "Kaigesetz", "§ 1")))),
    "bacs.tsv": "titre\tloi\ttexte\nArticle 1 Péage\tLoi des gués\tLe passeur du gué paie le péage.\nArticle 2 Fin\tLoi des gués\tCe que l'article 1 dit vaut pour les bacs.\nArticle 1 Nom\tLoi des môles\tLe môle a un nom.\n",
    "dermaga.json": json.dumps([{"judul": f"Pasal {n} {t}", "peraturan": p, "isi": f"{p} {n}."} for n, t, p in (("1", "Tarif", "Peraturan Kapal"), ("2", "Akhir", "Peraturan Kapal"), ("1", "Nama", "Peraturan Perahu"))]),
    "weirs.csv": "title,regulation,text\n2.1 Notice,Weir Rulebook,It gives notice.\n2.2 Records,Weir Rulebook,Rule 2.1 applies.\n2.1 Return,Lock Rulebook,It reports.\n",
    "locks.csv": "id,title,part,text\nl1,7.1 Gate,Gate Part,It opens.\nl2,7.2 Oil,Gate Part,It is oiled.\nl3,7.1 Lamp,Lamp Part,It shines.\n",
}  # fmt: skip
# Of each document: what its provisions are called, and which of them cite which.
READ = table(__file__, "READ")
# The text that a question leads to.
QUESTIONS = table(__file__, "QUESTIONS")


# Questions whose number is in several containers, and none of them is named.
CHOICES = [
    "What does rule 2.1 of the Nowhere Part say?",
    "What does rule 2.2 of the Pier Rulebook say?",
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root = tmp_path_factory.mktemp("records")
    for name, text in FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    build_corpus([root], root / "corpus", embedding="none")
    return open_corpus(root / "corpus")


@pytest.mark.parametrize(("document", "labels", "links"), READ, ids=[row[0] for row in READ])
def test_a_text_in_a_field_is_read_as_law(
    corpus: Corpus, document: str, labels: str, links: list[str]
) -> None:
    passages = corpus.passages(corpus.by_document([document])[0])
    assert "|".join(one.label for one in passages) == labels
    named = {one.id: one.label for one in passages}
    found = [
        f"{named[one.source_id]} {named.get(str(one.target_id), '?')}"
        for one in corpus.all_references()
        if one.source_id in named and one.status is Status.RESOLVED
    ]
    assert sorted(found) == sorted(links)


@pytest.mark.parametrize(("language", "question", "text"), QUESTIONS, ids=[row[1] for row in QUESTIONS])
def test_a_question_names_the_container(corpus: Corpus, language: str, question: str, text: str) -> None:
    (named,) = provisions_named(corpus, question, language, date(2026, 1, 1))
    assert named.status is Naming.FOUND
    assert [one.text for one in corpus.passages(corpus.rows(named.passage_ids))] == [text]


@pytest.mark.parametrize("question", CHOICES)
def test_a_number_of_several_containers_is_a_choice(corpus: Corpus, question: str) -> None:
    (named,) = provisions_named(corpus, question, "en", date(2026, 1, 1))
    assert named.status is Naming.SEVERAL
    assert all(any(part in choice.label for choice in named.choices) for part in PARTS)


def test_a_day_of_download_is_no_validity(corpus: Corpus) -> None:
    assert {one.valid_from for one in corpus.passages(np.arange(len(corpus), dtype=np.int32))} == {None}
    assert {one.valid_from for one in corpus.documents()} == {None}
    for name in (
        "downloaded_timestamp",
        "crawl_date",
        "Abrufdatum",
        "date_téléchargement",
        "下载日期",
        "tanggal_unduh",
    ):
        assert day_kind(name) is DayKind.FILE
