"""What a source may import, told without parsing it: words of its texts may be among it."""

from __future__ import annotations

import re

# A statement begins a line, or stands behind a colon or semicolon.
_IMPORT = re.compile(r"(?:^|[:;])[ \t]*(?:from[ \t]+([\w.]+)|import[ \t]+([^\n;#]+))", re.MULTILINE)


def perhaps_imported(text: str) -> set[str]:
    """The modules that stand behind ``from`` or ``import``, and more."""
    return {
        one.split()[0]
        for first, several in _IMPORT.findall(text)
        for one in (first or several).split(",")
        if one.strip()
    }
