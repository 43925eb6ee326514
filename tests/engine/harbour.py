"""The law of an invented harbour: three acts that define, cite, limit and amend each other.

Small enough to know by heart: Article 12 of the Harbour Act stands in an old version (thirty days) and
a new one (fourteen days, from 2019); the Dues Act is cited from Article 3(3) of the Harbour Act; the
regulation is based on the Harbour Act and cites it throughout.
"""

from __future__ import annotations

from pathlib import Path

HARBOUR_ACT = """---
id: harbour-act
title: Harbour Act
type: act
number: "7"
year: 2009
language: en
status: in force
valid_from: 2010-01-01
aliases: [HA]
---

# Harbour Act

## Part I General provisions

### Article 1 Definitions

For the purposes of this Act:

(1) "vessel" means every ship, barge and other floating craft;

(2) "harbour master" means the officer appointed under Article 4;

(3) "berth" means a place at which a vessel may moor.

### Article 2 Scope

(1) This Act applies to every vessel within the limits of the harbour.

(2) It does not apply to warships, save as provided in Article 9.

## Part II Berths

### Article 3 Allocation of berths

(1) The harbour master allocates a berth to each vessel on request.

(2) A request for a berth states the draught of the vessel and the length of its stay.

(3) A berth may be refused where dues under Article 2 of the Harbour Dues Act are in arrears.

### Article 4 Harbour master

The Minister appoints the harbour master for a term of five years.

### Article 5 Withdrawal of a berth

(1) The harbour master may withdraw a berth where the vessel endangers others.

(2) The withdrawal is notified in writing. Against it an objection under Article 11 is open.

## Part III Pilotage

### Article 6 Duty to take a pilot

(1) A vessel of more than fifty metres takes a pilot when it enters the harbour.

(2) The duty does not apply to a master who holds a certificate under Article 7.

### Article 7 Certificate of exemption

The harbour master grants a certificate to a master who has entered the harbour twenty times.

### Article 8 Liability of the pilot

A pilot is liable for damage only where he or she acted with gross negligence.

### Article 9 Warships

Warships take a pilot in accordance with Article 6(1).

## Part IV Remedies

### Article 10 Fines

Whoever moors without a berth allocated under Article 3 is fined up to two thousand crowns.

### Article 11 Objection

(1) Whoever is affected by a decision of the harbour master may lodge an objection within one month.

(2) The effect of the objection is laid down in Article 12.

### Article 12 Suspension {valid_from=2010-01-01 valid_to=2018-12-31}

An objection against the withdrawal of a berth suspends the withdrawal for thirty days.

### Article 12 Suspension {valid_from=2019-01-01}

An objection against the withdrawal of a berth suspends the withdrawal for fourteen days.
"""

DUES_ACT = """---
id: dues-act
title: Harbour Dues Act
type: act
number: "3"
year: 2011
language: en
status: in force
valid_from: 2011-07-01
aliases: [Dues Act]
---

# Harbour Dues Act

### Article 1 Definitions

For the purposes of this Act, "dues" means the sums payable for the use of a berth.

### Article 2 Berth dues

(1) Dues are paid in advance for each day for which a berth is allocated under Article 3 of the Harbour Act.

(2) Dues are in arrears where they are not paid within ten days of the invoice.

### Article 3 Amount

The amount of the dues follows from the length of the vessel and the tariff in Annex I.

### Article 4 Reduction

(1) Dues are halved for a vessel that is laid up in winter.

(2) No reduction is granted while dues are in arrears.

### Article 5 Interest

Dues in arrears bear interest of one per cent for each month.

## Annex I Tariff

Each metre of length costs four crowns a day.
"""

PILOT_REGULATION = """---
id: pilot-regulation
title: Pilotage Regulation
type: regulation
number: "12"
year: 2012
language: en
status: in force
valid_from: 2012-03-01
based_on: [harbour-act]
---

# Pilotage Regulation

### Section 1 Request

A pilot within the meaning of Article 6 of the Harbour Act is requested two hours before arrival.

### Section 2 Certificate

The certificate under Article 7 of the Harbour Act is valid for three years.

### Section 3 Pilotage fee

The fee for a pilot is two hundred crowns. It is paid together with the dues under the Harbour Dues Act.
"""

ONTOLOGY = """areas:
  - id: berths
    names: {en: Berths}
    keywords: {en: [berth, allocation, withdrawal]}
    minimum_passages: 2
    minimum_similarity: 0.1
  - id: dues
    names: {en: Harbour dues}
    keywords: {en: [dues, arrears, tariff]}
    minimum_passages: 2
    minimum_similarity: 0.1
  - id: pilotage
    names: {en: Pilotage}
    keywords: {en: [pilot, certificate]}
    minimum_passages: 3
    minimum_similarity: 0.1
  - id: salvage
    names: {en: Salvage}
    keywords: {en: [salvage, wreck]}
    minimum_passages: 1
    minimum_similarity: 0.1
transactions:
  berth-refusal: [berths, dues]
  pilot-exemption: [pilotage]
  wreck-removal: [salvage]
"""

OLD_ARTICLE_12 = "harbour-act/art-12"
NEW_ARTICLE_12 = "harbour-act/art-12@2019-01-01"

QUESTION = (
    "When may the harbour master refuse or withdraw a berth, "
    "and how long does an objection suspend the withdrawal?"
)
NOTHING = "zyxomorph quibbleflax wobblethorpe"


def write_harbour(folder: Path, *, ontology: bool) -> Path:
    """The sources in a new folder."""
    folder.mkdir()
    for name, text in (("harbour", HARBOUR_ACT), ("dues", DUES_ACT), ("pilotage", PILOT_REGULATION)):
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    if ontology:
        (folder / "ontology.yaml").write_text(ONTOLOGY, encoding="utf-8")
    return folder


def tariff_schedule(articles: int) -> str:
    """An act of many short articles that all answer to one word: what fills a pool."""
    lines = ["---", "id: tariff", "title: Tariff Act", "language: en", "---", "# Tariff Act"]
    for number in range(1, articles + 1):
        lines += [
            "",
            f"### Article {number} Quay {number}",
            "",
            f"The tariff for quay {number} is {number} crowns.",
        ]
    return "\n".join(lines) + "\n"
