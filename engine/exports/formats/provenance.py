"""The provenance of a case in W3C PROV, as PROV-JSON.

https://www.w3.org/TR/prov-dm/ and https://www.w3.org/submissions/prov-json/. A passage found is an entity of
the case, a specialization of the corpus's passage, and derived from the start of the hop to it; the quote of
the hop belongs to the derivation.
"""

from __future__ import annotations

from engine.exports.provenance import document_of
from engine.exports.registry import Export, ExportableCase


def write(case: ExportableCase) -> bytes:
    """Write the document as JSON with sorted keys."""
    import json

    import orjson

    # The package stores attributes in sets, whose order varies between processes.
    values = json.loads(str(document_of(case).serialize(format="json")))
    return orjson.dumps(values, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


EXPORT = Export(
    "prov",
    "Provenance (W3C PROV)",
    "for audit and archives (W3C PROV)",
    ".prov.json",
    "application/json",
    write,
)
