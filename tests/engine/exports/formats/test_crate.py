"""The crate as the package of RO-Crate reads it, and what it says of the machine: nothing."""

from __future__ import annotations

import getpass
import io
import platform
import socket
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from rocrate.rocrate import ROCrate

from engine.exports.private import without_machine
from engine.exports.reading import read
from engine.exports.registry import HandedOver, export_of, exports
from engine.records.store.chain import broken
from tests.conftest import ROOT
from tests.engine.exports.cases import ASKED, EMPTY, FORGED, GAPS, KINDS, NOTES, ORDINARY, WHO
from tests.engine.exports.conftest import Cases


def as_read(case: HandedOver, folder: Path) -> ROCrate:
    """A crate as another program reads it."""
    path = folder / "case.zip"
    path.write_bytes(export_of("rocrate").write(case))
    return ROCrate(path)


def files_of(case: HandedOver) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(export_of("rocrate").write(case))) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_read_and_names_every_file(kind: str, cases: Cases, tmp_path: Path) -> None:
    crate, files = as_read(cases[kind], tmp_path), files_of(cases[kind])
    assert crate.version == "1.1"
    assert {entity.id for entity in crate.data_entities} == files.keys() - {"ro-crate-metadata.json"}
    for entity in crate.data_entities:
        assert int(entity["contentSize"]) == len(files[entity.id])
        assert entity["encodingFormat"]
    summary = cases[kind].summary
    assert crate.name == (cases[kind].record["question"] if summary is None else summary.name)
    assert "licence is unknown" in crate.license["description"]
    assert crate.root_dataset["datePublished"]


def test_everything_that_can_be_written_is_in_it(cases: Cases) -> None:
    for kind in (GAPS, EMPTY):
        files, case = files_of(cases[kind]), cases[kind]
        told = orjson.loads(files["ro-crate-metadata.json"])["@graph"][0]["description"]
        for name, export in exports().items():
            if name != "rocrate":
                assert f"case{export.suffix}" in files or f"Not in it: {export.title} (" in told
        saved = orjson.loads(files["case.json"])
        # The file is sealed: by the events of a kept case, by one that says it was written of another.
        events = saved.pop("case")["events"]
        assert [event["kind"] for event in events][:2] == ["opened", "ran"]
        if case.summary is not None:
            assert events == [event.values() for event in case.events]
        assert saved == case.record


def test_a_kept_case_brings_its_events_and_notes(cases: Cases, tmp_path: Path) -> None:
    case, files = cases[GAPS], files_of(cases[GAPS])
    assert case.summary is not None
    events = orjson.loads(files["events.json"])["events"]
    assert events == [event.values() for event in case.events]
    # As somebody else would check: nothing was changed, and earlier records are not in it.
    said = broken(case.summary.id, case.events, events[-1]["hash"], {})
    assert all(one.endswith("is missing") for one in said)
    assert files["notes.txt"].decode() == NOTES
    summary = orjson.loads(files["summary.json"])
    assert (summary["verdict"], summary["fingerprint"]) == ("supported", "f" * 64)
    assert case.summary.matter not in repr(files)
    crate = as_read(case, tmp_path)
    [action] = crate.get_by_type("CreateAction")
    assert {person["name"] for person in crate.get_by_type("Person")} == {WHO, "Bob"}
    assert (action["agent"]["name"], action["object"]["identifier"]) == (WHO, "f" * 64)
    assert action["instrument"]["softwareVersion"] == case.summary.engine
    assert action["startTime"].startswith(case.record["started"][:19])


def unpacked(data: bytes) -> bytes:
    """All that stands in a file, also in one that is a zip itself."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return data
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return b"".join(name.encode() + archive.read(name) for name in archive.namelist())


def test_it_says_nothing_of_the_machine(cases: Cases, tmp_path: Path) -> None:
    named = [str(ROOT), str(tmp_path.parent), "127.0.0.1", platform.release()]
    # Short ones are part of many a word.
    named += [name for name in (socket.gethostname(), getpass.getuser()) if len(name) > 5]
    for kind in KINDS:
        whole = b"".join(map(unpacked, files_of(cases[kind]).values()))
        assert [own for own in named if own.encode() in whole] == []


def test_folders_and_addresses_are_taken_out_of_a_copy(cases: Cases) -> None:
    record: dict[str, Any] = orjson.loads(orjson.dumps(dict(cases[ORDINARY].record)))
    record["settings"]["reranker"] = "ce:/home/anna/models/judge"
    record["model"] = "openai:m@http://10.0.0.7:8000/v1?context=4096"
    record["notes"] = ["gap queries: m at 10.0.0.7:8000 cannot be reached", "/home/anna/x.bin: no model"]
    record["rounds"][0]["retrievers"][0]["off"] = "/home/anna/x.bin is missing"
    case = HandedOver(record)
    before = orjson.dumps(record)
    whole = b"".join(files_of(case).values())
    assert orjson.dumps(record) == before
    assert b"anna" not in whole
    assert b"10.0.0.7" not in whole
    told = files_of(case)
    assert orjson.loads(told["case.json"])["model"] == "openai:m?context=4096"
    assert (
        "taken out of the record" in orjson.loads(told["ro-crate-metadata.json"])["@graph"][0]["description"]
    )


@pytest.mark.parametrize("kind", [ORDINARY, EMPTY, GAPS])
def test_a_record_that_says_nothing_of_it_stays_as_it_is(kind: str, cases: Cases) -> None:
    record = cases[kind].record
    assert without_machine(record) == record
    assert read(without_machine(record)).state == read(record).state


def test_nothing_in_a_name_leaves_the_folder(cases: Cases) -> None:
    for name in files_of(cases[FORGED]):
        assert name == Path(name).name
    with zipfile.ZipFile(io.BytesIO(export_of("rocrate").write(cases[FORGED]))) as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {2026}


def test_a_time_that_a_zip_cannot_say_is_none_for_it(cases: Cases) -> None:
    record = dict(cases[EMPTY].record)
    for started in ("0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00"):
        case = replace(cases[EMPTY], record=record | {"started": started, "milliseconds": 0})
        assert "case.json" in files_of(case)


def test_the_model_is_told_by_its_name(cases: Cases, tmp_path: Path) -> None:
    [action] = as_read(cases[ASKED], tmp_path).get_by_type("CreateAction")
    assert action["instrument"][0]["name"] == "Redstring"
    assert len(action["instrument"]) == 2
