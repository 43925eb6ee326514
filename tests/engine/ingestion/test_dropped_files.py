"""Real files of every kind, dropped in one go: each is read, or the report says why not.

All but some long ones, which the tests of their readers read: ``readers`` and ``trees`` beside this file.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from engine.ingestion.build import build_corpus
from engine.ingestion.report import FileReport, FileStatus, IngestionReport

DATA = Path(os.environ.get("REDSTRING_DATA") or Path(__file__).resolve().parents[4] / "shared" / "data")
RAW = DATA / "raw"
LEFT_OUT = {
    # Read in readers/pdf/test_corpora.py.
    "kuh-perdata_indonesian-civil-code.pdf",
    "federal-register-2020-17221_three-column.pdf",
    "vietnamese-judgment-civil.pdf",
    "id-uu-10-2020-bea-meterai.pdf",
    "nics-2015-11_rotated-table.pdf",
    # Compared with their sections in trees.
    "id-pp-1-2021.pdf",
    "uae-decree-law-39-2022_arabic.pdf",
    "civil_transactions_sa.json",
    "gdpr-de.xml",
    "gdpr-fr.xml",
}

# What has no text, by the words that must stand in the report.
NOT_READ = {
    "image-only-ccitt.pdf": "no text layer",
    "scanned_ocr-test.pdf": "no text layer",
    "scanned_rotated-90.pdf": "no text layer",
    "tiny-472-bytes-issue-297.pdf": "no text",
    "zero-bytes.pdf": "empty",
}

pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(not RAW.is_dir(), reason=f"no files beside the project ({RAW.name})"),
]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> IngestionReport:
    folder = tmp_path_factory.mktemp("dropped")
    shutil.copytree(RAW, folder / "raw", ignore=shutil.ignore_patterns(*LEFT_OUT))
    passwords = ("test", "openpassword")
    return build_corpus([folder / "raw"], folder / "corpus", embedding="none", passwords=passwords)


def by_name(report: IngestionReport) -> dict[str, FileReport]:
    return {Path(file.name).name: file for file in report.files}


def test_every_file_is_in_the_report(report: IngestionReport) -> None:
    files = {path.name for path in RAW.rglob("*") if path.is_file()} - {"manifest.tsv"} - LEFT_OUT
    assert set(by_name(report)) == files
    assert len(files) == 59
    assert [Path(problem.path).name for problem in report.skipped] == ["manifest.tsv"]


def test_what_is_not_read_has_its_reason(report: IngestionReport) -> None:
    missing = {
        name: file.reason for name, file in by_name(report).items() if file.status is FileStatus.NOT_READ
    }
    assert set(missing) == set(NOT_READ), missing
    for name, words in NOT_READ.items():
        assert words in missing[name]
