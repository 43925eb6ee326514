"""Two short acts in two languages that cite each other, with two areas: what the outputs are made of."""

from __future__ import annotations

from pathlib import Path

NAME = "Ferries"
QUESTION = "When may the operator refuse a ticket, and within which time is the fare repaid?"
GERMAN_QUESTION = "Wann wird der Fahrpreis erstattet?"
NAMED_QUESTION = "When did the operator repay the fare under Article 3 of the Ferry Act in 2015?"
UNKNOWN = "zyxomorph quibbleflax"
# Of the sample corpus.
SAMPLE_QUESTIONS = {
    "en": "May an agent appoint sub-agents in late 2024 under a contract of 2022?",
    "de": "Wann endet die Einspruchsfrist nach einem geänderten Bescheid?",
    "ar": "هل يجوز للوكيل أن يوكل غيره؟",
    "id": "Bolehkah pengurus memberikan kepada kuasa kewenangan yang lebih luas daripada yang terdaftar?",
}

FERRY_ACT = """---
id: ferry-act
title: Ferry Act
type: act
number: "7"
year: 2009
language: en
status: in force
valid_from: 2010-01-01
aliases: [FA]
---

# Ferry Act

### Article 1 Definitions

For the purposes of this Act, "operator" means the person who runs a ferry.

### Article 2 Tickets

(1) The operator sells a ticket to every passenger on request.

(2) A ticket may be refused where the fare under Section 1 of the Fare Ordinance is not paid.

### Article 3 Repayment {valid_from=2010-01-01 valid_to=2018-12-31}

The operator repays the fare of a cancelled crossing within thirty days.

### Article 3 Repayment {valid_from=2019-01-01}

The operator repays the fare of a cancelled crossing within fourteen days, subject to Article 2(2).
"""

FARE_ORDINANCE = """---
id: fahrpreis
title: Fahrpreisverordnung
type: regulation
number: "3"
year: 2011
language: de
status: in force
valid_from: 2011-07-01
aliases: [Fare Ordinance]
based_on: [ferry-act]
---

# Fahrpreisverordnung

### § 1 Fahrpreis

Der Fahrpreis wird im Voraus gezahlt.

### § 2 Erstattung

(1) Der Fahrpreis wird nach Artikel 3 des Ferry Act erstattet.

(2) Absatz 1 gilt nicht, wenn der Fahrgast nach § 1 nicht gezahlt hat.
"""

LATER_ACT = """---
id: pier-act
title: Pier Act
language: en
---

# Pier Act

### Article 1 Piers

A pier is open to every ferry of an operator under Article 1 of the Ferry Act.
"""

ONTOLOGY = """areas:
  - id: tickets
    names: {en: Tickets, de: Fahrkarten}
    keywords: {en: [ticket, fare], de: [fahrpreis]}
    minimum_passages: 2
    minimum_similarity: 0.1
  - id: salvage
    names: {en: Salvage}
    keywords: {en: [salvage, wreck]}
    minimum_passages: 1
    minimum_similarity: 0.1
transactions:
  ticket-refusal: [tickets]
  wreck-removal: [salvage]
"""
QUERIES = """{"id": "q1", "text": "When may a ticket be refused?", "metadata": {"language": "en"}}
{"id": "q2", "text": "Wann wird der Fahrpreis erstattet?", "metadata": {"language": "de"}}
"""
QRELS = "query-id\tcorpus-id\tscore\nq1\tferry-act/art-2/para-2\t2\nq2\tfahrpreis/sec-2/para-1\t1\n"
TEXT = """The operator repays the fare within fourteen days (Article 3 Ferry Act).
A ticket may never be refused (Article 2(2) Ferry Act). See Article 99 of the Ferry Act.
"""
# One claim of each kind: in the words of a source, in others, of old law, with another number, with another
# quote, denied, of no source, of a provision and of an act that are not there.
CLAIMS = """The operator sells a ticket to every passenger on request (Article 2(1) of the Ferry Act).
The fare of a cancelled crossing is repaid by the operator within fourteen days.
The operator repays the fare of a cancelled crossing within thirty days (Article 3 of the Ferry Act).
The operator repays the fare of a cancelled crossing within ten days.
The Act says "the operator sells a ticket to every visitor" (Article 2 of the Ferry Act).
A ticket may not be refused where the fare is not paid.
Der Fahrpreis wird nicht im Voraus gezahlt (§ 1 der Fahrpreisverordnung).
A pier is closed on Sundays. See Article 9(3) of the Ferry Act and section 4 of the Harbour Act 1999.
"""


GERMAN_CLAIMS = """Der Fahrpreis wird im Voraus gezahlt (§ 1 der Fahrpreisverordnung).
Der Fahrpreis wird binnen einer Woche nach Artikel 3 des Ferry Act erstattet.
Absatz 1 gilt auch, wenn der Fahrgast nach § 1 nicht gezahlt hat (§ 2 Abs. 2 der Fahrpreisverordnung).
Die Verordnung sagt: „Der Fahrpreis wird im Nachhinein gezahlt“ (§ 1 der Fahrpreisverordnung).
"""
AREAS = """areas:
  - id: tickets
    names: {en: Tickets}
    keywords: {en: [ticket, fare]}
    minimum_passages: 1
concepts:
  - id: crossing
    area: tickets
    names: {en: Crossing, de: Überfahrt}
    keywords: {en: [crossing]}
    articles: [Article 3 of the Ferry Act, Article 9 of the Ferry Act]
    importance: 3
facts:
  - id: passengers
    type: number
    names: {en: Passengers}
    keywords: {en: [passengers]}
rules:
  - id: many
    names: {en: Many passengers}
    when: passengers > 10
    then: a ticket for each
    because: {en: Every passenger has a ticket.}
    cite: [Article 2 of the Ferry Act]
"""


# Files beside the sources, which commands read.
FILES = {
    "pier.md": LATER_ACT,
    "text.md": TEXT,
    "claims.txt": CLAIMS,
    "german.txt": GERMAN_CLAIMS,
    "areas.yaml": AREAS,
    "queries.jsonl": QUERIES,
    "qrels.tsv": QRELS,
    "questions.txt": f"{QUESTION}\n{GERMAN_QUESTION}\n",
}


def write_sources(folder: Path) -> Path:
    """Write the sources in a folder of their own, and the files beside it."""
    sources = folder / "sources"
    sources.mkdir(parents=True)
    acts = {"ferry.md": FERRY_ACT, "fare.md": FARE_ORDINANCE, "ontology.yaml": ONTOLOGY}
    for where, files in ((sources, acts), (folder, FILES)):
        for name, text in files.items():
            (where / name).write_text(text, encoding="utf-8")
    return sources
