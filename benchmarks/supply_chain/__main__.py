"""What Redstring is made of; docs/supply-chain.md says more.

    python -m benchmarks.supply_chain bill [--to FILE]   a bill of materials (CycloneDX 1.6, JSON)
    python -m benchmarks.supply_chain licences           a table of licences, what waits for a decision first
    python -m benchmarks.supply_chain pins               versions of this environment into requirements*.txt
    python -m benchmarks.supply_chain vulnerabilities    look the pinned versions up in a database

The exit code is 1 where a licence or a vulnerability is not decided upon in ``decisions.toml``. The last
command needs nothing that is not in Python itself.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.supply_chain.requirements import DEVELOPMENT, RequirementsError

# Module and function by command. Each is imported by itself: vulnerabilities are looked up where nothing is
# installed yet.
COMMANDS = {
    "bill": ("licences", "write_bill"),
    "licences": ("licences", "show_licences"),
    "pins": ("closure", "write_pins"),
    "vulnerabilities": ("vulnerabilities", "main"),
}


def main() -> int:
    """Carry out one command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.supply_chain",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in COMMANDS:
        command = commands.add_parser(name)
        if name == "bill":
            command.add_argument("--to", type=Path, help="a file, instead of the terminal")
    options = vars(parser.parse_args())
    module, function = COMMANDS[options.pop("command")]
    try:
        code: int = getattr(import_module(f"benchmarks.supply_chain.{module}"), function)(**options)
    except ModuleNotFoundError as error:
        return _failed(f"{error.name} is not installed: pip install -r {DEVELOPMENT}")
    except (RequirementsError, OSError) as error:
        return _failed(str(error))
    return code


def _failed(why: str) -> int:
    print(f"supply_chain: {why}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
