"""Words that repeal a provision or an act, and words like them that do not."""

from __future__ import annotations

import pytest

from engine.language.references import find_mentions
from engine.model import Relation

REPEALED = {
    "en": [
        "Section 7 of the Quarry Act 2009 is hereby repealed.",
        "The Quarry Act, 2009, is repealed.",
        "There is repealed section 7 of the Quarry Act 2009.",
        "Regulation 7 is revoked.",
        "Section 7 is, with effect from 1 May 2020, repealed.",
        "Section 7 ceases to have effect.",
        "Section 7 shall be omitted.",
        "Section 7 stands repealed.",
        "The following are repealed: section 7 and section 9.",
    ],
    "de": [
        "§ 7 des Hafengesetzes wird aufgehoben.",
        "Die Richtlinie 95/46/EG wird mit Wirkung vom 25. Mai 2018 aufgehoben.",
        "Aufgehoben wird § 7 des Hafengesetzes.",
        "Das Hafengesetz vom 3. Mai 1999, zuletzt geändert durch Gesetz vom 4. Juni 2001, tritt außer Kraft.",
        "Gleichzeitig tritt das Hafengesetz außer Kraft.",
        "Mit Inkrafttreten dieses Gesetzes wird § 7 des Hafengesetzes aufgehoben.",
        "Es werden aufgehoben: 1. § 7 des Hafengesetzes",
    ],
    "fr": [
        "L'article 7 de la loi n° 88-112 est abrogé.",
        "Est abrogé l'article 7 de la loi n° 88-112.",
        "Sont abrogés : 1° L'article 7 du code des ports ;",
        "Les articles 7 et 8 sont abrogés.",
        "La loi n° 88-112 du 3 mai 1988 est abrogée.",
    ],
    "es": [
        "Queda derogado el artículo 7 de la Ley 14/1997.",
        "Se deroga el artículo 7 de la Ley 14/1997.",
        "El artículo 7 de la Ley 14/1997, de 8 de abril, queda derogado.",
        "Se suprime el artículo 7.",
        "La presente ley deroga la Ley 14/1997.",
    ],
    "it": [
        "L'articolo 7 della legge 4 maggio 1996, n. 211, è abrogato.",
        "È abrogato l'articolo 7 della legge n. 211 del 1996.",
        "Sono abrogati gli articoli 7 e 8 della legge n. 211 del 1996.",
        "L'articolo 7 è soppresso.",
    ],
    "pt": [
        "É revogado o artigo 7.º da Lei n.º 31/1999.",
        "O artigo 7.º da Lei n.º 31/1999, de 5 de maio, é revogado.",
        "São revogados os artigos 7.º e 8.º da Lei n.º 31/1999.",
        "Fica revogada a Lei n.º 31/1999.",
        "Revoga-se o artigo 7.º.",
    ],
    "nl": [
        "Artikel 7 van de Havenwet wordt ingetrokken.",
        "Artikel 7 vervalt.",
        "Richtlijn 95/46/EG wordt met ingang van 25 mei 2018 ingetrokken.",
        "De Havenwet wordt ingetrokken.",
        "Ingetrokken wordt artikel 7 van de Havenwet.",
    ],
    "id": [
        "Undang-Undang Nomor 7 Tahun 2004 dicabut dan dinyatakan tidak berlaku.",
        "Pasal 7 dihapus.",
        "Ketentuan Pasal 7 dihapus.",
        "Pada saat Undang-Undang ini mulai berlaku, Peraturan Pemerintah Nomor 3 Tahun 1999 dicabut.",
        "Mencabut Undang-Undang Nomor 7 Tahun 2004.",
    ],
    "ar": [
        "تلغى المادة 7 من نظام الموانئ.",
        "يلغى نظام الموانئ الصادر بالمرسوم الملكي رقم م/12.",
        "ألغيت المادة 7.",
        "تحذف المادة 7 من النظام.",
    ],
    "zh": [
        "《港口条例》同时废止。",
        "删去第七条。",
        "废止《港口条例》。",
        "《港口条例》第七条自2019年起废止。",
    ],
}
# A decision under a provision is cancelled, a duty lapses: the provision stays.
KEPT = {
    "en": ["A licence under section 7 may be revoked.", "Section 7 applies to an order that is repealed."],
    "de": [
        "Hat das Gericht den Bescheid aufgehoben (§ 74a), so gilt dies nicht.",
        "Bescheide nach § 7 werden geprüft und aufgehoben.",
        "Die Pflicht nach § 7 entfällt.",
    ],
    "fr": ["Les licences visées à l’article 7 peuvent être retirées."],
    "es": ["Las licencias del artículo 7 podrán ser revocadas."],
    "it": ["Le licenze di cui all’articolo 7 possono essere revocate."],
    "pt": ["As licenças referidas no artigo 7.º podem ser revogadas."],
    "nl": ["De vergunning bedoeld in artikel 7 kan worden ingetrokken."],
    "id": ["Izin sebagaimana dimaksud dalam Pasal 7 dapat dicabut."],
}


def test_words_of_repeal(subtests: pytest.Subtests) -> None:
    for language, texts in REPEALED.items():
        for text in texts:
            with subtests.test(text):
                found = find_mentions(text, language)
                assert found
                assert {one.relation for one in found} == {Relation.REPEALS}


def test_other_words_repeal_nothing(subtests: pytest.Subtests) -> None:
    for language, texts in KEPT.items():
        for text in texts:
            with subtests.test(text):
                assert Relation.REPEALS not in {one.relation for one in find_mentions(text, language)}
