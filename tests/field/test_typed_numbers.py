"""Kind I: numbers that are typed before provisions, in every format, and lists that stay lists."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.answers.audit import Auditor, Finding
from engine.corpus.protocol import Corpus
from tests.engine.ingestion.readers.docx.writing import docx, paragraph
from tests.engine.ingestion.readers.pdf.drawing import Page, Text, pdf
from tests.field.conftest import Build
from tests.tables import table

ACT: str = table(__file__, "ACT")
CONTRACT: str = table(__file__, "CONTRACT")
# In every format: the provisions, and what leads to what.
FORMATS = [
    (
        ACT,
        [
            "part-i/1",
            "part-i/2",
            "part-ii/3/para-1",
            "part-ii/3/para-2",
            "part-ii/4/para-1",
            "part-ii/4/para-2",
        ],
        {
            "part-ii/3/para-1": ["part-ii/4"],
            "part-ii/3/para-2": ["part-ii/3/para-1"],
            "part-ii/4/para-2": ["part-ii/3/para-2"],
        },
    ),
    (
        CONTRACT,
        ["1-1", "1-2", "2-1", "2-1-1", "3-1"],
        {"1-2": ["1-1"], "2-1-1": ["2-1"], "3-1": ["2-1-1"]},
    ),
]
WORDED: list[tuple[str, str, dict[str, list[str]]]] = table(__file__, "WORDED")
PAGES: list[tuple[str, list[str], str, list[str], str]] = table(__file__, "PAGES")
TEXTS: dict[str, tuple[str, dict[str, list[str]]]] = {
    # A table of contents comes first.
    "indian.txt": (
        "THE HARBOURS ACT, 1998\n\nARRANGEMENT OF SECTIONS\n\n1. Short title.\n2. Licence.\n3. Fees.\n\n"
        "1. Short title.—This is the Harbours Act.\n\n2. Licence.—(1) See section 3.\n\n"
        "(2) Nothing in sub-section (1) binds the State.\n\n3. Fees.—(1) Fees are as section 2(2) says.\n",
        {"2/para-1": ["3"], "2/para-2": ["2/para-1"], "3": ["2/para-2"]},
    ),
    "glued.txt": (
        'Parks Act 2006\n\n1.(1) In this Act, "park" is a park.\n(2) It has a shore.\n\n'
        "2.(1) The Board keeps parks as section 1(2) says.\n(2) Subsection (1) is law.\n",
        {"2/para-1": ["1/para-2"], "2/para-2": ["2/para-1"]},
    ),
    "miete.md": (
        "# Mietvertrag\n\n**1. Mietsache**\n\n1.1 Vermietet wird die Wohnung.\n1.2 Ziffer 1.1 gilt auch für "
        "den Keller.\n\n**2. Miete**\n\n2.1 Sie ist nach Klausel 1.2 fällig.\n",
        {"1-2": ["1-1"], "2-1": ["1-2"]},
    ),
    "bail.html": (
        "<h1>Contrat de bail</h1><p><b>1. Objet</b></p><p>1.1 Le bailleur loue le local.</p><p>1.2 La clause "
        "1.1 vaut pour la cave.</p><p><b>2. Loyer</b></p><p>2.1 Il est payé selon l'article 1.2.</p>",
        {"1-2": ["1-1"], "2-1": ["1-2"]},
    ),
    "renta.md": (
        "# Contrato\n\n## 1. Objeto\n\n1.1 Se alquila el local.\n\n1.2 La cláusula 1.1 vale también.\n\n"
        "## 2. Renta\n\n2.1 Se paga según la cláusula 1.2.\n",
        {"1-2": ["1-1"], "2-1": ["1-2"]},
    ),
    "lease.md": (
        "# Lease\n\n1. **Rent.** The tenant pays.\n\n2. **Term.** It ends as clause 1 says:\n"
        "   1. if the tenant dies;\n   2. if the flat burns.\n\n3. **Notice.** Clause 2 applies.\n",
        {"para-2": ["para-1"], "para-3": ["para-2"]},
    ),
}
_KINDS = {"docx": "word", "pdf": "print"}
# Lists are no provisions.
LISTS = {
    "letter.txt": (
        "Notice to members\n\nPlease bring the following:\n\n1. A pen\n2. A book\n\nWe shall discuss:\n\n"
        "1. the fees\n\n2. the ferry\n\n3. the harbour\n",
        ["block-1", "block-2"],
    ),
    "boats.txt": (
        "Boats Act 1990\n\nSection 1 Duties\n\nThe keeper must:\n\n1. keep a log;\n\n2. keep a bell.\n\n"
        "Section 2 Fees\n\nFees are due.\n",
        ["section-1", "section-2"],
    ),
    "prose.md": (
        "# Boats\n\nThere were\n\n3.5 million boats.\n\n12 Captains sailed.\n",
        ["block-1", "block-2", "block-3"],
    ),
}


def _formats(text: str, folder: Path) -> dict[str, str | bytes]:
    """The text as plain text, Markdown, a web page, a Word file and a PDF."""
    title, *others = text.strip().split("\n\n")
    page = f"<h1>{title}</h1>" + "".join(f"<p>{one}</p>" for one in others)
    word = docx(folder / "it.docx", paragraph(title, style="Title"), *map(paragraph, others))
    lines = [Text(50, 700 - 24 * place, one.replace("—", "-")) for place, one in enumerate(others)]
    print_ = pdf([Page([Text(50, 740, title, size=16), *lines])])
    bold = text.replace("3. TERM", "**3. TERM**").replace("3. Licence", "**3. Licence**")
    name = title.split()[0].casefold()
    return {
        f"{name}-text.txt": text,
        f"{name}-md.md": bold,
        f"{name}-page.html": page,
        f"{name}-word.docx": word.read_bytes(),
        f"{name}-print.pdf": print_,
    }


def _read(corpus: Corpus) -> tuple[dict[str, list[str]], dict[str, dict[str, list[str]]]]:
    """The passages of each document, and what each leads to in it."""
    passages: dict[str, list[str]] = {}
    links: dict[str, dict[str, list[str]]] = {}
    for passage in corpus.passages(np.arange(len(corpus), dtype=np.int32)):
        passages.setdefault(passage.document_id, []).append(passage.id.partition("/")[2])
    for one in corpus.all_references():
        document, _, source = one.source_id.partition("/")
        target = str(one.target_id).removeprefix(f"{document}/")
        links.setdefault(document, {}).setdefault(source, []).append(target)
    return passages, links


def test_every_format(build: Build, tmp_path: Path, subtests: pytest.Subtests) -> None:
    for text, provisions, expected in FORMATS:
        files = _formats(text, tmp_path)
        passages, links = _read(build(files))
        for name in files:
            document = name.partition(".")[0]
            with subtests.test(name):
                assert passages[document] == provisions
                assert links[document] == expected


def test_texts(build: Build, subtests: pytest.Subtests) -> None:
    passages, links = _read(build({name: text for name, (text, _) in {**TEXTS, **LISTS}.items()}))
    for name, (_, expected) in TEXTS.items():
        with subtests.test(name):
            assert links[name.partition(".")[0]] == expected
    for name, (_, kept) in LISTS.items():
        with subtests.test(name):
            assert passages[name.partition(".")[0]] == kept


def test_numbers_below_headings_with_words(build: Build, tmp_path: Path, subtests: pytest.Subtests) -> None:
    files: dict[str, str | bytes] = {name: text for name, text, _ in WORDED}
    for name, text, _ in WORDED:
        suffix = name.partition(".")[2]
        if suffix in _KINDS:
            files[name] = _formats(text, tmp_path)[f"{text.split()[0].casefold()}-{_KINDS[suffix]}.{suffix}"]
    _, links = _read(build(files))
    for name, _, expected in WORDED:
        with subtests.test(name):
            assert links[name.partition(".")[0]] == expected


def test_a_provision_in_the_last_line_of_a_page(build: Build, subtests: pytest.Subtests) -> None:
    files: dict[str, str | bytes] = {}
    for title, first, last, second, _ in PAGES:
        upper = [Text(50, 700 - 24 * place, one) for place, one in enumerate(first)]
        lower = [Text(50, 740 - 24 * place, one) for place, one in enumerate(second)]
        pages = [Page([Text(50, 740, title, size=16), *upper, Text(50, 60, last)]), Page(lower)]
        files[f"{title.split()[0]}.pdf"] = pdf(pages)
    passages, _ = _read(build(files))
    for title, *_, expected in PAGES:
        with subtests.test(title):
            assert passages[title.split()[0].casefold()] == expected.split()


def test_claims_that_begin_with_a_number(build: Build, subtests: pytest.Subtests) -> None:
    auditor = Auditor(build({"contract.txt": CONTRACT}))
    for claim, finding in (
        ("1.1 The Supplier shall keep the record.", Finding.SUPPORTED),
        ("2.1.1 Payment under clause 2.1 is monthly.", Finding.SUPPORTED),
        ("2.1 The Supplier shall keep the record.", Finding.RELATED),
        ("1.1 The Supplier need not keep the record.", Finding.CONTRADICTED),
    ):
        with subtests.test(claim):
            assert auditor.claim(claim, "en").finding is finding
