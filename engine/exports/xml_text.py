"""Text that XML 1.0 can hold."""

from __future__ import annotations

import re

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
REPLACEMENT = "\ufffd"


def for_xml(text: str) -> str:
    """A text in which what XML 1.0 forbids (control characters, halves of surrogate pairs, two
    noncharacters) is replaced by U+FFFD. https://www.w3.org/TR/xml/#charsets"""
    return _FORBIDDEN.sub(REPLACEMENT, text)
