from __future__ import annotations

import random
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks import mutants

SOURCE = '''
def rule(a: "words", b, log=3):
    """A docstring."""
    if a < b and a:
        log.info("said")
        raise ValueError("wrong")
    add((), help="Words.", least="-x")
    return max(a + 1, b)
'''
CHANGES = {
    "a < b -> a <= b",
    "a < b and a -> a < b or a",
    "raise ValueError('wrong') -> pass",
    "add((), help='Words.', least='-x') -> pass",
    "'-x' -> ''",
    "return max(a + 1, b) -> return None",
    "max(a + 1, b) -> max(b, a + 1)",
    "a + 1 -> a - 1",
    "1 -> 2",
    "1 -> 0",
}


def test_functions_run_each_kind_of_change_and_none_is_of_wording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rules.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.setattr(mutants, "PROJECT", tmp_path)
    drawn = {one.change: one for one in mutants.drawn([Path("rules.py")], 120, random.Random(0))}
    negated = {one for one in drawn if one.startswith("if ") and "-> if not (" in one}
    assert (len(negated), drawn.keys() - negated) == (1, CHANGES)

    module = ModuleType("rules")
    module.__dict__["add"] = dict
    exec(compile(SOURCE, tmp_path / "rules.py", "exec"), vars(module))
    held = module.rule
    for change, result in (
        ("a + 1 -> a - 1", 1),
        ("1 -> 2", 4),
        ("return max(a + 1, b) -> return None", None),
    ):
        assert mutants.put(drawn[change].code) == 1
        assert held(2, 1) == result
