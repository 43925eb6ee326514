"""Quotations that leave words out: verified only where what is left out changes nothing that binds."""

from __future__ import annotations

import pytest

from engine.answers.audit import Auditor, Finding
from engine.corpus import open_corpus
from engine.ingestion.build import build_corpus

# What a source says, and a quotation of it: without a negation, a verb, a condition, a quantity, a party.
CHANGED = [
    ("The licensee shall not moor a vessel overnight.", "The licensee shall ... moor a vessel overnight."),
    (
        "A vessel may, if the port master agrees, remain for 12 hours.",
        "A vessel may ... remain for 12 hours.",
    ),
    (
        "The tenant shall pay at least 400 euros per quarter.",
        "The tenant shall pay ... 400 euros per quarter.",
    ),
    (
        "The tenant shall notify the landlord and the landlord shall repair the roof.",
        "The tenant shall ... repair the roof.",
    ),
    ("The carrier may refuse and must report the cargo.", "The carrier ... must report the cargo."),
    ("Der Pächter darf die Wiese nicht umpflügen.", "Der Pächter darf die Wiese […] umpflügen."),
    (
        "Der Pächter darf die Wiese nur mit Zustimmung der Gemeinde mähen.",
        "Der Pächter darf die Wiese ... mähen.",
    ),
    (
        "Le preneur ne peut céder le bail sans l'accord écrit du bailleur.",
        "Le preneur […] peut céder le bail",
    ),
    (
        "Le preneur peut, sauf opposition du bailleur, planter des arbres.",
        "Le preneur peut ... planter des arbres.",
    ),
    ("El arrendatario no podrá subarrendar el local.", "El arrendatario ... podrá subarrendar el local."),
    (
        "Penyewa tidak boleh mengalihkan sewa kepada pihak lain.",
        "Penyewa ... boleh mengalihkan sewa kepada pihak lain.",
    ),
    ("承租人不得将房屋转租给第三人。", "承租人……将房屋转租给第三人。"),
    ("لا يجوز للمستأجر تأجير العقار من الباطن.", "… يجوز للمستأجر تأجير العقار من الباطن."),
    (
        "The bank shall pay 30 percent within 5 days and 70 percent within 90 days.",
        "The bank shall pay 30 percent ... within 90 days.",
    ),
    ("Il conduttore non può demolire il muro.", "Il conduttore ... può demolire il muro."),
    (
        "The buyer pays the price within 10 days and the seller delivers the goods.",
        "The buyer ... delivers the goods.",
    ),
    (
        "The landlord and the guarantor shall repair the roof before winter.",
        "The landlord ... shall repair the roof before winter.",
    ),
    ("Der Käufer zahlt den Preis und der Verkäufer liefert die Ware.", "Der Käufer […] liefert die Ware."),
    ("Der Wirt schließt den Saal spätestens um 22 Uhr.", "Der Wirt schließt den Saal ... um 22 Uhr."),
    (
        "Le gardien ferme la grille tous les soirs, sauf le dimanche, à dix heures.",
        "Le gardien ferme la grille tous les soirs ... à dix heures.",
    ),
    (
        "El guarda no abrirá la puerta sin permiso del alcalde.",
        "El guarda ... abrirá la puerta ... permiso del alcalde.",
    ),
    ("Penjaga wajib, dengan persetujuan lurah, membuka gerbang.", "Penjaga wajib ... membuka gerbang."),
    (
        "Penjaga membuka gerbang paling lambat pukul enam pagi.",
        "Penjaga membuka gerbang ... pukul enam pagi.",
    ),
    ("出租人应当在三十日内书面通知承租人。", "出租人应当……通知承租人。"),
    ("O guarda não abrirá o portão à noite.", "O guarda ... abrirá o portão à noite."),
    ("De wachter mag de poort niet openen zonder toestemming.", "De wachter mag de poort ... openen"),
    (
        "The master may not enter the lock while the light is red.",
        "The master may ... enter the lock while the light is red.",
    ),
    ("No person shall fish from the bridge.", "... person shall fish from the bridge."),
    ("The council is in no case bound to rebuild the wall.", "The council is ... bound to rebuild the wall."),
    (
        "The tenant shall indemnify the landlord against claims of third parties.",
        "The tenant shall indemnify ... third parties.",
    ),
    ("The owner may, on three days' notice, close the gate.", "The owner may ... close the gate."),
    ("The owner must not only light the buoy but also paint it.", "The owner must ... light the buoy"),
    (
        "Der Vermieter kann, falls der Mieter zustimmt, die Miete erhöhen.",
        "Der Vermieter kann […] die Miete erhöhen.",
    ),
    ("Der Hafenmeister muss das Tor nicht schließen.", "Der Hafenmeister muss das Tor […] schließen."),
    ("Der Pächter haftet höchstens in Höhe von 500 Euro.", "Der Pächter haftet ... in Höhe von 500 Euro."),
    (
        "Le locataire n'est pas tenu de repeindre les murs.",
        "Le locataire […] est […] tenu de repeindre les murs.",
    ),
    (
        "El concesionario no está obligado a limpiar la playa.",
        "El concesionario ... está obligado a limpiar la playa.",
    ),
    ("Nakhoda dilarang membuang sampah ke laut.", "Nakhoda ... membuang sampah ke laut."),
    ("لا يلتزم المالك بترميم السور.", "... يلتزم المالك بترميم السور."),
    ("يجوز للمستأجر، بموافقة المالك، زراعة الحديقة.", "يجوز للمستأجر ... زراعة الحديقة."),
    ("承租人经出租人同意可以种植树木。", "承租人……可以种植树木。"),
    (
        "Il locatore non ripara il tetto durante l'inverno.",
        "Il locatore [...] ripara il tetto durante l'inverno.",
    ),
    ("De huurder mag de heg niet snoeien in maart.", "De huurder mag de heg [...] snoeien in maart."),
    (
        "The lessee shall pay 40 crowns on Monday and 60 crowns on Friday.",
        "The lessee shall pay ... 60 crowns on Friday.",
    ),
    (
        "The keeper is neither required nor permitted to raise the bridge.",
        "The keeper is ... required ... to raise the bridge.",
    ),
    (
        "The bridge shall be opened by the keeper and not by the master.",
        "The bridge shall be opened by the ... master.",
    ),
    ("Rent is payable by the assignee or, failing him, by the tenant.", "Rent is payable by ... the tenant."),
    ("The tenant, but not the subtenant, may keep a dog.", "The ... subtenant, may keep a dog."),
    ("Every tenant except a minor may vote at the meeting.", "Every tenant ... may vote at the meeting."),
    (
        "The insurer will pay the owner unless the master was drunk.",
        "The insurer will pay the owner ... the master was drunk.",
    ),
    (
        "The tenant may, with the written consent of the landlord, assign the lease.",
        "The tenant may ... assign the lease.",
    ),
    (
        "The tenant, with the prior approval of the landlord, may assign the lease.",
        "The tenant ... may assign the lease.",
    ),
    (
        "Le preneur peut, avec l'autorisation du bailleur, céder le bail.",
        "Le preneur peut ... céder le bail.",
    ),
    (
        "El arrendatario puede, con autorización del dueño, ceder el contrato.",
        "El arrendatario puede ... ceder el contrato.",
    ),
]
# What only tells more of a word, or whole sentences.
SAME = [
    (
        "The operator, a company registered in Lorient, shall insure the crane.",
        "The operator ... shall insure the crane.",
    ),
    (
        "Der Pächter, ein eingetragener Verein, mäht die Wiese im Juni.",
        "Der Pächter […] mäht die Wiese im Juni.",
    ),
    ("Le preneur, domicilié à Nantes, entretient les haies.", "Le preneur ... entretient les haies."),
    ("El arrendatario, vecino de Cádiz, pintará la fachada.", "El arrendatario [...] pintará la fachada."),
    (
        "The agent shall, without undue delay, inform the principal of every sale.",
        "The agent shall ... inform the principal of every sale.",
    ),
    (
        "The pilot shall board at the outer buoy. The pilot shall not leave before the berth is reached.",
        "The pilot shall board at the outer buoy. ... The pilot shall not leave before the berth is reached.",
    ),
    (
        "The pilot shall board at the outer buoy. Vessels under 20 metres are exempt. The pilot keeps a log.",
        "The pilot shall board at the outer buoy. [...] The pilot keeps a log.",
    ),
    (
        "The keeper, appointed by the council, shall light the lamp every evening.",
        "The keeper [...] shall light the lamp every evening.",
    ),
    (
        "Der Mieter, der das Haus bewohnt, hat den Gehweg zu streuen.",
        "Der Mieter […] hat den Gehweg zu streuen.",
    ),
    (
        "Le bailleur, personne morale de droit public, répare la toiture chaque année.",
        "Le bailleur (...) répare la toiture chaque année.",
    ),
    (
        "El concesionario, con domicilio en Vigo, limpiará la playa cada mañana.",
        "El concesionario [...] limpiará la playa cada mañana.",
    ),
    (
        "Nakhoda, yang memegang izin, membuang sampah di dermaga setiap pagi.",
        "Nakhoda ... membuang sampah di dermaga setiap pagi.",
    ),
    (
        "Il locatore, residente a Bari, ripara il tetto dopo l'inverno.",
        "Il locatore [...] ripara il tetto dopo l'inverno.",
    ),
    ("De huurder, wonend te Delft, snoeit de heg in maart.", "De huurder [...] snoeit de heg in maart."),
]


@pytest.fixture(scope="module")
def auditor(tmp_path_factory: pytest.TempPathFactory) -> Auditor:
    root = tmp_path_factory.mktemp("quotations")
    for number, (source, _) in enumerate([*CHANGED, *SAME]):
        (root / f"{number}.md").write_text(
            f"# Deed {number + 10}\n\n## 1. Rule\n{source}\n", encoding="utf-8"
        )
    build_corpus([root], root / "corpus", embedding="none")
    return Auditor(open_corpus(root / "corpus"))


def finding(auditor: Auditor, number: int, quote: str) -> Finding:
    """What is found of a quotation in the language of its source."""
    language = next(one.language for one in auditor.corpus.documents() if one.id == str(number))
    return auditor.claim(f"“{quote}”", language).finding


@pytest.mark.parametrize("number", range(len(CHANGED)), ids=[quote for _, quote in CHANGED])
def test_a_quotation_without_a_word_that_binds_is_not_verified(auditor: Auditor, number: int) -> None:
    said = (Finding.SUPPORTED, Finding.WRONG_PINPOINT, Finding.OUTDATED)
    assert finding(auditor, number, CHANGED[number][1]) not in said


@pytest.mark.parametrize("number", range(len(SAME)), ids=[quote for _, quote in SAME])
def test_a_quotation_without_words_that_bind_nothing_is_verified(auditor: Auditor, number: int) -> None:
    assert finding(auditor, len(CHANGED) + number, SAME[number][1]) is Finding.SUPPORTED
