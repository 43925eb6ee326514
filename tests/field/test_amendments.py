"""Words of one text that change those of another: as references, in the audit and in answers.

Each case has its own acts; all are ingested together. RIGHT: the claim is so, WRONG: it is not so any more or
not yet, READ: only both texts together tell, so that it is called neither right nor wrong.
"""
# ruff: noqa: E501 (a text is easier to read in one line)

from __future__ import annotations

from datetime import date
from typing import NamedTuple

import pytest

from engine.answers.answer import answer
from engine.answers.audit import Auditor, Finding
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation import Case as Investigated
from engine.model import Relation
from engine.records.reference_table import reference_rows
from engine.settings import preset

DAY = date(2026, 11, 27)


RIGHT = (Finding.SUPPORTED,)
WRONG = (Finding.OUTDATED, Finding.CONTRADICTED)
READ = (Finding.AMENDED,)


class Case(NamedTuple):
    """Texts in a language, the amended one first, and claims about them."""

    language: str
    texts: list[str]
    claims: list[tuple[tuple[Finding, ...], str]]


CASES = [
    Case(
        "en",
        [
            "# Mooring Fees Rules, 2011\n\n## 4. Payment\nThe master shall pay the mooring fee within 14 days of arrival.\n\n## 5. Refund\nThe harbour office refunds overpaid fees.\n",
            '# Mooring Fees (Amendment) Rules, 2019\n\n## 1. Commencement\nThese Rules come into force on 1 June 2019.\n\n## 2. Rule 4\nIn rule 4 of the Mooring Fees Rules, 2011, for "14 days" substitute "21 days".\n',
        ],
        [
            (
                WRONG,
                "The master shall pay the mooring fee within 14 days of arrival (rule 4 of the Mooring Fees Rules, 2011).",
            ),
            (
                RIGHT,
                "The master shall pay the mooring fee within 21 days of arrival (rule 4 of the Mooring Fees Rules, 2011).",
            ),
            (
                WRONG,
                "The master shall pay the mooring fee within 35 days of arrival (rule 4 of the Mooring Fees Rules, 2011).",
            ),
            (RIGHT, "The harbour office refunds overpaid fees (rule 5 of the Mooring Fees Rules, 2011)."),
        ],
    ),
    Case(
        "en",
        [
            "# Quarry Act, 2009\n\n## 7. Reports\nThe operator shall file a quarterly report with the Inspector.\n",
            '# Quarry (Amendment) Act, 2016\n\n## 1. Commencement\nThis Act comes into force on 1 March 2016.\n\n## 2. Amendment of section 7\nSection 7 of the Quarry Act, 2009 is amended by deleting the word "quarterly" and inserting in its place the word "monthly".\n',
        ],
        [
            (
                WRONG,
                "The operator shall file a quarterly report with the Inspector (section 7 of the Quarry Act, 2009).",
            ),
            (
                RIGHT,
                "The operator shall file a monthly report with the Inspector (section 7 of the Quarry Act, 2009).",
            ),
        ],
    ),
    Case(
        "en",
        [
            "# Regulation 14/2012 on lifeboats\n\n## Article 6\nEvery ferry carries at least 4 lifeboats.\n\n## Article 7\nLifeboats are painted orange.\n",
            '# Regulation 9/2021 amending Regulation 14/2012\n\n## Article 1\nIn Article 6 of Regulation 14/2012, the words "4 lifeboats" are replaced by the words "6 lifeboats".\n\n## Article 2\nThis Regulation enters into force on 1 January 2022.\n',
        ],
        [
            (WRONG, "Every ferry carries at least 4 lifeboats (Article 6 of Regulation 14/2012)."),
            (RIGHT, "Every ferry carries at least 6 lifeboats (Article 6 of Regulation 14/2012)."),
            (RIGHT, "Lifeboats are painted orange (Article 7 of Regulation 14/2012)."),
        ],
    ),
    Case(
        "en",
        [
            "# Ferry Act, 2003\n\n## 11. Pets\nA passenger may carry one dog on board.\n\n## 12. Bicycles\nA passenger may carry one bicycle on board.\n",
            "# Ferry (Amendment) Act, 2014\n\n## 2. Repeal\nSection 11 of the Ferry Act, 2003 is repealed.\n",
        ],
        [
            (READ, "A passenger may carry one dog on board (section 11 of the Ferry Act, 2003)."),
            (RIGHT, "A passenger may carry one bicycle on board (section 12 of the Ferry Act, 2003)."),
        ],
    ),
    Case(
        "fr",
        [
            "# Décret n° 2008-77 du 4 mai 2008 relatif aux bacs\n\n## Article 4\nLe passeur tient le registre pendant trois ans.\n\n## Article 5\nLe bac porte un feu blanc.\n",
            "# Décret n° 2018-12 du 9 février 2018 modifiant le décret n° 2008-77\n\n## Article 1\nÀ l'article 4 du décret n° 2008-77 du 4 mai 2008, les mots « trois ans » sont remplacés par les mots « cinq ans ».\n\n## Article 2\nLe présent décret entre en vigueur le 1er mars 2018.\n",
        ],
        [
            (WRONG, "Le passeur tient le registre pendant trois ans (article 4 du décret n° 2008-77)."),
            (RIGHT, "Le passeur tient le registre pendant cinq ans (article 4 du décret n° 2008-77)."),
            (RIGHT, "Le bac porte un feu blanc (article 5 du décret n° 2008-77)."),
        ],
    ),
    Case(
        "de",
        [
            "# Fährgesetz\n\n## § 7 Aufbewahrung\nDer Fährmann bewahrt das Fahrtenbuch zwei Jahre auf.\n\n## § 8 Licht\nDie Fähre führt ein weißes Licht.\n",
            "# Gesetz zur Änderung des Fährgesetzes\n\n## Artikel 1\nIn § 7 des Fährgesetzes werden die Wörter „zwei Jahre“ durch die Wörter „vier Jahre“ ersetzt.\n\n## Artikel 2\nDieses Gesetz tritt am 1. Januar 2020 in Kraft.\n",
        ],
        [
            (WRONG, "Der Fährmann bewahrt das Fahrtenbuch zwei Jahre auf (§ 7 des Fährgesetzes)."),
            (RIGHT, "Der Fährmann bewahrt das Fahrtenbuch vier Jahre auf (§ 7 des Fährgesetzes)."),
            (RIGHT, "Die Fähre führt ein weißes Licht (§ 8 des Fährgesetzes)."),
        ],
    ),
    Case(
        "de",
        [
            "# Brückengesetz\n\n## § 3 Zoll\nFür die Überfahrt wird ein Zoll von 2 Euro erhoben.\n\n## § 4 Nacht\nDie Brücke bleibt nachts geschlossen.\n",
            "# Zweites Gesetz zur Änderung des Brückengesetzes\n\n## Artikel 1\n§ 3 des Brückengesetzes wird aufgehoben.\n",
        ],
        [
            (READ, "Für die Überfahrt wird ein Zoll von 2 Euro erhoben (§ 3 des Brückengesetzes)."),
            (RIGHT, "Die Brücke bleibt nachts geschlossen (§ 4 des Brückengesetzes)."),
        ],
    ),
    Case(
        "id",
        [
            "# Undang-Undang Nomor 8 Tahun 2010 tentang Dermaga\n\n## Pasal 9\nPemilik kapal wajib membayar retribusi paling lambat 10 hari setelah sandar.\n\n## Pasal 10\nPengelola dermaga menyimpan catatan kapal.\n",
            '# Undang-Undang Nomor 3 Tahun 2019 tentang Perubahan atas Undang-Undang Nomor 8 Tahun 2010 tentang Dermaga\n\n## Pasal 1\nKetentuan Pasal 9 Undang-Undang Nomor 8 Tahun 2010 tentang Dermaga diubah sehingga berbunyi sebagai berikut: "Pemilik kapal wajib membayar retribusi paling lambat 30 hari setelah sandar."\n\n## Pasal 2\nUndang-Undang ini mulai berlaku pada tanggal 2 Januari 2019.\n',
        ],
        [
            (
                WRONG,
                "Pemilik kapal wajib membayar retribusi paling lambat 10 hari setelah sandar (Pasal 9 Undang-Undang Nomor 8 Tahun 2010).",
            ),
            (
                RIGHT,
                "Pemilik kapal wajib membayar retribusi paling lambat 30 hari setelah sandar (Pasal 9 Undang-Undang Nomor 8 Tahun 2010).",
            ),
            (RIGHT, "Pengelola dermaga menyimpan catatan kapal (Pasal 10 Undang-Undang Nomor 8 Tahun 2010)."),
        ],
    ),
    Case(
        "es",
        [
            "# Ley 12/2006, de barcas\n\n## Artículo 5\nEl barquero renovará la licencia cada dos años.\n\n## Artículo 6\nLa barca llevará un chaleco por pasajero.\n",
            "# Ley 4/2017, de modificación de la Ley 12/2006\n\n## Artículo 1\nEn el artículo 5 de la Ley 12/2006, las palabras «dos años» se sustituyen por «tres años».\n\n## Artículo 2\nLa presente Ley entrará en vigor el 1 de abril de 2017.\n",
        ],
        [
            (WRONG, "El barquero renovará la licencia cada dos años (artículo 5 de la Ley 12/2006)."),
            (RIGHT, "El barquero renovará la licencia cada tres años (artículo 5 de la Ley 12/2006)."),
            (RIGHT, "La barca llevará un chaleco por pasajero (artículo 6 de la Ley 12/2006)."),
        ],
    ),
    Case(
        "zh",
        [
            "# 渡口管理条例\n\n第五条 船主应当在靠岸后十日内缴纳泊位费。\n\n第六条 渡口管理处保存船舶记录。\n",
            "# 关于修改《渡口管理条例》的决定\n\n第一条 将《渡口管理条例》第五条中的“十日”修改为“三十日”。\n\n第二条 本决定自2019年5月1日起施行。\n",
        ],
        [
            (WRONG, "船主应当在靠岸后十日内缴纳泊位费（《渡口管理条例》第五条）。"),
            (RIGHT, "船主应当在靠岸后三十日内缴纳泊位费（《渡口管理条例》第五条）。"),
            (RIGHT, "渡口管理处保存船舶记录（《渡口管理条例》第六条）。"),
        ],
    ),
    Case(
        "ar",
        [
            "# قانون المعابر رقم 12 لسنة 2010\n\n## المادة 5\nيسدد مالك السفينة رسم الرسو خلال 15 يوما من الوصول.\n\n## المادة 6\nتحفظ إدارة المعبر سجل السفن.\n",
            '# قانون رقم 3 لسنة 2018 بتعديل قانون المعابر رقم 12 لسنة 2010\n\n## المادة 1\nتستبدل عبارة "15 يوما" الواردة في المادة 5 من قانون المعابر رقم 12 لسنة 2010 بعبارة "45 يوما".\n\n## المادة 2\nيعمل بهذا القانون اعتبارا من 1 يناير 2018.\n',
        ],
        [
            (
                WRONG,
                "يسدد مالك السفينة رسم الرسو خلال 15 يوما من الوصول (المادة 5 من قانون المعابر رقم 12 لسنة 2010).",
            ),
            (
                RIGHT,
                "يسدد مالك السفينة رسم الرسو خلال 45 يوما من الوصول (المادة 5 من قانون المعابر رقم 12 لسنة 2010).",
            ),
            (RIGHT, "تحفظ إدارة المعبر سجل السفن (المادة 6 من قانون المعابر رقم 12 لسنة 2010)."),
        ],
    ),
    Case(
        "it",
        [
            "# Legge 5 marzo 2007, n. 31\n\n## Art. 8\nIl traghettatore conserva il registro per due anni.\n\n## Art. 9\nIl traghetto porta una luce bianca.\n",
            "# Legge 3 luglio 2015, n. 90\n\n## Art. 1\nAll'articolo 8 della legge 5 marzo 2007, n. 31, le parole: «due anni» sono sostituite dalle seguenti: «sei anni».\n\n## Art. 2\nLa presente legge entra in vigore il 1 settembre 2015.\n",
        ],
        [
            (
                WRONG,
                "Il traghettatore conserva il registro per due anni (articolo 8 della legge 5 marzo 2007, n. 31).",
            ),
            (
                RIGHT,
                "Il traghettatore conserva il registro per sei anni (articolo 8 della legge 5 marzo 2007, n. 31).",
            ),
        ],
    ),
    Case(
        "en",
        [
            "# Pilot Fees Rules, 2011\n\n## 4. Payment\nThe owner shall pay the pilot fee within 14 days of boarding.\n\n## 5. Refund\nThe harbour office refunds overpaid fees.\n",
            '# Pilot Fees (Amendment) Rules, 2090\n\n## 1. Commencement\nThese Rules come into force on 1 June 2090.\n\n## 2. Rule 4\nIn rule 4 of the Pilot Fees Rules, 2011, for "14 days" substitute "21 days".\n',
        ],
        [
            (
                RIGHT,
                "The owner shall pay the pilot fee within 14 days of boarding (rule 4 of the Pilot Fees Rules, 2011).",
            ),
            (
                WRONG,
                "The owner shall pay the pilot fee within 21 days of boarding (rule 4 of the Pilot Fees Rules, 2011).",
            ),
        ],
    ),
    Case(
        "en",
        [
            "# Buoy Fees Rules, 2011\n\n## 4. Payment\nThe skipper shall pay the buoy fee within 14 days of arrival.\n\n## 5. Refund\nThe harbour office refunds overpaid fees.\n",
            '# Buoy Fees (Amendment) Rules, 2019\n\n## 1. Commencement\nThese Rules come into force on 1 June 2019.\n\n## 2. Rule 4\nIn rule 4 of the Buoy Fees Rules, 2011, for "buoy fee" substitute "marker fee".\n',
        ],
        [
            (
                RIGHT,
                "The skipper shall pay the marker fee within 14 days of arrival (rule 4 of the Buoy Fees Rules, 2011).",
            ),
            (
                WRONG,
                "The skipper shall pay the marker fee within 41 days of arrival (rule 4 of the Buoy Fees Rules, 2011).",
            ),
        ],
    ),
    Case(
        "en",
        [
            "# Pilot Licence Rules, 2008\n\n## 3. Loss\nA licence lost by the pilot is replaced by the harbour office within 8 days.\n\n## 4. Copies\nThe pilot keeps a copy of the licence replaced under rule 3 of these Rules.\n"
        ],
        [
            (
                RIGHT,
                "A licence lost by the pilot is replaced by the harbour office within 8 days (rule 3 of the Pilot Licence Rules, 2008).",
            )
        ],
    ),
    Case(
        "en",
        [
            "# Quay Fees Rules, 2011\n\n## 4. Payment\nThe charterer shall pay the quay fee within 14 days of landing.\n\n## 5. Refund\nThe harbour office refunds overpaid fees.\n",
            '# Quay Fees (Amendment) Rules\n\n## 2. Rule 4\nIn rule 4 of the Quay Fees Rules, 2011, for the words "14 days" there shall be substituted the words "28 days".\n',
        ],
        [
            (
                READ,
                "The charterer shall pay the quay fee within 14 days of landing (rule 4 of the Quay Fees Rules, 2011).",
            ),
            (
                READ,
                "The charterer shall pay the quay fee within 28 days of landing (rule 4 of the Quay Fees Rules, 2011).",
            ),
        ],
    ),
    Case(
        "en",
        [
            "# Lock Fees Rules, 2011\n\n## 4. Payment\nThe bargeman shall pay the lock fee within 14 days of passage.\n\n## 5. Refund\nThe harbour office refunds overpaid fees.\n",
            '# Lock Fees (Amendment) Rules, 2019\n\n## 1. Commencement\nThese Rules come into force on 1 June 2019.\n\n## 2. Rule 4\nIn rule 4 of the Lock Fees Rules, 2011, for "seven days" substitute "21 days".\n',
        ],
        [
            (
                READ,
                "The bargeman shall pay the lock fee within 14 days of passage (rule 4 of the Lock Fees Rules, 2011).",
            ),
            (
                READ,
                "The bargeman shall pay the lock fee within 21 days of passage (rule 4 of the Lock Fees Rules, 2011).",
            ),
        ],
    ),
    Case(
        "en",
        [
            "# Cable Car Act 2003\n\n## 4. Fares\n(1) The fare for an adult is 12 crowns.\n\n(2) A child travels free.\n\n## 5. Hours\nThe cabin leaves every 30 minutes.\n",
            '# Cable Car (Amendment) Act 2012\n\n## 1. Commencement\nThis Act comes into force on 1 May 2012.\n\n## 2. Amendments\nThe Cable Car Act 2003 is amended as follows:\n\n(a) in section 4(1), for "12 crowns" substitute "15 crowns";\n\n(b) in section 5, for "30 minutes" substitute "45 minutes".\n',
        ],
        [
            (WRONG, "The fare for an adult is 12 crowns (section 4(1) of the Cable Car Act 2003)."),
            (RIGHT, "The fare for an adult is 15 crowns (section 4(1) of the Cable Car Act 2003)."),
            (WRONG, "The cabin leaves every 30 minutes (section 5 of the Cable Car Act 2003)."),
            (RIGHT, "The cabin leaves every 45 minutes (section 5 of the Cable Car Act 2003)."),
            (RIGHT, "A child travels free (section 4(2) of the Cable Car Act 2003)."),
        ],
    ),
    Case(
        "de",
        [
            "# Hafenordnung\n\n## § 7 Fristen\n(1) Die Anmeldung erfolgt spätestens 6 Stunden vor Ankunft.\n\n(2) Die Gebühr beträgt 40 Euro.\n\n## § 8 Licht\nDer Hafen bleibt nachts beleuchtet.\n",
            "# Verordnung zur Änderung der Hafenordnung\n\n## Artikel 1 Änderung der Hafenordnung\nDie Hafenordnung wird wie folgt geändert:\n\n1. In § 7 Absatz 1 wird die Angabe „6 Stunden“ durch die Angabe „12 Stunden“ ersetzt.\n\n2. § 8 wird aufgehoben.\n\n## Artikel 2 Inkrafttreten\nDiese Verordnung tritt am 1. März 2019 in Kraft.\n",
        ],
        [
            (
                WRONG,
                "Die Anmeldung erfolgt spätestens 6 Stunden vor Ankunft (§ 7 Absatz 1 der Hafenordnung).",
            ),
            (
                RIGHT,
                "Die Anmeldung erfolgt spätestens 12 Stunden vor Ankunft (§ 7 Absatz 1 der Hafenordnung).",
            ),
            (RIGHT, "Die Gebühr beträgt 40 Euro (§ 7 Absatz 2 der Hafenordnung)."),
            (WRONG, "Der Hafen bleibt nachts beleuchtet (§ 8 der Hafenordnung)."),
        ],
    ),
    Case(
        "de",
        [
            "# Verordnung über Fähren\n\n## § 3 Fahrplan\nDie Fähre verkehrt stündlich.\n\n## § 4 Zahlung\nDas Fahrgeld ist binnen zwei Wochen zu zahlen.\n",
            "# Änderungsverordnung\n\n## § 1\nIn § 4 der Verordnung über Fähren werden die Wörter „zwei Wochen“ durch die Wörter „drei Wochen“ ersetzt.\n\n## § 2\nDiese Verordnung tritt am 5. Juni 2018 in Kraft.\n",
        ],
        [
            (WRONG, "Das Fahrgeld ist binnen zwei Wochen zu zahlen (§ 4 der Verordnung über Fähren)."),
            (RIGHT, "Das Fahrgeld ist binnen drei Wochen zu zahlen (§ 4 der Verordnung über Fähren)."),
            (RIGHT, "Die Fähre verkehrt stündlich (§ 3 der Verordnung über Fähren)."),
        ],
    ),
    Case(
        "fr",
        [
            "# Loi n° 2009-40 du 3 mars 2009 relative aux ports\n\n## Article 6\nLe pilote paie la taxe dans les dix jours.\n\n## Article 7\nLe port est fermé la nuit.\n",
            "# Loi n° 2020-11 du 4 mai 2020\n\n## Article 1\nL'article 6 de la loi n° 2009-40 du 3 mars 2009 est ainsi rédigé :\n« Le pilote paie la taxe dans les vingt jours. »\n\n## Article 2\nL'article 7 de la loi n° 2009-40 du 3 mars 2009 est abrogé.\n\n## Article 3\nLa présente loi entre en vigueur le 1er juin 2020.\n",
        ],
        [
            (WRONG, "Le pilote paie la taxe dans les dix jours (article 6 de la loi n° 2009-40)."),
            (RIGHT, "Le pilote paie la taxe dans les vingt jours (article 6 de la loi n° 2009-40)."),
            (WRONG, "Le port est fermé la nuit (article 7 de la loi n° 2009-40)."),
        ],
    ),
    Case(
        "id",
        [
            "# Peraturan Pemerintah Nomor 14 Tahun 2011 tentang Pelabuhan\n\n## Pasal 5\nIzin berlaku selama 2 tahun.\n\n## Pasal 6\nNakhoda wajib melapor kepada syahbandar.\n",
            "# Peraturan Pemerintah Nomor 7 Tahun 2018 tentang Perubahan atas Peraturan Pemerintah Nomor 14 Tahun 2011 tentang Pelabuhan\n\n## Pasal I\nBeberapa ketentuan dalam Peraturan Pemerintah Nomor 14 Tahun 2011 tentang Pelabuhan diubah sebagai berikut:\n\n1. Ketentuan Pasal 5 diubah sehingga berbunyi sebagai berikut:\n\nPasal 5\n\nIzin berlaku selama 5 tahun.\n\n2. Pasal 6 dihapus.\n\n## Pasal II\nPeraturan Pemerintah ini mulai berlaku pada tanggal 3 Maret 2018.\n",
        ],
        [
            (READ, "Izin berlaku selama 2 tahun (Pasal 5 Peraturan Pemerintah Nomor 14 Tahun 2011)."),
            (READ, "Izin berlaku selama 5 tahun (Pasal 5 Peraturan Pemerintah Nomor 14 Tahun 2011)."),
            (
                WRONG,
                "Nakhoda wajib melapor kepada syahbandar (Pasal 6 Peraturan Pemerintah Nomor 14 Tahun 2011).",
            ),
        ],
    ),
    Case(
        "ar",
        [
            "# نظام الموانئ رقم 8 لسنة 2012\n\n## المادة 4\nيدفع الوكيل الرسم خلال 10 أيام.\n\n## المادة 9\nيغلق الرصيف ليلا.\n",
            '# نظام رقم 5 لسنة 2019 بتعديل نظام الموانئ\n\n## المادة 1\nيستبدل بنص المادة 4 من نظام الموانئ رقم 8 لسنة 2012 النص الآتي: "يدفع الوكيل الرسم خلال 20 يوما."\n\n## المادة 2\nتلغى المادة 9 من نظام الموانئ رقم 8 لسنة 2012.\n\n## المادة 3\nيعمل بهذا النظام اعتبارا من 1 مارس 2019.\n',
        ],
        [
            (WRONG, "يدفع الوكيل الرسم خلال 10 أيام (المادة 4 من نظام الموانئ رقم 8 لسنة 2012)."),
            (RIGHT, "يدفع الوكيل الرسم خلال 20 يوما (المادة 4 من نظام الموانئ رقم 8 لسنة 2012)."),
            (WRONG, "يغلق الرصيف ليلا (المادة 9 من نظام الموانئ رقم 8 لسنة 2012)."),
        ],
    ),
    Case(
        "zh",
        [
            "# 港口管理规定\n\n第四条 货主应当在十日内缴纳押金。\n\n第九条 码头夜间关闭。\n",
            "# 关于修改《港口管理规定》的决定\n\n第一条 《港口管理规定》第四条修改为：“货主应当在二十日内缴纳押金。”\n\n第二条 删去《港口管理规定》第九条。\n\n第三条 本决定自2020年1月1日起施行。\n",
        ],
        [
            (WRONG, "货主应当在十日内缴纳押金（《港口管理规定》第四条）。"),
            (RIGHT, "货主应当在二十日内缴纳押金（《港口管理规定》第四条）。"),
            (WRONG, "码头夜间关闭（《港口管理规定》第九条）。"),
        ],
    ),
    Case(
        "es",
        [
            "# Real Decreto 14/2010, de muelles\n\n## Artículo 4\nEl armador pagará la cuota en diez días.\n\n## Artículo 9\nEl muelle cierra de noche.\n",
            "# Real Decreto 2/2019\n\n## Artículo 1\nEl artículo 4 del Real Decreto 14/2010 queda redactado como sigue: «El armador pagará la cuota en veinte días.»\n\n## Artículo 2\nQueda derogado el artículo 9 del Real Decreto 14/2010.\n",
        ],
        [
            (READ, "El armador pagará la cuota en diez días (artículo 4 del Real Decreto 14/2010)."),
            (READ, "El armador pagará la cuota en veinte días (artículo 4 del Real Decreto 14/2010)."),
            (READ, "El muelle cierra de noche (artículo 9 del Real Decreto 14/2010)."),
        ],
    ),
    Case(
        "en",
        [
            "# Toll Act 1999\n\n## 1. Toll\nA toll of 2 crowns is due at the bridge.\n\n## 2. Hours\nThe gate opens at dawn.\n",
            "# Roads Act 2015\n\n## 8. Repeal\nThe Toll Act 1999 is repealed.\n",
        ],
        [
            (READ, "A toll of 2 crowns is due at the bridge (section 1 of the Toll Act 1999)."),
            (READ, "The gate opens at dawn (section 2 of the Toll Act 1999)."),
            (READ, "The gate opens at dawn."),
        ],
    ),
    Case(
        "en",
        [
            "# Slipway Rules 2010\n\n## 3. Use\nThe owner may use the slipway on weekdays.\n",
            '# Slipway (Amendment) Rules 2014\n\n## 1.\nThese Rules come into force on 1 July 2014.\n\n## 2.\nIn rule 3 of the Slipway Rules 2010, after "slipway" insert "with the written consent of the harbour master".\n',
        ],
        [
            (WRONG, "The owner may use the slipway on weekdays (rule 3 of the Slipway Rules 2010)."),
            (
                RIGHT,
                "The owner may use the slipway with the written consent of the harbour master on weekdays (rule 3 of the Slipway Rules 2010).",
            ),
        ],
    ),
    Case(
        "en",
        [
            "# Crane Rules 2010\n\n## 3. Use\nThe crane lifts at most 4 tonnes. The driver holds a licence.\n",
            '# Crane (Amendment) Rules 2014\n\n## 1.\nThese Rules come into force on 1 July 2014.\n\n## 2.\nThe second sentence of rule 3 of the Crane Rules 2010 is replaced by the following: "The driver holds a licence and a helmet."\n',
        ],
        [
            (READ, "The driver holds a licence and a helmet (rule 3 of the Crane Rules 2010)."),
            (READ, "The crane lifts at most 4 tonnes (rule 3 of the Crane Rules 2010)."),
        ],
    ),
    Case(
        "en",
        [
            "---\nversion: 2020-01-01\n---\n# Pier Rules 2010\n\n## 3. Use\nThe owner may use the pier for 9 hours.\n",
            '# Pier (Amendment) Rules 2014\n\n## 1.\nThese Rules come into force on 1 July 2014.\n\n## 2.\nIn rule 3 of the Pier Rules 2010, for "6 hours" substitute "9 hours".\n',
        ],
        [
            (RIGHT, "The owner may use the pier for 9 hours (rule 3 of the Pier Rules 2010)."),
            (WRONG, "The owner may use the pier for 6 hours (rule 3 of the Pier Rules 2010)."),
        ],
    ),
    Case(
        "en",
        [
            "# Wharf Rules 2010\n\n## 3. Use\nThe agent may use the wharf for 6 hours.\n",
            '# Wharf (Amendment) Rules 2014\n\n## 1.\nThese Rules come into force on 1 July 2014.\n\n## 2.\nIn rule 3 of the Wharf Rules 2010, for "6 hours" substitute "9 hours".\n',
            '# Wharf (Second Amendment) Rules 2018\n\n## 1.\nThese Rules come into force on 1 July 2018.\n\n## 2.\nIn rule 3 of the Wharf Rules 2010, the words "9 hours" are replaced by "11 hours".\n',
        ],
        [
            (RIGHT, "The agent may use the wharf for 11 hours (rule 3 of the Wharf Rules 2010)."),
            (WRONG, "The agent may use the wharf for 9 hours (rule 3 of the Wharf Rules 2010)."),
            (WRONG, "The agent may use the wharf for 6 hours (rule 3 of the Wharf Rules 2010)."),
        ],
    ),
    Case(
        "en",
        [
            "# Barge Act 2003\n\n## 1. Fares\nThe barge fare is 12 crowns.\n\n## 2. Hours\nThe barge sails every 30 minutes.\n",
            '# Barge (Amendment) Act 2012\n\n## 1. Commencement\nThis Act comes into force on 1 May 2012.\n\n## 2. Amendments\nThe Barge Act 2003 is amended as follows:\n\n(a) in section 1, for "12 crowns" substitute "15 crowns";\n\n(b) in section 2, for "30 minutes" substitute "45 minutes".\n',
        ],
        [
            (WRONG, "The barge fare is 12 crowns (section 1 of the Barge Act 2003)."),
            (RIGHT, "The barge fare is 15 crowns (section 1 of the Barge Act 2003)."),
            (WRONG, "The barge sails every 30 minutes (section 2 of the Barge Act 2003)."),
            (RIGHT, "The barge sails every 45 minutes (section 2 of the Barge Act 2003)."),
        ],
    ),
    Case(
        "en",
        [
            "# Regulation 14/2013 on rafts\n\n## Article 1\nEvery raft carries at least 4 vests.\n\n## Article 2\nRafts are painted yellow.\n",
            '# Regulation 9/2022 amending Regulation 14/2013\n\n## Article 1\nRegulation 14/2013 is amended as follows:\n\n(1) in Article 1, the words "4 vests" are replaced by "6 vests";\n\n(2) Article 2 is deleted.\n\n## Article 2\nThis Regulation enters into force on 1 January 2023.\n',
        ],
        [
            (WRONG, "Every raft carries at least 4 vests (Article 1 of Regulation 14/2013)."),
            (RIGHT, "Every raft carries at least 6 vests (Article 1 of Regulation 14/2013)."),
            (WRONG, "Rafts are painted yellow (Article 2 of Regulation 14/2013)."),
        ],
    ),
    Case(
        "en",
        [
            "# Raft Act 2003\n\n## 11. Pets\nA passenger may carry one dog on the raft. A passenger may carry one cat on the raft.\n",
            "# Raft (Amendment) Act 2014\n\n## 1.\nThis Act comes into force on 1 May 2014.\n\n## 2. Repeal\nThe second sentence of section 11 of the Raft Act 2003 is repealed.\n",
        ],
        [
            (READ, "A passenger may carry one dog on the raft (section 11 of the Raft Act 2003)."),
            (READ, "A passenger may carry one cat on the raft (section 11 of the Raft Act 2003)."),
        ],
    ),
    Case(
        "en",
        [
            "# Kayak Act 2003\n\n## 11. Pets\n(1) A guest may carry one dog on the kayak.\n\n(2) A guest may carry one cat on the kayak.\n",
            "# Kayak (Amendment) Act 2014\n\n## 1.\nThis Act comes into force on 1 May 2014.\n\n## 2. Repeal\nSection 11(2) of the Kayak Act 2003 is repealed.\n",
        ],
        [
            (RIGHT, "A guest may carry one dog on the kayak (section 11(1) of the Kayak Act 2003)."),
            (WRONG, "A guest may carry one cat on the kayak (section 11(2) of the Kayak Act 2003)."),
        ],
    ),
    Case(
        "de",
        [
            "# Floßgesetz\n\n## § 3 Tiere\nAuf dem Floß darf ein Hund mitgeführt werden. Auf dem Floß darf eine Katze mitgeführt werden.\n",
            "# Gesetz zur Änderung des Floßgesetzes\n\n## Artikel 1\n§ 3 Satz 2 des Floßgesetzes wird aufgehoben.\n\n## Artikel 2\nDieses Gesetz tritt am 1. März 2016 in Kraft.\n",
        ],
        [
            (READ, "Auf dem Floß darf ein Hund mitgeführt werden (§ 3 Satz 1 des Floßgesetzes)."),
            (READ, "Auf dem Floß darf eine Katze mitgeführt werden (§ 3 Satz 2 des Floßgesetzes)."),
        ],
    ),
    Case(
        "it",
        [
            "# Legge 6 aprile 2008, n. 44\n\n## Art. 8\nIl barcaiolo conserva il registro per due anni.\n",
            "# Legge 4 maggio 2016, n. 77\n\n## Art. 1\nAll'articolo 8 della legge 6 aprile 2008, n. 44, le parole: «due anni» sono sostituite dalle seguenti: «sei anni».\n\n## Art. 2\nLa presente legge entra in vigore il 1 settembre 2015.\n",
        ],
        [
            (
                WRONG,
                "Il barcaiolo conserva il registro per due anni (articolo 8 della legge 6 aprile 2008, n. 44).",
            ),
            (
                RIGHT,
                "Il barcaiolo conserva il registro per sei anni (articolo 8 della legge 6 aprile 2008, n. 44).",
            ),
        ],
    ),
    Case(
        "pt",
        [
            "# Lei n.º 31/2007\n\n## Artigo 8.º\nO barqueiro guarda o registo durante dois anos.\n",
            "# Lei n.º 90/2015\n\n## Artigo 1.º\nNo artigo 8.º da Lei n.º 31/2007, a expressão «dois anos» é substituída por «seis anos».\n\n## Artigo 2.º\nA presente lei entra em vigor em 1 de setembro de 2015.\n",
        ],
        [
            (WRONG, "O barqueiro guarda o registo durante dois anos (artigo 8.º da Lei n.º 31/2007)."),
            (RIGHT, "O barqueiro guarda o registo durante seis anos (artigo 8.º da Lei n.º 31/2007)."),
        ],
    ),
    Case(
        "nl",
        [
            "# Veerwet 2007\n\n## Artikel 8\nDe veerman bewaart het register gedurende twee jaar.\n",
            "# Wet tot wijziging van de Veerwet 2007\n\n## Artikel 1\nIn artikel 8 van de Veerwet 2007 wordt «twee jaar» vervangen door «zes jaar».\n\n## Artikel 2\nDeze wet treedt in werking op 1 september 2015.\n",
        ],
        [
            (WRONG, "De veerman bewaart het register gedurende twee jaar (artikel 8 van de Veerwet 2007)."),
            (RIGHT, "De veerman bewaart het register gedurende zes jaar (artikel 8 van de Veerwet 2007)."),
        ],
    ),
    Case(
        "en",
        [
            "# Sluice Act 1999\n\n## 1. Toll\nA toll of 2 crowns is due at the sluice.\n",
            "# Sluice Act 2015\n\n## 8. Replacement\nThis Act replaces the Sluice Act 1999.\n",
        ],
        [(READ, "A toll of 2 crowns is due at the sluice (section 1 of the Sluice Act 1999).")],
    ),
    Case(
        "en",
        [
            "# Sledge Act 2003\n\n## 11. Pets\nA driver may carry one dog on the sledge.\n",
            "# Sledge (Amendment) Act 2014\n\n## 1.\nThis Act comes into force on 1 May 2014.\n\n## 2. Repeal\nSection 11(2) of the Sledge Act 2003 is repealed.\n",
        ],
        [(READ, "A driver may carry one dog on the sledge (section 11 of the Sledge Act 2003).")],
    ),
    Case(
        "de",
        [
            "# Schlittengesetz\n\n## § 3 Tiere\nAuf dem Schlitten darf ein Hund mitgeführt werden.\n",
            "# Gesetz zur Änderung des Schlittengesetzes\n\n## Artikel 1\n§ 3 Absatz 4 des Schlittengesetzes wird aufgehoben.\n\n## Artikel 2\nDieses Gesetz tritt am 1. März 2016 in Kraft.\n",
        ],
        [(READ, "Auf dem Schlitten darf ein Hund mitgeführt werden (§ 3 des Schlittengesetzes).")],
    ),
    Case(
        "en",
        [
            '# Crane Hire Rules 2010\n\n## 3. Use\nThe hirer may use the crane for 9 hours.\n\n## 4. Note\nRule 3 was amended by section 2 of the Crane Hire (Amendment) Rules 2014, by which "6 hours" was replaced by "9 hours".\n',
            "# Crane Hire (Amendment) Rules 2014\n\n## 2. Rule\nThe hirer keeps a log.\n",
        ],
        [
            (RIGHT, "The hirer may use the crane for 9 hours (rule 3 of the Crane Hire Rules 2010)."),
            (RIGHT, "The hirer keeps a log (section 2 of the Crane Hire (Amendment) Rules 2014)."),
        ],
    ),
    Case(
        "en",
        [
            "# Tug Rules 2010\n\n## 3. Use\nThe owner may use the tug for 9 hours.\n",
            '# Tow Rules 2014\n\n## 1.\nThese Rules come into force on 1 July 2014.\n\n## 2. Application\nRule 3 of the Tug Rules 2010 applies to tows, and for "9 hours" there shall be read "4 hours" in their case.\n',
        ],
        [(RIGHT, "The owner may use the tug for 9 hours (rule 3 of the Tug Rules 2010).")],
    ),
    Case(
        "es",
        [
            "# Ley 7/2011, de tranvías\n\n## Artículo 4\nEl conductor pagará la tasa en 10 días.\n",
            "# Ley 9/2018\n\n## Artículo 1\nSe modifica el artículo 4 de la Ley 7/2011, en el que la expresión «10 días» se sustituye por «20 días».\n\n## Artículo 2\nLa presente ley entrará en vigor el 1 de mayo de 2018.\n",
        ],
        [
            (WRONG, "El conductor pagará la tasa en 10 días (artículo 4 de la Ley 7/2011)."),
            (RIGHT, "El conductor pagará la tasa en 20 días (artículo 4 de la Ley 7/2011)."),
        ],
    ),
    Case(
        "zh",
        [
            "# 电车管理办法\n\n第四条 司机应当在十日内缴费。\n\n第五条 司机应当携带执照。\n",
            "# 关于修改《电车管理办法》的决定\n\n一、将第四条中的“十日”修改为“二十日”。\n\n二、删去第五条。\n\n三、本决定自2021年1月1日起施行。\n",
        ],
        [
            (WRONG, "司机应当在十日内缴费（《电车管理办法》第四条）。"),
            (WRONG, "司机应当携带执照（《电车管理办法》第五条）。"),
        ],
    ),
    Case(
        "en",
        [
            "# Punt Act 2010\n\n## 3. Use\nThe owner may use the punt for 9 hours.\n",
            "# Dinghy Act 2014\n\n## 1. Commencement\nThis Act comes into force on 1 July 2014.\n\n## 2. Dinghies\n"
            'Section 3 of the Punt Act 2010 applies to dinghies with the following modifications: in section 3 of that Act, for "9 hours" substitute "4 hours".\n',
        ],
        [(RIGHT, "The owner may use the punt for 9 hours (section 3 of the Punt Act 2010).")],
    ),
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root = tmp_path_factory.mktemp("amendments")
    for number, case in enumerate(CASES):
        for place, text in enumerate(case.texts):
            (root / f"{number:02}-{place}.md").write_text(text, encoding="utf-8")
    build_corpus([root], root / "corpus", embedding="none")
    return open_corpus(root / "corpus")


@pytest.fixture(scope="module")
def auditor(corpus: Corpus) -> Auditor:
    return Auditor(corpus, day=DAY)


@pytest.mark.parametrize("case", CASES, ids=[one.texts[0].split("\n")[0] for one in CASES])
def test_the_audit_knows_what_later_texts_changed(auditor: Auditor, case: Case) -> None:
    for findings, text in case.claims:
        found = auditor.claim(text, case.language)
        assert found.finding in findings, (text, found.reason)


BEFORE = [
    (
        "en",
        "The master shall pay the mooring fee within 14 days of arrival (rule 4 of the Mooring Fees Rules, 2011).",
    ),
    ("fr", "Le passeur tient le registre pendant trois ans (article 4 du décret n° 2008-77)."),
    ("de", "Der Fährmann bewahrt das Fahrtenbuch zwei Jahre auf (§ 7 des Fährgesetzes)."),
]


@pytest.mark.parametrize(("language", "claim"), BEFORE)
def test_an_amendment_holds_from_its_day_on(corpus: Corpus, language: str, claim: str) -> None:
    before = Auditor(corpus, day=date(2012, 1, 1)).claim(claim, language)
    assert before.finding is Finding.SUPPORTED
    after = Auditor(corpus, day=DAY).claim(claim, language)
    assert after.finding is Finding.OUTDATED
    # Both texts are shown: what said so, and what changed it.
    assert after.successor is not None
    assert [one.row for one in after.sources[:2]] == [after.sources[0].row, after.successor.row]


def test_words_of_amendment_are_references_that_amend_with_the_words(corpus: Corpus) -> None:
    rows = [row for row in reference_rows(corpus, Relation.AMENDS) if len(row) > 5]
    told = {row[5] for row in rows}
    assert {
        "replaced: “14 days” → “21 days”",
        "replaced: “trois ans” → “cinq ans”",
        "replaced: “zwei Jahre” → “vier Jahre”",
        "replaced: “15 يوما” → “45 يوما”",
        "replaced: “十日” → “三十日”",
        "after: “slipway” → “with the written consent of the harbour master”",
        "rewritten: “Pemilik kapal wajib membayar retribusi paling lambat 30 hari setelah sandar.”",
    } <= told
    assert not [row for row in reference_rows(corpus, Relation.CITES) if row[1] == "00-0/4"]


def test_an_answer_tells_what_amends_its_sources(corpus: Corpus) -> None:
    case = Investigated(
        corpus, "Within how many days must the master pay the mooring fee?", preset("quick"), day=DAY
    )
    for _ in case.run():
        continue
    told = answer(case.investigation(), corpus)
    (one,) = [one.words for one in told.conflicts if "Mooring Fees (Amendment) Rules" in one.words]
    assert "amends Mooring Fees Rules 4: “21 days” for “14 days”" in one
    assert any("21 days" in citation.quote for citation in told.citations)
