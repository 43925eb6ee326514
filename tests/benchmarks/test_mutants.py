from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import mutants
from benchmarks.executed import Executed

SOURCE = '''
class Rule:
    def __repr__(self):
        return "words"

    async def apply(self, a: "words", b, log=3):
        """A docstring."""
        if a < b and a:
            log.info("said")
            raise ValueError("wrong")
        add((), help="Words.", timeout=7, least="-x")
        return max(round(b, a + 1), b, copy=False)
'''
CHANGES = {
    "a < b -> a <= b",
    "a < b and a -> a < b or a",
    "raise ValueError('wrong') -> pass",
    "add((), help='Words.', timeout=7, least='-x') -> pass",
    "'-x' -> ''",
    "return max(round(b, a + 1), b, copy=False) -> return None",
    "round(b, a + 1) -> round(a + 1, b)",
    "a + 1 -> a - 1",
    "1 -> 2",
    "1 -> 0",
}


def test_functions_get_each_kind_of_change_and_none_that_nobody_can_observe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rules.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.setattr(mutants, "PROJECT", tmp_path)
    drawn = {one.change for one in mutants.drawn([Path("rules.py")], 120, random.Random(0))}
    negated = {one for one in drawn if one.startswith("if ") and "-> if not (" in one}
    assert (len(negated), drawn - negated) == (1, CHANGES)


def test_the_nearest_tests_that_execute_the_function_come_first(tmp_path: Path) -> None:
    names = [
        "tests/ui/test_far.py::test_a",
        "tests/engine/test_near.py::test_slow",
        "tests/engine/test_near.py::test_quick",
        "tests/engine/test_rules.py::test_own",
        "tests/engine/test_rules.py::test_of_another_function",
        "tests/engine/test_never.py::test_b",
    ]
    seconds = dict(zip(names, (1.0, 2.0, 0.1, 9.0, 0.1, 0.1), strict=True))
    tests = {"engine/rules.py::Rule.apply": [0, 1, 2, 3], "engine/rules.py::other": [4]}
    path = tmp_path / "executed"
    path.write_text(json.dumps({"seconds": seconds, "tests": tests}))
    executed = Executed(path)
    *first, last = executed.batches(Path("engine/rules.py"), "Rule.apply")
    assert [[names.index(one) for one in batch] for batch in first] == [[3], [2, 1, 0]]
    assert [names.index(one) for one in last] == [4]
    # It may run at import: some tests of the module are tried.
    assert {names.index(one) for one in executed.batches(Path("engine/rules.py"), "unseen")[0]} == {3, 4}


def test_a_fault_is_noticed_by_a_test_that_executes_the_function(tmp_path: Path) -> None:
    """In one small file of the project: all is recorded, and one change is caught."""
    path = tmp_path / "executed"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    file = "tests/engine/test_arrays.py"
    recording = ["-m", "pytest", "-n0", "-p", "benchmarks.executed", "--executed", str(path), file]
    subprocess.run([sys.executable, *recording], check=True, env=environment)
    recorded = json.loads(path.read_text())
    assert all(one.startswith(file) for one in recorded["seconds"])
    assert "engine/arrays.py::distinct" in recorded["tests"]
    drawing = ["-m", "benchmarks.mutants", "--module", "engine/arrays.py", "--tries", "1", "--seed", "1"]
    mutants = [sys.executable, *drawing, "--executed", str(path)]
    tried = subprocess.run(mutants, check=True, env=environment, capture_output=True)
    assert b"caught 1 of 1" in tried.stdout
