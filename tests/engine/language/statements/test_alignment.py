"""Whether a text says a claim: word by word, in the same parts, under the same conditions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.statements import Alignment, Change, align, sequence

SAID = [
    (
        "en",
        "The buyer must pay the price within two weeks.",
        "The buyer shall pay the price within fourteen days.",
    ),
    (
        "en",
        "The appeal must be lodged by the buyer within a month.",
        "The buyer must lodge the appeal within one month.",
    ),
    ("en", "The agent may withdraw at any time.", "The agent shall have the right to withdraw at any time."),
    ("en", "The seller must deliver.", "The seller and the carrier must deliver."),
    (
        "de",
        "Der Verkäufer muss dem Käufer die Sache übergeben.",
        "Der Verkäufer hat dem Käufer die Sache zu übergeben.",
    ),
    (
        "de",
        "Der Einspruch muss binnen 30 Tagen eingelegt werden.",
        "Der Einspruch ist innerhalb von dreißig Tagen einzulegen.",
    ),
    ("fr", "Le vendeur doit livrer la chose.", "Le vendeur doit livrer la chose."),
    ("id", "Penjual wajib menyerahkan barang.", "Penjual wajib menyerahkan barang."),
    ("sv", "Hyresgästen får säga upp avtalet.", "Hyresgästen får säga upp avtalet."),
    ("zh", "当事人可以解除合同。", "当事人可以解除合同。"),
    # A person's paraphrase: modal verbs, voice, order of clauses and phrases, limits, nouns for verbs.
    (
        "en",
        "The principal may revoke the power at any time.",
        "The power may be revoked at any time by the principal.",
    ),
    (
        "en",
        "Upon request, the agent must give the principal a report.",
        "The agent must give the principal a report on request.",
    ),
    ("en", "The fee may not exceed 10 crowns.", "The fee must be at most 10 crowns."),
    (
        "en",
        "The agent may not act unless permitted by the board.",
        "The agent may act only if permitted by the board.",
    ),
    (
        "de",
        "Dem Käufer muss der Verkäufer die Sache übergeben.",
        "Der Verkäufer muss dem Käufer die Sache übergeben.",
    ),
    (
        "de",
        "Der Verkäufer ist verpflichtet, dem Käufer die Sache zu übergeben.",
        "Der Verkäufer hat dem Käufer die Sache zu übergeben.",
    ),
    ("fr", "Le juge doit fixer le délai.", "Le juge est tenu de fixer le délai."),
    ("fr", "Le délai est fixé par le juge.", "Le juge fixe le délai."),
    (
        "es",
        "El responsable está obligado a notificar la violación.",
        "El responsable notificará la violación.",
    ),
    (
        "de",
        "Wer noch nicht vierzehn Jahre alt ist, ist schuldunfähig.",
        "Schuldunfähig ist, wer noch nicht vierzehn Jahre alt ist.",
    ),
    (
        "de",
        "Der Mörder ist mit lebenslanger Freiheitsstrafe zu bestrafen.",
        "Der Mörder wird mit lebenslanger Freiheitsstrafe bestraft.",
    ),
    (
        "de",
        "Die Arbeitszeit der Arbeitnehmer darf nicht mehr als acht Stunden betragen.",
        "Die Arbeitszeit der Arbeitnehmer darf acht Stunden nicht überschreiten.",
    ),
    (
        "de",
        "Vorstandsmitglieder werden vom Aufsichtsrat für höchstens fünf Jahre bestellt.",
        "Vorstandsmitglieder bestellt der Aufsichtsrat auf höchstens fünf Jahre.",
    ),
    (
        "fr",
        "L'ordonnance peut uniquement être attaquée par pourvoi en cassation.",
        "L'ordonnance ne peut être attaquée que par pourvoi en cassation.",
    ),
    (
        "en",
        "The tax is due one month after the assessment has been delivered.",
        "The tax falls due one month after delivery of the assessment.",
    ),
    (
        "en",
        "Every Listed Entity is required to have an effective Board.",
        "Every Listed Entity must have an effective Board which is accountable for its business.",
    ),
    (
        "en",
        "Upon request, a copy of the report must be available to any client.",
        "A firm must ensure that a copy of its report is available to any client upon request.",
    ),
]
NOT_SAID = [
    ("en", "The seller must pay the price.", "The buyer must pay the price."),
    ("en", "The seller must notify the buyer.", "The buyer must notify the seller."),
    ("en", "The buyer must be notified by the seller.", "The seller must be notified by the buyer."),
    ("en", "The buyer must pay the price.", "The buyer must pay the price unless the goods are faulty."),
    ("en", "The buyer must pay the price.", "If the goods are sound, the buyer must pay the price."),
    ("en", "The buyer must always pay the price.", "The buyer must pay the price."),
    ("en", "The buyer must pay the price.", "The buyer may pay the price."),
    ("en", "Every buyer of goods must pay a fee.", "A buyer of goods by instalments must pay a fee."),
    ("en", "The buyer may return the goods.", "The buyer may return the goods in writing within a week."),
    (
        "en",
        "The buyer must pay the price or return the goods.",
        "The buyer must pay the price and return the goods.",
    ),
    (
        "de",
        "Der Käufer muss dem Verkäufer die Sache übergeben.",
        "Der Verkäufer hat dem Käufer die Sache zu übergeben.",
    ),
    ("de", "Der Vermieter darf kündigen.", "Der Mieter, der zahlt, darf kündigen."),
    ("fr", "L'acheteur doit livrer la chose.", "Le vendeur doit livrer la chose."),
    # Languages without words of their own: what denies is a small word.
    ("sv", "Hyresgästen får säga upp avtalet.", "Hyresgästen får inte säga upp avtalet."),
    ("it", "Il conduttore può recedere dal contratto.", "Il conduttore non può recedere dal contratto."),
    ("pt", "O locatário pode rescindir.", "O locatário não pode rescindir."),
    ("nl", "De huurder mag opzeggen.", "De huurder mag niet opzeggen."),
    ("zh", "当事人可以解除合同。", "当事人不可以解除合同。"),
    ("ru", "Арендатор может расторгнуть договор.", "Арендатор не может расторгнуть договор."),
    # A condition in front with "and" in it was taken for one of a list.
    (
        "en",
        "The firm must tell the client of a breach.",
        "When it is a risk to the rights and freedoms of all, the firm shall tell the client of a breach.",
    ),
    # Whose part is exchanged, what a condition binds, a permission for a duty, what "all" is of.
    (
        "en",
        "The notice must be delivered to the seller by the buyer.",
        "The notice must be delivered to the buyer by the seller.",
    ),
    ("en", "If the seller dies, the buyer must pay.", "If the buyer dies, the seller must pay."),
    ("en", "The buyer must pay if the seller dies.", "The seller must pay if the buyer dies."),
    ("en", "The buyer must pay if the seller dies.", "If the buyer dies, the seller must pay."),
    ("en", "The seller who notifies the buyer must pay.", "The buyer who notifies the seller must pay."),
    (
        "en",
        "The firm must keep records of complaints made by it against clients.",
        "The firm must keep records of complaints made against it by clients.",
    ),
    (
        "en",
        "The agent must file within one month of receipt of the order by notice of the court.",
        "The agent must file within one month of notice of the order by receipt of the court.",
    ),
    ("en", "The control must be approved by the board.", "The controller must be approved by the board."),
    (
        "en",
        "The firm must keep records of all payments.",
        "The firm must keep records of all payments received from clients in the year.",
    ),
    (
        "en",
        "The agent must object to the order within 14 days.",
        "The agent may within 14 days object to the order.",
    ),
    (
        "en",
        "The agent concludes the contract with the buyer.",
        "The agent may conclude the contract with the buyer.",
    ),
    (
        "en",
        "The report must be filed with the court.",
        "If the court so asks, the agent must ensure that the report is filed with the court.",
    ),
    (
        "en",
        "The agent may act for the buyer only if permitted.",
        "The agent may act for the buyer if permitted.",
    ),
    ("en", "The agent may act for the buyer.", "The agent may act for the buyer only if permitted."),
    (
        "en",
        "The agent must act within 14 days for the buyer.",
        "The agent may act for the buyer only with consent within 14 days.",
    ),
    (
        "en",
        "The fee is payable by the buyer to the seller.",
        "The fee is payable by the seller to the buyer.",
    ),
    (
        "en",
        "The buyer must notify the seller of the defect and the seller must pay the buyer.",
        "The seller must notify the buyer of the defect and the buyer must pay the seller.",
    ),
    ("en", "The board must not be approved by the court.", "The board must be approved by the court."),
    (
        "en",
        "The goods must be returned by the buyer from Rome to Paris.",
        "The goods must be returned by the buyer from Paris to Rome.",
    ),
    ("en", "A member must vote at the meeting.", "A member may be required to vote at the meeting."),
    (
        "en",
        "The Regulator must consult the Body before exercising the powers.",
        "Before exercising the powers the Body must consult the Regulator.",
    ),
    ("en", "The employee must pay the employer wages.", "The employer must pay the employee wages."),
    ("en", "The period must exceed 30 days.", "The period must not exceed 30 days."),
    (
        "en",
        "The fund must hold less than 10% of the units.",
        "The fund must hold not less than 10% of the units.",
    ),
    ("en", "The agent is entitled to commission.", "The agent is not entitled to commission."),
    ("en", "The buyer may withdraw without paying.", "The buyer may not withdraw without paying."),
    (
        "en",
        "Disclosure of the report is prohibited.",
        "Disclosure of the report is prohibited except with consent.",
    ),
    ("en", "The seller is liable to the buyer.", "The buyer is liable to the seller."),
    ("en", "Only the board may appoint the manager.", "The board may appoint the manager."),
    (
        "en",
        "Shares must be sold by members to the company in writing.",
        "Shares must be sold to members by the company in writing.",
    ),
    (
        "de",
        "Der Besitzer kann von dem Eigentümer die Herausgabe verlangen.",
        "Der Eigentümer kann von dem Besitzer die Herausgabe verlangen.",
    ),
    ("de", "Der Mieter wird vom Vermieter benachrichtigt.", "Der Mieter benachrichtigt den Vermieter."),
    ("de", "Der Aufsichtsrat wird vom Vorstand bestellt.", "Den Vorstand bestellt der Aufsichtsrat."),
    (
        "de",
        "Der Vorstand kann die Gesellschaft unter eigener Verantwortung leiten.",
        "Der Vorstand leitet die Gesellschaft unter eigener Verantwortung.",
    ),
    ("de", "Der Mieter haftet dem Vermieter.", "Die Miete haftet dem Vermieter."),
    ("de", "Der Vermieter haftet für den Mieter.", "Für den Vermieter haftet der Mieter."),
    (
        "de",
        "Wenn der Käufer zahlt, muss der Verkäufer liefern.",
        "Wenn der Verkäufer zahlt, muss der Käufer liefern.",
    ),
    (
        "de",
        "Der Käufer muss liefern, wenn der Verkäufer zahlt.",
        "Wenn der Käufer zahlt, muss der Verkäufer liefern.",
    ),
    (
        "de",
        "Der Verkäufer, der zahlt, muss den Käufer benachrichtigen.",
        "Der Verkäufer, der benachrichtigt, muss den Käufer zahlen.",
    ),
    (
        "de",
        "Die Kündigung ist wirksam, der Vertrag ist unwirksam.",
        "Die Kündigung ist unwirksam, der Vertrag ist wirksam.",
    ),
    (
        "de",
        "Die fristlose Kündigung des befristeten Vertrags ist zulässig.",
        "Die befristete Kündigung des fristlosen Vertrags ist zulässig.",
    ),
    (
        "de",
        "Der Käufer kann jederzeit zurücktreten.",
        "Der Käufer kann innerhalb von zwei Wochen zurücktreten.",
    ),
    ("de", "Der Verkäufer braucht die Sache nicht zu liefern.", "Der Verkäufer muss die Sache liefern."),
    (
        "de",
        "Die Frist muss mindestens vier Wochen betragen.",
        "Die Frist darf vier Wochen nicht überschreiten.",
    ),
    (
        "de",
        "Der Erbe muss die Schulden des Erblassers tragen.",
        "Der Erblasser muss die Schulden des Erben tragen.",
    ),
    (
        "de",
        "Der Bürge haftet dem Gläubiger für den Schuldner.",
        "Der Bürge haftet dem Schuldner für den Gläubiger.",
    ),
    ("fr", "Les frais sont à la charge de l'exproprié.", "Les frais sont à la charge de l'expropriant."),
    ("fr", "Le mandant doit informer le mandataire.", "Le mandataire doit informer le mandant."),
    ("fr", "Le vendeur peut être poursuivi par l'acheteur.", "Le vendeur peut poursuivre l'acheteur."),
    ("fr", "L'ordonnance peut être attaquée par pourvoi.", "L'ordonnance ne peut être attaquée par pourvoi."),
    ("fr", "Le juge peut fixer le délai.", "Le juge ne peut fixer le délai qu'avec l'accord des parties."),
    ("fr", "Le préfet doit notifier la décision au maire.", "Le maire doit notifier la décision au préfet."),
    ("es", "El demandado debe pagar las costas al juez.", "El demandante debe pagar las costas al juez."),
    ("es", "El responsable debe notificar al encargado.", "El encargado debe notificar al responsable."),
    ("es", "El plazo puede prorrogarse.", "El plazo no puede prorrogarse."),
]
OTHERWISE = [
    ("en", "The buyer must pay within two years.", "The buyer must pay within one year.", Change.NUMBER),
    ("en", "The buyer may sell the goods.", "The buyer may not sell the goods.", Change.MODALITY),
    ("en", "The contract is void.", "The contract is valid.", Change.OPPOSITE),
    ("de", "Der Käufer haftet binnen 6 Monaten.", "Der Käufer haftet binnen 3 Monaten.", Change.NUMBER),
]


def of(language: str, claim: str, source: str) -> Alignment:
    return align(sequence(claim, language), sequence(source, language), language)


@pytest.mark.parametrize(("language", "claim", "source"), SAID, ids=[row[1] for row in SAID])
def test_what_is_said(language: str, claim: str, source: str) -> None:
    found = of(language, claim, source)
    assert found.complete, found


@pytest.mark.parametrize(("language", "claim", "source"), NOT_SAID, ids=[row[1] for row in NOT_SAID])
def test_what_is_not_said(language: str, claim: str, source: str) -> None:
    found = of(language, claim, source)
    assert not found.complete, found


@pytest.mark.parametrize(
    ("language", "claim", "source", "change"), OTHERWISE, ids=[row[1] for row in OTHERWISE]
)
def test_what_is_said_otherwise(language: str, claim: str, source: str, change: Change) -> None:
    found = of(language, claim, source)
    assert found.contrary, found
    assert [one.change for one in found.changed] == [change]


WORDS = st.sampled_from(
    ["buyer", "seller", "price", "goods", "pay", "deliver", "notify", "contract", "week", "court"]
)


@given(st.lists(WORDS, min_size=3, max_size=12))
def test_every_sentence_says_itself(words: list[str]) -> None:
    text = "The " + " ".join(words)
    if len({*words}) < 2:
        return
    assert of("en", text, text).complete


@given(st.lists(WORDS, min_size=3, max_size=9, unique=True), st.data())
def test_a_word_more_in_a_claim_is_never_said(words: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(words)))
    claim = [*words[:place], "lighthouse", *words[place:]]
    assert not of("en", " ".join(claim), " ".join(words)).complete


@given(st.lists(WORDS, min_size=4, max_size=9, unique=True), st.data())
def test_two_words_exchanged_are_never_said(words: list[str], data: st.DataObject) -> None:
    one, other = data.draw(
        st.tuples(st.integers(0, len(words) - 1), st.integers(0, len(words) - 1)).filter(
            lambda p: p[0] != p[1]
        )
    )
    claim = list(words)
    claim[one], claim[other] = claim[other], claim[one]
    assert not of("en", " ".join(claim), " ".join(words)).complete


@given(st.text(max_size=80), st.text(max_size=80), st.sampled_from(["en", "de", "ar", "zh", "fr", "und"]))
def test_any_texts_can_be_compared(claim: str, source: str, language: str) -> None:
    found = of(language, claim, source)
    assert 0.0 <= found.share <= 1.0
    assert not (found.complete and found.contrary)
