"""Claims in other words that mean the same: by rules that are safe, and by hand."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from benchmarks.making.changing import exchanged, once, stands_alone
from benchmarks.making.claim import PARAPHRASE, Claim, cited_as, seeded, shares, varied, with_citation
from benchmarks.making.material import LISTS, Collection, lists

PARAPHRASES = 160
BY_HAND = LISTS.parent / "paraphrases.tsv"
Way = Callable[[str, dict[str, Any], Counter[str], Random], tuple[str, str] | None]
# So often at most is one pair of words used in a collection.
_MOST = 4


def synonyms(text: str, rules: dict[str, Any], used: Counter[str], chance: Random) -> tuple[str, str] | None:
    """One or two words exchanged for words that mean the same."""
    pairs = [pair for pair in rules["paraphrases"] if used[pair[0]] < _MOST and exchanged(text, *pair)]
    if not pairs:
        return None
    chance.shuffle(pairs)
    made = text
    done: list[str] = []
    for old, new in pairs[:2]:
        again = exchanged(made, old, new)
        if again and not any(old in word or word in old for word in done):
            made, done = again, [*done, old, new]
            used[old] += 1
    return "synonym", made


def clause_order(
    text: str, rules: dict[str, Any], used: Counter[str], chance: Random
) -> tuple[str, str] | None:
    """The condition after the rule instead of before it."""
    start = next((one for one in rules["clause_order"] if text.startswith(one)), None)
    if start is None or text.count(",") != 1 or used["clause order"] >= 3 * _MOST:
        return None
    condition, main = (part.strip() for part in text.removesuffix(".").split(","))
    words = {word.strip("().").lower() for word in main.split()}
    first = main.split(" ", 1)[0]
    if words & set(rules["pronouns"]) or first not in {word.lower() for word in rules["lower"]}:
        return None
    used["clause order"] += 1
    return "clause order", f"{main[:1].upper()}{main[1:]} {condition[:1].lower()}{condition[1:]}."


def active(text: str, rules: dict[str, Any], used: Counter[str], chance: Random) -> tuple[str, str] | None:
    """The active voice for the passive."""
    if not rules["passives"]:
        return None
    pattern = rules["passive"]["pattern"].format(verbs="|".join(rules["passives"]))
    met = re.match(pattern, text.removesuffix("."))
    if met is None or re.search(r"\b(?:and|or|which|that|who|in|on|to)\b", met.group(5)):
        return None
    used["active"] += 1
    made = rules["passive"]["active"].format(
        article=met.group(4).capitalize(),
        agent=met.group(5),
        modal=met.group(2),
        verb=rules["passives"][met.group(3)],
        object=met.group(1)[:1].lower() + met.group(1)[1:],
    )
    return "active voice", f"{made}."


def parenthesis(
    text: str, rules: dict[str, Any], used: Counter[str], chance: Random
) -> tuple[str, str] | None:
    """Without a parenthesis that only names or refers."""
    for met in re.finditer(r" \(([^()]+)\)", text):
        if any(met.group(1).startswith(start) for start in rules["droppable"]) and used["("] < 2 * _MOST:
            used["("] += 1
            return "parenthesis dropped", text[: met.start()] + text[met.end() :]
    return None


def paraphrased(found: Sequence[Collection], total: int = PARAPHRASES) -> Iterator[Claim]:
    """Paraphrases by rule, then those written by hand."""
    for collection in found:
        left = shares(total, found)[collection.name]
        chance = seeded(PARAPHRASE, collection.name)
        # What changes the order of words first, as few sentences can be so changed, up to a half.
        orders = _by_rules(collection, (active, clause_order, parenthesis), left // 2, chance, set())
        others = _by_rules(
            collection, (synonyms,), left - len(orders), chance, {one.passage for one in orders}
        )
        yield from [*orders, *others]
    yield from by_hand([one.name for one in found])


def _by_rules(
    collection: Collection, ways: Sequence[Way], count: int, chance: Random, seen: set[str]
) -> list[Claim]:
    used: Counter[str] = Counter()
    found: list[Claim] = []
    for sentence in varied(collection, PARAPHRASE):
        rules = lists(sentence.language)
        if sentence.place is None or sentence.passage in seen or not stands_alone(sentence.text, rules):
            continue
        made = next((one for one in (way(sentence.text, rules, used, chance) for way in ways) if one), None)
        if len(found) == count:
            break
        if made is None or made[1] == sentence.text:
            continue
        how, bare = made
        cite = cited_as(sentence.place, collection, chance) if chance.random() < 0.5 else ""
        text = with_citation(bare, cite, sentence.language, chance) if cite else bare
        found.append(
            _claim(collection.name, sentence.language, how, text, bare, sentence.text, sentence.passage, cite)
        )
    return found


def by_hand(names: Sequence[str]) -> Iterator[Claim]:
    """The paraphrases that a person wrote, of the collections that are there."""
    with BY_HAND.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["collection"] in names:
                text, cite = row["claim"], row["citation"]
                bare = once(cite).sub("", text).replace(" ()", "") if cite else text
                yield _claim(row["collection"], row["language"], "by hand", text, bare, text, "", cite)


def _claim(
    collection: str,
    language: str,
    how: str,
    text: str,
    bare: str,
    original: str,
    passage: str,
    cite: str,
) -> Claim:
    return Claim(
        collection,
        language,
        PARAPHRASE,
        how,
        text,
        bare,
        original,
        passage,
        cite,
        ("supported",),
        ("contradicted",),
    )
