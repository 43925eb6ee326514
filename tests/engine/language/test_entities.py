from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ingestion.analysis import analysed
from engine.ingestion.naming import Naming
from engine.ingestion.readers.base import ReadDocument
from engine.ingestion.view import CorpusView
from engine.language.candidates import MOST_MENTIONS
from engine.language.entities import Aliases, EntityTable, Titles
from engine.language.name_scores import LEAST_SCORE
from engine.language.vocabulary import MOST_HEADED, MOST_TITLED
from engine.model import NOTHING, Document, EntityKind, Passage, Role

TEXTS = (
    "Andy Murray won in Paris.",
    "It was Andy Murray.",
    "Actor Tom Hanks, an actor, met Tom Hanks and Andy Murray.",
    "The Harbour Authority acts. It is Andy.",
    '"Client Money" means money (CM).',
    "the client money of Paris",
)


def extract_entities(
    passages: Sequence[Passage], titles: Titles = NOTHING, aliases: Aliases = NOTHING
) -> EntityTable:
    """The entities of passages, those of a document together, as an ingestion finds them."""
    return entities_of([passages], titles, aliases)


def entities_of(runs: Sequence[Sequence[Passage]], titles: Titles, aliases: Aliases = NOTHING) -> EntityTable:
    """The same, of a corpus of a block for each run."""
    view = CorpusView([analysed(documents(run, titles, aliases), headings=True) for run in runs])
    naming = Naming(view, [str(number) for number in range(len(runs))], "")
    naming.find(lambda terms, numbers: [terms.mentions_in(view.blocks[number]) for number in numbers])
    return naming.table(LEAST_SCORE)[0]


def documents(passages: Sequence[Passage], titles: Titles, aliases: Aliases) -> list[ReadDocument]:
    return [
        ReadDocument(
            Document(name, titles.get(name, ""), aliases=tuple(aliases.get(name, ()))), (), tuple(own)
        )
        for name, own in groupby(passages, lambda passage: passage.document_id)
    ]


def corpus(*texts: str, language: str = "en", headings: tuple[str, ...] = ()) -> list[Passage]:
    return [
        Passage(f"p{number}", "d", None, number, text, language, headings=headings)
        for number, text in enumerate(texts)
    ]


def who_mentions(table: EntityTable) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row, number in zip(table.rows.tolist(), table.numbers.tolist(), strict=True):
        found.setdefault(table.entities[number].name, []).append(row)
    return found


def test_a_defined_term_links_its_definition_to_its_uses() -> None:
    table = extract_entities(corpus('"Client Money" means money.', "It holds client money.", "Nothing here."))
    assert who_mentions(table) == {"Client Money": [0, 1]}
    (entity,) = table.entities
    assert (entity.kind, entity.definitions, entity.id) == (
        EntityKind.DEFINED_TERM,
        ("p0",),
        "en:client-money",
    )


def test_what_one_passage_names_alone_is_dropped_unless_defined() -> None:
    table = extract_entities(corpus("See the Harbour Authority for it.", 'A "Keel Fee" means a fee.'))
    assert [entity.name for entity in table.entities] == ["Keel Fee"]


def test_an_acronym_and_its_long_form_are_one() -> None:
    table = extract_entities(
        corpus(
            "a Money Laundering Reporting Officer (MLRO)",
            "The MLRO reports.",
            "the money laundering reporting officer",
        )
    )
    assert who_mentions(table) == {"Money Laundering Reporting Officer": [0, 1, 2]}


def test_the_longest_term_is_meant() -> None:
    table = extract_entities(
        corpus(
            '"Fund" means a fund.',
            '"Public Fund" means a Fund for all.',
            "A Public Fund pays.",
            "A Fund pays.",
        )
    )
    assert who_mentions(table) == {"Fund": [0, 1, 3], "Public Fund": [1, 2]}


def test_one_word_is_meant_only_with_a_capital() -> None:
    table = extract_entities(corpus('"Client" means a person.', "The client pays.", "The Client pays."))
    assert who_mentions(table) == {"Client": [0, 2]}


def test_words_in_capitals_are_no_acronyms() -> None:
    table = extract_entities(
        corpus("the FEES payable", "FEES of it", "the fees", "the AML unit", "an AML duty")
    )
    assert who_mentions(table) == {"AML": [3, 4]}


def test_titles_of_sections_are_no_entities() -> None:
    table = extract_entities(
        corpus("On market abuse.", "More market abuse.", headings=("Part 2 - Market Abuse",))
    )
    assert table.entities == []


def test_a_german_title_is_a_term_where_it_is_put_together_from_nouns_of_the_corpus() -> None:
    texts = (
        "Die Anfechtung der Klage, die Anfechtungsklage und die Voraussetzung.",
        "Eine Anfechtungsklage hat Voraussetzungen.",
        "Die Klage und die Anfechtungsklage.",
    )
    passages = [
        Passage(f"p{n}", f"d{n}", None, 0, text, "de", headings=("Anfechtungsklage", "Voraussetzungen"))
        for n, text in enumerate(texts)
    ]
    table = extract_entities(passages)
    assert who_mentions(table) == {"Anfechtungsklage": [0, 1, 2]}
    assert table.entities[0].kind is EntityKind.HEADING


def test_what_heads_provisions_of_many_documents_is_a_kind_of_heading() -> None:
    passages = [
        Passage(
            f"p{n}", f"d{n}", None, 0, "Die Klage der Frist, die Klagefrist.", "de", headings=("Klagefrist",)
        )
        for n in range(MOST_HEADED + 1)
    ]
    assert extract_entities(passages).entities == []


def test_four_ways_to_name_a_standard_are_a_standard_and_its_publisher() -> None:
    table = extract_entities(
        corpus(
            "We report under Standard GRI 306 on waste.",
            "See GRI 306: Waste 2020 for that.",
            "The GRI is asked for advice.",
            "So is the Global Reporting Initiative (GRI) here.",
        )
    )
    assert who_mentions(table) == {"GRI 306": [0, 1], "Global Reporting Initiative": [2, 3]}
    kinds = {entity.name: (entity.kind, entity.aliases) for entity in table.entities}
    assert kinds["GRI 306"] == (EntityKind.STANDARD, ())
    assert kinds["Global Reporting Initiative"] == (EntityKind.ORGANISATION, ("GRI",))


def test_a_document_and_its_short_names_are_one() -> None:
    passages = [
        Passage("a", "d", None, 0, "It is about agents.", "en"),
        Passage("b", "e", None, 0, "under Article 4 of the Agency Code and", "en"),
        Passage("c", "f", None, 0, "and the Agency Code says so", "en"),
        Passage("e", "g", None, 0, "as the Commercial Agency and Powers of Attorney Code has it", "en"),
    ]
    title = "Commercial Agency and Powers of Attorney Code"
    table = extract_entities(passages, titles={"d": title}, aliases={"d": ("Agency Code", "CAC", title)})
    (entity,) = table.entities
    assert (entity.name, entity.kind, entity.aliases) == (title, EntityKind.TITLE, ("Agency Code", "CAC"))
    assert who_mentions(table) == {title: [0, 1, 2, 3]}


def test_a_party_is_kept_with_its_role() -> None:
    table = extract_entities(corpus('Corvane Ltd of Selene (the "Agent") sells.', "Nothing."))
    entity = next(entity for entity in table.entities if entity.roles)
    assert (entity.name, entity.kind) == ("Corvane Ltd", EntityKind.ORGANISATION)
    assert entity.roles == (Role("Agent", "p0"),)


def test_names_that_only_put_terms_together_are_none() -> None:
    table = extract_entities(
        corpus(
            '"Governing Body" means a board. "Fund Manager" means a person.',
            "the Governing Body of the Fund Manager acts",
            "so the Governing Body of the Fund Manager says",
        )
    )
    assert who_mentions(table) == {"Governing Body": [0, 1, 2], "Fund Manager": [0, 1, 2]}


def test_what_is_mostly_written_small_is_no_name() -> None:
    table = extract_entities(
        corpus(
            *["a good risk management is asked for"] * 5,
            "and then the Risk Management decides",
            "of the Risk Management",
        )
    )
    assert table.entities == []


def test_scores_tell_what_is_stated_from_what_is_only_written_so() -> None:
    table = extract_entities(
        corpus('"Client Money" means money.', "so Andy Murray came", "and Andy Murray went, as client money")
    )
    scores = {entity.name: entity.score for entity in table.entities}
    assert 0.5 <= scores["Andy Murray"] < scores["Client Money"] <= 1.0


def test_inflected_german_terms_meet() -> None:
    table = extract_entities(
        corpus("durch die Deutsche Bundesbank und", "bei der Deutschen Bundesbank liegt", language="de")
    )
    assert list(who_mentions(table).values()) == [[0, 1]]


def test_languages_are_kept_apart() -> None:
    table = extract_entities(
        [*corpus('"Fund" means a fund.'), Passage("x", "e", None, 0, "Der Fund lag dort.", "de")]
    )
    assert who_mentions(table) == {"Fund": [0]}


def test_no_passages() -> None:
    table = extract_entities([])
    assert (table.entities, table.rows.shape, table.numbers.shape) == ([], (0,), (0,))
    assert table.rows.dtype == table.numbers.dtype == np.int32


@settings(deadline=None)
@given(
    texts=st.lists(
        st.lists(
            st.sampled_from(
                ['"Fund" means', "the Fund", "Public Fund", "Harbour Authority", "AML", "and", ".", "is"]
            ),
            max_size=8,
        ).map(" ".join),
        max_size=6,
    )
)
def test_pairs_are_sorted_distinct_and_complete(texts: list[str]) -> None:
    table = extract_entities(corpus(*texts))
    pairs = list(zip(table.rows.tolist(), table.numbers.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    assert {number for _, number in pairs} == set(range(len(table.entities)))
    assert len({entity.id for entity in table.entities}) == len(table.entities)


def test_variants_of_a_name_are_one_entity_over_the_borders_of_documents() -> None:
    table = extract_entities(
        [
            Passage("a", "d", None, 0, "under the Gulf Co-operation Council rules", "en"),
            Passage("b", "e", None, 0, "of the Gulf Cooperation Council states", "en"),
            Passage("c", "f", None, 0, "and so the Gulf Co-Operation Council does", "en"),
        ]
    )
    assert list(who_mentions(table).values()) == [[0, 1, 2]]


def test_a_definition_is_kept_when_variants_meet() -> None:
    table = extract_entities(corpus("the Public Funds of the law", '"Public Fund" means a fund.'))
    (entity,) = table.entities
    assert (entity.kind, entity.definitions) == (EntityKind.DEFINED_TERM, ("p1",))


def test_bodies_and_standards_are_told_apart() -> None:
    table = extract_entities(
        corpus(
            "by the Ministry of Finance under ISO 27001 and",
            "with the Ministry of Finance on ISO 27001 now",
        )
    )
    kinds = {entity.name: entity.kind for entity in table.entities}
    assert kinds["Ministry of Finance"] is EntityKind.ORGANISATION
    assert kinds["ISO 27001"] is EntityKind.STANDARD


def test_each_document_defines_for_itself() -> None:
    table = extract_entities(
        [
            Passage("a", "d", None, 0, '"Client" means a buyer.', "en"),
            Passage("b", "d", None, 1, 'Here too "Client" means a buyer.', "en"),
            Passage("c", "e", None, 0, '"Client" means a lender.', "en"),
        ]
    )
    (entity,) = table.entities
    assert entity.definitions == ("a", "c")


def titled(*texts: tuple[str, str]) -> EntityTable:
    """A corpus of documents of one passage, each with its title."""
    passages = [Passage(f"p{n}", f"d{n}", None, 0, text, "en") for n, (_, text) in enumerate(texts)]
    return extract_entities(passages, titles={f"d{n}": title for n, (title, _) in enumerate(texts)})


def test_the_title_of_a_document_is_defined_by_its_first_passage() -> None:
    passages = [
        Passage("a", "d", None, 0, "It is a film.", "en"),
        Passage("b", "d", None, 1, "It was long.", "en"),
        Passage("c", "e", None, 0, "He wrote Golden Pulse.", "en"),
    ]
    table = extract_entities(passages, titles={"d": "Golden Pulse (1988 film)", "e": "a b"})
    entity = next(entity for entity in table.entities if entity.name == "Golden Pulse")
    assert (entity.kind, entity.definitions) == (EntityKind.TITLE, ("a",))
    assert who_mentions(table)["Golden Pulse"] == [0, 2]


def test_documents_of_one_title_all_define_it_up_to_a_number() -> None:
    table = titled(*[("Bo Li", f"part {n}") for n in range(MOST_TITLED + 5)])
    (entity,) = table.entities
    assert entity.definitions == tuple(f"p{n}" for n in range(MOST_TITLED))


def test_a_title_is_meant_with_its_capitals_only() -> None:
    table = titled(("The Ring", "A film."), ("x y", "the ring fell"), ("z y", "he saw the Ring"))
    assert who_mentions(table)["The Ring"] == [0, 2]


def test_a_title_of_several_words_is_meant_without_its_article() -> None:
    table = titled(("A Fistful of Dollars", "A film."), ("x y", "his Fistful of Dollars"))
    assert who_mentions(table)["A Fistful of Dollars"] == [0, 1]


def test_a_title_that_is_an_ordinary_word_is_no_entity() -> None:
    table = titled(("Pulse", "A film."), ("x y", "a pulse, the pulse; Pulse"))
    assert "Pulse" not in who_mentions(table)


def test_names_are_found_wherever_they_stand() -> None:
    table = extract_entities(corpus("Andy Murray won.", "It was Andy Murray.", "So did Murray."))
    assert who_mentions(table) == {"Andy Murray": [0, 1]}


def test_what_begins_a_sentence_before_a_name_is_none_of_it() -> None:
    table = extract_entities(
        corpus(
            "Actor Tom Hanks won.",
            "the actor Tom Hanks",
            "an actor",
            "Police came",
            "Police went, as police do",
        )
    )
    assert who_mentions(table) == {"Tom Hanks": [0, 1]}


def test_a_run_of_names_that_is_there_once_gives_way_to_the_names_in_it() -> None:
    table = extract_entities(
        corpus("he beat Andy Murray and Jamie Murray", "by Andy Murray here", "by Jamie Murray here")
    )
    assert who_mentions(table) == {"Andy Murray": [0, 1], "Jamie Murray": [0, 2]}


def test_a_name_that_is_there_once_is_not_its_first_name() -> None:
    table = extract_entities(corpus("so John Smith came", "and John went", "with John"))
    assert who_mentions(table) == {"John": [1, 2]}


def test_people_of_like_names_are_not_one() -> None:
    table = extract_entities(
        corpus(*(f"so {name} came" for name in ("Charles Johnson", "Charles Johnston") for _ in range(2)))
    )
    assert who_mentions(table) == {"Charles Johnson": [0, 1], "Charles Johnston": [2, 3]}


def test_a_word_that_is_everywhere_links_nothing() -> None:
    table = extract_entities(corpus(*["of the Regulator here"] * (MOST_MENTIONS + 1)))
    assert table.entities == []


@settings(deadline=None)
@given(
    texts=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=8),
    cuts=st.sets(st.integers(1, 7)),
)
def test_how_passages_are_put_into_runs_changes_nothing(texts: list[str], cuts: set[int]) -> None:
    passages = [Passage(f"p{n}", f"d{n}", None, 0, text, "en") for n, text in enumerate(texts)]
    titles = {passage.document_id: passage.text[:11] for passage in passages}
    bounds = [0, *sorted(cut for cut in cuts if cut < len(passages)), len(passages)]
    runs = [passages[start:end] for start, end in pairwise(bounds)]
    whole, found = entities_of([passages], titles), entities_of(runs, titles)
    assert found.entities == whole.entities
    assert who_mentions(found) == who_mentions(whole)
