from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.records.in_place import Choices, Spot, find_spot, read_passages

TODAY = date(2024, 5, 6)


def whole(corpus: Corpus, document: str) -> list[str]:
    (rows,) = corpus.by_document([document])
    return [passage.text for passage in corpus.passages(rows)]


def number_of(corpus: Corpus, document: str) -> int:
    return [one.id for one in corpus.documents()].index(document)


def test_a_place_is_found_by_the_id_of_passage_section_or_document(bare: Corpus) -> None:
    number = number_of(bare, "harbour-act")
    (rows,) = bare.by_document(["harbour-act"])
    passage = bare.passages(rows)[4]
    assert find_spot(bare, passage.id, TODAY) == Spot(number, passage.position, whole=False)
    assert find_spot(bare, "harbour-act", TODAY) == Spot(number, 0, whole=True)
    sections = bare.sections(bare.document_sections(number).tolist())
    below = next(one for one in sections if one.first > 0)
    assert find_spot(bare, below.id, TODAY) == Spot(number, below.first, whole=True)


def test_words_that_cite_lead_to_the_provision(bare: Corpus) -> None:
    found = find_spot(bare, "Article 5 of the Harbour Act", TODAY)
    assert isinstance(found, Spot)
    assert found.document == number_of(bare, "harbour-act")
    read = read_passages(bare, found.document, found.position, found.position + 1, TODAY, room=10_000)
    assert read["passages"][0]["label"].startswith("Article 5")


def test_words_that_several_acts_have_are_not_guessed_at(bare: Corpus) -> None:
    found = find_spot(bare, "Article 2", TODAY)
    assert isinstance(found, Choices)
    assert len(found.choices) > 1
    assert all(label for label in found.choices.values())


def test_what_is_nowhere_is_said(bare: Corpus, subtests: pytest.Subtests) -> None:
    for words in ("zeppelin", "<script>alert(1)</script>", "مادة", "x" * 1000, " "):
        with (
            subtests.test(words=words[:9]),
            pytest.raises(InputError, match="is neither an id in the corpus"),
        ):
            find_spot(bare, words, TODAY)


def test_references_are_told_with_their_words(bare: Corpus) -> None:
    found = find_spot(bare, "Article 3(3) of the Harbour Act", TODAY)
    assert isinstance(found, Spot)
    (one,) = read_passages(bare, found.document, found.position, found.position + 1, TODAY, room=10_000)[
        "passages"
    ]
    (cited,) = one["cites"]
    assert cited["status"] == "resolved"
    assert cited["words"] in one["text"]
    assert cited["to"] == "dues-act/art-2"


def weigh(one: object) -> int:
    """A passage weighs its text and ten for what stands around it."""
    return 10 + len(one["text"]) if isinstance(one, dict) else len(str(one))


@given(room=st.integers(25, 400), first=st.integers(0, 2))
def test_pages_of_any_size_make_the_whole_text(bare: Corpus, room: int, first: int) -> None:
    texts, number = whole(bare, "pilot-regulation"), number_of(bare, "pilot-regulation")
    made = [""] * len(texts)
    going_on: dict[str, int] | None = {"at": first, "start": 0}
    while going_on is not None:
        at, start = going_on["at"], going_on["start"]
        page = read_passages(bare, number, at, at + 100, TODAY, start=start, room=room, weigh=weigh)
        going_on = page["next"]
        if going_on is not None and going_on["start"] > 0:
            # The one passage is cut at a word, as far as there is room, and says how long the whole is.
            (cut,) = page["passages"]
            cut["text"], ending = cut["text"].rsplit(" … (", 1)
            assert ending == f"{len(texts[at]):,} characters)"
            rest = texts[at][start + len(cut["text"]) :]
            assert rest[0].isspace()
            assert weigh(cut) + len(" ".join(["", *rest.split()[:2]])) > room
        assert sum(map(weigh, page["passages"])) <= room
        for one in page["passages"]:
            made[one["at"]] += one["text"]
    assert made[first:] == texts[first:]


def test_a_word_longer_than_the_room_is_cut_where_it_is(bare: Corpus) -> None:
    number = number_of(bare, "dues-act")
    assert whole(bare, "dues-act")[0].startswith("For the purposes")
    for room, words in ((0, "F"), (11, "F"), (12, "Fo"), (13, "For"), (16, "For")):
        page = read_passages(bare, number, 0, 1, TODAY, room=room, weigh=weigh)
        assert page["passages"][0]["text"].startswith(f"{words} … (")
        assert page["next"] == {"at": 0, "start": len(words)}


def test_behind_the_last_passage_is_nothing(bare: Corpus) -> None:
    with pytest.raises(InputError, match=r"^at: 'harbour-act' has \d+ passages"):
        read_passages(bare, number_of(bare, "harbour-act"), 10**6, 10**6 + 1, TODAY, room=1000)
