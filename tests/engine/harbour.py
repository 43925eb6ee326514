"""The law of an invented harbour: three acts that define, cite, limit and amend each other.

Small enough to know by heart: Article 12 of the Harbour Act stands in an old version (thirty days) and
a new one (fourteen days, from 2019); the Dues Act is cited from Article 3(3) of the Harbour Act; the
regulation is based on the Harbour Act and cites it throughout.
"""

from __future__ import annotations

from pathlib import Path

from tests.tables import table

HARBOUR_ACT: str = table(__file__, "HARBOUR_ACT")

DUES_ACT: str = table(__file__, "DUES_ACT")

PILOT_REGULATION: str = table(__file__, "PILOT_REGULATION")

ONTOLOGY: str = table(__file__, "ONTOLOGY")

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
