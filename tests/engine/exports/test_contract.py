"""What holds for every format, those of others too: it writes any case or says why not, and changes none."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from engine.errors import InputError
from engine.exports.cases import ExportableCase, export_of, exports
from tests.conftest import ROOT
from tests.engine.exports.cases import KINDS, ORDINARY
from tests.engine.exports.conftest import Cases

# A sentence has at least so many letters.
SENTENCE = 20
_IN_ANOTHER_PROCESS = """
import hashlib, sys, orjson
from pathlib import Path
from engine.errors import InputError
from engine.exports.cases import ExportableCase, exports
record = orjson.loads(Path(sys.argv[1]).read_bytes())
found = {}
for name, export in exports().items():
    try:
        found[name] = hashlib.sha256(export.write(ExportableCase(record))).hexdigest()
    except InputError as error:
        found[name] = str(error)
print(orjson.dumps(found).decode())
"""


def written(name: str, case: ExportableCase) -> bytes | str:
    """The bytes of a format, or why there are none."""
    try:
        return export_of(name).write(case)
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", exports())
def test_it_writes_bytes_or_says_why_not_and_changes_nothing(name: str, kind: str, cases: Cases) -> None:
    case = cases[kind]
    before = orjson.dumps(dict(case.record)), [event.values() for event in case.events]
    first = written(name, case)
    assert written(name, case) == first, "the same case twice"
    assert (orjson.dumps(dict(case.record)), [event.values() for event in case.events]) == before
    assert first
    if isinstance(first, str):
        assert len(first) >= SENTENCE
        assert "\n" not in first


def test_another_process_writes_the_same(cases: Cases, tmp_path: Path) -> None:
    record = cases[ORDINARY].record
    saved = tmp_path / "record.json"
    saved.write_bytes(orjson.dumps(dict(record)))
    done = subprocess.run(
        [sys.executable, "-c", _IN_ANOTHER_PROCESS, str(saved)],
        env={**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"},
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    own = {name: written(name, ExportableCase(record)) for name in exports()}
    assert orjson.loads(done.stdout) == {
        name: hashlib.sha256(one).hexdigest() if isinstance(one, bytes) else one for name, one in own.items()
    }
