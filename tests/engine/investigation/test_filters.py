"""Hard filters on documents and on validity, and what they say of names that fit nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.protocol import Corpus
from engine.corpus.toy import toy_contents
from engine.errors import InputError, SettingsError
from engine.investigation.filters import Filters
from engine.settings import InvestigationSettings, checked

DAY = date(2026, 1, 1)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Rows 0-4 "code" (an act of 1999 by the Port Authority), 5-6 "rules" (ended 2019), 7 German."""
    contents = toy_contents()
    code, rules, gesetz = contents.documents
    documents = (
        replace(code, type="Act", year=1999, issuer="Port Authority"),
        replace(rules, type="Regulation"),
        replace(gesetz, type="Gesetz", year=2015, status="in force"),
    )
    folder: Path = tmp_path_factory.mktemp("filtered") / "corpus"
    write_corpus(folder, replace(contents, documents=documents))
    return open_corpus(folder)


def rows(corpus: Corpus, **settings: Any) -> list[int]:
    mask = Filters(corpus, checked(settings), DAY).mask
    return list(range(len(corpus))) if mask is None else np.flatnonzero(mask).tolist()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, [0, 1, 2, 3, 4, 7]),
        ({"include_superseded": True}, [0, 1, 2, 3, 4, 5, 6, 7]),
        ({"as_of": date(2019, 12, 31)}, [0, 1, 2, 3, 4, 5, 6, 7]),
        ({"as_of": date(2020, 1, 1)}, [0, 1, 2, 3, 4, 7]),
        # Row 5 holds from 1 June 2015, the rules from 2010, the code from 2000; of the law nothing is known.
        ({"as_of": date(2015, 6, 1)}, [0, 1, 2, 3, 4, 5, 6, 7]),
        ({"as_of": date(2015, 5, 31)}, [0, 1, 2, 3, 4, 6, 7]),
        ({"as_of": date(2009, 12, 31)}, [0, 1, 2, 3, 4, 7]),
        ({"as_of": date(1999, 12, 31)}, [7]),
        ({"as_of": date(1999, 12, 31), "include_superseded": True}, [7]),
        ({"as_of": date(1999, 12, 31), "languages": "en"}, []),
        ({"types": "act, gesetz"}, [0, 1, 2, 3, 4, 7]),
        ({"types": ["Gesetz"]}, [7]),
        ({"types": "Regulation", "include_superseded": True}, [5, 6]),
        ({"documents": "HC"}, [0, 1, 2, 3, 4]),
        ({"documents": "Harbour Code,gesetz"}, [0, 1, 2, 3, 4, 7]),
        ({"languages": "de"}, [7]),
        ({"issuers": "port authority"}, [0, 1, 2, 3, 4]),
        ({"year_from": 2000, "include_superseded": True}, [5, 6, 7]),
        ({"year_to": 2000}, [0, 1, 2, 3, 4]),
        ({"year_from": 2010, "year_to": 2012, "include_superseded": True}, [5, 6]),
        ({"statuses": "in force"}, [7]),
        # A status that text out of force has asks for text out of force.
        ({"statuses": "Repealed"}, [6]),
        ({"languages": "de", "year_to": 2000}, []),
    ],
)
def test_what_the_filters_let_through(corpus: Corpus, settings: dict[str, Any], expected: list[int]) -> None:
    assert rows(corpus, **settings) == expected


def test_without_anything_to_filter_there_is_no_mask(corpus: Corpus) -> None:
    assert Filters(corpus, InvestigationSettings(include_superseded=True), DAY).mask is None
    # On a day before the end of the rules nothing has ended.
    assert Filters(corpus, InvestigationSettings(), date(2012, 1, 1)).mask is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"types": "decree"}, "types: 'decree' is not in the corpus; known: Act, Gesetz, Regulation"),
        ({"documents": "Harbor Code"}, "documents: 'Harbor Code' is not in the corpus"),
        ({"issuers": "Senate"}, "issuers: 'Senate' is not in the corpus; known: Port Authority"),
        ({"year_from": 2001, "year_to": 2000}, "year_from: 2001 is after year_to, 2000"),
    ],
)
def test_a_name_that_fits_nothing_is_refused(corpus: Corpus, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        rows(corpus, **settings)


def test_a_version_of_the_future_waits_while_another_one_holds(tmp_path: Path) -> None:
    contents = toy_contents()
    code, rules, gesetz = contents.documents
    family = {"family": "Port Rules"}
    documents = (
        replace(code, valid_from=date(2000, 1, 1), valid_to=date(2029, 12, 31), metadata=family),
        replace(rules, language=code.language, valid_from=date(2030, 1, 1), valid_to=None, metadata=family),
        # Alone in the future: nothing else tells what will hold.
        replace(gesetz, valid_from=date(2040, 1, 1)),
    )
    passages = [
        replace(passage, valid_from=None, valid_to=None, status=None) for passage in contents.passages
    ]
    write_corpus(tmp_path / "corpus", replace(contents, documents=documents, passages=tuple(passages)))
    opened = open_corpus(tmp_path / "corpus")
    assert rows(opened) == [0, 1, 2, 3, 4, 7]
    assert rows(opened, as_of=date(2030, 1, 1)) == [5, 6]
    assert rows(opened, include_superseded=True) == [0, 1, 2, 3, 4, 5, 6, 7]


def test_a_passage_outside_the_filters_is_named(corpus: Corpus) -> None:
    def name(found: Any) -> list[str]:
        return [passage.id for passage in corpus.passages(found)]

    inside, outside = np.array([7], np.int32), np.array([0], np.int32)
    filters = Filters(corpus, checked({"languages": "de"}), DAY)
    filters.check(inside, name)
    with pytest.raises(InputError, match="'p0' is outside the filters"):
        filters.check(outside, name)
    with pytest.raises(InputError, match="'p0' is not in force on 1999-12-31; change the date"):
        Filters(corpus, checked({"as_of": date(1999, 12, 31)}), DAY).check(outside, name)
    # Text out of force that a person points at is asked for by that.
    Filters(corpus, InvestigationSettings(), DAY).check(np.array([5], np.int32), name)


def test_names_may_be_typed_between_commas() -> None:
    assert checked({"types": " Act, Gesetz ,, Act"}).types == ("Act", "Gesetz")
    assert checked({"types": None}).types == ()
    with pytest.raises(SettingsError, match="types: "):
        checked({"types": 7})
