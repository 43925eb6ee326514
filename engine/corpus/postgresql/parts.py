"""How the documents of a corpus are spread over the parts of its tables.

``document-hash`` spreads them evenly over ``HASHED`` parts; ``validity`` keeps what is in force apart from
what has ended; any other word is a field of documents or a key of their metadata ("language", "type",
"jurisdiction"), whose values have a part each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_64

from engine.errors import InputError
from engine.model import OUT_OF_FORCE, Document

HASH, VALIDITY = "document-hash", "validity"
HASHED = 8
# The values of a field beyond these, the rarest, share a part.
MOST = 64


def parts_of(documents: Sequence[Document], by: str | None) -> NDArray[np.int16]:
    """The part of each document, from 0, shape (documents,); one part where ``by`` is None.

    Raises InputError where no document has such a field.
    """
    if by is None:
        return np.zeros(len(documents), np.int16)
    if by == HASH:
        return np.array([xxh3_64(one.id.encode()).intdigest() % HASHED for one in documents], np.int16)
    if by == VALIDITY:
        return np.array([_has_ended(one) for one in documents], np.int16)
    values = [_value(one, by) for one in documents]
    if documents and not any(values):
        raise InputError(
            f"--partition-by {by!r}: no document has this field; take {HASH}, {VALIDITY}, a field of "
            "documents (language, type, issuer, status, year) or a key of their metadata"
        )
    common = [value for value, _ in sorted(Counter(values).items(), key=lambda one: (-one[1], one[0]))]
    numbers = {value: min(number, MOST - 1) for number, value in enumerate(common)}
    return np.array([numbers[value] for value in values], np.int16)


def _has_ended(document: Document) -> bool:
    status = (document.status or "").casefold()
    return document.valid_to is not None or status in {one.casefold() for one in OUT_OF_FORCE}


def _value(document: Document, field: str) -> str:
    value = document.metadata.get(field)
    if value is None and field in ("language", "type", "issuer", "status", "year"):
        value = getattr(document, field)
    return "" if value is None else str(value)
