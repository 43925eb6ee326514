"""Where everything in a case comes from, in the words of W3C PROV, as PROV-JSON.

https://www.w3.org/TR/prov-dm/ and https://www.w3.org/submissions/prov-json/. A passage that was found is an
entity of the case, a specialization of the passage of the corpus, and derived from what the hop to it
started at; the hop's words are the derivation's.
"""

from __future__ import annotations

from engine.exports.provenance import document_of
from engine.exports.registry import Export, HandedOver


def write(case: HandedOver) -> bytes:
    """The document as JSON, its keys in order."""
    import json

    import orjson

    # The package keeps attributes in sets: their order would be another in each process.
    values = json.loads(str(document_of(case).serialize(format="json")))
    return orjson.dumps(values, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


EXPORT = Export(
    "prov",
    "Provenance (W3C PROV)",
    "programs that trace where a result comes from; archives, auditors",
    ".prov.json",
    "application/json",
    write,
)
