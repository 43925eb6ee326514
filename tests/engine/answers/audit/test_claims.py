"""What of a text is a claim, and where it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answers.audit.claims import find_statements

LANGUAGES = ("en", "de", "id", "ar")
CUT = [
    (
        "The deadline is thirty days. It cannot be extended.",
        ["The deadline is thirty days.", "It cannot be extended."],
    ),
    ("# Deadlines\n\nThe deadline is thirty days.", ["The deadline is thirty days."]),
    ("Our advice\n\nThe deadline is thirty days.", ["The deadline is thirty days."]),
    ("Can the period be extended? It may not be extended.", ["It may not be extended."]),
    ("Table 1: Fees of the register\n\nAn extract costs 15 crowns.", ["An extract costs 15 crowns."]),
    (
        "- An agent may appoint sub-agents.\n- A sub-agent may not delegate further.",
        ["An agent may appoint sub-agents.", "A sub-agent may not delegate further."],
    ),
    (
        "1. The agent must give notice\n   within five working days.\n2. The notice is in writing.",
        ["The agent must give notice\n   within five working days.", "The notice is in writing."],
    ),
    (
        "The agent may sub-delegate; the principal must be informed within 30 days.",
        ["The agent may sub-delegate", "the principal must be informed within 30 days."],
    ),
    (
        "An extract costs 15 crowns, and the fine for a late entry may reach 50 000 crowns.",
        ["An extract costs 15 crowns", "the fine for a late entry may reach 50 000 crowns."],
    ),
    (
        "The agent shall disclose the existence, and extent, of the power.",
        ["The agent shall disclose the existence, and extent, of the power."],
    ),
    (
        "See Art. 26 para. 1 of the Act, which sets thirty days.",
        ["See Art. 26 para. 1 of the Act, which sets thirty days."],
    ),
    ("M. Dupont est le bailleur.\n\nA. The rent is due.", ["M. Dupont est le bailleur.", "The rent is due."]),
    ("Der Einspruch ist binnen 30 Tagen einzulegen.", ["Der Einspruch ist binnen 30 Tagen einzulegen."]),
]


@pytest.mark.parametrize(("text", "claims"), CUT, ids=[row[0][:40] for row in CUT])
def test_claims(text: str, claims: list[str]) -> None:
    found = [span for one in find_statements(text, LANGUAGES) for span in one.clauses]
    assert [text[span.start : span.end] for span in found] == claims


# Full stops that end no sentence, and such that do: how many claims a text makes.
ENDED = [
    ("de", "Die Pflicht endet mit der Vollendung des 18. Lebensjahres.", 1),
    ("de", "Der Antrag ist bis zum 30. Juni zu stellen, wenn das 2. Quartal abgelaufen ist.", 1),
    ("de", "Zuständig ist der 3. Senat des Gerichts nach Ablauf des 2. Jahres.", 1),
    ("de", "Ab Vollendung ihres 16. Lebensjahrs dürfen Segler den Hafen befahren.", 1),
    (
        "de",
        "Nach § 12 Abs. 2 Nr. 3 FVO zahlt er vom 5. Kalendertag an 3,5 v. H. der Gebühr.",
        1,
    ),
    ("de", "Die Gebühr nach Nr. 4 Buchst. b wird gem. Art. 5 der VO erhoben.", 1),
    ("en", "The fee under s. 5 of the Act is due by 3 p.m. on the day of arrival.", 1),
    ("en", "Pier Holdings Ltd. shall pay No. 4 berth fees to Messrs. Grey & Co. within 10 days.", 1),
    ("en", "Under reg. 7 para. 2 of the Rules, the pilot, e.g. a deputy, must hold a licence.", 1),
    ("en", "Mr. Gray must notify the Dep. Secretary of the U.S. Coast Guard within 3 days.", 1),
    ("fr", "Selon l'art. L. 241-3 du code, le délai prévu à l'al. 2 est de dix jours.", 1),
    ("fr", "Selon la loi, M. Dupont et Mme. Roux doivent payer la taxe au no. 5 avant le 1er mars.", 1),
    ("es", "El Sr. Pérez debe pagar la tasa del núm. 3 del art. 14 antes de diez días.", 1),
    ("es", "La empresa Barcos S.A. pagará la cuota según el ap. 2 del art. 7 de la Ley.", 1),
    (
        "id",
        "Menurut UU No. 8 Tahun 2010, nakhoda wajib membayar Rp. 50.000 paling lambat tgl. 5 setiap bulan.",
        1,
    ),
    ("da", "Fristen udløber den 1. januar året efter det 18. år.", 1),
    ("da", "Barnet kan søge om tilladelse efter det fyldte 15. år.", 1),
    ("fi", "Hakemus on jätettävä ennen 3. päivää kesäkuuta.", 1),
    ("cs", "Povinnost končí dovršením 18. roku věku dítěte.", 1),
    ("pl", "Obowiązek wygasa z końcem 14. dnia po doręczeniu decyzji.", 1),
    ("hu", "A kötelezettség a 18. életév betöltésével szűnik meg.", 1),
    ("nb", "Plikten opphører ved fylte 18. år for alle.", 1),
    ("hr", "Obveza prestaje s navršenih 18. godina života djeteta.", 1),
    ("tr", "Yükümlülük 18. yaşın doldurulmasıyla sona erer.", 1),
    ("it", "L'obbligo dell'art. 5 del D.Lgs. n. 40 del 2010 scade dopo dieci giorni.", 1),
    ("ar", "يلتزم المالك بدفع الرسم رقم. 5 خلال 10 أيام.", 1),
    ("de", "Die Gebühr beträgt 18. Der Mieter zahlt sie im Mai.", 2),
    ("de", "Die Frist endet am 18. Mai. Sie kann nicht verlängert werden.", 2),
    ("de", "Der Antrag ist bis zum 30. Juni zu stellen. Er wird im 3. Quartal geprüft.", 2),
    ("de", "Zu zahlen ist nach Stufe 4. Die Stufe 5 gilt ab Mai.", 2),
    ("en", "The fee is set out in section 5. The pilot must pay it in May.", 2),
    ("en", "Berths must be numbered 1 to 18. Masters must pay in May.", 2),
    ("fr", "Le capitaine paie la taxe prévue à l'article 5. Le pilote doit payer la sienne.", 2),
    ("id", "Biaya diatur dalam Pasal 5. Nakhoda wajib membayarnya.", 2),
    ("en", "The owner shall pay the fee to Pier Holdings Ltd. The master shall keep the receipt.", 2),
]


@pytest.mark.parametrize(("language", "text", "claims"), ENDED, ids=[row[1][:40] for row in ENDED])
def test_claims_end_where_sentences_do(language: str, text: str, claims: int) -> None:
    found = [text[s.start : s.end] for one in find_statements(text, (language,)) for s in one.clauses]
    assert (len(found), " ".join(found)) == (claims, text)


def test_the_language_is_told_by_block() -> None:
    text = (
        "The deadline is thirty days and may not be extended.\n\n"
        "Die Frist beträgt dreißig Tage und ist nicht verlängerbar."
    )
    assert [one.language for one in find_statements(text, LANGUAGES)] == ["en", "de"]


@given(st.text(alphabet=st.sampled_from("ab Z.;,?\n-#1(é)ا\u0301"), max_size=200))
def test_claims_lie_in_the_text_in_order(text: str) -> None:
    place = 0
    for span in (clause for one in find_statements(text, LANGUAGES) for clause in one.clauses):
        assert place <= span.start < span.end <= len(text)
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        place = span.end
