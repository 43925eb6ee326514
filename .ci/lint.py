"""Count words and names that make the project hard to read; a count may only fall.

``python .ci/lint.py`` compares the counts with those in ``lint.json``; with ``--list`` it prints every hit,
with ``--lower`` it writes lower counts. ``words.txt`` is a dictionary of codespell: words and better ones.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
ALLOWED = HERE / "lint.json"
CODESPELL = ("codespell", "-D", str(HERE / "words.txt"), "--regex", "[A-Za-z]+", "-q", "3")
# Participles and adverbs that say neither what a function does nor what a thing is.
VAGUE = (
    "told|heard|asked|kept|wanted|meant|unseen|unheard|anew|again|apart|aside|whole|said|beside|given|known"
    "|led"
)
VAGUE_NAME = re.compile(rf"^_?({VAGUE})(_|$)|_(told|anew|aside|apart|beside|said|meanwhile)$")
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def words(files: list[str]) -> list[str]:
    """Return the places of words that the dictionary has."""
    return subprocess.run(
        [*CODESPELL, *files], capture_output=True, text=True, check=False
    ).stdout.splitlines()


def definitions(files: list[str]) -> Iterator[tuple[str, ast.stmt, str]]:
    """Yield the functions and classes of files with their files and names."""
    for file in files:
        for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))):
            if isinstance(node, DEFINITIONS):
                yield file, node, node.name


def repeated_classes(files: list[str]) -> list[str]:
    """Return names of classes that a folder has twice, with the folder."""
    classes = [
        f"{Path(file).parent}: {name}"
        for file, node, name in definitions(files)
        if isinstance(node, ast.ClassDef)
    ]
    return [name for name, count in Counter(classes).items() if count > 1]


def main() -> int:
    """Print the counts; return 1 if one has risen."""
    tracked = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split()
    source = [file for file in tracked if re.match(r"(engine|ui)/.*\.py$", file)]
    prose = [file for file in tracked if re.match(r"(docs/.*|README|CHANGELOG)\.md$", file)]
    found = {
        "words": words(source),
        "words in docs": words(prose),
        "vague names": [
            f"{file}:{node.lineno}: {name}"
            for file, node, name in definitions(source)
            if VAGUE_NAME.search(name)
        ],
        "classes twice in a folder": repeated_classes(source),
    }
    allowed: dict[str, int] = json.loads(ALLOWED.read_text()) if ALLOWED.exists() else {}
    if "--list" in sys.argv:
        print(*(f"{kind}: {hit}" for kind, hits in found.items() for hit in hits), sep="\n")
    for kind, hits in found.items():
        most = allowed.setdefault(kind, len(hits))
        advice = (
            "" if len(hits) == most else "; lower the number" if len(hits) < most else "; too many: --list"
        )
        print(f"{kind}: {len(hits)} of {most}{advice}")
    if "--lower" in sys.argv:
        lowered = {kind: min(len(found[kind]), most) for kind, most in allowed.items()}
        ALLOWED.write_text(json.dumps(lowered, indent=2) + "\n")
    return int(any(len(found[kind]) > most for kind, most in allowed.items()))


if __name__ == "__main__":
    sys.exit(main())
