"""The names under which sources keep what a reader looks for, in the languages of the corpora we have seen.

Names are compared in small letters without anything between their words: "number_text", "numberText".
"""

from __future__ import annotations

import re

_BETWEEN = re.compile(r"[\s_\-.@:]+")


def plain(name: str) -> str:
    """A field's name as it is compared."""
    return _BETWEEN.sub("", name.casefold())


TEXT = (
    "text", "articletext", "fulltext", "passagetext", "paragraphtext", "content", "contents", "body",
    "passage", "provision", "textcontent", "chunk", "isi", "teks", "inhalt", "texte", "contenu", "texto",
    "testo", "نص", "النص", "نصالمادة", "正文", "内容", "条文",
)  # fmt: skip
LABEL = (
    "numbertext", "articlelabel", "label", "passagelabel", "articlenumber", "articleno", "articlenum",
    "article", "pasal", "paragraph", "rule", "sectionnumber", "clause", "rulenumber", "ruleno", "ruleid",
    "requirement", "requirementid", "requirementnumber", "controlid", "control", "clausenumber",
    "provisionnumber",
    "paragraphnumber", "ref", "enbez", "number", "num", "no",
    "nomor", "رقمالمادة", "المادة", "条", "条号",
)  # fmt: skip
HEADING = (
    "heading", "articletitle", "sectiontitle", "subtitle", "caption", "title", "name", "subject", "judul",
    "überschrift", "titre", "العنوان", "标题",
)  # fmt: skip
TITLE = (
    "title", "lawname", "lawtitle", "documenttitle", "doctitle", "regulation", "regulationname",
    "document", "documentname", "docname", "law", "act", "actname", "statute", "code", "gesetz", "judul",
    "peraturan", "titel", "titre", "name", "النظام", "اسمالنظام", "القانون", "法规名称", "标题", "法律",
)  # fmt: skip
# What provisions with titles of their own are taken from.
COLLECTION = (
    "regulation", "regulationname", "document", "documentname", "doctitle", "documenttitle", "law", "lawname",
    "act", "actname", "code", "statute", "rulebook", "handbook", "standard", "framework", "manual", "module",
    "sourcebook", "publication", "catalog", "catalogue", "policy", "source", "book",
)  # fmt: skip
DOCUMENT_ID = ("lawid", "documentid", "docid", "id", "uuid", "celex", "eli", "slug", "identifier", "code")
ID = ("id", "uuid", "passageid", "articleid", "chunkid", "key", "identifier")
# From the outside in, for fields that change equally often.
PATH = (
    "book", "buku", "buch", "livre", "الكتاب", "part", "teil", "bagian", "partie", "القسم",
    "الباب", "subpart", "chapter", "bab", "kapitel", "chapitre", "الفصل", "章", "subchapter",
    "division", "section", "abschnitt", "seksi", "节", "branch", "الفرع", "subdivision", "subsection",
    "subsubsection",
)  # fmt: skip
WHOLE_PATH = ("path", "headings", "breadcrumbs", "hierarchy", "breadcrumb")
STATUS = ("status", "articlestatus", "state", "legalstatus", "الحالة", "状态", "时效性")
NUMBER = ("number", "lawnumber", "docnumber", "documentnumber", "actnumber", "nomor", "رقم")
TYPE = ("type", "regulationtype", "documenttype", "doctype", "lawtype", "kind", "jenis", "النوع")
YEAR = ("year", "tahun", "jahr", "année", "السنة", "年份")
LANGUAGE = ("language", "lang", "languagecode", "bahasa", "sprache", "langue")
DATE = (
    "validfrom", "effectivedate", "dateeffective", "inforcefrom", "dateinforce", "entryintoforce",
    "effectivefrom", "commencementdate", "tanggalberlaku", "inkrafttreten", "施行日期",
)  # fmt: skip
UNTIL = ("validto", "validuntil", "repealdate", "daterepealed", "effectiveto", "expirydate", "endvalidity")
ENACTED = (
    "date", "enactmentdate", "enacted", "issuedate", "dateissued", "publicationdate", "published",
    "promulgated", "signed", "dategregorian", "tanggal", "datum", "公布日期",
)  # fmt: skip
ISSUER = (
    "issuer", "issuedby", "issuingauthority", "issuingbody", "authority", "agency", "institution",
    "ministry", "publisher", "pemrakarsa", "制定机关", "جهةالإصدار",
)  # fmt: skip
VERSION = ("version", "versiondate", "consolidated", "edition")
ABBREVIATION = ("abbreviation", "shortname", "shorttitle", "jurabk", "acronym", "singkatan")
URL = ("url", "link", "href", "sourceurl", "uri")
AUTHOR = ("author", "authors", "creator")
NOTES = (
    "amendments", "amendment", "notes", "note", "annotations", "footnotes", "changes", "التعديلات",
    "ملاحظات",
)  # fmt: skip
PARTS = ("paragraphs", "subparagraphs", "clauses", "points", "subsections", "items", "lines", "الفقرات")
MARKER = ("marker", "mark", "label", "number", "num", "no")
