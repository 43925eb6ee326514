from __future__ import annotations

from pathlib import Path

import pytest

from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.html import HtmlReader


def items(folder: Path, page: str | bytes) -> list[ReadDocument | Problem]:
    (folder / "page.html").write_bytes(page if isinstance(page, bytes) else page.encode())
    return list(HtmlReader().read(SourceFile(folder / "page.html")))


def read(folder: Path, page: str | bytes) -> ReadDocument:
    (found,) = items(folder, page)
    assert isinstance(found, ReadDocument), found
    return found


def texts(folder: Path, page: str) -> list[str]:
    return [passage.text for passage in read(folder, page).passages]


def sections(folder: Path, page: str) -> list[tuple[str, str | None, str]]:
    return [(str(section.kind), section.number, section.title) for section in read(folder, page).sections]


def test_headings_and_the_title(tmp_path: Path) -> None:
    page = (
        "<title>Ports - A site</title><h1>Port Act</h1><p>Intro.</p>"
        "<h2>Part I Fees</h2><h3>Section 5 Rates</h3><p>Text.</p>"
    )
    found = read(tmp_path, page)
    assert found.document.title == "Port Act"
    assert [passage.headings for passage in found.passages] == [(), ("Part I Fees", "Section 5 Rates")]
    assert read(tmp_path, "<title>Ports - A site</title><h2>One</h2><p>Text.</p>").document.title == "Ports"


def test_only_what_is_shown(tmp_path: Path) -> None:
    page = (
        "<header><p>banner</p></header><nav>menu</nav><div class='breadcrumb'>here</div><script>x()</script>"
        "<style>p{}</style><p hidden>hidden</p><p style='display: none'>gone</p><p aria-hidden='true'>no</p>"
        "<form><p>In a form.</p><button>Send</button><select><option>one</option></select></form>"
        "<!-- comment --><noscript>no script</noscript><footer>foot</footer><div role='navigation'>more</div>"
    )
    assert texts(tmp_path, page) == ["In a form."]


def test_the_only_main_or_article_is_the_document(tmp_path: Path) -> None:
    page = "<div>around</div><main><header><h1>Act</h1><ul><li>menu</li></ul></header><p>Text.</p></main>"
    assert texts(tmp_path, page) == ["Text."]
    assert texts(tmp_path, "<p>around</p><article><p>Text.</p></article>") == ["Text."]
    assert len(texts(tmp_path, "<article><p>One.</p></article><article><p>Two.</p></article>")) == 2


def test_paragraphs_lists_and_lines(tmp_path: Path) -> None:
    page = (
        "<p>A&nbsp;rule\n of <b>bold</b> words&#8212;and<br>a line.</p>"
        "<ul><li>one<ol type='a' start='3'><li>inner</li></ol></li><li><p>two</p></li></ul>"
        "<ol><li value='4'>four</li><li>(b) marked</li></ol><pre>kept\n  as is</pre>"
    )
    assert "\n\n".join(texts(tmp_path, page)) == (
        "A rule of bold words—and\na line.\n\n• one\n\nc. inner\n\n• two\n\n4. four\n\n(b) marked"
        "\n\nkept\n  as is"
    )


def test_definitions(tmp_path: Path) -> None:
    page = "<dl><dt>Vessel</dt><dd>a ship</dd><div><dt>Port</dt><dt>Harbour</dt><dd>a place</dd></div></dl>"
    assert "\n\n".join(texts(tmp_path, page)) == "Vessel: a ship\n\nPort, Harbour: a place"


def test_tables(tmp_path: Path) -> None:
    page = (
        "<table><caption>Rates</caption><thead><tr><th>Name</th><th>Rate</th></tr></thead>"
        "<tbody><tr><td>A<br>B</td><td>5</td></tr></tbody></table>"
        "<table><tr><td><p>Running text.</p></td></tr></table>"
        "<table><tr><td>(a)</td><td><p>first;</p></td></tr><tr><td>(b)</td><td>second.</td></tr></table>"
    )
    assert "\n\n".join(texts(tmp_path, page)) == (
        "Rates\n\nName | Rate\nA B | 5\n\nRunning text.\n\n(a) first;\n\n(b) second."
    )


def test_headings_in_paragraphs_of_saved_laws(tmp_path: Path) -> None:
    page = (
        "<p class='oj-doc-ti'>REGULATION (EU) 2016/679</p><p class='oj-doc-ti'>of 27 April 2016</p>"
        "<p class='ti-section-1'>CHAPTER I</p><p class='ti-section-2'><span>General provisions</span></p>"
        "<p class='ti-art'>Article 1</p><p class='sti-art'>Scope</p><p>1. It applies.</p>"
        "<p>Article 2</p><p>It does not apply to Article 5.</p>"
    )
    assert sections(tmp_path, page) == [
        ("chapter", "I", "General provisions"),
        ("article", "1", "Scope"),
        ("article", "2", ""),
    ]
    assert read(tmp_path, page).document.title == "REGULATION (EU) 2016/679 of 27 April 2016"


def test_paragraphs_are_no_headings_where_headings_are_marked_up(tmp_path: Path) -> None:
    page = "<h2>Article 1</h2><p>Article 9</p><p>Text.</p>"
    assert sections(tmp_path, page) == [("article", "1", "")]


def test_what_a_page_says_of_itself(tmp_path: Path) -> None:
    page = (
        "<html lang='de-AT'><meta name='author' content='A. Writer'><meta name='dcterms.modified' "
        "content='2024-03-05T10:00:00Z'><meta property='eli:id_local' content='12'>"
        "<meta property='eli:first_date_entry_in_force' content='2020-01-02'>"
        "<meta name='date' content='someday'><h1>Gesetz</h1><p>Wörter des Gesetzes.</p>"
    )
    document = read(tmp_path, page).document
    assert (document.language, document.number, str(document.valid_from)) == ("de", "12", "2020-01-02")
    assert document.metadata["author"] == "A. Writer"
    assert str(document.metadata["modified"])[:10] == "2024-03-05"
    assert "date" not in document.metadata


@pytest.mark.parametrize(
    "page",
    [
        "<meta charset='windows-1256'><p>نظام</p>".encode("cp1256"),
        '<meta http-equiv="Content-Type" content="text/html; charset=windows-1256"><p>نظام</p>'.encode(
            "cp1256"
        ),
        "<?xml version='1.0' encoding='utf-8'?><html><p>نظام</p></html>".encode(),
        "\ufeff<p>نظام</p>".encode("utf-16"),
        "<meta charset='no-such'><p>نظام</p>".encode(),
        "<meta charset='rot13'><p>نظام</p>".encode(),
        "<meta charset='undefined'><p>نظام</p>".encode(),
        "<meta charset='punycode'><p>نظام</p>".encode(),
        "<meta charset='utf_16_le'><p>نظام</p>".encode(),
    ],
)
def test_encodings(tmp_path: Path, page: bytes) -> None:
    assert read(tmp_path, page).passages[0].text == "نظام"


@pytest.mark.parametrize("codec", ["unicode_escape", "raw_unicode_escape", "utf-7", "cp037", "idna"])
def test_a_page_reads_as_in_a_browser_whatever_codecs_python_has(tmp_path: Path, codec: str) -> None:
    page = f"<meta charset='{codec}'><p>nine +AGE- \\u0039 days</p>".encode()
    assert read(tmp_path, page).passages[0].text == "nine +AGE- \\u0039 days"


def test_entities_are_not_fetched_and_do_not_grow(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    page = (
        f'<!DOCTYPE html [<!ENTITY x SYSTEM "{(tmp_path / "secret").as_uri()}">'
        '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><html><p>Words &x; &b;.</p></html>'
    )
    text = " ".join(texts(tmp_path, page))
    assert "secret" not in text
    assert "aaaa" not in text.split("Words", 1)[1]


def test_pages_without_text(tmp_path: Path) -> None:
    for page in ("<html></html>", "<nav>menu</nav>", "<!-- -->", "<p> </p>"):
        (found,) = items(tmp_path, page)
        assert isinstance(found, Problem)


def test_deep_nesting_ends(tmp_path: Path) -> None:
    found = items(tmp_path, "<div>" * 5000 + "deep" + "</div>" * 5000)
    assert len(found) == 1
    items(tmp_path, "<ul><li>" * 400 + "deep")
    items(tmp_path, "<table><tr><td>" * 120 + "deep")
    items(tmp_path, "<table><tr><td>a</td><td>" * 60 + "deep")
    items(tmp_path, "<table><tr><td><p>b</p>" * 60 + "</td><td>c</td></tr></table>" * 60)
    items(tmp_path, "<dl><dt>a<dd>" * 120 + "deep")
