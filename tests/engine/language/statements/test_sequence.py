"""A text as a sequence of what matters in it: each token as its word, or as what it is, with its marks."""

from __future__ import annotations

import pytest

from engine.language.statements import Sort, Token, sequence
from engine.model import Span

# A content word as it stands, others as sort:key; behind it the mark of its part, and what else is known.
ROWS = {
    ("en", "The agent shall not, without undue delay, notify the principal by the register."): (
        "agent modal:must_not no-delay notify principal register<agent"
    ),
    ("en", "(a) The agent pays dues\n(b) the pilot [12] pays."): "agent pays dues pilot pays",
    ("en", "The permit is granted only if the dues of the vessel are paid."): (
        "permit granted+passive only:only condition:condition dues vessel<of paid+passive"
    ),
    ("en", "The berth is due within 30 days."): "berth due limit:upper number:duration_30_day",
    ("en", "Records (kept in writing) are shown, in particular where he moors."): (
        "records kept+bracket written+bracket shown+passive particular<in+aside condition:condition moors"
    ),
    ("en", "A master who moors shall ensure that a pilot is paid."): (
        "master moors+relative modal:must ensure pilot+relative paid+passive"
    ),
    ("en", "It applies to all vessels and every barge, unless exempt."): (
        "applies all:all<to vessels all:everi barge except:except exempt"
    ),
    ("en", "Provided that some may moor always."): "condition:condition all:some modal:may moor all:alway",
    ("en", "No vessel may moor."): "modal:must_not vessel moor",
    ("de", "Der Mieter darf die Frist von sechs Wochen nicht überschreiten."): (
        "mieter modal:may frist limit:upper<agent number:duration_42_day"
    ),
    ("de", "Der Schaden wird vom Mieter ersetzt."): "schaden mieter<agent+passive ersetzt",
    ("de", "Der Vertreter ist berechtigt, das Register zu lesen."): (
        "vertreter modal:may register+relative lesen"
    ),
    ("de", "Der Vertreter ist nicht berechtigt, das Register einzusehen."): (
        "vertreter modal:must_not register+relative einzusehen"
    ),
    ("de", "Er hat binnen sechs Wochen zu kündigen."): (
        "modal:must limit:upper number:duration_42_day kündigen"
    ),
    ("id", "Kapal harus membayar iuran dalam 30 hari."): (
        "kapal modal:must membayar iuran limit:upper number:duration_30_day"
    ),
    ("fr", "L'acte est dû au registre."): "l'acte dû registre<au",
    # No words are known of this language: what every text has is left.
    ("xx", "kala must (7 kr) tavu"): "kala must number:digits_7+bracket kr+bracket tavu",
}  # fmt: skip


def told(token: Token) -> str:
    key = token.key.replace(" ", "-" if token.sort is Sort.CONTENT else "_")
    name = "" if token.sort is Sort.CONTENT else f"{token.sort.name.lower()}:"
    shown = token.word.casefold() if not name and " " not in token.word else f"{name}{key}"
    more = [one for one in ("passive", "bracket", "relative", "aside") if getattr(token, one)]
    return "+".join([f"{shown}<{token.mark}" if token.mark else shown, *more])


def test_what_matters_in_a_text(subtests: pytest.Subtests) -> None:
    for (language, text), expected in ROWS.items():
        with subtests.test(text):
            tokens = sequence(text, language)
            assert " ".join(map(told, tokens)) == expected


def test_a_reference_is_one_word() -> None:
    text = "Article 5(2) and § 7 apply for 30 days."
    first, second, *others = sequence(text, "en-GB", [Span(0, 12), Span(17, 20)])
    assert [(one.sort, one.key, one.word) for one in (first, second)] == [
        (Sort.REFERENCE, "article52", "Article 5(2)"),
        (Sort.REFERENCE, "7", "§ 7"),
    ]
    assert [one.word for one in others] == ["apply", "30 days"]
