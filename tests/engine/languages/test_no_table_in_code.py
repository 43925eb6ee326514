"""What differs by language stands in the language's folder: code that names a language is counted."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.languages import codes

ENGINE = Path(__file__).parents[3] / "engine"
# Codes that are names of fields too: they count only beside another code, or where a language is compared.
FIELDS = frozenset(("id", "it", "no", "tr", "th"))
# So often each names a language. More is a table that belongs into the folders; fewer is to be written here.
ALLOWED = {
    "corpus/contract.py": 2,
    "corpus/ontology.py": 4,
    "ingestion/readers/markdown.py": 1,
    "language/aliases.py": 9,
    "language/analysis.py": 3,
    "language/clustering.py": 7,
    "language/detection.py": 1,
    "language/embedders/transformer.py": 1,
    "language/names.py": 5,
    "language/references/definitions.py": 7,
    "language/references/documents.py": 1,
    "language/references/lookup.py": 2,
    "language/references/names.py": 1,
    "language/references/provisions.py": 1,
    "language/statements/lexicon.py": 1,
    "language/statements/numbers.py": 2,
    "language/statements/quantities.py": 2,
    "language/terms.py": 5,
    "ontology/applying.py": 3,
}


def named(tree: ast.AST, known: frozenset[str]) -> Iterator[str]:
    """The language codes of a module: keys and members of tables, and what languages are compared to."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            yield from _members([key for key in node.keys if key is not None], known)
            yield from _members(node.values, known)
        elif isinstance(node, ast.Tuple | ast.List | ast.Set):
            yield from _members(node.elts, known)
        elif isinstance(node, ast.Compare):
            if any(_is_language(one) for one in (node.left, *node.comparators)):
                yield from _codes((node.left, *node.comparators), known)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("startswith", "get") and _is_language(node.func.value):
                yield from _codes(node.args, known)
        elif isinstance(node, ast.Subscript):
            yield from (code for code in _codes((node.slice,), known) if code not in FIELDS)


def _members(nodes: list[ast.expr], known: frozenset[str]) -> list[str]:
    found = _codes(nodes, known)
    return found if set(found) - FIELDS and len(found) * 2 >= len(nodes) else []


def _codes(nodes: tuple[ast.expr, ...] | list[ast.expr], known: frozenset[str]) -> list[str]:
    return [
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in known
    ]


def _is_language(node: ast.expr) -> bool:
    return any(word in ast.unparse(node) for word in ("language", "base"))


def counted() -> dict[str, int]:
    """How often each module of the engine names a language, those that do not left out."""
    known = frozenset(codes())
    found = Counter[str]()
    for path in sorted(ENGINE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if any(f'"{code}"' in text for code in known):
            found[str(path.relative_to(ENGINE))] = sum(1 for _ in named(ast.parse(text), known))
    return {name: count for name, count in found.items() if count}


def test_no_module_names_more_languages_than_it_may() -> None:
    assert counted() == ALLOWED


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('WORDS = {"de": 1, "fr": 2}', ["de", "fr"]),
        ('SOME = frozenset(("zh", "ja"))', ["zh", "ja"]),
        ('if language == "id": pass', ["id"]),
        ('if passage.language.startswith("ar"): pass', ["ar"]),
        ('x = names["en"]', ["en"]),
        ('x = record["id"]', []),
        ('x = {"id": 1, "text": 2}', []),
    ],
)
def test_what_names_a_language(code: str, expected: list[str]) -> None:
    assert list(named(ast.parse(code), frozenset(codes()))) == expected
