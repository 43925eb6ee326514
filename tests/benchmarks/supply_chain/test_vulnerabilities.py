"""Looking vulnerabilities up: what is an answer, what a failure. A script stands for pip-audit."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.supply_chain.vulnerabilities import looked_up

PINNED = {"one": "1.0", "two": "2.0"}
# What pip-audit 2.10 prints of a database that holds jinja2 2.10 and ``one``; ``two`` is not in it.
ANSWERS = """
import json, sys
arguments = sys.argv[1:]
pinned = open(arguments[arguments.index("--requirement") + 1]).read().split()
if SERVICE not in arguments:
    sys.exit("Traceback ...\\nConnectionError: nobody there")
def row(line):
    name, version = line.split("==")
    if name == "two":
        return {"name": name, "skip_reason": "not found"}
    known = {"jinja2": KNOWN, "one": ONE}[name]
    vulns = [{"id": i, "aliases": a, "fix_versions": f, "description": ""} for i, a, f in known]
    return {"name": name, "version": version, "vulns": vulns}
print(json.dumps({"dependencies": [row(line) for line in pinned], "fixes": []}))
sys.exit(any((KNOWN, ONE)))
"""
JINJA = [("PYSEC-2019-217", ["CVE-2019-10906"], ["2.10.1"])]
FOUND = [("PYSEC-2026-1", ["CVE-2026-5", "GHSA-aaaa"], ["1.1"])]


def command(folder: Path, known: object, one: object, service: str = "pypi") -> list[str]:
    """A command that answers as pip-audit does."""
    script = folder / "audit.py"
    script.write_text(f"KNOWN, ONE, SERVICE = {known!r}, {one!r}, {service!r}\n{ANSWERS}")
    return [sys.executable, str(script)]


def test_nothing_found_is_no_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert looked_up(command(tmp_path, JINJA, []), PINNED, {}, 60) == 0
    told = capsys.readouterr().out
    assert "1 of 2 packages looked up (PyPI)" in told
    assert "not in the database: two" in told
    assert "none found" in told


@pytest.mark.parametrize("service", ["pypi", "osv"])
def test_a_vulnerability_is_a_failure(
    tmp_path: Path, service: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert looked_up(command(tmp_path, JINJA, FOUND, service), PINNED, {}, 60) == 1
    assert (
        "one 1.0: PYSEC-2026-1, CVE-2026-5, GHSA-aaaa; mended in 1.1; NOT DECIDED" in capsys.readouterr().out
    )


@pytest.mark.parametrize("name", ["PYSEC-2026-1", "CVE-2026-5", "GHSA-aaaa"])
def test_one_that_is_accepted_is_told_with_its_reason(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    accepted = {name: "never called here", "CVE-1999-1": "long gone"}
    assert looked_up(command(tmp_path, JINJA, FOUND), PINNED, accepted, 60) == 0
    told = capsys.readouterr().out
    assert "accepted: never called here" in told
    assert "CVE-1999-1 is accepted and was not found" in told


def test_one_accepted_does_not_cover_another(tmp_path: Path) -> None:
    both = [*FOUND, ("PYSEC-2026-2", [], [])]
    assert looked_up(command(tmp_path, JINJA, both), PINNED, {"CVE-2026-5": "never called"}, 60) == 1


def test_a_database_that_does_not_know_what_all_know_is_not_believed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert looked_up(command(tmp_path, [], FOUND), PINNED, {}, 60) == 0
    told = capsys.readouterr().out
    assert "SKIPPED" in told
    assert "PyPI: does not know of jinja2 2.10" in told
    assert "OSV: ConnectionError: nobody there" in told


def test_no_database_in_time_is_told_as_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    waits = [sys.executable, "-c", "import sys, threading; threading.Event().wait(60)"]
    assert looked_up(waits, PINNED, {}, 0.3) == 0
    told = capsys.readouterr().out
    assert "SKIPPED" in told
    assert told.count("no answer in time") == 2


@pytest.mark.parametrize("answer", ["", "[]", "null", '{"dependencies": [{}], "fixes": []}', "<html>"])
def test_an_answer_of_another_form_is_none(answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert looked_up([sys.executable, "-c", f"print({answer!r})"], PINNED, {}, 60) == 0
    assert "SKIPPED" in capsys.readouterr().out
