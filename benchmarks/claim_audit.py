"""Accuracy of the audit on claims: generated from real law by rules, or written by people.

    python -m benchmarks.claim_audit --corpora DIR --half tuning --kinds copied changed --outcomes FILE
    python -m benchmarks.claim_audit --corpora DIR --claims benchmarks/claims/written.tsv

``DIR`` has ingested corpora by name (adgm, de, gdpr, fr, id, sample, ar, zh). Generated claims are the same
in every run; ``claims/making`` has the word lists, one file for each language. A hash of a claim's words puts
it into one of two halves; development uses only the half "tuning".

``claims/written.tsv`` was written by a developer of the check, from the texts, before its findings on them
were seen: paraphrases, and law got wrong. ``--claims`` also reads files with the column ``corpus``, which has
names of the data sets; others wrote them. ``--write FILE`` writes the claims.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks import new_parser
from benchmarks.making.changing import changed, paraphrased
from benchmarks.making.copying import copied, invented, pinpoints
from benchmarks.making.material import (
    CHANGED,
    COPIED,
    HELD_OUT,
    INVENTED,
    KINDS,
    PARAPHRASE,
    PINPOINT,
    SAYS_SO,
    TUNING,
    Claim,
    Collection,
    collections,
    seeded,
)
from benchmarks.making.measuring import Outcome, audited, markdown
from engine.errors import InputError

ALL = "all"
# The collection and language of a data set in a file of claims.
DATA_SETS = {
    "obliqa_adgm": ("adgm", "en"),
    "de_bundesrecht": ("de", "de"),
    "eu_gdpr_24lang": ("gdpr", "en"),
}
# The folders that may have the corpus of a collection, the preferred first.
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
# Correct findings on a false claim: of another person, and of ``claims/written.tsv``.
NOT_SAID = ("contradicted", "partly", "related", "not_in_corpus", "citation_not_understood")
NOT_SAID_WRITTEN = (*NOT_SAID, "wrong_pinpoint", "no_such_provision")
MAKERS: dict[str, Callable[[Sequence[Collection]], Iterator[Claim]]] = {
    COPIED: copied,
    INVENTED: invented,
    PINPOINT: pinpoints,
    CHANGED: changed,
    PARAPHRASE: paraphrased,
}


def read_claims(path: Path) -> Iterator[Claim]:
    """Yield claims that people wrote. Raises InputError for an unknown collection or truth."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            name, language = DATA_SETS.get(
                row.get("corpus", ""), (row.get("collection", ""), row.get("language", ""))
            )
            if name not in FOLDERS or row["truth"] not in ("true", "false"):
                where = row.get("corpus", name)
                raise InputError(f"{path}: unknown collection {where!r} or truth {row['truth']!r}")
            text, is_true = row["claim"], row["truth"] == "true"
            not_said = NOT_SAID if "corpus" in row else NOT_SAID_WRITTEN
            wanted, wrong = (("supported",), ("contradicted",)) if is_true else (not_said, SAYS_SO)
            yield Claim(name, language, row["truth"], row["kind"], text, text, text, "", "", wanted, wrong)


def folders_in(corpora: Path) -> dict[str, Path]:
    """Return the corpora that exist, by collection."""
    found = {name: [corpora / one for one in names] for name, names in FOLDERS.items()}
    return {
        name: there[0] for name, paths in found.items() if (there := [one for one in paths if one.is_dir()])
    }


def main() -> None:
    """Read or generate the claims, audit them, print and write."""
    options = _options()
    if options.claims:
        folders = {
            name: folder
            for name, folder in folders_in(options.corpora).items()
            if not options.only or name in options.only
        }
        claims = [one for one in read_claims(options.claims) if one.collection in folders]
    else:
        found = list(collections(options.corpora, options.only))
        folders = {one.name: one.folder for one in found}
        claims = [claim for kind in options.kinds for claim in MAKERS[kind](found)]
    if not folders:
        raise SystemExit(f"{options.corpora} has none of the corpora")
    half = options.half or (ALL if options.claims else TUNING)
    claims = [one for one in claims if half in (ALL, one.half)]
    if options.write:
        lines = (json.dumps(one.to_json(), ensure_ascii=False) for one in claims)
        options.write.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if options.made_only:
        print(f"{len(claims):,} claims")
        return
    outcomes, seconds = audited(claims, folders)
    if options.wrong:
        _print_wrong(outcomes, options.wrong)
    print(markdown(outcomes, half, seconds))
    if options.outcomes:
        rows = ({**one.claim.to_json(), "found": one.found, "reason": one.reason} for one in outcomes)
        options.outcomes.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))


def _print_wrong(outcomes: Sequence[Outcome], count: int) -> None:
    """Print claims of the tuning half with a wrong finding; never those of the other half."""
    shown = [one for one in outcomes if not one.is_wanted and one.claim.half == TUNING]
    for one in seeded("wrong").sample(shown, min(count, len(shown))):
        claim = one.claim
        print(f"{claim.kind} ({claim.how}) {claim.collection}: {one.found}: {claim.text}\n   {one.reason}")


def _options() -> argparse.Namespace:
    parser = new_parser(__doc__)
    add = parser.add_argument
    add("--corpora", required=True, type=Path, metavar="DIR")
    add("--only", nargs="*", default=[], metavar="NAME", help="these collections only")
    add("--half", choices=(TUNING, HELD_OUT, ALL), help="default: tuning, for --claims all")
    add("--kinds", nargs="*", choices=KINDS, default=list(KINDS), metavar="KIND", help="generate these")
    add("--claims", type=Path, metavar="FILE", help="audit these claims instead")
    add("--write", type=Path, metavar="FILE", help="write the claims, one JSON object a line")
    add("--made-only", action="store_true", help="make and write the claims, audit none")
    add("--wrong", type=int, metavar="N", help="print N wrongly found claims, tuning half only")
    add("--outcomes", type=Path, metavar="FILE", help="write the findings, one JSON object a line")
    return parser.parse_args()


if __name__ == "__main__":
    main()
