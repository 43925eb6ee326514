"""What the print around a document's name tells: where it goes on, and where it is none."""

from __future__ import annotations

import re

from engine.language.references.grammar import Mention
from engine.model import Passage

# "des Gesetzes vom 16. Juli 2021", "des Gesetzes über ...": what follows makes it another act than the
# text's own.
_DATED = re.compile(r"\s+vom\s+\d")
_ABOUT = re.compile(r"\s+(?:über|betreffend|zur|zum|zu|gegen|für)\s+(?:d[aei][sner]m?\s+)?[A-ZÄÖÜa-zäöü]")
_PLAIN_ACT = re.compile(
    r"(?:Gesetz(?:es|e)?|Verordnung|Übereinkommens?|Abkommens?|Vertrag(?:e?s)?|Protokolls?)\Z"
)
_THIS_GUIDANCE = re.compile(r"\s+(?:of|in|to|under)\s+this\s+Guidance\b")
_CODE = re.compile(r"\d{1,2} [A-Z]|[A-Z][a-z]*\. ?[A-Z]")
_IN = re.compile(r"\bin(?:\s+the)?\s*\Z")
_ACRONYM_ONLY = re.compile(r"[A-ZÄÖÜ][A-Za-zÄÖÜäöü]{1,7}\s*,?\Z")


def speaks_of_guidance(mention: Mention, passage: Passage) -> bool:
    """Whether a mention is followed by "of this Guidance"."""
    return _THIS_GUIDANCE.match(passage.text, mention.span.end) is not None


def goes_on(mention: Mention, text: str) -> bool:
    """Whether the name of an act is longer than its form shows: by a date, or by what it is about."""
    name = mention.document or ""
    return bool(
        _DATED.match(text, mention.span.end)
        or (_PLAIN_ACT.match(name) and _ABOUT.match(text, mention.span.end))
    )


def name_stands_before(mention: Mention) -> bool:
    """Whether the document is named in front of the provision: "COBS Rule 3.4.2"."""
    return (
        mention.name_at is not None
        and mention.name_at < mention.targets[0].span.end
        and (mention.name_at == mention.span.start)
    )


def is_weak(mention: Mention, text: str) -> bool:
    """Capitals in front of a provision, or behind "in", that name no known document are no name."""
    if mention.document is None or mention.name_at is None or not mention.targets:
        return False
    if mention.name_at == mention.span.start:
        # "42 U.S.C." and "Cal. Civ. Code" are names even so.
        return mention.grammar == "english" and not _CODE.match(mention.document)
    if text[: mention.name_at].rstrip()[-1:] in "0123456789)" and mention.grammar == "english":
        return True
    return bool(_ACRONYM_ONLY.match(mention.document)) and _IN.search(text[: mention.name_at]) is not None
