from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

from benchmarks.mutations import PROJECT, mutations


def test_each_defence_stands_once_where_its_row_says_and_its_tests_are_there() -> None:
    """A row that no longer fits would go unnoticed until somebody runs the table."""
    wrong = []
    for row in mutations():
        file = PROJECT / row.file
        if not file.is_file() or file.read_text(encoding="utf-8").count(row.old) != 1 or row.old == row.new:
            wrong.append(row.defence)
        wrong += [test for test in row.tests if not (PROJECT / test.partition("::")[0]).exists()]
    assert wrong == []


def test_no_replacement_fails_by_an_unknown_name(tmp_path: Path) -> None:
    """Any test notices a NameError: it would not show that the defence is protected."""
    for number, row in enumerate(mutations()):
        if row.file.suffix == ".py":
            changed = (PROJECT / row.file).read_text(encoding="utf-8").replace(row.old, row.new)
            (tmp_path / f"m{number}.py").write_text(changed, encoding="utf-8")
    command = ["ruff", "check", "--isolated", "--no-cache", "--select", "F821", "--output-format", "concise"]
    checked = subprocess.run([*command, tmp_path], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_no_defence_is_named_twice() -> None:
    assert [name for name, times in Counter(row.defence for row in mutations()).items() if times > 1] == []
