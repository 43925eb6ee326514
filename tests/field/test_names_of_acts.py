"""Kind K: an act is found by every name that its title gives it."""

from __future__ import annotations

from datetime import date

import pytest

from engine.model import Naming
from engine.retrieval.planning.named import provisions_named
from tests.field.conftest import Build

# The title of an act, how its provision is printed, the language, and words that name it.
TITLES = [
    (
        "Seeds Act 7 of 2019",
        "Section 4",
        "en",
        ("section 4 of the Seeds Act", "section 4 of the Seeds Act 7 of 2019"),
    ),
    ("Bees Act (Act No. 3 of 2015)", "Section 4", "en", ("section 4 of the Bees Act", "section 4, Bees Act")),
    ("Fairs Act (Chapter 39:03)", "Section 4", "en", ("section 4 of the Fairs Act",)),
    ("Moor Ordinance (Cap. 12)", "Section 4", "en", ("section 4 of the Moor Ordinance",)),
    ("Imkergesetz (ImkG)", "§ 4", "de", ("§ 4 ImkG", "§ 4 des Imkergesetzes")),
    ("Gesetz über den Deichbau (Deichgesetz – DeichG)", "§ 4", "de", ("§ 4 DeichG", "§ 4 des Deichgesetzes")),
    ("Verordnung über Märkte (MarktVO NRW)", "§ 4", "de", ("§ 4 MarktVO NRW",)),
    ("Bundesgesetz über das Mühlenwesen (MühlG)", "Art. 4", "de", ("Art. 4 MühlG", "Artikel 4 MühlG")),
    ("Code des barrages (CdBar)", "Article 4", "fr", ("l'article 4 du CdBar",)),
    (
        "Ley de Ferias (LFer)",
        "Artículo 4",
        "es",
        ("el artículo 4 de la LFer", "el artículo 4 de la Ley de Ferias"),
    ),
]


def test_each_name(build: Build, subtests: pytest.Subtests) -> None:
    acts = {
        f"act-{number}.md": f"# {title}\n\n## {printed}\n{TEXTS[language]}\n"
        for number, (title, printed, language, _) in enumerate(TITLES)
    }
    corpus = build({**acts, **OTHER})
    for number, (_, _, language, names) in enumerate(TITLES):
        for words in names:
            with subtests.test(words):
                (named,) = provisions_named(corpus, words, language, date(2026, 1, 1))
                documents = [one.split("/")[0] for one in named.passage_ids]
                assert (named.status, documents) == (Naming.FOUND, [f"act-{number}"])


TEXTS = {
    "en": "The register is kept by the board.",
    "de": "Das Register wird von der Behörde geführt.",
    "fr": "Le registre est tenu par la préfecture.",
    "es": "El registro lo lleva la autoridad.",
}
OTHER = {
    "other.md": "# Zoning Act 1999\n\n## Section 4\nA plan is drawn.\n",
    "andere.md": "# Zonengesetz\n\n## § 4\nEin Plan wird gezeichnet.\n",
}


# Texts that cite an act of another language, and its document; None if the name may mean something else.
FOREIGN = {
    ("en", "A pilot pays the dues under section 4 of the Port Dues Ordinance."): "hafen",
    ("en", "A pilot pays the dues under section 4 of the Hafengebührenverordnung."): "hafen",
    ("en", "A pilot pays the dues under section 1 of the Hafenordnung."): None,
    ("de", "Der Lotse zahlt nach Section 4 des Ports Act 2010."): None,
    ("de", "Der Lotse zahlt die Gebühr nach Artikel 9 des Pilots Act 2012."): "pilots",
    ("fr", "Le pilote paie la taxe prévue à l'article 9 du Pilots Act 2012."): "pilots",
    ("fr", "Le pilote paie la taxe prévue à l'article 9 de la Constitution."): None,
}


def test_an_act_in_another_language(build: Build, subtests: pytest.Subtests) -> None:
    front = "---\nid: {}\ntitle: {}\nlanguage: {}\naliases: [{}]\n---\n# {}\n\n## {}\nText.\n"
    texts = {
        f"note-{number}.md": f"---\nid: note-{number}\ntitle: Note {number}\nlanguage: {language}\n---\n"
        f"# Note {number}\n\n## {HEADINGS[language]}\n{text}\n"
        for number, (language, text) in enumerate(FOREIGN)
    }
    corpus = build(
        {
            "hafen.md": front.format(
                "hafen",
                "Hafengebührenverordnung",
                "de",
                "Port Dues Ordinance",
                "Hafengebührenverordnung",
                "§ 4",
            ),
            "pilots.md": front.format("pilots", "Pilots Act 2012", "en", "", "Pilots Act 2012", "Article 9"),
            "base.md": front.format("base", "Constitution", "en", "", "Constitution", "Article 9"),
            **texts,
        }
    )
    found = {
        one.source_id.split("/")[0]: (one.target_id or "").split("/")[0] or None
        for one in corpus.references(corpus.reference_numbers().tolist())
        if one.text
    }
    for number, ((_, text), expected) in enumerate(FOREIGN.items()):
        with subtests.test(text):
            assert found.get(f"note-{number}") == expected


HEADINGS = {"en": "Section 1", "de": "§ 1", "fr": "Article 1"}
