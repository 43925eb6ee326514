"""Write the expected outputs again: ``python -m tests.golden.rewrite [PART ...]``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import orjson

import tests.conftest  # noqa: F401  # No setting of this machine changes an output.
from tests.golden.outputs import EXPECTED, PARTS, Outputs


def main() -> None:
    """Write the outputs of the parts that are named, or of all."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = Outputs(Path(folder) / "golden")
        for part in sys.argv[1:] or PARTS:
            lines = [orjson.dumps({"name": name, "text": text}) for name, text in outputs.of(part).items()]
            (EXPECTED / f"{part}.jsonl").write_bytes(b"\n".join(lines) + b"\n")


if __name__ == "__main__":
    main()
