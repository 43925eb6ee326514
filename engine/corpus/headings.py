"""Passages that are nothing but a heading: they lead to evidence and are none."""

from __future__ import annotations

import re

LONGEST_HEADING = 120
# A sentence ends, obliges, goes on below a line, or begins in the middle of another one. Verbs are
# looked for in English only: elsewhere the full stop has to tell.
_SENTENCE = re.compile(
    r"[.;:,!?؛؟،。；：，—–-]\s*\Z|\n|\b(?:and|or|shall|must|may not|means|is|are|has|have)\b\s*\Z"
    r"|\b(?:shall|must|may not|means|is|are|has|have)\b|\A(?:\(\w{1,5}\))?\W*[a-zà-ÿ]"
)


def is_bare_heading(text: str) -> bool:
    """Whether a text is short and holds no sentence."""
    stripped = text.strip()
    return len(stripped) <= LONGEST_HEADING and not _SENTENCE.search(stripped)
