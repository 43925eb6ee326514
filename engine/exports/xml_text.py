"""Text that is valid in XML 1.0."""

from __future__ import annotations

import re

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
REPLACEMENT = "\ufffd"


def for_xml(text: str) -> str:
    """Replace characters that are invalid in XML 1.0 by U+FFFD.

    These are control characters, surrogates and two noncharacters. https://www.w3.org/TR/xml/#charsets
    """
    return _FORBIDDEN.sub(REPLACEMENT, text)
