"""Claims that are a source's own words: copied, with a citation that is not there, with another's
citation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from benchmarks.making.material import (
    CHANGED,
    COPIED,
    INVENTED,
    PINPOINT,
    SAYS_SO,
    Claim,
    Collection,
    Place,
    Sentence,
    cited_as,
    filled,
    lists,
    seeded,
    shares,
    shuffled,
    varied,
    with_citation,
    words_of,
)

COPIES, INVENTIONS, PINPOINTS = 1000, 300, 200
UNSEEN = ("citation_not_understood", "wrong_pinpoint", "not_in_corpus")
NOTHING_SAYS = ("citation_not_understood", "not_in_corpus", "related")
# A provision that holds so much of a sentence's words may say the same.
_ALIKE = 0.6


def copied(found: Sequence[Collection], total: int = COPIES) -> Iterator[Claim]:
    """Whole sentences, each bare and, where it is sure how it is cited, with its right citation."""
    for collection in found:
        chance = seeded(COPIED, collection.name)
        chosen = _some(collection, COPIED, shares(total, found)[collection.name])
        for sentence in chosen:
            yield _claim(
                collection, sentence, COPIED, "bare", sentence.text, "", ("supported",), ("contradicted",)
            )
            assert sentence.place is not None
            cite = cited_as(sentence.place, collection, chance)
            text = with_citation(sentence.text, cite, sentence.language, chance)
            yield _claim(collection, sentence, COPIED, "cited", text, cite, ("supported",), ("contradicted",))


def _some(collection: Collection, salt: str, count: int) -> list[Sentence]:
    placed = (one for one in varied(collection, salt) if one.place is not None)
    return [one for one, _ in zip(placed, range(count), strict=False)]


def _claim(
    collection: Collection,
    sentence: Sentence,
    kind: str,
    how: str,
    text: str,
    cite: str,
    wanted: tuple[str, ...],
    wrong: tuple[str, ...],
) -> Claim:
    return Claim(
        collection.name,
        sentence.language,
        kind,
        how,
        text,
        sentence.text,
        sentence.text,
        sentence.passage,
        cite,
        wanted,
        wrong,
    )


def invented(found: Sequence[Collection], total: int = INVENTIONS) -> Iterator[Claim]:
    """Citations of what is not there, half with true sentences, half with sentences nobody wrote."""
    for collection in found:
        chance = seeded(INVENTED, collection.name)
        count = shares(total, found)[collection.name]
        sentences = _some(collection, INVENTED, count)
        made_up = _made_up(collection, chance)
        for turn, sentence in enumerate(sentences):
            how, cite = _nowhere(collection, sentence, chance, turn)
            if turn % 2 == 0:
                text = with_citation(sentence.text, cite, sentence.language, chance)
                yield _claim(
                    collection, sentence, INVENTED, f"{how}, true words", text, cite, UNSEEN, ("supported",)
                )
                continue
            bare = chance.choice(made_up[sentence.language])
            text = with_citation(bare, cite, sentence.language, chance)
            yield Claim(
                collection.name,
                sentence.language,
                INVENTED,
                f"{how}, invented words",
                text,
                bare,
                f"{bare} {cite}",
                "",
                cite,
                NOTHING_SAYS,
                SAYS_SO,
            )


def _made_up(collection: Collection, chance: Random) -> dict[str, list[str]]:
    found = {}
    for language in collection.rules["languages"]:
        rules = lists(language)["invented"]
        pairs = [f"{one} {other}." for one in rules["subjects"] for other in rules["predicates"]]
        found[language] = shuffled(pairs, chance)
    return found


def _nowhere(collection: Collection, sentence: Sentence, chance: Random, turn: int) -> tuple[str, str]:
    """A citation of what is not there: which way, and its words."""
    place = sentence.place
    assert place is not None
    ways = [_unheard, _beyond, _no_such_paragraph]
    for way in (ways[turn // 2 % 3], _beyond, _unheard):
        cite = way(collection, sentence.language, place, chance)
        if cite:
            return way.__name__.strip("_").replace("_", " "), cite
    raise AssertionError("the last way always finds one")


def _unheard(collection: Collection, language: str, place: Place, chance: Random) -> str:
    form: str = chance.choice(collection.rules["unheard"][language])
    return form.format(big=chance.randint(3000, 9999))


def _beyond(collection: Collection, language: str, place: Place, chance: Random) -> str:
    """The document's own form with a number beyond its last."""
    numbers = [number for document, number in collection.places if document == place.document]
    firsts = [int(met.group()) for met in (re.search(r"\d+", one) for one in numbers) if met]
    beyond = max(firsts) + chance.randint(40, 900)
    number = re.sub(r"\d+", str(beyond), place.number, count=1)
    form = chance.choice(collection.rules["forms"][place.form]["without"])
    return filled(form, chance.choice(place.names), number, "")


def _no_such_paragraph(collection: Collection, language: str, place: Place, chance: Random) -> str:
    """A paragraph far beyond the last of an article that has paragraphs."""
    forms = collection.rules["forms"][place.form]["with"]
    known = collection.paragraphs.get(place.provision, set())
    if not forms or len(known) < 2 or not all(one.isdigit() for one in known):
        return ""
    paragraph = str(max(map(int, known)) + chance.randint(20, 70))
    form = chance.choice([one for one in forms if "{roman}" not in one])
    return filled(form, chance.choice(place.names), place.number, paragraph)


def pinpoints(found: Sequence[Collection], total: int = PINPOINTS, kind: str = PINPOINT) -> Iterator[Claim]:
    """True sentences with the citation of another provision that is there, half of them the nearest."""
    for collection in found:
        chance = seeded(kind, "pinpoints", collection.name)
        left = shares(total, found)[collection.name]
        order = list(collection.places)
        index = {provision: at for at, provision in enumerate(order)}
        for sentence in varied(collection, kind, "pinpoints"):
            if left == 0:
                break
            if sentence.place is None:
                continue
            near = left % 2 == 0
            other = _other(collection, sentence, order, index, chance, near=near)
            if other is None:
                continue
            cite = cited_as(other, collection, chance, whole=0.0)
            text = with_citation(sentence.text, cite, sentence.language, chance)
            how = "other provision cited" if kind == CHANGED else "neighbour" if near else "elsewhere"
            wanted, wrong = ("wrong_pinpoint",), ("supported",)
            yield _claim(collection, sentence, kind, how, text, cite, wanted, wrong)
            left -= 1


def _other(
    collection: Collection,
    sentence: Sentence,
    order: list[tuple[str, str]],
    index: dict[tuple[str, str], int],
    chance: Random,
    *,
    near: bool,
) -> Place | None:
    """Another place that does not say the same; None where the chosen one may."""
    place = sentence.place
    assert place is not None
    others = sorted(collection.paragraphs.get(place.provision, set()) - {place.paragraph})
    if near and place.paragraph and others and chance.random() < 0.5:
        other = Place(place.document, place.names, place.form, place.number, chance.choice(others))
    else:
        at = index[place.provision] + chance.choice((-2, -1, 1, 2)) if near else chance.randrange(len(order))
        if not 0 <= at < len(order):
            return None
        other = collection.places[order[at]]
        other = Place(other.document, other.names, other.form, other.number, None)
    same_form = other.form == place.form and (not near or other.document == place.document)
    if not same_form or other == place or (other.provision == place.provision and not other.paragraph):
        return None
    asked = {word for word in words_of(sentence.text) if len(word) > 3}
    held = set(words_of(" ".join(collection.texts[(*other.provision, other.paragraph)])))
    return other if len(asked & held) < _ALIKE * len(asked) else None
