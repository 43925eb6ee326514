from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ingestion.analysis import make_block
from engine.ingestion.entities import EntityFinder
from engine.ingestion.readers.base import ReadDocument
from engine.ingestion.view import CorpusView
from engine.language.entities import LEAST_SCORE, Aliases, EntityTable, Titles
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
    view = CorpusView([make_block(documents(run, titles, aliases), headings=True) for run in runs])
    naming = EntityFinder(view, [str(number) for number in range(len(runs))], "")
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


def test_an_acronym_and_its_long_form_are_one() -> None:
    table = extract_entities(
        corpus(
            "a Money Laundering Reporting Officer (MLRO)",
            "The MLRO reports.",
            "the money laundering reporting officer",
        )
    )
    assert who_mentions(table) == {"Money Laundering Reporting Officer": [0, 1, 2]}


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


def test_what_is_mostly_written_small_is_no_name() -> None:
    table = extract_entities(
        corpus(
            *["a good risk management is asked for"] * 5,
            "and then the Risk Management decides",
            "of the Risk Management",
        )
    )
    assert table.entities == []


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


def test_bodies_and_standards_are_told_apart() -> None:
    table = extract_entities(
        corpus(
            "by the Ministry of Finance under ISO 27001 and", "with the Ministry of Finance on ISO 27001 now"
        )
    )
    kinds = {entity.name: entity.kind for entity in table.entities}
    assert kinds["Ministry of Finance"] is EntityKind.ORGANISATION
    assert kinds["ISO 27001"] is EntityKind.STANDARD


def titled(*texts: tuple[str, str]) -> EntityTable:
    passages = [Passage(f"p{n}", f"d{n}", None, 0, text, "en") for n, (_, text) in enumerate(texts)]
    return extract_entities(passages, titles={f"d{n}": title for n, (title, _) in enumerate(texts)})


def test_documents_of_one_title_all_define_it_up_to_a_number() -> None:
    table = titled(*[("Bo Li", f"part {n}") for n in range(MOST_TITLED + 5)])
    (entity,) = table.entities
    assert entity.definitions == tuple(f"p{n}" for n in range(MOST_TITLED))


def test_people_of_like_names_are_not_one() -> None:
    table = extract_entities(
        corpus(*(f"so {name} came" for name in ("Charles Johnson", "Charles Johnston") for _ in range(2)))
    )
    assert who_mentions(table) == {"Charles Johnson": [0, 1], "Charles Johnston": [2, 3]}


@settings(deadline=None)
@given(texts=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=8), cuts=st.sets(st.integers(1, 7)))
def test_how_passages_are_put_into_runs_changes_nothing(texts: list[str], cuts: set[int]) -> None:
    passages = [Passage(f"p{n}", f"d{n}", None, 0, text, "en") for n, text in enumerate(texts)]
    titles = {passage.document_id: passage.text[:11] for passage in passages}
    bounds = [0, *sorted(cut for cut in cuts if cut < len(passages)), len(passages)]
    runs = [passages[start:end] for start, end in pairwise(bounds)]
    whole, found = entities_of([passages], titles), entities_of(runs, titles)
    assert found.entities == whole.entities
    assert who_mentions(found) == who_mentions(whole)
