"""Write the expected outputs again: ``python -m tests.golden.rewrite [PART ...]``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import orjson

from engine.ingestion.build import build_corpus
from tests.conftest import SAMPLE, SAMPLE_NAME  # It leaves no setting of this machine.
from tests.golden.outputs import EXPECTED, PARTS, Outputs


def main() -> None:
    """Write the outputs of the parts that are named, or of all."""
    with tempfile.TemporaryDirectory() as folder:
        sample = Path(folder) / "sample"
        build_corpus([SAMPLE], sample, name=SAMPLE_NAME, embedding="none")
        outputs = Outputs(Path(folder) / "golden", sample)
        for part in sys.argv[1:] or PARTS:
            lines = [orjson.dumps({"name": name, "text": text}) for name, text in outputs.of(part).items()]
            (EXPECTED / f"{part}.jsonl").write_bytes(b"\n".join(lines) + b"\n")


if __name__ == "__main__":
    main()
