"""``python -m tests.engine.ingestion.cluster.apart FOLDER MODULE ARGUMENT...``: run a module as if on another
machine, which sees nothing of the tests' folder for temporary files but what is below FOLDER."""

from __future__ import annotations

import os
import sys
from functools import reduce
from operator import or_
from pathlib import Path
from tempfile import gettempdir

from landlockpy import AccessFS, AccessNet, Ruleset


def main() -> None:
    """Confine this process, then become the module."""
    folder, module, *arguments = sys.argv[1:]
    temporary = Path(gettempdir()).resolve()
    hidden = next(path for path in Path(folder).resolve().parents if path.parent == temporary)
    # What stands beside the way there, level by level: there the interpreter and this project are, too.
    ways = [hidden, *hidden.parents]
    seen = [path for way in ways[1:] for path in way.iterdir() if path not in ways]
    everything = reduce(or_, AccessFS)
    with Ruleset(handled_net=AccessNet.NONE) as rules:
        for path in (*seen, Path(folder)):
            if path.is_dir():
                rules.allow_path(str(path), everything)
        rules.restrict()
    os.environ["TMPDIR"] = folder
    os.execv(sys.executable, [sys.executable, "-P", "-m", module, *arguments])


if __name__ == "__main__":
    main()
