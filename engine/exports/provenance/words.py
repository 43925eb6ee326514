"""Names for the things of a case in a document of PROV.

Identifiers are qualified names: what PROV-N cannot have in one is percent-encoded, and the id itself stands
beside it as ``redstring:id``.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import quote

VOCABULARY = "urn:redstring:vocabulary:"
_PLAIN = "/@._-~"
Attributes = list[tuple[str, Any]]


class Space(NamedTuple):
    """A prefix, and what kind of thing its names stand for."""

    prefix: str
    kind: str


CASE, ROUND, WORK = Space("case", ""), Space("round", "round:"), Space("work", "work:")
FOUND, PASSAGE, DOCUMENT = Space("found", "found:"), Space("passage", ""), Space("document", "")
QUERY, HOP, EVENT = Space("query", "query:"), Space("hop", "hop:"), Space("event", "event:")
AGENT, STATE = Space("agent", "agent:"), Space("state", "state:")
ASSESSMENT = Space("assessment", "assessment:")
# Of the corpus, so that two cases of it name them alike; everything else is of one case.
OF_CORPUS = {PASSAGE: "passage:", DOCUMENT: "document:"}
OF_CASE = (CASE, ROUND, WORK, FOUND, QUERY, HOP, EVENT, AGENT, STATE, ASSESSMENT)


def named(space: Space, *parts: str | int) -> str:
    """A qualified name."""
    return f"{space.prefix}:{'/'.join(quote(str(part), safe=_PLAIN) for part in parts)}"


def namespaces(case: str, corpus: str) -> dict[str, str]:
    """What the prefixes stand for, for a case and a corpus by their names."""
    case, corpus = quote(case, safe=""), quote(corpus, safe="")
    return {
        "redstring": VOCABULARY,
        **{space.prefix: f"urn:redstring:case:{case}:{space.kind}" for space in OF_CASE},
        **{space.prefix: f"urn:redstring:corpus:{corpus}:{kind}" for space, kind in OF_CORPUS.items()},
    }


def attributes(kind: str, label: str = "", **given: str | float | bool | None) -> Attributes:
    """The type of a thing ("Round", or "prov:Plan" for one of PROV's own), its label, and what else is known;
    what is not known is left out."""
    from prov.constants import PROV
    from prov.identifier import Namespace

    own = Namespace("redstring", VOCABULARY)
    word = kind.removeprefix("prov:")
    found: Attributes = [("prov:type", PROV[word] if word != kind else own[word])]
    if label:
        found.append(("prov:label", label))
    return found + [(f"redstring:{name}", value) for name, value in given.items() if value not in (None, "")]
