"""The memo of a case, when it is audited itself: its findings are claims, all else tells how they were
found."""

from __future__ import annotations

import re

# What every memo says of itself at its end.
OF_ITSELF = "This memo holds what was found in one corpus, by one question, on one day."
NOTES = "Notes to the case"
_LINE = re.compile(r"[^\n]+")
# A finding is a line with footnotes; in Markdown it is a quotation, and its first lines may have none.
_NOTE = r"(?:\[\^?\d{1,4}\]|[⁰¹²³⁴-⁹]{1,4})"
_FINDING = re.compile(
    rf"(?!\s*(?:[-*•|#]|{_NOTE}))(?:>\s(?!\*\*).*|.*{_NOTE}(?:,?\s*{_NOTE})*(?:\s\(.*\))?\s*)\Z"
)
_HEADING = re.compile(r"#{1,6}\s+(?P<title>.*?)\s*\Z")


def claims_alone(text: str) -> str:
    """A memo of a case with blanks in the place of all that makes no claim; any other text as it is."""
    if OF_ITSELF not in text:
        return text
    letters = [sign if sign == "\n" else " " for sign in text]
    noted = False
    for match in _LINE.finditer(text):
        heading = _HEADING.match(match[0])
        noted = heading["title"] == NOTES if heading is not None else noted
        if (noted and heading is None) or _FINDING.match(match[0]):
            letters[match.start() : match.end()] = match[0]
    return "".join(letters)
