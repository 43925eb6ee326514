"""A case as its file has it: the record, and a part ``case`` with what is said of it and the chain of events.

The digest of a record is that of its JSON without ``case``, without spaces, keys in their order.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any

import orjson

from engine.records.store.chain import digest
from engine.records.store.sealing import APART, SealedCase, verdicts_sealed, written

CASE = "case"
_LEVEL = 6


def case_file(record: Mapping[str, Any], case: SealedCase) -> dict[str, Any]:
    """A case as its file has it, as plain values."""
    part = {
        "id": case.id,
        **{name: getattr(case, name) for name in APART},
        "digest": digest(written(record)),
        "head": case.head,
        "events": [event.values() for event in case.events],
        "earlier": {
            name: base64.b64encode(zlib.compress(state, _LEVEL)).decode()
            for name, state in case.earlier.items()
        },
    }
    if case.verdicts:
        part |= {"verdicts": list(case.verdicts), "verdicts_seal": verdicts_sealed(case)}
    return {**record, CASE: part}


def case_bytes(record: Mapping[str, Any], case: SealedCase, *, lines: bool = True) -> bytes:
    """The bytes of its file; ``lines``: as a person can read them, else all in one line."""
    form = orjson.OPT_APPEND_NEWLINE | (orjson.OPT_INDENT_2 if lines else 0)
    return orjson.dumps(case_file(record, case), option=form)
