"""Claims that are no longer what the source says, and claims in other words that mean the same."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from benchmarks.making.copying import pinpoints
from benchmarks.making.material import (
    CHANGED,
    LISTS,
    PARAPHRASE,
    SAYS_SO,
    Claim,
    Collection,
    Sentence,
    cited_as,
    lists,
    seeded,
    shares,
    varied,
    with_citation,
)

# Claims that are no longer what the source says: one thing changed, by rules with word lists.

CHANGES = 500
WANTED = ("contradicted", "partly", "related", "not_in_corpus")
# How many of 500 are of which kind; what a collection cannot give is made up by the other kinds.
QUOTAS = {
    "number": 90,
    "modality": 75,
    "quantifier": 60,
    "condition dropped": 65,
    "negation": 75,
    "parties": 50,
    "date": 15,
    "other subject": 40,
}
OTHER_PROVISION = 30
# The sentence stays what it was but for the word that is true of something else: only with the citation.
CITED_ONLY = ("parties", "other subject")
_CITED = 0.6
Rule = Callable[[str, dict[str, Any], Random], str | None]


def once(words: str) -> re.Pattern[str]:
    """The words as whole words."""
    return re.compile(rf"(?<!\w){re.escape(words)}(?!\w)")


def exchanged(text: str, old: str, new: str) -> str | None:
    """The text with one word for another, where the word stands in it exactly once."""
    for before, after in ((old, new), (old[:1].upper() + old[1:], new[:1].upper() + new[1:])):
        if len(once(before).findall(text)) == 1:
            made = " ".join(once(before).sub(after.replace("\\", r"\\"), text).split())
            return re.sub(r" ([,.])", r"\1", made[:1].upper() + made[1:])
    return None


def _count(text: str, words: Sequence[str]) -> int:
    return sum(len(once(word).findall(text)) for word in words)


def number(text: str, rules: dict[str, Any], chance: Random) -> str | None:
    """Another number before a unit of time, share or money."""
    units = "|".join(sorted(map(re.escape, rules["units"]), key=len, reverse=True))
    words = "|".join(rules["number_words"])
    measured = rf"(?<![\w.,/§-])(\d+|{words})(?= (?:{units})(?!\w))"
    found = list(re.finditer(measured, text))
    money = "|".join(map(re.escape, rules["money"]))
    if money:
        found += re.finditer(
            rf"(?:(?<=\s)|^)(?:{money}) ?(\d[\d.,  ]*\d)|(\d[\d.,  ]*\d)(?= ?(?:{money})(?!\w))", text
        )
    if len(found) != 1:
        return None
    group = next(at for at in range(1, len(found[0].groups()) + 1) if found[0].group(at))
    old = found[0].group(group)
    new = _other_number(old, rules["number_words"], chance)
    return text[: found[0].start(group)] + new + text[found[0].end(group) :]


def _other_number(old: str, words: list[str], chance: Random) -> str:
    if old in words:
        return chance.choice([word for word in words if abs(words.index(word) - words.index(old)) > 1])
    if old.isdigit():
        return str(int(old) * 2 if int(old) < 50 else int(old) // 2 + 3)
    first = int(old[0])
    return f"{first + 1 if first < 9 else 4}{old[1:]}"


def modality(text: str, rules: dict[str, Any], chance: Random) -> str | None:
    """Another modal verb, where the sentence has one only."""
    if _count(text, rules["modals"]) != 1:
        return None
    for old, new in rules["modality"]:
        if rules["may_only_before"] and old == "may":
            met = re.search(r"\bmay (\w+)", text)
            if met is None or met.group(1) not in rules["may_only_before"]:
                continue
        made = exchanged(text, old, new)
        if made:
            return made
    return None


def quantifier(text: str, rules: dict[str, Any], chance: Random) -> str | None:
    """Another quantifier or bound."""
    pairs = [pair for pair in rules["quantifiers"] if exchanged(text, *pair)]
    return exchanged(text, *chance.choice(pairs)) if pairs else None


def condition_dropped(text: str, rules: dict[str, Any], chance: Random) -> str | None:
    """The rule without its condition or exception, sometimes said to hold everywhere."""
    made = _without_last(text, rules) or _without_first(text, rules)
    if made and rules["everywhere"] and chance.random() < 0.4:
        made = f"{made.removesuffix('.')}, {chance.choice(rules['everywhere'])}."
    return made


def _without_last(text: str, rules: dict[str, Any]) -> str | None:
    if any(text.startswith(start) for start in rules["leading"]):
        return None
    for mark in rules["conditions"]:
        if text.count(mark) != 1:
            continue
        main, rest = text.split(mark)
        verbs = _count(main, [*rules["modals"], *rules["verbs"][:12]])
        ends_well = main.rsplit(" ", 1)[-1] not in rules["no_condition_after"]
        whole = "," not in main and "(" not in main and len(main.split()) >= 6
        if verbs and ends_well and whole and len(rest.split()) >= 3 and not _count(rest, rules["modals"]):
            return f"{main}."
    return None


def _without_first(text: str, rules: dict[str, Any]) -> str | None:
    if not any(text.startswith(start) for start in rules["leading"]) or text.count(",") != 1:
        return None
    main = text.split(",")[1].strip()
    first = main.split(" ", 1)[0]
    starts_well = first in {word.lower() for word in rules["lower"]}
    if not starts_well or len(main.split()) < 7 or not _count(main, rules["modals"]):
        return None
    return None if _count(main, rules["pronouns"]) else main[:1].upper() + main[1:]


def negation(text: str, rules: dict[str, Any], chance: Random) -> str | None:
    """A negation taken away, or put to the only verb of a sentence."""
    for old, new in rules["negations"]:
        if len(new) > len(old) and _count(text, rules["verbs"]) != 1:
            continue
        if new == "" and re.search(rf"{re.escape(old)} (?:nur|hanya|saja)\b", text):
            continue
        made = exchanged(text, old, new)
        if made:
            return made
    return None


def parties(text: str, rules: dict[str, Any], chance: Random) -> str | None:
    """Two parties in each other's place, or one in the place of its counterpart."""
    if _count(text, rules["between"]):
        return None
    for one, other in rules["parties"]:
        # What follows the word of a party: "Verkäufers", "controller's".
        ends = r"(?P<end>s|n|'s|’s)?(?!\w)"
        first, second = (re.compile(rf"(?<![\w-]){re.escape(name)}{ends}") for name in (one, other))
        if rules.get("capitals") and re.search(rf"(?<!^)\b[A-Z]\w+ (?:{one}|{other})", text):
            continue
        counts = len(first.findall(text)), len(second.findall(text))
        if counts == (1, 1) and not _joined(text, one, other, rules["joiners"]):
            marked = first.sub("\0\\g<end>", text)
            return _articles(second.sub(f"{one}\\g<end>", marked).replace("\0", other))
        for pattern, name, count in ((first, other, counts), (second, one, counts[::-1])):
            if count == (1, 0):
                return _articles(pattern.sub(f"{name}\\g<end>", text))
    return None


def _joined(text: str, one: str, other: str, joiners: list[str]) -> bool:
    start, end = sorted((text.index(one), text.index(other)))
    between = text[start:end].split()
    return len(between) < 8 and any(joiner in between for joiner in joiners)


def _articles(text: str) -> str:
    """The English "a" and "an" by the letter that follows."""
    text = re.sub(r"\b([Aa])n (?=[bcdfghjklmnpqrstvwxyz])", r"\1 ", text, flags=re.IGNORECASE)
    return re.sub(r"\b([Aa]) (?=(?:[aei]|o(?!ne))\w)", r"\1n ", text, flags=re.IGNORECASE)


def other_date(text: str, rules: dict[str, Any], chance: Random) -> str | None:
    """Another month or year in a date."""
    months = "|".join(rules["months"])
    found = list(re.finditer(rf"\b(\d{{1,2}})(?:er|\.)? (?:de )?({months})(?: (?:de )?(\d{{4}}))?", text))
    if len(found) != 1:
        return None
    if found[0].group(3):
        at, new = 3, str(int(found[0].group(3)) + chance.choice((-2, -1, 1, 2)))
    else:
        at, new = 2, rules["months"][(rules["months"].index(found[0].group(2)) + 5) % 12]
    return text[: found[0].start(at)] + new + text[found[0].end(at) :]


def other_subject(text: str, rules: dict[str, Any], chance: Random) -> str | None:
    """What is said of one put to another of the same kind."""
    for group in rules["subjects"]:
        for subject in group:
            starts = [
                f"{one}{'' if one.endswith(chr(39)) or not one else ' '}{subject}"
                for one in rules["determiners"]
            ]
            start = next((one for one in starts if re.match(rf"{re.escape(one)}(?![\w-])", text)), None)
            if start is None:
                continue
            others = [one for one in group if one != subject and one not in text]
            if others:
                new = start.removesuffix(subject) + chance.choice(others)
                return _articles(new + text[len(start) :])
    return None


RULES: dict[str, Rule] = {
    "number": number,
    "modality": modality,
    "quantifier": quantifier,
    "condition dropped": condition_dropped,
    "negation": negation,
    "parties": parties,
    "date": other_date,
    "other subject": other_subject,
}


def stands_alone(text: str, rules: dict[str, Any]) -> bool:
    """Whether a sentence says of itself what it speaks of."""
    return not any(re.match(rf"{re.escape(start)}(?!\w)", text) for start in rules["anaphora"])


def changed(found: Sequence[Collection], total: int = CHANGES) -> Iterator[Claim]:
    """The changed claims: quotas first, then more of any kind until there are enough."""
    yield from pinpoints(found, OTHER_PROVISION, CHANGED)
    wanted = shares(total - OTHER_PROVISION, found)
    for collection in found:
        made = _changes(collection)
        first = [one for how, claims in made.items() for one in claims[: _quota(how, collection, found)]]
        rest = [one for how, claims in made.items() for one in claims[_quota(how, collection, found) :]]
        seeded(CHANGED, "rest", collection.name).shuffle(rest)
        yield from [*first, *rest][: wanted[collection.name]]


def _quota(how: str, collection: Collection, found: Sequence[Collection]) -> int:
    return shares(QUOTAS[how], found)[collection.name]


def _changes(collection: Collection) -> dict[str, list[Claim]]:
    chance = seeded(CHANGED, collection.name)
    made: dict[str, list[Claim]] = defaultdict(list)
    for sentence in varied(collection, CHANGED):
        rules = lists(sentence.language)
        if sentence.place is None or not stands_alone(sentence.text, rules):
            continue
        # The kind that has the fewest so far comes first: one change for each sentence.
        for how in sorted(RULES, key=lambda one: len(made[one])):
            text = RULES[how](sentence.text, rules, chance)
            if text and len(made[how]) < 60:
                claim = _checked(collection, sentence, how, text, chance)
                if claim:
                    made[how].append(claim)
                    break
        if sum(map(len, made.values())) >= 300:
            break
    return made


def _checked(collection: Collection, sentence: Sentence, how: str, text: str, chance: Random) -> Claim | None:
    """The claim, unless some passage of the collection says it after all."""
    assert sentence.place is not None
    dropped = how == "condition dropped"
    if text == sentence.text or (not dropped and collection.says(text)):
        return None
    is_cited = how in CITED_ONLY or chance.random() < _CITED
    if collection.nearly_said(text, sentence.passage, 0.95 if is_cited else 0.85):
        return None
    cite = cited_as(sentence.place, collection, chance) if is_cited else ""
    written = with_citation(text, cite, sentence.language, chance) if cite else text
    return Claim(
        collection.name,
        sentence.language,
        CHANGED,
        how,
        written,
        text,
        sentence.text,
        sentence.passage,
        cite,
        WANTED,
        SAYS_SO,
    )


# Claims in other words that mean the same: by rules that are safe, and by hand.

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
