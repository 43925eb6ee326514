from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.language.characters import attribute, escape, markdown

ROOT = Path(__file__).parents[3]
PLAIN_ESCAPE = re.compile(r"html\.escape|from html import.*\bescape|saxutils|markupsafe")


def test_there_is_one_escape() -> None:
    own = ROOT / "engine" / "language" / "characters.py"
    sources = [*ROOT.glob("engine/**/*.py"), *ROOT.glob("ui/**/*.py")]
    found = [path.relative_to(ROOT) for path in sources if PLAIN_ESCAPE.search(path.read_text("utf-8"))]
    assert found == [own.relative_to(ROOT)]


def test_markup_is_text_and_nothing_is_hidden() -> None:
    assert escape("<b>not \u202eelbail</b>") == "&lt;b&gt;not ⟦U+202E⟧elbail&lt;/b&gt;"
    assert escape("'\"", quote=False) == "'\""
    assert attribute('a\u200bb"') == "a\u200bb&quot;"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<script>x</script>", r"\<script\>x\</script\>"),
        ("![a](http://x)", r"!\[a\](http://x)"),
        ("&lt;b&gt;", r"\&lt;b\&gt;"),
        ("not \u202eelbail", "not ⟦U+202E⟧elbail"),
        ("li\u200bable", "li⟦U+200B⟧able"),
    ],
)
def test_text_in_markdown_is_one_line_of_text(text: str, expected: str) -> None:
    assert markdown(text) == expected
