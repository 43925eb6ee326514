"""A zip of which the same files make the same bytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime

# What a zip can say of a time begins there.
FIRST_YEAR, LAST_YEAR = 1980, 2107
_MODE, _UNIX = 0o644 << 16, 3


def packed(files: Mapping[str, bytes], when: datetime) -> bytes:
    """The files in a zip, each said to be of the time ``when``."""
    moment = when.astimezone(UTC)
    year = min(max(moment.year, FIRST_YEAR), LAST_YEAR)
    made = (year, moment.month, moment.day, moment.hour, moment.minute, moment.second)
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, made)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, _MODE, _UNIX
            archive.writestr(entry, data)
    return whole.getvalue()
