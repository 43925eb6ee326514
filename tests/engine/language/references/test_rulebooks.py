# ruff: noqa: E501 (a text is easier to read in one line)
"""Rulebooks whose numbers are in forms of their own, and languages that no grammar reads: what is found in
them.

The forms are those of published rulebooks; the sentences are invented.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.ingestion.build import build_corpus
from engine.investigation import Case
from engine.model import Status
from engine.settings import preset
from tests.tables import tuples

# Files by name, and the references in them: the words, and the end of the target's id.
BOOKS: Mapping[str, tuple[Mapping[str, str], list[tuple[str, str]]]] = {
    "letters put in later, an outer letter": (
        {
            "fc.md": "# Crime Module\n\n## FC-A Introduction\n\n#### FC-A.1.1\n\nSee Chapter FC-1.\n\n## FC-1 Diligence\n\n"
            "#### FC-1.1.2\n\nMeasures apply.\n\n#### FC-1.1.2A\n\nSee Paragraph FC-1.1.2(a).\n\n#### "
            "FC-1.1.3\n\n"
            "As Rule FC-1.1.2A says.\n\n#### FC-1.2.1\n\nSee Paragraphs FC-1.1.2 and FC-1.1.3."
        },
        [
            ("Chapter FC-1", "fc-1"),
            ("1.1.2(a)", "fc-1-1-2"),
            ("Rule FC-1.1.2A", "fc-1-1-2a"),
            ("Paragraphs FC-1.1.2", "fc-1-1-2"),
            ("FC-1.1.3", "fc-1-1-3"),
        ],
    ),
    "the kind of text glued to a number": (
        {
            "cobs.md": "# COBS 9 Suitability\n\n## COBS 9.2 Assessing\n\nCOBS 9.2.1 (1) A firm must act.\n\nCOBS 9.2.1A A firm "
            "has needs as in COBS 9.2.1R(1).\n\nCOBS 9.2.2 A firm must ask, see COBS 9.2.1AG."
        },
        [("COBS 9.2.1R(1)", "cobs-9-2-1"), ("COBS 9.2.1AG", "cobs-9-2-1a")],
    ),
    "letters in groups": (
        {
            "cat.md": "# Part-CAT\n\n#### CAT.OP.MPA.150 Fuel\n\n(a) The operator plans.\n\n#### AMC1 CAT.OP.MPA.150(b) Fuel\n\n"
            "See CAT.OP.MPA.150(b)(3).\n\n#### ORO.GEN.200 Management\n\nAs in AMC1 CAT.OP.MPA.150(b)."
        },
        [("CAT.OP.MPA.150(b)(3)", "cat-op-mpa-150"), ("AMC1 CAT.OP.MPA.150(b)", "amc1-cat-op-mpa-150-b")],
    ),
    "a chapter that its paragraphs begin with": (
        {
            "cre.md": "# CRE20 Individual exposures\n\n#### 20.1\n\nThe approach is that of CRE20.4.\n\n#### 20.4\n\nExposures "
            "are weighted, but for [CRE20.1]."
        },
        [("CRE20.4", "20-4"), ("CRE20.1", "20-1")],
    ),
    "paragraphs counted through, documents called by numbers": (
        {
            "a.md": "# Prudential Standard CPS 220 Risk Management\n\n## Authority\n\n1. This Standard is made.\n\n## Scope\n\n"
            "2. It applies, subject to paragraph 4.\n\n3. It applies with CPS 230.\n\n## Roles\n\n4. "
            "The Board decides.\n\n"
            "5. It reports.\n\n6. Nothing limits CPS 230 paragraph 2.",
            "b.md": "# Prudential Standard CPS 230 Operations\n\n1. It applies.\n\n2. See paragraph 4 of CPS 220.",
        },
        [
            ("paragraph 4", "scope/para-2 > para-4"),
            ("CPS 230", "b"),
            ("CPS 230 paragraph 2", "b/para-2"),
            ("paragraph 4 of CPS 220", "para-4"),
        ],
    ),
    "sections with a sign, rules under an act": (
        {
            "cfr.md": "# 29 CFR Part 1910\n\n## § 1910.145 Signs\n\nExcept as in § 1910.147(c)(4).\n\n## § 1910.147 Energy\n\n"
            "Guards meet §§ 1910.145 and 1910.212.\n\n## § 1910.212 Guards\n\nText.\n\n## Rule 10b-5 "
            "Fraud\n\nText.\n\n"
            "## Rule 10b Other\n\nSee Rule 10b-5."
        },
        [
            ("§ 1910.147(c)(4)", "sec-1910-147"),
            ("§§ 1910.145", "sec-1910-145"),
            ("1910.212", "sec-1910-212"),
            ("Rule 10b-5", "rule-10b-5"),
        ],
    ),
    "a table of rules": (
        {
            "rules.csv": "requirement,title,text\n8.2.1,Identity,All have one. See Requirement 8.3.6 for more of it.\n"
            "8.3.1,Strength,Access is strong but for Requirement 8.2.1 in all cases.\n8.3.6,Length,It "
            "is twelve signs.\n"
        },
        [("8.3.6", "8-3-6"), ("8.2.1", "8-2-1")],
    ),
    "records of two sourcebooks": (
        {
            "all.csv": "rule,title,text\nSYSC 4.1.1,General,A firm is governed as SYSC 4.1.2 says.\nSYSC 4.1.2,More,COBS "
            "4.1.1 applies as well.\nCOBS 4.1.1,Fair,A firm is fair under SYSC 4.1.1R in all it does.\n"
        },
        [("SYSC 4.1.2", "sysc-4-1-2"), ("COBS 4.1.1", "cobs-4-1-1"), ("SYSC 4.1.1R", "sysc-4-1-1")],
    ),
    "a range is more than its first number": (
        {
            "pru.md": "# PRU Rulebook\n\n"
            + "\n\n".join(f"## 6.{n} Part\n\nSee PRU 6.6 – 6.9." for n in range(5, 11))
        },
        [],
    ),
}


@pytest.mark.parametrize("book", BOOKS)
def test_references_in_a_form_of_the_rulebook(book: str, tmp_path: Path) -> None:
    files, wanted = BOOKS[book]
    (tmp_path / "files").mkdir()
    for name, text in files.items():
        head = "---\nlanguage: en\n---\n" if name.endswith(".md") else ""
        (tmp_path / "files" / name).write_text(head + text)
    build_corpus([tmp_path / "files"], tmp_path / "corpus", embedding="none")
    found = [
        one for one in open_corpus(tmp_path / "corpus").all_references() if one.status is Status.RESOLVED
    ]
    texts = {one.text for one in found}
    if not wanted:
        assert "PRU 6.6" not in texts
    for words, target in wanted:
        ends = [one.target_id or "" for one in found if one.text == words]
        assert any(end.endswith(target.rpartition(" > ")[2]) for end in ends), (words, texts)


# A law in a language without a grammar, a question for its second provision.
LAWS = tuples(__file__, "LAWS")


@pytest.mark.parametrize("language", LAWS)
def test_a_provision_in_a_language_without_a_grammar(language: str, tmp_path: Path) -> None:
    text, asked = LAWS[language]
    (tmp_path / "law.md").write_text(f"---\nlanguage: {language}\n---\n# Law\n\n{text}\n")
    report = build_corpus([tmp_path / "law.md"], tmp_path / "corpus", embedding="none")
    assert any("has no grammar" in str(note) for note in report.problems)
    case = Case(open_corpus(tmp_path / "corpus"), f"{asked}?", preset("quick"))
    for _ in case.run():
        pass
    assert case.investigation().passages[0].passage.number == "2"
