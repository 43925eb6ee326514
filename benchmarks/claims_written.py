"""How often the audit is right about claims in a person's words: paraphrases, and law got wrong.

    python -m benchmarks.claims_written --corpora DIR [--half tuning] [--wrong] [--json FILE]

``claims/written.tsv`` was written by a developer of the check, from the texts, before its findings on them
were seen; claims of others tell more. ``DIR`` holds the ingested corpora by name (adgm, de, gdpr, fr, sample,
id, ar, zh). A hash of a claim's words puts it into one of two halves; the half "held out" was looked at once,
when the rules were done. ``--wrong`` lists claims of the tuning half only.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.making.material import HELD_OUT, SAYS_SO, TUNING, Claim
from benchmarks.making.measuring import Outcome, audited, markdown, table
from engine.errors import InputError

CLAIMS = Path(__file__).parent / "claims" / "written.tsv"
# Where the claims about a collection find its corpus, by the names of the corpora in use.
FOLDERS = {
    "adgm": ("adgm", "adgm_words"),
    "de": ("de", "de_bundesrecht"),
    "gdpr": ("gdpr", "eu_gdpr_24lang"),
    "fr": ("fr", "fr_codes_versions"),
    "sample": ("sample", "meridia"),
    "id": ("id", "id_kuhperdata"),
    "ar": ("ar", "sa_laws_ar"),
    "zh": ("zh", "cn_admin_regs"),
}
TRUE, FALSE = "true", "false"
NOT_SAID = ("contradicted", "partly", "related", "not_in_corpus", "wrong_pinpoint")


def written(path: Path = CLAIMS) -> list[Claim]:
    """The claims of the file. Raises InputError for a collection or truth that is not known."""
    claims = []
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["collection"] not in FOLDERS or row["truth"] not in (TRUE, FALSE):
                raise InputError(f"{path}: no collection {row['collection']!r} or truth {row['truth']!r}")
            true = row["truth"] == TRUE
            claims.append(
                Claim(
                    row["collection"],
                    row["language"],
                    row["truth"],
                    row["kind"],
                    row["claim"],
                    row["claim"],
                    row["claim"],
                    "",
                    "",
                    ("supported",) if true else (*NOT_SAID, "no_such_provision", "citation_not_understood"),
                    ("contradicted",) if true else SAYS_SO,
                )
            )
    return claims


def folders(corpora: Path) -> dict[str, Path]:
    """The corpora that are there, by the collection's name."""
    found = {}
    for name, named in FOLDERS.items():
        there = next((corpora / one for one in named if (corpora / one).is_dir()), None)
        if there is not None:
            found[name] = there
    return found


def report(outcomes: Sequence[Outcome], half: str) -> str:
    """The tables of one half."""
    mine = [one for one in outcomes if one.claim.half == half]
    told = {
        "half": half,
        "claims": len(mine),
        "claims_per_second": "-",
        "tables": {
            "By truth": table(mine, ["kind"]),
            "By truth and collection": table(mine, ["kind", "collection", "language"]),
            "By truth and way": table(mine, ["kind", "how"]),
        },
        "overlap": {"threshold": None},
    }
    return markdown(told).replace("# Generated claims", "# Written claims")


def main() -> None:
    """Audit the claims, print the table of each half."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--corpora", required=True, type=Path, metavar="DIR")
    parser.add_argument("--claims", type=Path, default=CLAIMS, metavar="FILE")
    parser.add_argument("--half", choices=(TUNING, HELD_OUT), help="one half only")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="these collections only")
    parser.add_argument("--wrong", action="store_true", help="list what is found otherwise, tuning half only")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    there = folders(options.corpora)
    there = {name: folder for name, folder in there.items() if not options.only or name in options.only}
    claims = [one for one in written(options.claims) if options.half in (None, one.half)]
    outcomes, seconds = audited(claims, there)
    for one in outcomes:
        if options.wrong and one.claim.half == TUNING and not one.is_wanted:
            claim = one.claim
            print(
                f"{claim.kind} ({claim.how}) {claim.collection}: {one.found}: {claim.text}\n   {one.reason}"
            )
    for half in [options.half] if options.half else [TUNING, HELD_OUT]:
        print(report(outcomes, half))
    print(f"{len(outcomes)} claims in {seconds:.0f} s")
    if options.json:
        rows = [{**one.claim.to_json(), "found": one.found, "reason": one.reason} for one in outcomes]
        options.json.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
