"""Which document a mention speaks of: what resolves where a corpus has several acts with the same numbers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.model import Document, Passage, Reference, Status
from engine.model import SectionKind as K
from tests.engine.language.references.test_resolver import passage, resolve
from tests.tables import table

ACTS = (
    Document(
        "reg", "Commercial Register Act 2004", "en", aliases=("Commercial Register Act", "Register Statute")
    ),
    Document("cobs", "COBS", "en", aliases=("COBS", "COBS Rulebook")),
    Document("gen", "GEN", "en", aliases=("GEN",)),
    Document("dues", "Harbour Dues Act", "en"),
    Document(
        "gdpr", "Regulation (EU) 2016/679 on data protection", "en", number="2016/679", type="regulation"
    ),
    Document("iso", "ISO 19011:2018 Auditing", "en"),
    Document("bgb", "Bürgerliches Gesetzbuch", "de", aliases=("BGB",)),
    Document("bgbeg", "Einführungsgesetz zum Bürgerlichen Gesetzbuche", "de"),
    Document("kwg", "Gesetz über das Kreditwesen", "de"),
    Document("law", "نظام التحكيم", "ar"),
    Document("order", "اللائحة التنفيذية لنظام التحكيم", "ar"),
    Document(
        "uu", "Undang-Undang Nomor 6 Tahun 1983 tentang Pajak", "id", aliases=("UU Nomor 6 Tahun 1983",)
    ),
)
NUMBERS = {"en": ("2", "13", "14"), "de": ("5", "6", "433"), "ar": ("2",), "id": ("25",)}
OWN = {
    "en": Document("own", "Circular 6", "en"),
    "de": Document("own", "Zivilprozessordnung", "de"),
    "id": Document("own", "Peraturan Menteri Keuangan Nomor 9 Tahun 2020", "id"),
}


def kinds(act: Document) -> Sequence[K]:
    if act.id in ("cobs", "gen"):
        return [K.RULE]
    return [K.SECTION, K.ARTICLE] if act.language == "de" else [K.ARTICLE]


def cited(
    text: str, own: Document, *before: Passage, numbers: Sequence[str] = ("2", "433")
) -> list[Reference]:
    others = [
        passage(f"{act.id}/{kind[0]}{number}", number=number, kind=kind, language=act.language)
        for act in ACTS
        for kind in kinds(act)
        for number in NUMBERS[act.language]
    ]
    documents = ACTS if own in ACTS else (*ACTS, own)
    if own not in ACTS:
        kind = K.SECTION if own.language == "de" else K.ARTICLE
        others += [
            passage(f"own/{kind[0]}{one}", number=one, kind=kind, language=own.language) for one in numbers
        ]
    return resolve(text, document=own, documents=documents, sections=(), others=[*others, *before])


ROWS: list[tuple[str, str, list[str | None]]] = table(__file__, "ROWS")
ARABIC = [
    ("law", "المادة (الثانية) من النظام", "law/a2"),
    ("law", "المادة (2) من هذا النظام", "law/a2"),
    ("order", "المادة (الثانية) من النظام", "law/a2"),
    ("order", "المادة (الثانية) من اللائحة", "order/a2"),
    ("order", "المادة الثانية", "order/a2"),
    ("order", "المادة (2) من نظام التحكيم الصادر", "law/a2"),
    ("order", "المادة (2) من نظام القضاء", None),
]


def test_the_document_that_is_meant(subtests: pytest.Subtests) -> None:
    for language, text, expected in ROWS:
        with subtests.test(text):
            assert [one.target_id for one in cited(text, OWN[language])] == expected
    for own, text, target in ARABIC:
        with subtests.test(own=own, text=text):
            document = next(act for act in ACTS if act.id == own)
            assert [one.target_id for one in cited(text, document)] == [target]


def test_the_act_named_last_may_stand_in_the_two_paragraphs_before(subtests: pytest.Subtests) -> None:
    named, plain = (
        passage("own/1", "Article 13 of the Harbour Dues Act applies."),
        passage("own/x", "It rains."),
    )
    for number, target in enumerate(("dues/a2", "dues/a2", None)):
        with subtests.test(paragraphs_between=number):
            between = [passage(f"own/x{one}", plain.text) for one in range(number)]
            [reference] = cited("Article 2 of that Act is wide.", OWN["en"], named, *between)
            assert (reference.target_id, reference.confidence) == (target, 0.9 if target else 0.0)


def test_what_may_be_in_two_acts_is_ambiguous_and_what_is_guessed_less_sure() -> None:
    own, bgb = cited("nach § 433 und § 5 des Bürgerlichen Gesetzbuchs", OWN["de"])
    assert (own.status, own.candidates, bgb.target_id) == (
        Status.AMBIGUOUS,
        ("own/s433", "bgb/s433"),
        "bgb/s5",
    )
    sure, guessed = cited("COBS Rule 2 requires it; see also Rule 13.", OWN["en"])
    assert guessed.confidence < sure.confidence


def test_a_guidance_cites_throughout_the_rulebook_that_it_names_most() -> None:
    named = [
        passage(f"own/{number}", f"As {book} Rule 2 says.")
        for number, book in enumerate(("COBS", "COBS", "COBS", "GEN"))
    ]
    assert [one.target_id for one in cited("Rule 13 says more.", OWN["en"], *named)] == ["cobs/r13"]
    # One of two that are cited as often is not told.
    evenly = [*named, passage("own/8", "As GEN Rule 2 says."), passage("own/9", "As GEN Rule 14 says.")]
    assert [one.target_id for one in cited("Rule 13 says more.", OWN["en"], *evenly)] == [None]


def test_a_name_that_one_text_gives_is_known_in_all() -> None:
    given = passage("gen/x", 'the Great Conduct Rulebook (the "COBS") applies')
    assert [one.target_id for one in cited("Rule 2 of the Great Conduct Rulebook", OWN["en"], given)] == [
        "cobs/r2"
    ]
