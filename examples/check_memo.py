"""Check the claims and citations of a memo against a corpus."""

from __future__ import annotations

from datetime import date

import redstring

MEMO = """
A sub-agent may not sub-delegate further.
A sub-agent may sub-delegate further.
An agent may always appoint a sub-agent (Article 99 of the Commercial Agency Code).
"""


def main() -> None:
    """Print the finding on each claim, its reason, and the words of the source."""
    audit = redstring.check(MEMO, redstring.open_sample(), day=date(2026, 1, 1))
    for checked in audit.checked:
        print(f"{checked.claim.number}. {checked.finding.value.upper()}: {checked.claim.text.strip()}")
        print(f"   {checked.reason}")
        for source in checked.sources[:1]:
            print(f"   {source.passage.id}: {source.quote}")
    for citation in audit.dead:
        print(f"Wrong citation: {citation.text}")


if __name__ == "__main__":
    main()
