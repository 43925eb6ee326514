"""The sample corpus as it ships: made from its sources into ``sample_data/built``.

    python -m benchmarks.built_sample

To be run where the sources change, the format of corpora does, or what an ingestion finds in them: a test
tells. Needs the packaged model.
"""

from __future__ import annotations

import shutil
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.corpus.embedded.publication import LOCK_NAME
from engine.ingestion.build import build_corpus
from engine.operator_settings import PROJECT
from ui.sample import BUILT, MODEL, NAME, SOURCES, folder_name


def main() -> None:
    """Build, and put the corpus in the place of the one before."""
    with TemporaryDirectory(dir=PROJECT / "sample_data") as made, chdir(PROJECT):
        folder = Path(made) / folder_name(SOURCES)
        # A corpus remembers the names of its files as they were given: none of this machine.
        report = build_corpus([SOURCES.relative_to(PROJECT)], folder, name=NAME, embedding=MODEL)
        (folder / LOCK_NAME).unlink()
        shutil.rmtree(BUILT, ignore_errors=True)
        BUILT.mkdir()
        shutil.move(folder, BUILT)
    print(f"{BUILT / folder.name}: {report.documents} documents, {report.passages} passages")


if __name__ == "__main__":
    main()
