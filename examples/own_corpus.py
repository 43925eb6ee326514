"""Make a corpus from files and ask it: the rule, the exception that it refers to, and the annex."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import redstring

LICENCES = """# Harbour Licences Act 2019

## Article 1
A harbour pilot needs a licence. Article 3 applies to the pilots of ferries.

## Article 2
The authority grants the licence within 30 days of the application.

## Article 3
Article 1 does not apply to the pilot of a ferry that is listed in the Ferries Regulation.
"""
FERRIES = """# Ferries Regulation

## Article 1
This Regulation is made under Article 3 of the Harbour Licences Act 2019.

## Article 2
The ferries Anna and Berta are listed.
"""


def main() -> None:
    """Ingest two files and investigate a question that needs both."""
    with TemporaryDirectory() as folder:
        sources, corpus = Path(folder, "sources"), Path(folder, "corpus")
        sources.mkdir()
        (sources / "licences.md").write_text(LICENCES, encoding="utf-8")
        (sources / "ferries.md").write_text(FERRIES, encoding="utf-8")

        # Without embedding the scan is lexical; the references are followed in any case.
        report = redstring.ingest(sources, corpus, embedding="none")
        print(f"{report.documents} documents, {report.passages} passages")
        print(f"References: {report.references_by_status}")

        case = redstring.investigate(corpus, "Does the pilot of the ferry Anna need a licence?")
        print(redstring.describe(case))


if __name__ == "__main__":
    main()
