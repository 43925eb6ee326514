"""Accuracy of the audit on claims generated from real law by rules, over six collections.

    python -m benchmarks.claims_made --corpora DIR --half tuning --kinds copied changed --json FILE

``DIR`` has ingested corpora by name (adgm, de, gdpr, fr, id, sample). The claims are generated in every run
and are always the same; ``claims/making`` has the word lists, one file for each language. A hash of the
source's words puts a claim into one of two halves; development uses only the half "tuning". ``--given FILE``
audits claims that people wrote instead (``claims.tsv``); ``--write FILE`` writes the claims.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

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
from benchmarks.making.measuring import Outcome, audited, markdown, over_http, overlap, table
from engine.errors import InputError

ALL = "all"
# The data sets' names in ``claims.tsv``.
GIVEN = {"obliqa_adgm": ("adgm", "en"), "de_bundesrecht": ("de", "de"), "eu_gdpr_24lang": ("gdpr", "en")}
MAKERS: dict[str, Callable[[Sequence[Collection]], Iterator[Claim]]] = {
    COPIED: copied,
    INVENTED: invented,
    PINPOINT: pinpoints,
    CHANGED: changed,
    PARAPHRASE: paraphrased,
}


def made(found: Sequence[Collection], kinds: Sequence[str], half: str) -> list[Claim]:
    """Generate the claims of these kinds in this half."""
    claims = [claim for kind in kinds for claim in MAKERS[kind](found)]
    return [one for one in claims if half in (ALL, one.half)]


def given(path: Path) -> list[Claim]:
    """Read true and false claims that a person wrote."""
    claims = []
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["corpus"] not in GIVEN:
                raise InputError(f"{path}: no corpus {row['corpus']!r}; known: {', '.join(GIVEN)}")
            name, language = GIVEN[row["corpus"]]
            true = row["truth"] == "true"
            wanted = ("supported",) if true else ("contradicted", "partly", "related", "not_in_corpus")
            unread = () if true else ("citation_not_understood",)
            wrong = ("contradicted",) if true else SAYS_SO
            claims.append(
                Claim(
                    name,
                    language,
                    f"given, {row['truth']}",
                    row["kind"],
                    row["claim"],
                    row["claim"],
                    row["claim"],
                    "",
                    "",
                    (*wanted, *unread),
                    wrong,
                )
            )
    return claims


def measured(
    claims: Sequence[Claim], found: Sequence[Collection], half: str
) -> tuple[dict[str, Any], list[Outcome]]:
    """Return all figures and the outcomes that they count."""
    outcomes, seconds = audited(claims, {one.name: one.folder for one in found})
    figures = {
        "half": half,
        "claims": len(outcomes),
        "claims_per_second": round(len(outcomes) / seconds) if seconds else 0,
        "tables": {
            "By kind": table(outcomes, ["kind"]),
            "By kind and collection": table(outcomes, ["kind", "collection"]),
            "By kind and rule": table(outcomes, ["kind", "how"]),
        },
        "overlap": overlap(claims, found),
    }
    return figures, outcomes


def same_over_http(
    outcomes: Sequence[Outcome], address: str, names: dict[str, str], count: int
) -> dict[str, Any]:
    """Audit a sample of the claims by the endpoint, and return how many have another finding and which."""
    sample = seeded("http").sample(list(outcomes), min(count, len(outcomes)))
    remote = over_http([one.claim for one in sample], address, names)
    differ = [
        {"text": one.claim.text, "engine": one.found, "http": other.found}
        for one, other in zip(sample, remote, strict=True)
        if one.found != other.found
    ]
    return {"claims": len(sample), "same": len(sample) - len(differ), "differ": differ}


def main() -> None:
    """Generate the claims, audit them, print and write."""
    options = _options()
    found = list(collections(options.corpora, options.only))
    if not found:
        raise SystemExit(f"{options.corpora} has none of the corpora")
    if options.given:
        names = {one.name for one in found}
        claims = [one for one in given(options.given) if one.collection in names]
    else:
        claims = made(found, options.kinds, options.half)
    if options.write:
        lines = (json.dumps(one.to_json(), ensure_ascii=False) for one in claims)
        options.write.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if options.made_only:
        print(f"{len(claims):,} claims")
        return
    figures, outcomes = measured(claims, found, "given" if options.given else options.half)
    if options.http:
        names_there = {one.name: one.folder.name for one in found}
        figures["http"] = same_over_http(outcomes, options.http, names_there, options.sample)
    if options.wrong:
        _print_wrong(outcomes, options.wrong)
    print(markdown(figures))
    if options.json:
        rows = [{**one.claim.to_json(), "found": one.found, "reason": one.reason} for one in outcomes]
        options.json.write_text(
            json.dumps({**figures, "outcomes": rows}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )
    if options.markdown:
        options.markdown.write_text(markdown(figures), encoding="utf-8")


def _print_wrong(outcomes: Sequence[Outcome], count: int) -> None:
    """Print claims of the tuning half with a wrong finding; never those of the other half."""
    shown = [one for one in outcomes if not one.is_wanted and one.claim.half == TUNING]
    for one in seeded("wrong").sample(shown, min(count, len(shown))):
        claim = one.claim
        print(f"{claim.kind} ({claim.how}) {claim.collection}: {one.found}: {claim.text}\n   {one.reason}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--corpora", required=True, type=Path, metavar="DIR")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="these collections only")
    parser.add_argument("--half", choices=(TUNING, HELD_OUT, ALL), default=TUNING)
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS), metavar="KIND")
    parser.add_argument("--given", type=Path, metavar="FILE", help="audit these claims instead")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the claims, one JSON object a line")
    parser.add_argument("--made-only", action="store_true", help="make and write the claims, audit none")
    parser.add_argument(
        "--wrong", type=int, metavar="N", help="print N wrongly found claims, tuning half only"
    )
    parser.add_argument("--http", metavar="ADDRESS", help="the page's address: a sample through /audit too")
    parser.add_argument("--sample", type=int, default=100, metavar="N", help="how many over HTTP")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    return parser.parse_args()


if __name__ == "__main__":
    main()
