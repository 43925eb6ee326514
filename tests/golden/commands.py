"""Command lines, in the order in which they run; ``{name}`` is a file or an id.

Each part has a home of its own.
"""

from __future__ import annotations

from tests.golden.sources import SAMPLE_QUESTIONS

SMALL = "--preset balanced --rounds 1 --pool-size 10 --top-k 2"
NONE = "--random 0 --border 0 --alone 0 --disagreed 0"
KEPT = "investigate {question} --corpus {corpus} --matter Ferries {small}"
ON_THE_SAMPLE = "--corpus {sample} --as-of 2024-06-01 --top-k 5 --json"
_SAMPLE = ("investigate {question} " + ON_THE_SAMPLE, "answer {question} " + ON_THE_SAMPLE)
COMMANDS: dict[str, tuple[str, ...]] = {
    "corpora": (
        "ingest {sources} --corpus {folder}/made --embedding none --json",
        "add {folder}/pier.md --corpus {folder}/made --json",
        "remove pier-act --corpus {folder}/made --json",
        "verify --corpus {folder}/made --json",
        "info --corpus {corpus} --json",
        'info --corpus {corpus} --entity "Ferry Act" --json',
        "references --corpus {corpus}",
        "ingest {folder}/missing.md --corpus {folder}/made --json",
    ),
    "verdicts": (
        "ingest {sources} --corpus {folder}/made --embedding none --json",
        "grades set B --corpus {folder}/made --document ferry-act --by Ann --json",
        "grades list --corpus {folder}/made --json",
        "judge reject fahrpreis/sec-2/para-2 fahrpreis/sec-1 --corpus {folder}/made --note no --json",
        "judge list --corpus {folder}/made --json",
        "judge rates --corpus {folder}/made --json",
        "validations --corpus {corpus} --json",
        "ontology --corpus {corpus} propose --json",
        "ontology --corpus {corpus} check {sources}/ontology.yaml",
        "ontology --corpus {corpus} rules --json",
        "ontology --corpus {corpus} graph --question {question} --json",
    ),
    "questions": (
        "investigate {question} --corpus {corpus} {small} --json",
        "plan {question} --corpus {corpus} --json",
        "answer {question} --corpus {corpus} {small} --json",
        "answer {unknown} --corpus {corpus} {small} --json",
        "audit {folder}/text.md --corpus {corpus} --json",
        "compare {question} --corpus {corpus} {small} --a rounds=0 --b rounds=1 --json",
    ),
    "cases": (
        KEPT,
        "cases name {case} --name First --notes Read. --json",
        "cases judge {case} supported --right --json",
        "cases matters --json",
        "cases list --json",
        "cases show {case} --json",
        "cases events {case} --json",
        "cases verify {case} --json",
        "cases share {case} --json",
        "cases undo {case} --json",
    ),
    "tables": (
        KEPT,
        "cases low-coverage --json",
        "cases by-verdict --json",
        "cases over-time --json",
        "cases schema",
        "tree {case} --json",
        "tree {case} --statistics --json",
        "export --json",
    ),
    "two cases": (
        KEPT,
        "investigate {german} --corpus {corpus} --matter Ferries {small} --rounds 0",
        "cases compare {case} {other} --json",
        "cases replay {case} --corpus {corpus} --json",
        "regress --corpus {corpus} --matter Ferries --json",
        "report --corpus {corpus} --limit 1 --json",
        "cases delete {other} --json",
        "cases show {other} --json",
    ),
    "review": (
        KEPT,
        "review queue --matter Ferries --corpus {corpus} --best 2 --hops 1 {none} --json",
        "review criteria --matter Ferries --text Binding. --by Ann --json",
        "review list --json",
        "review next {queue} --by Ann --json",
        "review judge {queue} 0 relevant --by Ann --json",
        "review undo {queue} --by Ann --json",
        "review judge {queue} 0 partly --by Ann --note half --json",
        "review verdicts --matter Ferries --json",
        "review estimate {queue} --json",
        "review export --queue {queue} --format jsonl",
        "review assign {queue} Ben --json",
        "weights list --corpus {corpus} --matter Ferries --json",
        "review delete {queue} --json",
    ),
    "evaluation": (
        "batch {folder}/questions.txt --corpus {corpus} --matter Ferries {small} --json",
        "evaluate --corpus {corpus} --queries {queries} --qrels {qrels} {small} --json",
        "model --json",
    ),
    **{f"sample {language}": _SAMPLE for language in SAMPLE_QUESTIONS},
}
# What people read: the same commands without ``--json``. The table of a batch has durations.
COMMANDS |= {
    f"{part} in words": tuple(
        line.removesuffix(" --json")
        for line in lines
        if (line.endswith("--json") or "--matter" in line) and not line.startswith("batch")
    )
    for part, lines in COMMANDS.items()
    if not part.startswith("sample")
}
_AUDIT = "audit {folder}/claims.txt --corpus {corpus} --as-of 2024-06-01"
_HISTORY = "ontology --corpus {folder}/made"
# A file that a command writes is called ``written``.
COMMANDS |= {
    "audits": (
        _AUDIT,
        f"{_AUDIT} --json",
        f"{_AUDIT} --markdown {{folder}}/written.md",
        f"{_AUDIT} --html {{folder}}/written.html",
        f"{_AUDIT} --annotated {{folder}}/written.txt",
        f"{_AUDIT} --grade B",
        f"{_AUDIT} --overrule 2=supported --confirm 1 --by Ann --note Read. --log {{folder}}/written.log.md",
        f"{_AUDIT} --log {{folder}}/written.log.html",
        f"{_AUDIT} --undo 1 --log {{folder}}/written.log.json",
        "audit {folder}/german.txt --corpus {corpus} --json",
    ),
    "claims": tuple(
        f"audit {{claims}}/{language}.txt --corpus {{sample}} --as-of 2024-06-01"
        for language in ("ar", "de", "en", "id")
    ),
    "rules": (
        "ontology --corpus {sample} graph --around concept:objection-period --depth 2 --most 12",
        "ontology --corpus {sample} rules --fact authority=1000 --fact scope=5000",
        "ontology --corpus {sample} rules --fact delivered=2024-03-01 --fact lodged=2024-05-02 --json",
        "info --corpus {sample} --entity agent",
    ),
    "references": (
        "ingest {cited} --corpus {folder}/made --embedding none --json",
        "references --corpus {folder}/made",
        "info --corpus {folder}/made --json",
        'info --corpus {folder}/made --entity "Ports Act"',
        'plan "What does section 2 of the Ports Act 1999 say of dues?" --corpus {folder}/made',
        'plan "Was sagt § 3 Abs. 2 LotsG?" --corpus {folder}/made',
        'plan "Pasal 2 ayat (1) UU Nomor 6 Tahun 1999" --corpus {folder}/made',
        'plan "港口法第三条" --corpus {folder}/made',
    ),
    "files": (
        "investigate {question} --corpus {corpus} {small} --order document --context 400",
        "investigate {question} --corpus {corpus} {small} --report {folder}/written.html",
        "investigate {question} --corpus {corpus} {small} --save {folder}/written.json",
        "tree {folder}/written.json --descendants --passage ferry-act/art-2/para-2 --depth 1",
        "tree {folder}/written.json --passage ferry-act/art-2/para-2",
        "tree {folder}/written.json --descendants --passage ferry-act/art-2/para-2 --json",
        "report --corpus {corpus} --case {folder}/written.json --markdown {folder}/written.md",
        "report --corpus {corpus} --case {folder}/written.json --html {folder}/written.html",
        "report --corpus {corpus} --queries {queries} --as-of 2024-06-01",
        "answer {question} --corpus {corpus} {small} --markdown {folder}/written.md",
        "evaluate --corpus {corpus} --queries {queries} --qrels {qrels} {small} --ablate --json",
        "evaluate --corpus {corpus} --queries {queries} --qrels {qrels} {small} --run {folder}/written.run",
        "evaluate --qrels {qrels} --score {folder}/written.run",
        "ontology --corpus {corpus} graph --around ferry-act/art-2/para-2 --out {folder}/written.graphml",
    ),
    "changes": (
        "ingest {sources} --corpus {folder}/made --embedding none --json",
        "copy {folder}/made {folder}/copied",
        f"{_HISTORY} apply {{sources}}/ontology.yaml",
        f"{_HISTORY} apply --undo",
        f"{_HISTORY} check {{folder}}/areas.yaml",
        f"{_HISTORY} apply {{folder}}/areas.yaml",
        f"{_HISTORY} rules --fact passengers=12 --as-of 2024-06-01",
        f"{_HISTORY} rules --question {{question}} --json",
        "judge reject fahrpreis/sec-2/para-2 fahrpreis/sec-1 --corpus {folder}/made --by Ann",
        "judge reject fahrpreis/sec-2/para-2 fahrpreis/sec-9 --corpus {folder}/made --by Ann",
        "info --corpus {folder}/made",
        "users remove Ben",
        "forget --person Ann --dry-run",
        "forget --older-than 3650",
    ),
}
