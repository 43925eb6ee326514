from __future__ import annotations

import re

from ui.palette import palette_css
from ui.templating import ASSETS

# Set in the style of an element by us, or by Gradio.
ON_ELEMENTS = {"c", "v", "at", "level", "low", "high", "range_progress"}
USED = re.compile(r"var\(--([\w-]+)\)")


def test_what_style_sheets_use_is_defined() -> None:
    sheets = [path.read_text(encoding="utf-8") for path in sorted(ASSETS.glob("*.css"))]
    text = "\n".join([*sheets, palette_css()])
    defined = set(re.findall(r"(?<![\w-])--([\w-]+)\s*:", text))
    scripts = "\n".join(path.read_text(encoding="utf-8") for path in sorted(ASSETS.glob("*.js")))
    defined |= set(re.findall(r'setProperty\("--([\w-]+)"', scripts)) | ON_ELEMENTS
    assert set(USED.findall(text)) <= defined
