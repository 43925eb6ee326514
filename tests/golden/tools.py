"""Calls of the tools, in the order in which they are made; CASE and PASSAGE are those of ``investigate``."""

from __future__ import annotations

from typing import Any

from tests.golden.sources import QUESTION, TEXT, UNKNOWN

_SMALL = {"preset": "balanced", "rounds": 1, "pool_size": 10, "top_k": 2}
_LINK = {"source": "fahrpreis/sec-2/para-2", "target": "fahrpreis/sec-1"}
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("corpora", {}),
    ("corpora", {"corpus": "Ferries"}),
    ("plan", {"question": QUESTION}),
    ("investigate", {"question": QUESTION, **_SMALL}),
    ("investigate", {"question": UNKNOWN, **_SMALL}),
    ("investigate", {"question": QUESTION, **_SMALL, "detail": "full"}),
    ("follow", {"case": "CASE", "passage": "PASSAGE"}),
    ("read", {"what": "PASSAGE"}),
    ("read", {"what": "Article 2 of the Ferry Act"}),
    ("answer", {"question": QUESTION, "preset": "quick"}),
    ("audit", {"text": TEXT}),
    ("cases", {}),
    ("case", {"case": "CASE"}),
    ("case", {"case": "CASE", "part": "events"}),
    ("case", {"case": "CASE", "part": "verify"}),
    ("export", {}),
    ("export", {"case": "CASE", "format": "csv"}),
    ("judge", {"act": "reject", **_LINK, "note": "no"}),
    ("judge", {"act": "list"}),
    ("grades", {"act": "list"}),
    ("review", {"act": "list", "text": TEXT}),
    ("read", {"what": "no-such-id"}),
)
