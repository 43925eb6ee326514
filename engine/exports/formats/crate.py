"""Everything in one zip, an RO-Crate 1.1: the record, every format that can be written, events, notes, and
metadata that say what is what. https://www.researchobject.org/ro-crate/specification/1.1/

The same case gives the same bytes. What the record says of the machine (folders, the address of a language
model) is left out.
"""

from __future__ import annotations

from dataclasses import replace

from engine.exports.crate.files import files_of
from engine.exports.crate.metadata import metadata_of
from engine.exports.crate.packing import packed
from engine.exports.private import without_machine
from engine.exports.reading import record_in
from engine.exports.registry import Export, HandedOver

NAME = "rocrate"


def write(case: HandedOver) -> bytes:
    """The zip. Formats that have nothing to write for this case are named in its description."""
    record_in(case)
    clean = replace(case, record=without_machine(case.record), today=None)
    record = record_in(clean)
    is_whole = record.state == record_in(case).state
    files, left_out = files_of(clean, without=NAME)
    metadata = metadata_of(clean, record, files, left_out, is_whole=is_whole)
    return packed(
        {"ro-crate-metadata.json": metadata, **{one.path: one.data for one in files}}, record.started
    )


EXPORT = Export(
    NAME,
    "Research object (RO-Crate)",
    "archives, repositories, a colleague: everything in one zip, with metadata",
    ".crate.zip",
    "application/zip",
    write,
)
