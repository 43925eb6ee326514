from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CorpusError, for_visitors, without_folders


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        ("damaged corpus at /srv/data/mine-1a2b: x is missing", "damaged corpus at mine-1a2b: x is missing"),
        ("damaged: /srv/data/mine/verdicts.jsonl:3 does not fit", "damaged: verdicts.jsonl:3 does not fit"),
        ("'/home/Jane Doe/my laws/a.pdf': cannot be read", "'a.pdf': cannot be read"),
        ("/a/b/: no folder", ": no folder"),
        ("from /a/b.txt to /c/d.txt", "from b.txt to d.txt"),
        ("st:/models/ours is no model", "st:ours is no model"),
        ("file:///srv/a", "file:///srv/a"),
        ("cannot write: (/srv/x/y)", "cannot write: (y)"),
        ('"/srv/x/y" is open', '"y" is open'),
        ("[Errno 2] No such file or directory: '/var/lib/x'", "[Errno 2] No such file or directory: 'x'"),
        # What looks like a path and is none stays.
        ("Directive 2010/75/EU and/or § 3", "Directive 2010/75/EU and/or § 3"),
        ("give http(s)://HOST[:PORT]/v1", "give http(s)://HOST[:PORT]/v1"),
        ("https://law.example/a/b.html", "https://law.example/a/b.html"),
        ("laws/2010/act.md: not read", "laws/2010/act.md: not read"),
        ("1 / 2 and 3 / 4", "1 / 2 and 3 / 4"),
        ("/", "/"),
        ("", ""),
    ],
)
def test_a_visitor_reads_names_and_no_folders(words: str, seen: str) -> None:
    assert for_visitors(CorpusError(words)) == seen


@given(
    st.lists(st.text(st.characters(exclude_characters="/:'\"\n"), min_size=1), min_size=1, max_size=6),
    st.sampled_from(("damaged: ", "", "cannot read '", "st:", "(")),
)
def test_no_folder_stays_whatever_it_is_called(parts: list[str], before: str) -> None:
    folders = [part.strip() + "x" for part in parts]
    told = without_folders(f"{before}/{'/'.join(folders)}/name: damaged")
    assert told == f"{before}name: damaged"
