"""First pages of acts: a table of texts and what they say of themselves."""

from __future__ import annotations

from datetime import date

import pytest

from engine.language.front_page import FrontPage, read_front_page


@pytest.mark.parametrize(
    ("language", "title", "text", "expected"),
    [
        (
            "id",
            "PMK 112 2025",
            "---\nPERATURAN MENTERI KEUANGAN REPUBLIK INDONESIA\nNOMOR 112 TAHUN 2025\nTENTANG\nTATA CARA\n"
            "MENTERI KEUANGAN REPUBLIK INDONESIA,\nMenimbang",
            FrontPage(
                "Peraturan Menteri Keuangan",
                "112",
                2025,
                "Menteri Keuangan Republik Indonesia",
                title="Peraturan Menteri Keuangan Republik Indonesia Nomor 112 Tahun 2025",
            ),
        ),
        (
            "id",
            "Undang-Undang Nomor 10 Tahun 2020 tentang Bea Meterai",
            "Disahkan di Jakarta\npada tanggal 26 Oktober 2020\n"
            "Diundangkan di Jakarta\npada tanggal 27 Oktober 2020",
            FrontPage("Undang-Undang", "10", 2020, None, date(2020, 10, 26), date(2020, 10, 27)),
        ),
        ("en", "Data Retention and Investigatory Powers Act 2014", "", FrontPage("Act", None, 2014)),
        (
            "en",
            "Regulation (EU) 2016/679 of the European Parliament",
            "",
            FrontPage("Regulation", "2016/679", 2016),
        ),
        ("en", "Federal Law No. (2) of 2015 on Companies", "", FrontPage("Federal Law", "2", 2015)),
        (
            "de",
            "Gesetz zur Regelung eines allgemeinen Mindestlohns",
            "Ausfertigungsdatum\n:   2014-08-11",
            FrontPage("Gesetz", enacted=date(2014, 8, 11)),
        ),
        (
            "fr",
            "LOI n° 2016-1691 du 9 décembre 2016 relative à la transparence",
            "",
            FrontPage("Loi", "2016-1691", 2016, None, date(2016, 12, 9)),
        ),
        (
            "ar",
            "مرسوم بقانون اتحادي رقم (39) لسنة 2022 في شأن التعليم الإلزامي",
            "",
            FrontPage("مرسوم بقانون اتحادي", "39", 2022),
        ),
        ("ar", "نظام الشركات", "", FrontPage("نظام")),
        (
            "zh",
            "传统工艺美术保护条例",
            "1997年5月20日 中华人民共和国国务院令第217号发布",
            FrontPage("条例", None, None, "国务院", date(1997, 5, 20)),
        ),
        # An act that is only cited says nothing of the document.
        ("en", "Annual report", "We refer to\nFederal Law No. (2) of 2015.\n", FrontPage()),
        (
            "en",
            "uae-2",
            "\nFederal Law No. (2) of 2015\non Companies\n",
            FrontPage("Federal Law", "2", 2015, title="Federal Law No. (2) of 2015"),
        ),
        ("de", "Bericht", "Nach dem Gesetz über Steuern ist das so.", FrontPage()),
        ("en", "Minutes of 5 May", "The Companies Act 2006 was discussed.", FrontPage()),
        ("it", "Legge 12", "", FrontPage()),
        (
            "en",
            "reg",
            "REPUBLIC OF MERIDIA\nMINISTRY OF TRANSPORT\n\nRegulation No. 12 of 2019 on Pilots\n"
            "Issued by the Ministry of Transport on 1 March 2019\nVersion 3.1\n",
            FrontPage(
                "Regulation",
                "12",
                2019,
                "Ministry of Transport",
                None,
                date(2019, 3, 1),
                "3.1",
                "Regulation No. 12 of 2019 on Pilots",
            ),
        ),
        (
            "en",
            "Remote Work Policy",
            "Issuer: Human Resources\nVersion: 2.4\nDate: 15 May 2023\n",
            FrontPage(issuer="Human Resources", published=date(2023, 5, 15), version="2.4"),
        ),
        (
            "de",
            "Richtlinie zum Homeoffice",
            "Herausgeber: Personalabteilung\nVersion 2.4\nStand: 15. Mai 2023\n",
            FrontPage("Richtlinie", None, None, "Personalabteilung", None, date(2023, 5, 15), "2.4"),
        ),
        (
            "fr",
            "Politique de télétravail",
            "Publié par la Direction générale\nVersion 2.4\nDate : 15 mai 2023\n",
            FrontPage(issuer="Direction générale", published=date(2023, 5, 15), version="2.4"),
        ),
        (
            "zh",
            "远程办公制度",
            "发布机关：人力资源部\n版本：2.4\n发布日期：2023年5月15日\n",
            FrontPage(issuer="人力资源部", published=date(2023, 5, 15), version="2.4"),
        ),
    ],
)
def test_what_a_first_page_says(language: str, title: str, text: str, expected: FrontPage) -> None:
    assert read_front_page(title, text, language) == expected
